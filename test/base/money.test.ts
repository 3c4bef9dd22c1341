// Splits, percentages and the fee: the parts of any amount add up to it exactly, and the remaining cents follow their
// rule.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { divideInProportion, feeOf, percentOf, splitEqually } from '../../src/base/money.ts';

const amount = fc.integer({ min: 0, max: 99_999_999 });
const weights = fc.array(amount, { minLength: 1, maxLength: 50 });
const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);

describe('an equal split', () => {
  it('adds up exactly, for every amount and every party size', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 50 }), (whole, partySize) => {
        const parts = splitEqually(whole, partySize);
        expect(parts).toHaveLength(partySize);
        expect(sum(parts)).toBe(whole);
      }),
      { numRuns: 500 },
    );
  });

  it('gives every part the floor, and the first one the remaining cents', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 50 }), (whole, partySize) => {
        const [first = 0, ...others] = splitEqually(whole, partySize);
        const each = Math.floor(whole / partySize);
        expect(others.every((part) => part === each)).toBe(true);
        expect(first - each).toBe(whole % partySize);
      }),
    );
  });

  it('is right for every amount up to 2,000 and every party of 1 to 50', { tags: ['slow'] }, () => {
    for (let whole = 0; whole <= 2_000; whole++) {
      for (let partySize = 1; partySize <= 50; partySize++) {
        if (sum(splitEqually(whole, partySize)) !== whole)
          throw new Error(`${whole} over ${partySize} does not add up`);
      }
    }
  });

  it('matches the example of the specification', () => {
    expect(splitEqually(10_001, 4)).toEqual([2_501, 2_500, 2_500, 2_500]);
    expect(splitEqually(2, 3)).toEqual([2, 0, 0]);
  });
});

describe('a proportional split', () => {
  it('adds up exactly, without a negative part', () => {
    fc.assert(
      fc.property(amount, weights, (whole, over) => {
        fc.pre(sum(over) > 0);
        const parts = divideInProportion(whole, over);
        expect(parts).toHaveLength(over.length);
        expect(sum(parts)).toBe(whole);
        expect(parts.every((part) => Number.isSafeInteger(part) && part >= 0)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('gives each part its exact value rounded down or up', () => {
    fc.assert(
      fc.property(amount, weights, (whole, over) => {
        fc.pre(sum(over) > 0);
        const total = BigInt(sum(over));
        divideInProportion(whole, over).forEach((part, place) => {
          const due = BigInt(whole) * BigInt(over[place] ?? 0);
          const floor = due / total;
          const ceiling = (due + total - 1n) / total;
          expect(BigInt(part) === floor || BigInt(part) === ceiling).toBe(true);
        });
      }),
    );
  });

  it('never gives a part above its weight, as long as the amount is at most the sum of the weights', () => {
    const inside = weights.chain((over) =>
      fc.record({ over: fc.constant(over), whole: fc.integer({ min: 0, max: sum(over) }) }),
    );
    fc.assert(
      fc.property(inside, ({ over, whole }) => {
        fc.pre(sum(over) > 0);
        divideInProportion(whole, over).forEach((part, place) => {
          expect(part).toBeLessThanOrEqual(over[place] ?? 0);
        });
      }),
    );
  });

  it('gives equal weights parts that differ by at most one, with the remaining cents first', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 50 }), (whole, partySize) => {
        const parts = divideInProportion(whole, Array(partySize).fill(7));
        expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1);
        expect([...parts].sort((a, b) => b - a)).toEqual(parts);
      }),
    );
  });

  it('gives the remaining cents to the largest remainders, and zero to a weight of zero', () => {
    expect(divideInProportion(10, [1, 1, 1])).toEqual([4, 3, 3]);
    expect(divideInProportion(1, [1, 2, 1])).toEqual([0, 1, 0]);
    expect(divideInProportion(100, [0, 1, 0])).toEqual([0, 100, 0]);
    expect(divideInProportion(0, [0, 0])).toEqual([0, 0]);
    expect(() => divideInProportion(1, [0, 0])).toThrow('sum to zero');
  });

  it('of the whole sum gives each part exactly its weight', () => {
    fc.assert(
      fc.property(weights, (over) => {
        fc.pre(sum(over) > 0);
        expect(divideInProportion(sum(over), over)).toEqual(over);
      }),
    );
  });
});

describe('a percentage', () => {
  it('is rounded half up, exactly, with up to two decimals', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 10_000 }), (whole, hundredths) => {
        const exact = (BigInt(whole) * BigInt(hundredths) * 2n + 10_000n) / 20_000n;
        expect(percentOf(whole, hundredths / 100)).toBe(Number(exact));
      }),
      { numRuns: 500 },
    );
  });

  it('of 100 is the amount, and of 0 is zero', () => {
    fc.assert(
      fc.property(amount, (whole) => {
        expect([percentOf(whole, 100), percentOf(whole, 0)]).toEqual([whole, 0]);
      }),
    );
    expect([percentOf(1, 50), percentOf(3, 50), percentOf(1, 49)]).toEqual([1, 2, 0]);
  });
});

describe('the fee', () => {
  const rate = fc.record({ bps: fc.integer({ min: 0, max: 10_000 }), fixed: fc.integer({ min: 0, max: 99_999_999 }) });

  it('is the basis points of the amount rounded half up, and the fixed part, never above the amount', () => {
    fc.assert(
      fc.property(amount, rate, (whole, { bps, fixed }) => {
        const exact = (BigInt(whole) * BigInt(bps) * 2n + 10_000n) / 20_000n + BigInt(fixed);
        const fee = feeOf(whole, { bps, fixed });
        expect(fee).toBe(Number(exact < BigInt(whole) ? exact : BigInt(whole)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('never falls when the amount or the rate rises', () => {
    fc.assert(
      fc.property(amount, rate, (whole, { bps, fixed }) => {
        const fee = feeOf(whole, { bps, fixed });
        expect(feeOf(whole + 1, { bps, fixed })).toBeGreaterThanOrEqual(fee);
        expect(feeOf(whole, { bps: bps + 1, fixed })).toBeGreaterThanOrEqual(fee);
        expect(feeOf(whole, { bps, fixed: fixed + 1 })).toBeGreaterThanOrEqual(fee);
      }),
    );
  });

  it.each([
    [100, 250, 0, 3],
    [100, 249, 0, 2],
    [24_000, 250, 30, 630],
    [1_000, 10_000, 500, 1_000],
    [100, 0, 2_000, 100],
    [99_999_999, 9_999, 0, 99_989_999],
    [100, 0, 0, 0],
  ])('of %i at %i basis points and %i is %i', (whole, bps, fixed, fee) => {
    expect(feeOf(whole, { bps, fixed })).toBe(fee);
  });
});
