// The slot that a recurring rule of an offering starts at one instant, as a single slot. Bounded like every expansion.

import type { Availability } from '../../../schemas/types.gen.ts';
import { zoneClock } from '../recurrence/zone-clock.ts';
import { recurringStarts } from './recurrence.ts';

type SingleSlot = NonNullable<Availability['slots']>[number];

/** The first rule that starts a slot at this instant counts. Null: no rule does. */
export function occurrenceAt(availability: Availability, start: number): SingleSlot | null {
  const { recurring = [], timezone = 'UTC' } = availability;
  if (recurring.length === 0 || Number.isNaN(start)) return null;
  const clock = zoneClock(timezone, start, start + 1);
  const entry = recurring.find(
    (rule) => recurringStarts(rule, clock, { from: start, to: start + 1 }).starts.length > 0,
  );
  if (entry === undefined) return null;
  const { capacity, duration_minutes: minutes } = entry;
  return {
    starts_at: new Date(start).toISOString(),
    ...(minutes === undefined ? {} : { ends_at: new Date(start + minutes * 60_000).toISOString() }),
    ...(capacity === undefined ? {} : { capacity }),
  };
}
