// Prices: which tiers apply, and that every figure is exact to the cent. The arithmetic is compared with a slow,
// simple one that never uses a binary fraction: its percentages are whole thousandths. The worked examples of
// docs/guides/pricing.md are here as data; change both together.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PriceTier } from '../../schemas/types.gen.ts';
import { fractionOf, roundHalfUp } from '../../src/base/money.ts';
import { MAX_HOURLY_MINUTES, priceOf, pricesFor, tierPredicate } from '../../src/domain/offerings/price.ts';

const MAX_AMOUNT = 99_999_999;
const MAX_PARTY = 500;
const NO_OVERRIDES: ReadonlyMap<string, number> = new Map();

const tier = (overrides: Partial<PriceTier> = {}): PriceTier => ({
  amount: 4500,
  currency: 'usd',
  unit: 'per_person',
  ...overrides,
});
/** A slot that starts at this local time. */
const slotAt = (wall: string, minutes: number | null = null) => ({
  wallStart: new Date(`${wall}:00Z`).getTime(),
  minutes,
});

describe('a price tier', () => {
  it('applies to parties from min_party to max_party, both included', () => {
    const limited = tier({ min_party: 2, max_party: 4 });
    const applies = [1, 2, 4, 5].map((party) => tierPredicate(limited, party)(slotAt('2027-06-12T10:00')));
    expect(applies).toEqual([false, true, true, false]);
    expect(tierPredicate(tier(), MAX_PARTY)(slotAt('2027-06-12T10:00'))).toBe(true);
  });

  it('applies by the local weekday of the start', () => {
    const weekend = tier({ days: ['sat', 'sun'] });
    const days = ['2027-06-11', '2027-06-12', '2027-06-13', '2027-06-14'];
    expect(days.map((day) => tierPredicate(weekend, 2)(slotAt(`${day}T10:00`)))).toEqual([false, true, true, false]);
  });

  it('applies from the start of its time window until just before its end', () => {
    const morning = tier({ time_window: { from: '06:30', to: '11:00' } });
    const times = ['06:29', '06:30', '10:59', '11:00'];
    expect(times.map((time) => tierPredicate(morning, 2)(slotAt(`2027-06-12T${time}`)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('applies across midnight by the weekday on which the slot itself starts', () => {
    const night = tier({ time_window: { from: '22:00', to: '02:00' }, days: ['sat'] });
    const applies = (wall: string): boolean => tierPredicate(night, 2)(slotAt(wall));
    expect([applies('2027-06-12T21:59'), applies('2027-06-12T22:00'), applies('2027-06-12T23:59')]).toEqual([
      false,
      true,
      true,
    ]);
    expect(applies('2027-06-12T01:30')).toBe(true);
    expect(applies('2027-06-13T01:30')).toBe(false);
    expect(applies('2027-06-12T02:00')).toBe(false);
  });

  it('applies by the hour only to slots with a known end and at most 31 days long', () => {
    const hourly = tier({ unit: 'per_hour' });
    const lengths = [null, 1, MAX_HOURLY_MINUTES, MAX_HOURLY_MINUTES + 1];
    expect(lengths.map((minutes) => tierPredicate(hourly, 2)(slotAt('2027-06-12T10:00', minutes)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

describe('the worked examples of the guide', () => {
  interface WorkedExample {
    readonly title: string;
    readonly tier: PriceTier;
    readonly amount?: number;
    readonly minutes?: number;
    readonly party: number;
    readonly fees: readonly number[];
    readonly total: number;
    readonly deposit: number | null;
  }
  const examples: readonly WorkedExample[] = [
    {
      title: 'a tee time for two at a price of its own',
      tier: tier({
        amount: 12500,
        fees: [
          { type: 'tax', percent: 6.5, included: false },
          { type: 'service', amount: 1500, included: true },
        ],
        deposit: { percent: 20 },
      }),
      amount: 11000,
      party: 2,
      fees: [1430, 1500],
      total: 23430,
      deposit: 4686,
    },
    {
      title: 'a cabana for six',
      tier: tier({
        amount: 50000,
        unit: 'per_group',
        fees: [
          { type: 'tax', percent: 8.875, included: false },
          { type: 'gratuity', percent: 20, included: false },
          { type: 'service', amount: 500, included: false },
        ],
        deposit: { amount: 20000 },
      }),
      party: 6,
      fees: [4438, 10000, 500],
      total: 64938,
      deposit: 20000,
    },
    {
      title: 'a boat for 50 minutes, tax included',
      tier: tier({ amount: 9999, unit: 'per_hour', fees: [{ type: 'tax', percent: 19, included: true }] }),
      minutes: 50,
      party: 4,
      fees: [1330],
      total: 8333,
      deposit: null,
    },
    {
      title: 'a kayak whose deposit is more than it costs',
      tier: tier({ amount: 4000, unit: 'per_unit', deposit: { amount: 5000 } }),
      party: 2,
      fees: [],
      total: 4000,
      deposit: 4000,
    },
  ];
  for (const example of examples) {
    it(`have the totals that the guide states: ${example.title}`, () => {
      const { tier, amount = tier.amount, minutes = 0, party, fees, total, deposit } = example;
      const price = priceOf(tier, amount, minutes, party);
      expect({ ...price, fees: price.fees.map((fee) => fee.amount) }).toMatchObject({ amount, fees, total, deposit });
    });
  }
});

describe('rounding', () => {
  it('reads a JSON number as the decimal that was written', () => {
    expect(fractionOf(8.875)).toEqual({ numerator: 8875n, denominator: 1000n });
    expect(fractionOf(20)).toEqual({ numerator: 20n, denominator: 1n });
    expect(fractionOf(1e-7)).toEqual({ numerator: 1n, denominator: 10n ** 7n });
    expect(fractionOf(1.5e-7)).toEqual({ numerator: 15n, denominator: 10n ** 8n });
    expect(fractionOf(5e-324)).toEqual({ numerator: 5n, denominator: 10n ** 324n });
    expect(fractionOf(2e21)).toEqual({ numerator: 2n * 10n ** 21n, denominator: 1n });
  });

  it('rounds half up, at the half and on both sides of it', () => {
    const halves = fc.tuple(fc.bigInt(0n, 10n ** 15n), fc.bigInt(1n, 10n ** 9n));
    fc.assert(
      fc.property(halves, ([whole, half]) => {
        const denominator = 2n * half;
        expect(roundHalfUp({ numerator: whole * denominator + half, denominator })).toBe(whole + 1n);
        expect(roundHalfUp({ numerator: whole * denominator + half - 1n, denominator })).toBe(whole);
        expect(roundHalfUp({ numerator: whole * denominator, denominator })).toBe(whole);
      }),
    );
  });

  it('rounds half a cent up where binary fractions would round down', () => {
    const fee = (amount: number, percent: number): number =>
      priceOf(tier({ amount, unit: 'per_group', fees: [{ type: 'tax', percent, included: false }] }), amount, 0, 2)
        .total - amount;
    expect(Math.round((12500 * 0.036) / 100)).toBe(4);
    expect(fee(12500, 0.036)).toBe(5);
    expect(Math.round(5000 * (0.03 / 100))).toBe(1);
    expect(fee(5000, 0.03)).toBe(2);
  });
});

/** A fee whose percentage is in whole thousandths, so that the slow arithmetic needs no fractions. */
interface GeneratedFee {
  readonly thousandths: number | null;
  readonly amount: number;
  readonly included: boolean;
}

const amounts = fc.integer({ min: 0, max: MAX_AMOUNT });
const parties = fc.integer({ min: 1, max: MAX_PARTY });
const thousandths = fc.integer({ min: 0, max: 100_000 });
const generatedFees: fc.Arbitrary<GeneratedFee[]> = fc.array(
  fc.record({ thousandths: fc.option(thousandths), amount: amounts, included: fc.boolean() }),
  { maxLength: 10 },
);
const units = fc.constantFrom<PriceTier['unit']>('per_person', 'per_group', 'per_hour', 'per_unit');
const lengths = fc.integer({ min: 0, max: MAX_HOURLY_MINUTES });

const feesOf = (generated: readonly GeneratedFee[]): NonNullable<PriceTier['fees']> =>
  generated.map((fee) => ({
    type: 'other',
    included: fee.included,
    ...(fee.thousandths === null ? { amount: fee.amount } : { percent: fee.thousandths / 1000 }),
  }));

/** The nearest whole number, found by search: the greatest that is at most a half above the fraction. */
function nearest(numerator: bigint, denominator: bigint): bigint {
  let found = 0n;
  for (let step = 1n << 70n; step > 0n; step >>= 1n) {
    const next = found + step;
    if (2n * next * denominator - denominator <= 2n * numerator) found = next;
  }
  return found;
}

describe('the arithmetic', () => {
  it('is exact for every unit, fee and deposit', () => {
    fc.assert(
      fc.property(
        units,
        amounts,
        parties,
        lengths,
        generatedFees,
        thousandths,
        (unit, amount, party, minutes, generated, depositRate) => {
          const priced = tier({ unit, amount, fees: feesOf(generated), deposit: { percent: depositRate / 1000 } });
          const price = priceOf(priced, amount, minutes, party);
          const units = { per_person: BigInt(party), per_group: 1n, per_unit: 1n, per_hour: 0n }[unit];
          const base = unit === 'per_hour' ? nearest(BigInt(amount * minutes), 60n) : BigInt(amount) * units;
          const parts = generated.map((fee) => {
            if (fee.thousandths === null) return BigInt(fee.amount);
            const share = BigInt(fee.thousandths);
            return nearest(base * share, fee.included ? 100_000n + share : 100_000n);
          });
          const onTop = parts.filter((_, index) => generated[index]?.included === false);
          const total = onTop.reduce((sum, part) => sum + part, base);
          expect(price.fees.map((fee) => BigInt(fee.amount))).toEqual(parts);
          expect(BigInt(price.total)).toBe(total);
          expect(BigInt(price.deposit ?? -1)).toBe(nearest(total * BigInt(depositRate), 100_000n));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('makes the total the sum of the base and the fees that are not included', () => {
    fc.assert(
      fc.property(amounts, parties, generatedFees, (amount, party, generated) => {
        const price = priceOf(tier({ amount, fees: feesOf(generated) }), amount, 0, party);
        const onTop = price.fees.filter((fee) => !fee.included).reduce((sum, fee) => sum + fee.amount, 0);
        expect(price.total).toBe(amount * party + onTop);
      }),
    );
  });

  it('never charges a larger party less, with a price per person', () => {
    fc.assert(
      fc.property(amounts, parties, generatedFees, (amount, party, generated) => {
        const priced = tier({ amount, fees: feesOf(generated), deposit: { percent: 33.3 } });
        const [smaller, larger] = [priceOf(priced, amount, 0, party), priceOf(priced, amount, 0, party + 1)];
        expect(larger.total).toBeGreaterThanOrEqual(smaller.total + amount);
        expect(larger.deposit ?? 0).toBeGreaterThanOrEqual(smaller.deposit ?? 0);
      }),
    );
  });

  it('never asks for a deposit above the total', () => {
    fc.assert(
      fc.property(amounts, parties, amounts, (amount, party, requested) => {
        const { total, deposit } = priceOf(tier({ amount, deposit: { amount: requested } }), amount, 0, party);
        expect(deposit).toBe(Math.min(requested, total));
      }),
    );
  });

  it('extracts an included percentage so that adding it to the net amount gives the price', () => {
    fc.assert(
      fc.property(amounts, thousandths, (amount, share) => {
        const fees = feesOf([{ thousandths: share, amount: 0, included: true }]);
        const price = priceOf(tier({ amount, unit: 'per_group', fees }), amount, 0, 2);
        const net = amount - (price.fees[0]?.amount ?? 0);
        const again = net + Number(nearest(BigInt(net) * BigInt(share), 100_000n));
        expect(price.total).toBe(amount);
        expect(Math.abs(again - amount)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('stays below 2^53 at every limit of the schemas', () => {
    const fees = feesOf(Array.from({ length: 10 }, () => ({ thousandths: 100_000, amount: 0, included: false })));
    for (const unit of ['per_person', 'per_group', 'per_hour', 'per_unit'] as const) {
      const priced = tier({ unit, amount: MAX_AMOUNT, fees, deposit: { percent: 100 } });
      const price = priceOf(priced, MAX_AMOUNT, MAX_HOURLY_MINUTES, MAX_PARTY);
      expect(price.total).toBeLessThan(2 ** 53 / 1000);
      expect(price.deposit).toBe(price.total);
    }
  });
});

describe('the prices of a slot', () => {
  const slot = slotAt('2027-06-12T10:00', 90);

  it('are those of the tiers that apply, in the order of the offering', () => {
    const tiers = [
      tier({ external_id: 'a', label: 'Adults' }),
      tier({ external_id: 'weekdays', days: ['mon'] }),
      tier({ amount: 6000, unit: 'per_hour', minimum_spend: 50000 }),
    ];
    expect(pricesFor(tiers, 3)(slot, NO_OVERRIDES)).toEqual([
      {
        tier: 'a',
        label: 'Adults',
        unit: 'per_person',
        amount: 4500,
        currency: 'usd',
        fees: [],
        total: 13500,
        deposit: null,
        minimum_spend: null,
      },
      {
        tier: null,
        label: null,
        unit: 'per_hour',
        amount: 6000,
        currency: 'usd',
        fees: [],
        total: 9000,
        deposit: null,
        minimum_spend: 50000,
      },
    ]);
  });

  it('use the amount of an override as if it were the tier’s own', () => {
    fc.assert(
      fc.property(amounts, amounts, parties, generatedFees, (amount, other, party, generated) => {
        const overrides = { external_id: 'a', fees: feesOf(generated) };
        const overridden = pricesFor([tier({ ...overrides, amount }), tier({ amount })], party)(
          slot,
          new Map([['a', other]]),
        );
        const plain = pricesFor([tier({ ...overrides, amount: other }), tier({ amount })], party)(slot, NO_OVERRIDES);
        expect(overridden).toEqual(plain);
      }),
    );
  });

  it('are computed once for slots that cost the same, and separately for slots that do not', () => {
    const price = pricesFor([tier({ external_id: 'a', unit: 'per_hour' })], 2);
    const [first] = price(slot, NO_OVERRIDES);
    expect(price(slotAt('2027-06-13T10:00', 90), NO_OVERRIDES)[0]).toBe(first);
    expect(price(slotAt('2027-06-13T10:00', 60), NO_OVERRIDES)[0]?.total).toBe(4500);
    expect(price(slot, new Map([['a', 1000]]))[0]?.total).toBe(1500);
  });
});
