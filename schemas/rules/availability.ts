// The rules of an availability that need no offering: a real time zone, slots that end after they start and have
// distinct ids, valid recurrence rules that do not end before they begin. The rules of an offering check the tiers of a
// slot.

import { datesIn, isZone, zoneIsReal } from './iana-zone.ts';
import { readDate, readInstant } from './instant.ts';
import { below, items, member } from './json-walk.ts';
import { recurrenceIsReadable } from './recurrence-rule.ts';
import type { Report, Rule } from './rule.ts';
import { endsAfterStarts } from './time-order.ts';
import { uniqueExternalIds } from './unique-external-id.ts';

/**
 * `until` must not be before the day on which the rule starts. The rule accepts the day as written in starts_at and the
 * day in the availability's zone, because a partner may send starts_at in UTC, which can differ by a day.
 */
function untilAfterStart(recurring: unknown, dateOf: (time: number) => string, at: string, report: Report): void {
  const until = member(recurring, 'until');
  const startsAt = member(recurring, 'starts_at');
  const start = readInstant(startsAt);
  if (typeof until !== 'string' || readDate(until) === undefined) return;
  if (typeof startsAt !== 'string' || start === undefined) return;
  const written = startsAt.slice(0, 10);
  if (until >= written || until >= dateOf(start)) return;
  report({
    code: 'not_allowed',
    field: below(at, 'until'),
    message: `until must not be before the day starts_at falls on (${written}). Send a later date, or leave until out.`,
    expected: `a date from ${written} on`,
    example_fix: written,
  });
}

export const availability: Rule = (value, at, report, facts) => {
  const timezone = member(value, 'timezone');
  zoneIsReal(timezone, below(at, 'timezone'), report, facts);
  const slots = member(value, 'slots');
  items(slots).forEach((slot, index) => {
    endsAfterStarts(slot, below(at, 'slots', index), report, facts);
  });
  uniqueExternalIds(slots, below(at, 'slots'), report, 'slot');
  const dateOf = datesIn(typeof timezone === 'string' && isZone(timezone) ? timezone : 'UTC');
  items(member(value, 'recurring')).forEach((recurring, index) => {
    const place = below(at, 'recurring', index);
    recurrenceIsReadable(member(recurring, 'rrule'), below(place, 'rrule'), report, facts);
    untilAfterStart(recurring, dateOf, place, report);
  });
};
