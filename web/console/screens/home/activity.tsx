// What happened last, newest first.

import type { JSX } from 'preact';
import type { ConsoleHome } from '../../client/types.gen.ts';
import { Link } from '../../ui/controls.tsx';
import { dateTime, day, money, time, words } from '../../ui/format.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { Section } from '../../ui/parts.tsx';

type Entry = ConsoleHome['activity'][number];

const LOOKS: Readonly<Record<string, readonly [string, IconName, string]>> = {
  'checkout.created': ['Checkout created', 'plus', 'neutral'],
  'checkout.collecting': ['Party chosen', 'people', 'neutral'],
  'share.held': ['Share held', 'lock', 'blue'],
  'checkout.funded': ['Funded, charging', 'full', 'violet'],
  'checkout.completed': ['Completed', 'tick', 'green'],
  'checkout.expired': ['Expired', 'clock', 'amber'],
  'checkout.canceled': ['Canceled', 'stroke', 'neutral'],
  'refund.created': ['Refunded', 'back', 'violet'],
  'refund.failed': ['Refund failed', 'refused', 'red'],
  'offering.approved': ['Approved', 'tick', 'green'],
  'offering.rejected': ['Not approved', 'refused', 'red'],
  'webhook_endpoint.disabled': ['Endpoint disabled', 'hook', 'red'],
};

const MAX_SHOWN = 8;

export function Activity({ activity }: Pick<ConsoleHome, 'activity'>): JSX.Element {
  return (
    <Section title="Recent activity" aside={<Link to="/events">All events</Link>}>
      {activity.length === 0 ? (
        <p class="quiet">Nothing has happened yet.</p>
      ) : (
        <ol class="activity">
          {activity.slice(0, MAX_SHOWN).map((entry) => (
            <Line key={entry.event_id} entry={entry} />
          ))}
        </ol>
      )}
    </Section>
  );
}

function Line({ entry }: { readonly entry: Entry }): JSX.Element {
  const { type, at, title, display_name, amount, currency, checkout_id, event_id } = entry;
  const [name, icon, color] = LOOKS[type] ?? [words(type), 'ring', 'neutral'];
  const sum = amount === null || currency === null ? null : money(amount, currency);
  const details = [display_name, title, sum].filter((text) => text !== null).join(' · ');
  const isToday = day(at) === day(new Date().toISOString());
  return (
    <li>
      <span class={`state ${color}`}>
        <Icon name={icon} />
      </span>
      <Link to={checkout_id === null ? `/events/${event_id}` : `/checkouts/${checkout_id}`} class="row-link">
        <b>{name}</b> <span class="quiet">{details}</span>
      </Link>
      <time datetime={at}>{isToday ? time(at) : dateTime(at)}</time>
    </li>
  );
}
