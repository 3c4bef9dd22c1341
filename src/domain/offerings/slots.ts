// The slots of an offering that a party can book, with their prices: single slots and slots of rules, without those
// that are blacked out, too soon, too small or without a price for the party. The page is in order of start, and
// bounded. It does not subtract existing bookings: capacity is the venue's figure.

import { DAY, readDate, readInstant, writeInstant } from '../../../schemas/rules/instant.ts';
import type { Availability, Offering, Slot } from '../../../schemas/types.gen.ts';
import type { StepBudget } from '../recurrence/recurrence-set.ts';
import { type ZoneClock, zoneClock } from '../recurrence/zone-clock.ts';
import { anyTierPredicate, type Price, type PricedSlot, pricesFor } from './price.ts';
import { type ParsedRule, parseRule, type RecurringSlots, type TimeRange, walkStarts } from './recurrence.ts';

const MINUTE_MS = 60_000;
/** One query covers at most a year and a day. */
const MAX_RANGE_MS = 366 * DAY;
/** The most that a page holds: slots, prices, and bytes of prices as JSON. The first slot is on it in any case. */
export const MAX_SLOTS = 500;
export const MAX_PRICES = 2000;
const MAX_PRICE_BYTES = 700_000;
/** The most steps that all rules of an offering take together for one page; a day of the densest rules takes half. */
const MAX_SEARCH_STEPS = 50_000;
/** The most steps for counting rules with COUNT from their start: enough for 20 daily rules from 1970 on. */
const MAX_COUNTING_STEPS = 450_000;
const NO_OVERRIDES: ReadonlyMap<string, number> = new Map();

/** Slots that start from `from` on and before `to`, for a party of this size, as of `now`. */
export interface SlotQuery {
  readonly from: Date;
  readonly to: Date;
  readonly partySize: number;
  readonly now: Date;
}

/** An offering, as submitted or as stored. */
export type PricedOffering = Pick<Offering, 'tiers' | 'availability'>;

/** A slot before it has a price. */
interface UnpricedSlot {
  readonly start: number;
  readonly end: number | null;
  readonly capacity: number | null;
  readonly externalId: string | null;
  readonly overrides: ReadonlyMap<string, number>;
}

/** The range of starts that can still be booked and paid: after the lead time, with pay_by in the future. */
function bookableRange(availability: Availability, query: SlotQuery): TimeRange {
  const [from, now] = [query.from.getTime(), query.now.getTime()];
  const leadTimeEnd = now + (availability.lead_time_minutes ?? 0) * MINUTE_MS;
  const firstPayable = now + (availability.cutoff_minutes ?? 0) * MINUTE_MS + 1;
  const to = Math.min(query.to.getTime(), from + MAX_RANGE_MS);
  return { from: Math.max(from, leadTimeEnd, firstPayable), to };
}

/** The slots that the venue sent one by one. */
function singleSlots(availability: Availability): UnpricedSlot[] {
  return (availability.slots ?? []).flatMap((slot) => {
    const start = readInstant(slot.starts_at);
    if (start === undefined) return [];
    return {
      start,
      end: readInstant(slot.ends_at) ?? null,
      capacity: slot.capacity ?? null,
      externalId: slot.external_id ?? null,
      overrides: new Map(slot.tier_overrides?.map(({ tier, amount }) => [tier, amount])),
    };
  });
}

function minutesOf(start: number, end: number | null): number | null {
  return end === null ? null : Math.floor((end - start) / MINUTE_MS);
}

const isInRange = ({ from, to }: TimeRange, start: number): boolean => start >= from && start < to;

const pricedSlot = (clock: ZoneClock, start: number, end: number | null): PricedSlot => ({
  wallStart: clock.wallAt(start),
  minutes: minutesOf(start, end),
});

const hasCapacity = (capacity: number | null, partySize: number): boolean =>
  capacity === null || (capacity > 0 && capacity >= partySize);

/** Visits the starts of a rule, range after range. Returns false when the budget ran out. */
type Walk = (range: TimeRange, budget: StepBudget, visit: (start: number, wall: number) => boolean) => boolean;

/** A rule whose slots have the capacity for the party. */
interface RuleSlots {
  readonly length: number | null;
  readonly capacity: number | null;
  readonly walk: Walk;
}

