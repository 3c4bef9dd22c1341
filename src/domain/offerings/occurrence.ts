// The slot that a recurring rule of an offering gives at one moment, as a slot of its own. Bounded as every expansion is.

import type { Availability } from '../../../schemas/types.gen.ts';
import { zoneClock } from '../calendar/zone-clock.ts';
import { recurringStarts } from './recurrence.ts';

type SingleSlot = NonNullable<Availability['slots']>[number];

/** Of several rules the first counts. Null: none of them starts a slot then. */
export function occurrenceAt(availability: Availability, start: number): SingleSlot | null {
  const { recurring = [], timezone = 'UTC' } = availability;
  if (recurring.length === 0 || Number.isNaN(start)) return null;
  const clock = zoneClock(timezone, start, start + 1);
  const entry = recurring.find((one) => recurringStarts(one, clock, { from: start, to: start + 1 }).starts.length > 0);
  if (entry === undefined) return null;
  const { capacity, duration_minutes: minutes } = entry;
  return {
    starts_at: new Date(start).toISOString(),
    ...(minutes === undefined ? {} : { ends_at: new Date(start + minutes * 60_000).toISOString() }),
    ...(capacity === undefined ? {} : { capacity }),
  };
}
