// Calls that were not let in, by reason: what a key lacks shows here before anyone reports it.

import type { JSX } from 'preact';
import type { RequestSummary } from '../../client/types.gen.ts';
import { Link } from '../../ui/controls.tsx';
import { number } from '../../ui/format.ts';
import { Section, Stat, Stats } from '../../ui/parts.tsx';
import { nameOf } from './key-words.ts';

const REASONS: readonly (readonly [string, string])[] = [
  ['unauthorized', 'Revoked or expired key'],
  ['insufficient_scope', 'Scope missing'],
  ['ip_not_allowed', 'Address not allowed'],
  ['wrong_key_kind', 'Wrong kind of key'],
  ['rate_limited', 'Over the limit'],
];

export function TurnedAway({ summary }: { readonly summary: RequestSummary }): JSX.Element {
  return (
    <Section
      title="Turned away, last 7 days"
      aside={<Link to="/requests?outcome=refused&time=7d">See the requests</Link>}
    >
      <Stats>
        {REASONS.map(([code, label]) => {
          const { total, busiest } = turnedAwayBy(summary, code);
          return (
            <Stat
              key={code}
              label={label}
              figure={number(total)}
              note={
                <>
                  <code>{code}</code> {busiest !== null && `most from ${busiest}`}
                </>
              }
            />
          );
        })}
      </Stats>
    </Section>
  );
}

function turnedAwayBy(
  { keys }: RequestSummary,
  code: string,
): { readonly total: number; readonly busiest: string | null } {
  const counts = keys
    .map(({ key, turned_away }) => ({ key, count: turned_away.find((one) => one.code === code)?.count ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count);
  return {
    total: counts.reduce((sum, { count }) => sum + count, 0),
    busiest: counts[0] === undefined ? null : nameOf(counts[0].key),
  };
}