/** A rule with COUNT is counted from its start, so all its starts are found at once. Null: the budget ran out. */
function countedWalk(rule: ParsedRule, clock: ZoneClock, range: TimeRange, counting: StepBudget): Walk | null {
  const found: { readonly start: number; readonly wall: number }[] = [];
  const hasEnded = walkStarts(rule, clock, range, counting, (start, wall) => found.push({ start, wall }) > 0);
  if (!hasEnded) return null;
  found.sort((a, b) => a.start - b.start);
  let next = 0;
  return ({ from, to }, budget, visit) => {
    for (let one = found[next]; one !== undefined && one.start < to; one = found[next]) {
      next += 1;
      if (one.start < from) continue;
      budget.left -= 1;
      if (budget.left < 0) return false;
      if (!visit(one.start, one.wall)) return true;
    }
    return true;
  };
}

/** Null: the rules with COUNT began so long ago that the budget ran out before they were counted. */
function ruleSlotsOf(
  entries: readonly RecurringSlots[],
  clock: ZoneClock,
  range: TimeRange,
  partySize: number,
): RuleSlots[] | null {
  const counting: StepBudget = { left: MAX_COUNTING_STEPS };
  const rules: RuleSlots[] = [];
  for (const entry of entries) {
    const capacity = entry.capacity ?? null;
    const parsed = hasCapacity(capacity, partySize) ? parseRule(entry, clock.timezone) : undefined;
    if (parsed === undefined) continue;
    const walk: Walk | null =
      parsed.rule.count === undefined
        ? (window, budget, visit) => walkStarts(parsed, clock, window, budget, visit)
        : countedWalk(parsed, clock, range, counting);
    if (walk === null) return null;
    const length = entry.duration_minutes === undefined ? null : entry.duration_minutes * MINUTE_MS;
    rules.push({ length, capacity, walk });
  }
  return rules;
}

/** What a search uses of the offering. */
interface Search {
  readonly clock: ZoneClock;
  readonly single: readonly UnpricedSlot[];
  readonly rules: readonly RuleSlots[];
  /** Whether a slot of a rule is in the result: open, priced, and not replaced by a single slot. */
  readonly isBookable: (start: number, end: number | null) => boolean;
}

/**
 * The earliest slots of the rules in a range: all of them, or more than a page holds. Later slots are not searched. Two
 * rules with the same start and length give one slot, that of the first rule. Null: the budget ran out.
 */
function recurringSlots(
  { clock, rules, isBookable }: Search,
  range: TimeRange,
  budget: StepBudget,
): UnpricedSlot[] | null {
  let slots = new Map<string, UnpricedSlot>();
  let { to } = range;
  for (const { length, capacity, walk } of rules) {
    let [added, latest] = [0, range.from];
    const hasEnded = walk({ from: range.from, to }, budget, (start, wall) => {
      if (start >= to) return wall < clock.lastWall(to);
      const end = length === null ? null : start + length;
      if (!isBookable(start, end)) return true;
      const key = `${start} ${length}`;
      if (slots.has(key)) return true;
      slots.set(key, { start, end, capacity, externalId: null, overrides: NO_OVERRIDES });
      [added, latest] = [added + 1, Math.max(latest, start)];
      if (added > MAX_SLOTS) to = Math.min(to, latest + 1);
      return true;
    });
    if (!hasEnded) return null;
    if (slots.size <= MAX_SLOTS) continue;
    const starts = Float64Array.from(slots.values(), (slot) => slot.start).sort();
    to = Math.min(to, (starts[MAX_SLOTS] ?? to) + 1);
    slots = new Map([...slots].filter(([, slot]) => slot.start < to));
  }
  return [...slots.values()];
}

/** The slots of a page so far, and the number and size of their prices. */
interface PageDraft {
  readonly data: Slot[];
  prices: number;
  bytes: number;
}

/**
 * Adds slots, in order of start, as long as they fit. Slots with the same start stay on one page, so that the next
 * page can begin at a start; if they alone are too many for a page, only the first of them are on it. Returns the
 * instant from which slots were left out, or null.
 */
function addToPage(
  page: PageDraft,
  slots: readonly UnpricedSlot[],
  toSlot: (slot: UnpricedSlot) => Slot,
  sizeOf: PriceSize,
): number | null {
  let [firstWithStart, start] = [0, Number.NaN];
  for (const unpriced of slots) {
    if (unpriced.start !== start) [firstWithStart, start] = [page.data.length, unpriced.start];
    const slot = toSlot(unpriced);
    page.prices += slot.prices.length;
    page.bytes += slot.prices.reduce((sum, price) => sum + sizeOf(price), 0);
    const fits = page.data.length < MAX_SLOTS && page.prices <= MAX_PRICES && page.bytes <= MAX_PRICE_BYTES;
    if (!fits && page.data.length > 0) {
      if (firstWithStart === 0) return start + 1;
      page.data.length = firstWithStart;
      return start;
    }
    page.data.push(slot);
  }
  return null;
}

