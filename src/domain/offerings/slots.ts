// What can be booked of an offering, and at what price: its own slots and those of its rules, less what is blacked out,
// too soon, too small or without a price for the party. The answer is in order of start, and bounded. What others have
// booked meanwhile is not taken off: capacity is the venue's figure.

import { DAY, readDate, readMoment, writeMoment } from '../../../schemas/rules/moment.ts';
import type { Availability, Offering, Slot } from '../../../schemas/types.gen.ts';
import { type PricedSlot, pricesFor, tierApplies } from './price.ts';
import { MOST_STARTS, type RecurringSlots, recurringStarts, type Stretch } from './recurrence.ts';
import { type ZoneClock, zoneClock } from './zone-clock.ts';

const MINUTE = 60_000;
/** Nobody is told about more than a year and a day at once. */
const LONGEST_QUESTION = 366 * DAY;
const NO_OVERRIDES: ReadonlyMap<string, number> = new Map();

/** What is asked: slots that start from `from` on and before `to`, for a party of this size, as of `now`. */
export interface SlotQuestion {
  readonly from: Date;
  readonly to: Date;
  readonly partySize: number;
  readonly now: Date;
}

/** An offering, as submitted or as stored. */
export type PricedOffering = Pick<Offering, 'tiers' | 'availability'>;

/** A slot before it has a price. */
interface OpenSlot {
  readonly start: number;
  readonly end: number | null;
  readonly capacity: number | null;
  readonly externalId: string | null;
  readonly overrides: ReadonlyMap<string, number>;
}

/** The starts that can still be booked and paid for: with the lead time ahead of them, and pay_by still to come. */
function bookableStretch(availability: Availability, question: SlotQuestion): Stretch {
  const [from, now] = [question.from.getTime(), question.now.getTime()];
  const leadEnds = now + (availability.lead_time_minutes ?? 0) * MINUTE;
  const firstPayable = now + (availability.cutoff_minutes ?? 0) * MINUTE + 1;
  const to = Math.min(question.to.getTime(), from + LONGEST_QUESTION);
  return { from: Math.max(from, leadEnds, firstPayable), to };
}

/** The slots that were sent one by one, with the moments at which they start. */
function singleSlots(availability: Availability): OpenSlot[] {
  return (availability.slots ?? []).flatMap((slot) => {
    const start = readMoment(slot.starts_at);
    if (start === undefined) return [];
    return {
      start,
      end: readMoment(slot.ends_at) ?? null,
      capacity: slot.capacity ?? null,
      externalId: slot.external_id ?? null,
      overrides: new Map(slot.tier_overrides?.map(({ tier, amount }) => [tier, amount])),
    };
  });
}

function minutesOf(start: number, end: number | null): number | null {
  return end === null ? null : Math.floor((end - start) / MINUTE);
}

const holds = (capacity: number | null, partySize: number): boolean =>
  capacity === null || (capacity > 0 && capacity >= partySize);

/** The slots of the rules that are wanted. Two rules that give the same start and length give one slot, the first's. */
function recurringSlots(
  entries: readonly RecurringSlots[],
  clock: ZoneClock,
  stretch: Stretch,
  partySize: number,
  wanted: (start: number, end: number | null) => boolean,
): OpenSlot[] {
  const slots = new Map<string, OpenSlot>();
  for (const entry of entries) {
    const capacity = entry.capacity ?? null;
    if (!holds(capacity, partySize)) continue;
    const length = entry.duration_minutes === undefined ? null : entry.duration_minutes * MINUTE;
    const endOf = (start: number): number | null => (length === null ? null : start + length);
    for (const start of recurringStarts(entry, clock, stretch, (start) => wanted(start, endOf(start))).starts) {
      const key = `${start} ${length}`;
      if (slots.has(key)) continue;
      slots.set(key, { start, end: endOf(start), capacity, externalId: null, overrides: NO_OVERRIDES });
    }
  }
  return [...slots.values()];
}

/** The slots of an offering that a party can book, in order of start, with what each costs it; at most MOST_STARTS. */
export function bookableSlots(offering: PricedOffering, question: SlotQuestion): Slot[] {
  const { tiers, availability = {} } = offering;
  const { partySize } = question;
  const stretch = bookableStretch(availability, question);
  if (!(stretch.from < stretch.to)) return [];
  const clock = zoneClock(availability.timezone ?? 'UTC', stretch.from, stretch.to);
  const blackouts = new Set(availability.blackout_dates?.map(readDate));
  const onWall = (start: number, end: number | null): PricedSlot => ({
    startsOnWall: clock.wallAt(start),
    minutes: minutesOf(start, end),
  });
  const wanted = (start: number, end: number | null): boolean => {
    const slot = onWall(start, end);
    if (blackouts.has(Math.floor(slot.startsOnWall / DAY) * DAY)) return false;
    return tiers.some((tier) => tierApplies(tier, slot, partySize));
  };
  const all = singleSlots(availability);
  const single = all.filter(
    ({ start, end, capacity }) =>
      start >= stretch.from && start < stretch.to && holds(capacity, partySize) && wanted(start, end),
  );
  const replaced = new Set(all.map((slot) => slot.start));
  const recurring = recurringSlots(
    availability.recurring ?? [],
    clock,
    stretch,
    partySize,
    (start, end) => !replaced.has(start) && wanted(start, end),
  );
  const prices = pricesFor(tiers, partySize);
  const cutoff = (availability.cutoff_minutes ?? 0) * MINUTE;
  return [...single, ...recurring]
    .sort((a, b) => a.start - b.start)
    .slice(0, MOST_STARTS)
    .map((slot) => ({
      starts_at: writeMoment(slot.start),
      ends_at: slot.end === null ? null : writeMoment(slot.end),
      external_id: slot.externalId,
      capacity: slot.capacity,
      pay_by: writeMoment(slot.start - cutoff),
      prices: prices(onWall(slot.start, slot.end), slot.overrides),
    }));
}
