// Dividing money: whatever the whole and however many the parts, they add up to it exactly, and the odd cents go where
// their rule says.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { divideInProportion, feeOf, percentOf, splitEqually } from '../../src/base/money.ts';

const amount = fc.integer({ min: 0, max: 99_999_999 });
const weights = fc.array(amount, { minLength: 1, maxLength: 50 });
const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);

describe('an equal split', () => {
  it('adds up exactly, of every amount over every number of people', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 50 }), (whole, people) => {
        const parts = splitEqually(whole, people);
        expect(parts).toHaveLength(people);
        expect(sum(parts)).toBe(whole);
      }),
      { numRuns: 500 },
    );
  });

  it('gives everybody the floor, and the first the cents left over: fewer than there are people', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 50 }), (whole, people) => {
        const [first = 0, ...others] = splitEqually(whole, people);
        const each = Math.floor(whole / people);
        expect(others.every((part) => part === each)).toBe(true);
        expect(first - each).toBe(whole % people);
      }),
    );
  });

  it('of every amount to 2,000 over every party of 1 to 50, tried one by one', () => {
    for (let whole = 0; whole <= 2_000; whole++) {
      for (let people = 1; people <= 50; people++) {
        if (sum(splitEqually(whole, people)) !== whole) throw new Error(`${whole} over ${people} does not add up`);
      }
    }
  });

  it('is as the specification’s example', () => {
    expect(splitEqually(10_001, 4)).toEqual([2_501, 2_500, 2_500, 2_500]);
    expect(splitEqually(2, 3)).toEqual([2, 0, 0]);
  });
});

describe('a division in proportion', () => {
  it('adds up exactly and gives nobody less than nothing', () => {
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

  it('gives each their due rounded down or up, never a cent further away', () => {
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

  it('never gives a part above its own weight, as long as the whole is no more than all of them', () => {
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

  it('gives equal weights parts that differ by one at most, the earlier ones the odd cents', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 50 }), (whole, people) => {
        const parts = divideInProportion(whole, Array(people).fill(7));
        expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1);
        expect([...parts].sort((a, b) => b - a)).toEqual(parts);
      }),
    );
  });

  it('gives the largest remainder first, and nothing to who weighs nothing', () => {
    expect(divideInProportion(10, [1, 1, 1])).toEqual([4, 3, 3]);
    expect(divideInProportion(1, [1, 2, 1])).toEqual([0, 1, 0]);
    expect(divideInProportion(100, [0, 1, 0])).toEqual([0, 100, 0]);
    expect(divideInProportion(0, [0, 0])).toEqual([0, 0]);
    expect(() => divideInProportion(1, [0, 0])).toThrow('sum to zero');
  });

  it('of all of it gives everybody exactly their weight', () => {
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

  it('of a hundred is all, of nothing is nothing', () => {
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
