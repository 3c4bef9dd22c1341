// Money is an integer in minor units (cents). The rounding rules are named pure functions in this file: the parts of a
// division always add up to the whole exactly.

/** The largest amount of money, in minor units, that the API and the processor accept. The schemas repeat it. */
export const MAX_AMOUNT = 99_999_999;

/** A non-negative number as an exact fraction. */
interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The fraction of a JSON number's shortest decimal text: 8.875 is 8875/1000, not the nearest binary fraction. */
export function fractionOf(number: number): Fraction {
  const [digits = '0', exponent = '0'] = String(number).split('e');
  const [whole = '0', decimals = ''] = digits.split('.');
  const shift = Number(exponent) - decimals.length;
  const unscaled = BigInt(whole + decimals);
  if (shift >= 0) return { numerator: unscaled * 10n ** BigInt(shift), denominator: 1n };
  return { numerator: unscaled, denominator: 10n ** BigInt(-shift) };
}

/** The nearest whole number; a half is rounded up. */
export function roundHalfUp({ numerator, denominator }: Fraction): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}

/** An equal split: each part gets the floor, and the first part gets the remaining cents as well. */
export function splitEqually(whole: number, parts: number): number[] {
  const each = Math.floor(whole / parts);
  return Array.from({ length: parts }, (_, index) => (index === 0 ? whole - each * (parts - 1) : each));
}

/**
 * Divides in proportion, by largest remainder: each part gets the floor of its exact share, and the remaining cents go
 * one each to the parts with the largest remainders (the earlier part first on a tie). No part is above its own weight
 * unless the whole is above the sum of the weights.
 */
export function divideInProportion(whole: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + BigInt(weight), 0n);
  if (sum === 0n) {
    if (whole !== 0) throw new Error('an amount cannot be divided over weights that sum to zero');
    return weights.map(() => 0);
  }
  const shares = weights.map((weight, index) => {
    const product = BigInt(whole) * BigInt(weight);
    return { index, part: Number(product / sum), remainder: product % sum };
  });
  const parts = shares.map(({ part }) => part);
  const left = whole - parts.reduce((total, part) => total + part, 0);
  const byRemainder = [...shares].sort((a, b) =>
    a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1,
  );
  for (const { index } of byRemainder.slice(0, left)) parts[index] = (parts[index] ?? 0) + 1;
  return parts;
}

/** What we charge for a checkout: basis points of its amount (a hundredth of a percent each) and a fixed part. */
export interface FeeRate {
  readonly bps: number;
  readonly fixed: number;
}

/** Our fee: the basis points rounded half up, and the fixed part; never above the amount. */
export function feeOf(amount: number, { bps, fixed }: FeeRate): number {
  return Math.min(amount, portionOf(amount, bps) + fixed);
}

/** A percentage of an amount, rounded half up. */
export function percentOf(amount: number, percent: number): number {
  return portionOf(amount, Math.round(percent * 100));
}

/** Ten-thousandths of an amount, rounded half up. */
function portionOf(amount: number, bps: number): number {
  return Number(roundHalfUp({ numerator: BigInt(amount) * BigInt(bps), denominator: 10_000n }));
}

/** `amount` in the proportion of `part` to `whole`, rounded down: portions taken one after the other never exceed it. */
export function proportionRoundedDown(amount: number, part: number, whole: number): number {
  return whole === 0 ? 0 : Number((BigInt(amount) * BigInt(part)) / BigInt(whole));
}
