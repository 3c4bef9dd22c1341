// The measuring itself: what a quick run leaves out, and how pgbench's log becomes a rate.

import { describe, expect, it } from 'vitest';
import { rateOf, readDone } from '../../bench/pgbench.ts';
import { readWish } from '../../bench/wish.ts';

const PROMISED = [
  'create-checkout',
  'create-checkout-bound',
  'read-checkout',
  'list-growth',
  'idempotent-replay',
  'one-hot-key',
  'complete-party-of-8',
  'deliver-events',
  'deliver-beside-hanging',
  'expire-100k',
  'analytics-growth',
  'fleet-batch',
  'cold-start',
  'guest-page',
];

const namesOf = (...args: string[]): string[] => readWish(args).benches.map(({ name }) => name);

describe('what is measured', () => {
  it('with --quick is what is promised, and nothing else', () => {
    expect(namesOf('--quick')).toEqual(PROMISED);
  });

  it('without it is that and more', () => {
    expect(namesOf()).toEqual(expect.arrayContaining([...PROMISED, 'hook-intake']));
  });

  it('by name is that one alone, quick or not', () => {
    expect(namesOf('--only', 'hook-intake')).toEqual(['hook-intake']);
    expect(namesOf('--quick', '--only', 'hook-intake')).toEqual(['hook-intake']);
  });

  it('by a name that nobody has is told, with those there are', () => {
    expect(() => readWish(['--only', 'warp'])).toThrow(/no bench "warp".*create-checkout/);
  });
});

describe('the rate of pgbench', () => {
  it('is that of the time from when a third was done until the first connection had done its own', () => {
    // Two connections, six each: one a hundredth of a second at first, then one a thousandth.
    const ends = [0.01, 0.02, 0.03, 0.04, 0.05, 0.051, 0.052, 0.053, 0.054, 0.055, 0.056, 0.057];
    const lines = ends.map((at, i) => `${i % 2} ${Math.floor(i / 2) + 1} 900 0 1800000000 ${Math.round(at * 1e6)}`);
    // As it lies in the log: connection by connection.
    expect(rateOf(readDone(`${[...lines].sort().join('\n')}\n`), 6)).toBeCloseTo(1000, 0);
  });

  it('is an error where one connection was done before the others had begun', () => {
    const lines = [1, 2, 3].map((nth) => `0 ${nth} 900 0 1800000000 ${nth}`);
    const late = [1, 2, 3, 1, 2, 3].map((nth, i) => `${1 + Math.floor(i / 3)} ${nth} 900 0 1800000001 ${i}`);
    expect(() => rateOf(readDone([...lines, ...late].join('\n')), 3)).toThrow(/before the others/);
  });
});
