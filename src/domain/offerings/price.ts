// The price of a slot for a party: which tiers apply, and the total of each with its fees and deposit. Amounts are
// whole minor units and exact fractions, rounded half up, once for each figure that is shown. It does not decide
// whether the slot can be booked. The fees here are the venue's own, part of the price; the checkout fee is in
// base/money.ts.

import { DAY } from '../../../schemas/rules/instant.ts';
import type { PriceTier, Slot } from '../../../schemas/types.gen.ts';
import { fractionOf, roundHalfUp } from '../../base/money.ts';

export type Price = Slot['prices'][number];
type Fee = NonNullable<PriceTier['fees']>[number];

/** What a price depends on, besides the tier and the party. */
export interface PricedSlot {
  /** The local time at which the slot starts, in milliseconds as if it were UTC; 1970 or later. */
  readonly wallStart: number;
  /** The length in whole minutes; null when the end is not known. */
  readonly minutes: number | null;
}

const MINUTE_MS = 60_000;
const MINUTES_PER_WEEK = 7 * 24 * 60;
/** Weekdays in the order of days from 1970-01-01, a Thursday. */
const WEEKDAYS = ['thu', 'fri', 'sat', 'sun', 'mon', 'tue', 'wed'] as const;
/** 31 days, the longest that a recurring slot may last. A longer slot has no hourly price. */
export const MAX_HOURLY_MINUTES = 44_640;

const minutesOfDay = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));

/**
 * Tests whether a start is in a window, without its end. A window whose end is not after its start crosses midnight.
 */
function windowPredicate(window: NonNullable<PriceTier['time_window']>): (minute: number) => boolean {
  const [from, to] = [minutesOfDay(window.from), minutesOfDay(window.to)];
  return (minute) => (from < to ? from <= minute && minute < to : from <= minute || minute < to);
}

/**
 * Tests whether a tier applies to slots for a party. What does not depend on the slot is computed once. The weekday is
 * the local day on which the slot starts, also in a window that crosses midnight.
 */
export function tierPredicate(tier: PriceTier, partySize: number): (slot: PricedSlot) => boolean {
  if (partySize < (tier.min_party ?? 1) || partySize > (tier.max_party ?? Number.POSITIVE_INFINITY)) return () => false;
  const isHourly = tier.unit === 'per_hour';
  const days = tier.days === undefined ? null : new Set(tier.days.map((day) => WEEKDAYS.indexOf(day)));
  const isInWindow = tier.time_window === undefined ? null : windowPredicate(tier.time_window);
  return ({ wallStart, minutes }) => {
    if (isHourly && (minutes === null || minutes > MAX_HOURLY_MINUTES)) return false;
    if (days !== null && !days.has(Math.floor(wallStart / DAY) % 7)) return false;
    return isInWindow === null || isInWindow(Math.floor((wallStart % DAY) / MINUTE_MS));
  };
}

/**
 * Tests whether any tier applies to slots. Results are cached by minute of the week and by whether hourly tiers
 * apply.
 */
export function anyTierPredicate(tiers: readonly PriceTier[], partySize: number): (slot: PricedSlot) => boolean {
  const tests = tiers.map((tier) => tierPredicate(tier, partySize));
  const results = new Map<number, boolean>();
  return (slot) => {
    const canBeHourly = slot.minutes !== null && slot.minutes <= MAX_HOURLY_MINUTES;
    const key = (Math.floor(slot.wallStart / MINUTE_MS) % MINUTES_PER_WEEK) * 2 + Number(canBeHourly);
    const cached = results.get(key);
    if (cached !== undefined) return cached;
    const applies = tests.some((test) => test(slot));
    results.set(key, applies);
    return applies;
  };
}

/** The amount times the persons or hours that it is for, before fees. */
function baseOf(unit: PriceTier['unit'], amount: number, minutes: number, partySize: number): bigint {
  if (unit === 'per_person') return BigInt(amount) * BigInt(partySize);
  if (unit === 'per_hour') return roundHalfUp({ numerator: BigInt(amount) * BigInt(minutes), denominator: 60n });
  return BigInt(amount);
}

/**
 * The amount of a fee of the price. A percentage is of the base; an included one is the part of the base that it
 * makes up.
 */
function priceFeeOf(fee: Fee, base: bigint): bigint {
  if (fee.percent === undefined) return BigInt(fee.amount ?? 0);
  const { numerator, denominator } = fractionOf(fee.percent);
  return roundHalfUp({
    numerator: base * numerator,
    denominator: fee.included ? 100n * denominator + numerator : 100n * denominator,
  });
}

function depositOf(deposit: NonNullable<PriceTier['deposit']>, total: bigint): bigint {
  const { numerator, denominator } = fractionOf(deposit.percent ?? 0);
  const requested =
    deposit.percent === undefined
      ? BigInt(deposit.amount ?? 0)
      : roundHalfUp({ numerator: total * numerator, denominator: 100n * denominator });
  return requested < total ? requested : total;
}

/**
 * The price of a tier for a party. `amount` is for one unit: the tier's own amount, or the slot's override. Only a
 * per_hour tier uses the minutes.
 */
export function priceOf(tier: PriceTier, amount: number, minutes: number, partySize: number): Price {
  const base = baseOf(tier.unit, amount, minutes, partySize);
  const fees = (tier.fees ?? []).map((fee) => ({ fee, feeAmount: priceFeeOf(fee, base) }));
  const total = fees.reduce((sum, { fee, feeAmount }) => (fee.included ? sum : sum + feeAmount), base);
  return {
    tier: tier.external_id ?? null,
    label: tier.label ?? null,
    unit: tier.unit,
    amount,
    currency: tier.currency,
    fees: fees.map(({ fee, feeAmount }) => ({
      type: fee.type,
      label: fee.label ?? null,
      percent: fee.percent ?? null,
      amount: Number(feeAmount),
      included: fee.included,
    })),
    total: Number(total),
    deposit: tier.deposit === undefined ? null : Number(depositOf(tier.deposit, total)),
    minimum_spend: tier.minimum_spend ?? null,
  };
}

/** Prices slots for one party. Slots that cost the same share one price object, which is computed once. */
export function pricesFor(
  tiers: readonly PriceTier[],
  partySize: number,
): (slot: PricedSlot, overrides: ReadonlyMap<string, number>) => Price[] {
  const computed = new Map<string, Price>();
  const testedTiers = tiers.map((tier) => ({ tier, applies: tierPredicate(tier, partySize) }));
  return (slot, overrides) =>
    testedTiers.flatMap(({ tier, applies }, index) => {
      if (!applies(slot)) return [];
      const amount = overrides.get(tier.external_id ?? '') ?? tier.amount;
      const minutes = tier.unit === 'per_hour' ? (slot.minutes ?? 0) : 0;
      const key = `${index} ${amount} ${minutes}`;
      const price = computed.get(key) ?? priceOf(tier, amount, minutes, partySize);
      computed.set(key, price);
      return [price];
    });
}
