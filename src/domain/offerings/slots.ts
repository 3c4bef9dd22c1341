// What can be booked of an offering, and at what price: its own slots and those of its rules, less what is blacked out,
// too soon, too small or without a price for the party. The answer is in order of start, and bounded. What others have
// booked meanwhile is not taken off: capacity is the venue's figure.

import { DAY, readDate, readMoment, writeMoment } from '../../../schemas/rules/moment.ts';
import type { Availability, Offering, Slot } from '../../../schemas/types.gen.ts';
import type { Work } from '../calendar/recurrence-set.ts';
import { type ZoneClock, zoneClock } from '../calendar/zone-clock.ts';
import { anyTierTest, type Price, type PricedSlot, pricesFor } from './price.ts';
import { type OpenRule, openRule, type RecurringSlots, type Stretch, walkStarts } from './recurrence.ts';

const MINUTE = 60_000;
/** Nobody is told about more than a year and a day at once. */
const LONGEST_QUESTION = 366 * DAY;
/** What an answer holds at the most: slots, prices, and bytes of prices as JSON. It has one slot at least. */
export const MOST_SLOTS = 500;
export const MOST_PRICES = 2000;
const MOST_PRICE_BYTES = 700_000;
/** The most steps that all rules of an offering take together for one answer; a day of the densest takes half. */
const MOST_SEARCH_STEPS = 50_000;
/** The same for counting the times that rules with COUNT had before the answer: 20 rules from 1970 on. */
const MOST_COUNTING_STEPS = 450_000;
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

const within = ({ from, to }: Stretch, start: number): boolean => start >= from && start < to;

const onWall = (clock: ZoneClock, start: number, end: number | null): PricedSlot => ({
  startsOnWall: clock.wallAt(start),
  minutes: minutesOf(start, end),
});

const holds = (capacity: number | null, partySize: number): boolean =>
  capacity === null || (capacity > 0 && capacity >= partySize);

/** The starts of a rule, asked for stretch after stretch. False: the work ran out. */
type Walk = (stretch: Stretch, work: Work, visit: (start: number, wall: number) => boolean) => boolean;

/** A rule whose slots hold the party. */
interface Source {
  readonly length: number | null;
  readonly capacity: number | null;
  readonly walk: Walk;
}

/** A rule with COUNT has to be counted from its start on, so its starts are all found at once. Null: the work ran out. */
function countedWalk(open: OpenRule, clock: ZoneClock, stretch: Stretch, counting: Work): Walk | null {
  const found: { readonly start: number; readonly wall: number }[] = [];
  const ended = walkStarts(open, clock, stretch, counting, (start, wall) => found.push({ start, wall }) > 0);
  if (!ended) return null;
  found.sort((a, b) => a.start - b.start);
  let next = 0;
  return ({ from, to }, work, visit) => {
    for (let one = found[next]; one !== undefined && one.start < to; one = found[next]) {
      next += 1;
      if (one.start < from) continue;
      work.left -= 1;
      if (work.left < 0) return false;
      if (!visit(one.start, one.wall)) return true;
    }
    return true;
  };
}

/** Null: the rules with COUNT began so long ago that the work ran out before they were counted. */
function sourcesOf(
  entries: readonly RecurringSlots[],
  clock: ZoneClock,
  stretch: Stretch,
  partySize: number,
): Source[] | null {
  const counting: Work = { left: MOST_COUNTING_STEPS };
  const sources: Source[] = [];
  for (const entry of entries) {
    const capacity = entry.capacity ?? null;
    const open = holds(capacity, partySize) ? openRule(entry, clock.timezone) : undefined;
    if (open === undefined) continue;
    const walk: Walk | null =
      open.rule.count === undefined
        ? (within, work, visit) => walkStarts(open, clock, within, work, visit)
        : countedWalk(open, clock, stretch, counting);
    if (walk === null) return null;
    const length = entry.duration_minutes === undefined ? null : entry.duration_minutes * MINUTE;
    sources.push({ length, capacity, walk });
  }
  return sources;
}

/** What a search needs to know about the offering. */
interface Search {
  readonly clock: ZoneClock;
  readonly single: readonly OpenSlot[];
  readonly sources: readonly Source[];
  /** Whether a slot of a rule is wanted. */
  readonly wanted: (start: number, end: number | null) => boolean;
}

/**
 * The earliest slots of the rules within a stretch: all of them, or more than an answer holds. What starts after those is
 * not looked for. Two rules that give the same start and length give one slot, the first's. Null: the work ran out.
 */
function recurringSlots({ clock, sources, wanted }: Search, stretch: Stretch, work: Work): OpenSlot[] | null {
  let slots = new Map<string, OpenSlot>();
  let { to } = stretch;
  for (const { length, capacity, walk } of sources) {
    let [kept, latest] = [0, stretch.from];
    const ended = walk({ from: stretch.from, to }, work, (start, wall) => {
      if (start >= to) return wall < clock.lastWall(to);
      const end = length === null ? null : start + length;
      if (!wanted(start, end)) return true;
      const key = `${start} ${length}`;
      if (slots.has(key)) return true;
      slots.set(key, { start, end, capacity, externalId: null, overrides: NO_OVERRIDES });
      [kept, latest] = [kept + 1, Math.max(latest, start)];
      if (kept > MOST_SLOTS) to = Math.min(to, latest + 1);
      return true;
    });
    if (!ended) return null;
    if (slots.size <= MOST_SLOTS) continue;
    const starts = Float64Array.from(slots.values(), (slot) => slot.start).sort();
    to = Math.min(to, (starts[MOST_SLOTS] ?? to) + 1);
    slots = new Map([...slots].filter(([, slot]) => slot.start < to));
  }
  return [...slots.values()];
}