type PriceSize = (price: Price) => number;

/** The size of prices as JSON. Slots share price objects, and each is measured once. */
function priceSizes(): PriceSize {
  const sizes = new Map<Price, number>();
  return (price) => {
    const size = sizes.get(price) ?? Buffer.byteLength(JSON.stringify(price));
    sizes.set(price, size);
    return size;
  };
}

/**
 * Searches a range window by window, all rules in each, so that the slots before the end of a window are complete. A
 * window is a day at first and grows while the budget allows. Returns the instant at which the search stopped, or
 * null.
 */
function searchRange(
  search: Search,
  range: TimeRange,
  page: PageDraft,
  toSlot: (slot: UnpricedSlot) => Slot,
): number | null {
  const budget: StepBudget = { left: MAX_SEARCH_STEPS };
  const sizeOf = priceSizes();
  let size = DAY;
  for (let from = range.from; from < range.to; ) {
    const window = { from, to: Math.min(from + size, range.to) };
    const leftBefore = budget.left;
    const recurring = recurringSlots(search, window, budget);
    if (recurring === null) return from;
    const single = search.single.filter(({ start }) => isInRange(window, start));
    const slots = [...single, ...recurring].sort((a, b) => a.start - b.start);
    const stopped = addToPage(page, slots, toSlot, sizeOf);
    if (stopped !== null) return stopped < range.to ? stopped : null;
    const stepsPerDay = ((leftBefore - budget.left) * DAY) / size;
    const affordable = Math.floor(budget.left / 2 / Math.max(stepsPerDay, 1)) * DAY;
    size = Math.max(DAY, Math.min(2 * size, affordable));
    from = window.to;
  }
  return null;
}

/** One page of slots, and the start of the next page; null: there are no more. */
export interface SlotPage {
  readonly data: Slot[];
  readonly next_from: string | null;
}

/** Prepares the search of an offering. Null: the rules with COUNT could not be counted. */
function searchFor(offering: PricedOffering, range: TimeRange, clock: ZoneClock, partySize: number): Search | null {
  const { tiers, availability = {} } = offering;
  const rules = ruleSlotsOf(availability.recurring ?? [], clock, range, partySize);
  if (rules === null) return null;
  const blackouts = new Set(availability.blackout_dates?.map(readDate));
  const hasPrice = anyTierPredicate(tiers, partySize);
  const isOpen = (start: number, end: number | null): boolean => {
    const slot = pricedSlot(clock, start, end);
    return !blackouts.has(Math.floor(slot.wallStart / DAY) * DAY) && hasPrice(slot);
  };
  const all = singleSlots(availability);
  const replaced = new Set(all.map((slot) => slot.start));
  return {
    clock,
    rules,
    single: all.filter(
      ({ start, end, capacity }) => isInRange(range, start) && hasCapacity(capacity, partySize) && isOpen(start, end),
    ),
    isBookable: (start, end) => !replaced.has(start) && isOpen(start, end),
  };
}

/** The first page of the slots that a party can book, in order of start, with their prices. */
export function bookableSlots(offering: PricedOffering, query: SlotQuery): SlotPage {
  const { tiers, availability = {} } = offering;
  const { partySize } = query;
  const range = bookableRange(availability, query);
  if (!(range.from < range.to)) return { data: [], next_from: null };
  const clock = zoneClock(availability.timezone ?? 'UTC', range.from, range.to);
  const search = searchFor(offering, range, clock, partySize);
  if (search === null) return { data: [], next_from: writeInstant(range.from) };
  const prices = pricesFor(tiers, partySize);
  const cutoff = (availability.cutoff_minutes ?? 0) * MINUTE_MS;
  const page: PageDraft = { data: [], prices: 0, bytes: 0 };
  const stopped = searchRange(search, range, page, (slot) => ({
    starts_at: writeInstant(slot.start),
    ends_at: slot.end === null ? null : writeInstant(slot.end),
    external_id: slot.externalId,
    capacity: slot.capacity,
    pay_by: writeInstant(slot.start - cutoff),
    prices: prices(pricedSlot(clock, slot.start, slot.end), slot.overrides),
  }));
  const next = stopped ?? (range.to < query.to.getTime() ? range.to : null);
  return { data: page.data, next_from: next === null ? null : writeInstant(next) };
}
