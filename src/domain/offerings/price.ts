// What a slot costs a party: which tiers apply to it, and what each comes to with its fees and its deposit. All of it is
// reckoned in whole minor units and exact fractions, and rounded half up, once for each figure that is shown. Whether the
// slot can be booked at all is not its business.

import { DAY } from '../../../schemas/rules/moment.ts';
import type { PriceTier, Slot } from '../../../schemas/types.gen.ts';

export type Price = Slot['prices'][number];
type Fee = NonNullable<PriceTier['fees']>[number];

/** What a price depends on. */
export interface PricedSlot {
  /** What the wall shows when the slot starts, in milliseconds as if the wall were in UTC; 1970 or later. */
  readonly startsOnWall: number;
  /** How long it lasts, in whole minutes; null when its end is not known. */
  readonly minutes: number | null;
}

/** A number that is not negative, as an exact fraction. */
interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

const MINUTE = 60_000;
const MINUTES_A_WEEK = 7 * 24 * 60;
/** The weekdays from 1970-01-01 on. */
const WEEKDAYS = ['thu', 'fri', 'sat', 'sun', 'mon', 'tue', 'wed'] as const;
/** 31 days, as long as a recurring slot may last; by the hour, nothing longer is priced. */
export const LONGEST_BY_THE_HOUR = 44_640;

/** The fraction that a JSON number's shortest decimal text stands for: 8.875 is 8875/1000, not its nearest binary. */
export function exactly(number: number): Fraction {
  const [digits = '0', exponent = '0'] = String(number).split('e');
  const [whole = '0', decimals = ''] = digits.split('.');
  const shift = Number(exponent) - decimals.length;
  const over = BigInt(whole + decimals);
  return shift >= 0 ? { over: over * 10n ** BigInt(shift), under: 1n } : { over, under: 10n ** BigInt(-shift) };
}

/** The nearest whole number; a half goes up. */
export function roundedHalfUp({ over, under }: Fraction): bigint {
  return (2n * over + under) / (2n * under);
}

const minutesOfDay = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));

/** Whether a start time is in a window, its end not included; a window whose end is not after its start crosses midnight. */
function windowTest(window: NonNullable<PriceTier['time_window']>): (minute: number) => boolean {
  const [from, to] = [minutesOfDay(window.from), minutesOfDay(window.to)];
  return (minute) => (from < to ? from <= minute && minute < to : from <= minute || minute < to);
}

/**
 * Says of slots whether a tier holds for a party in them. What does not depend on the slot is worked out once. The
 * weekday is that on which the slot starts, also after midnight.
 */
export function tierTest(tier: PriceTier, partySize: number): (slot: PricedSlot) => boolean {
  if (partySize < (tier.min_party ?? 1) || partySize > (tier.max_party ?? Number.POSITIVE_INFINITY)) return () => false;
  const hourly = tier.unit === 'per_hour';
  const days = tier.days === undefined ? null : new Set(tier.days.map((day) => WEEKDAYS.indexOf(day)));
  const inWindow = tier.time_window === undefined ? null : windowTest(tier.time_window);
  return ({ startsOnWall, minutes }) => {
    if (hourly && (minutes === null || minutes > LONGEST_BY_THE_HOUR)) return false;
    if (days !== null && !days.has(Math.floor(startsOnWall / DAY) % 7)) return false;
    return inWindow === null || inWindow(Math.floor((startsOnWall % DAY) / MINUTE));
  };
}

/** Says of slots whether any tier holds for a party in them: once for each minute of the week, with an hour's price or not. */
export function anyTierTest(tiers: readonly PriceTier[], partySize: number): (slot: PricedSlot) => boolean {
  const tests = tiers.map((tier) => tierTest(tier, partySize));
  const known = new Map<number, boolean>();
  return (slot) => {
    const byTheHour = slot.minutes !== null && slot.minutes <= LONGEST_BY_THE_HOUR;
    const key = (Math.floor(slot.startsOnWall / MINUTE) % MINUTES_A_WEEK) * 2 + Number(byTheHour);
    const before = known.get(key);
    if (before !== undefined) return before;
    const applies = tests.some((test) => test(slot));
    known.set(key, applies);
    return applies;
  };
}

/** The amount times what it is for, before fees. */
function baseOf(unit: PriceTier['unit'], amount: number, minutes: number, partySize: number): bigint {
  if (unit === 'per_person') return BigInt(amount) * BigInt(partySize);
  if (unit === 'per_hour') return roundedHalfUp({ over: BigInt(amount) * BigInt(minutes), under: 60n });
  return BigInt(amount);
}

/** What a fee comes to. A percentage is of the base; one that the base contains is the part of the base that it makes up. */
function feeOf(fee: Fee, base: bigint): bigint {
  if (fee.percent === undefined) return BigInt(fee.amount ?? 0);
  const { over, under } = exactly(fee.percent);
  return roundedHalfUp({ over: base * over, under: fee.included ? 100n * under + over : 100n * under });
}

function depositOf(deposit: NonNullable<PriceTier['deposit']>, total: bigint): bigint {
  const { over, under } = exactly(deposit.percent ?? 0);
  const asked =
    deposit.percent === undefined
      ? BigInt(deposit.amount ?? 0)
      : roundedHalfUp({ over: total * over, under: 100n * under });
  return asked < total ? asked : total;
}

/**
 * What a tier comes to for a party, at `amount` for its unit: the tier's own, or the one that the slot sets instead. The
 * minutes count for per_hour alone.
 */
export function priceOf(tier: PriceTier, amount: number, minutes: number, partySize: number): Price {
  const base = baseOf(tier.unit, amount, minutes, partySize);
  const fees = (tier.fees ?? []).map((fee) => ({ fee, comesTo: feeOf(fee, base) }));
  const total = fees.reduce((sum, { fee, comesTo }) => (fee.included ? sum : sum + comesTo), base);
  return {
    tier: tier.external_id ?? null,
    label: tier.label ?? null,
    unit: tier.unit,
    amount,
    currency: tier.currency,
    fees: fees.map(({ fee, comesTo }) => ({
      type: fee.type,
      label: fee.label ?? null,
      percent: fee.percent ?? null,
      amount: Number(comesTo),
      included: fee.included,
    })),
    total: Number(total),
    deposit: tier.deposit === undefined ? null : Number(depositOf(tier.deposit, total)),
    minimum_spend: tier.minimum_spend ?? null,
  };
}

/** Prices slots for one party. Slots that cost the same share one price, which is reckoned once. */
export function pricesFor(
  tiers: readonly PriceTier[],
  partySize: number,
): (slot: PricedSlot, overrides: ReadonlyMap<string, number>) => Price[] {
  const reckoned = new Map<string, Price>();
  const compiled = tiers.map((tier) => ({ tier, applies: tierTest(tier, partySize) }));
  return (slot, overrides) =>
    compiled.flatMap(({ tier, applies }, index) => {
      if (!applies(slot)) return [];
      const amount = overrides.get(tier.external_id ?? '') ?? tier.amount;
      const minutes = tier.unit === 'per_hour' ? (slot.minutes ?? 0) : 0;
      const key = `${index} ${amount} ${minutes}`;
      const price = reckoned.get(key) ?? priceOf(tier, amount, minutes, partySize);
      reckoned.set(key, price);
      return [price];
    });
}