/** The slots of an answer so far, and how much of it their prices take up. */
interface Page {
  readonly data: Slot[];
  prices: number;
  bytes: number;
}

/**
 * Adds slots, which are in order of start, for as long as they fit. Those that start together stay together, so that the
 * next answer can begin with a start; if they alone are too many for an answer, the first of them are in it. Gives the
 * moment from which slots were left out, or null.
 */
function fill(page: Page, slots: readonly OpenSlot[], shown: (slot: OpenSlot) => Slot, sizeOf: SizeOf): number | null {
  let [together, start] = [0, Number.NaN];
  for (const open of slots) {
    if (open.start !== start) [together, start] = [page.data.length, open.start];
    const slot = shown(open);
    page.prices += slot.prices.length;
    page.bytes += slot.prices.reduce((sum, price) => sum + sizeOf(price), 0);
    const fits = page.data.length < MOST_SLOTS && page.prices <= MOST_PRICES && page.bytes <= MOST_PRICE_BYTES;
    if (!fits && page.data.length > 0) {
      if (together === 0) return start + 1;
      page.data.length = together;
      return start;
    }
    page.data.push(slot);
  }
  return null;
}

type SizeOf = (price: Price) => number;

/** How long prices are as JSON. Slots share prices, and each is measured once. */
function priceSizes(): SizeOf {
  const sizes = new Map<Price, number>();
  return (price) => {
    const size = sizes.get(price) ?? Buffer.byteLength(JSON.stringify(price));
    sizes.set(price, size);
    return size;
  };
}

/**
 * Searches a stretch window by window, all rules in each, so that whatever was found before the end of a window is
 * certain. Windows begin with a day and grow while the work allows. Gives the moment at which the search stopped, or null.
 */
function searched(search: Search, stretch: Stretch, page: Page, shown: (slot: OpenSlot) => Slot): number | null {
  const work: Work = { left: MOST_SEARCH_STEPS };
  const sizeOf = priceSizes();
  let size = DAY;
  for (let from = stretch.from; from < stretch.to; ) {
    const window = { from, to: Math.min(from + size, stretch.to) };
    const left = work.left;
    const recurring = recurringSlots(search, window, work);
    if (recurring === null) return from;
    const single = search.single.filter(({ start }) => start >= window.from && start < window.to);
    const slots = [...single, ...recurring].sort((a, b) => a.start - b.start);
    const stopped = fill(page, slots, shown, sizeOf);
    if (stopped !== null) return stopped < stretch.to ? stopped : null;
    const stepsADay = ((left - work.left) * DAY) / size;
    const affordable = Math.floor(work.left / 2 / Math.max(stepsADay, 1)) * DAY;
    size = Math.max(DAY, Math.min(2 * size, affordable));
    from = window.to;
  }
  return null;
}

/** The slots of an answer, and the moment from which to ask for the rest; null when there is no rest. */
export interface SlotPage {
  readonly data: Slot[];
  readonly next_from: string | null;
}

/** What the rules and the single slots of an offering give. Null: the rules could not be counted. */
function searchFor(offering: PricedOffering, stretch: Stretch, clock: ZoneClock, partySize: number): Search | null {
  const { tiers, availability = {} } = offering;
  const sources = sourcesOf(availability.recurring ?? [], clock, stretch, partySize);
  if (sources === null) return null;
  const blackouts = new Set(availability.blackout_dates?.map(readDate));
  const priced = anyTierTest(tiers, partySize);
  const open = (start: number, end: number | null): boolean => {
    const slot = onWall(clock, start, end);
    return !blackouts.has(Math.floor(slot.startsOnWall / DAY) * DAY) && priced(slot);
  };
  const all = singleSlots(availability);
  const replaced = new Set(all.map((slot) => slot.start));
  return {
    clock,
    sources,
    single: all.filter(
      ({ start, end, capacity }) => within(stretch, start) && holds(capacity, partySize) && open(start, end),
    ),
    wanted: (start, end) => !replaced.has(start) && open(start, end),
  };
}

/** The slots of an offering that a party can book, in order of start, with what each costs it; the first that fit. */
export function bookableSlots(offering: PricedOffering, question: SlotQuestion): SlotPage {
  const { tiers, availability = {} } = offering;
  const { partySize } = question;
  const stretch = bookableStretch(availability, question);
  if (!(stretch.from < stretch.to)) return { data: [], next_from: null };
  const clock = zoneClock(availability.timezone ?? 'UTC', stretch.from, stretch.to);
  const search = searchFor(offering, stretch, clock, partySize);
  if (search === null) return { data: [], next_from: writeMoment(stretch.from) };
  const prices = pricesFor(tiers, partySize);
  const cutoff = (availability.cutoff_minutes ?? 0) * MINUTE;
  const page: Page = { data: [], prices: 0, bytes: 0 };
  const stopped = searched(search, stretch, page, (slot) => ({
    starts_at: writeMoment(slot.start),
    ends_at: slot.end === null ? null : writeMoment(slot.end),
    external_id: slot.externalId,
    capacity: slot.capacity,
    pay_by: writeMoment(slot.start - cutoff),
    prices: prices(onWall(clock, slot.start, slot.end), slot.overrides),
  }));
  const next = stopped ?? (stretch.to < question.to.getTime() ? stretch.to : null);
  return { data: page.data, next_from: next === null ? null : writeMoment(next) };
}
