// From booking to money: how far the checkouts of 30 days came, with the loss written between the bars.

import type { JSX } from 'preact';
import type { ConsoleHome } from '../../client/types.gen.ts';
import { number } from '../../ui/format.ts';
import { Section } from '../../ui/parts.tsx';

const WIDTH = 200;

export function Funnel({ funnel }: Pick<ConsoleHome, 'funnel'>): JSX.Element {
  const { created, party_chosen, all_held, completed } = funnel;
  const { still_open, never_chosen, collecting, ended_before_held, charging, refused } = funnel;
  const bars: readonly (readonly [string, number, string])[] = [
    ['Created', created, ''],
    ['Party chosen', party_chosen, parts([still_open, 'still open'], [never_chosen, 'never chose'])],
    ['All held', all_held, parts([collecting, 'collecting'], [ended_before_held, 'expired or canceled'])],
    ['Completed', completed, parts([charging, 'charging'], [refused, 'refused for good'])],
  ];
  return (
    <Section title="From booking to money" aside="30 days">
      <dl class="booking-funnel">
        {bars.map(([name, value, loss]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="bar" aria-hidden="true">
              <svg viewBox={`0 0 ${WIDTH} 16`} preserveAspectRatio="none">
                <rect class="rest" width={WIDTH} height="16" />
                <rect class="done" width={created === 0 ? 0 : (WIDTH * value) / created} height="16" />
              </svg>
            </dd>
            <dd class="number">
              <b>{number(value)}</b>
            </dd>
            {loss !== '' && <dd class="loss">{loss}</dd>}
          </div>
        ))}
      </dl>
    </Section>
  );
}

const parts = (...losses: readonly (readonly [number, string])[]): string =>
  losses
    .filter(([value]) => value > 0)
    .map(([value, text]) => `${number(value)} ${text}`)
    .join(', ');
