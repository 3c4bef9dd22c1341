// The selection of benches by --quick and --only, and the rate computed from pgbench's log.

import { describe, expect, it } from 'vitest';
import { measuredTogether, percentile } from '../../bench/latency.ts';
import { readOptions } from '../../bench/options.ts';
import { parseLog, rateOf } from '../../bench/pgbench.ts';
import { trendOf } from '../../bench/trend.ts';

const PROMISED = [
  'create-checkout',
  'create-checkout-bound',
  'read-checkout',
  'request-log',
  'list-growth',
  'idempotent-replay',
  'one-hot-key',
  'complete-party-of-8',
  'last-share-to-event',
  'p99-at-70-percent',
  'deliver-events',
  'deliver-beside-hanging',
  'expire-100k',
  'analytics-growth',
  'fleet-batch',
  'cold-start',
  'guest-page',
  'console-first-load',
  'console-further-page',
];

const namesOf = (...args: string[]): string[] => readOptions(args).benches.map(({ name }) => name);

describe('the selection of benches', () => {
  it('has only the promises with --quick', () => {
    expect(namesOf('--quick')).toEqual(PROMISED);
  });

  it('has the promises and more without --quick', () => {
    expect(namesOf()).toEqual(
      expect.arrayContaining([
        ...PROMISED,
        'hook-intake',
        'hook-intake-p99',
        'create-to-event',
        'read-latency',
        'guest-page-first-byte',
        'many-cores',
        'due-work-growth',
        'event-log-growth',
        'rolling-hour-growth',
      ]),
    );
  });

  it('has only the bench that --only names, with and without --quick', () => {
    expect(namesOf('--only', 'hook-intake')).toEqual(['hook-intake']);
    expect(namesOf('--quick', '--only', 'hook-intake')).toEqual(['hook-intake']);
  });

  it('fails for an unknown name and lists the known ones', () => {
    expect(() => readOptions(['--only', 'warp'])).toThrow(/no bench "warp".*create-checkout/);
  });
});

describe('the rate from a pgbench log', () => {
  it('covers the time from the end of the first third until the first connection has finished', () => {
    // Two connections with six transactions each: at first one every 10 ms, then one every 1 ms.
    const ends = [0.01, 0.02, 0.03, 0.04, 0.05, 0.051, 0.052, 0.053, 0.054, 0.055, 0.056, 0.057];
    const lines = ends.map((at, i) => `${i % 2} ${Math.floor(i / 2) + 1} 900 0 1800000000 ${Math.round(at * 1e6)}`);
    // The log lists one connection after the other.
    expect(rateOf(parseLog(`${[...lines].sort().join('\n')}\n`), 6)).toBeCloseTo(1000, 0);
  });

  it('is an error if one connection finished before the others had begun', () => {
    const lines = [1, 2, 3].map((nth) => `0 ${nth} 900 0 1800000000 ${nth}`);
    const late = [1, 2, 3, 1, 2, 3].map((nth, i) => `${1 + Math.floor(i / 3)} ${nth} 900 0 1800000001 ${i}`);
    expect(() => rateOf(parseLog([...lines, ...late].join('\n')), 3)).toThrow(/before the others/);
  });
});

describe('the figures of a latency bench', () => {
  it('has the percentile of the values in any order', () => {
    const values = Array.from({ length: 100 }, (_, n) => 100 - n);
    expect([percentile(values, 0.5), percentile(values, 0.99), percentile([7], 0.99)]).toEqual([50, 99, 7]);
    expect(percentile([], 0.5)).toBe(Number.POSITIVE_INFINITY);
  });

  it('measures once for both sides of a round, in either order', async () => {
    let measured = 0;
    const { ours, base } = measuredTogether(async () => ({ ours: ++measured, base: 10 * measured }));
    expect([await ours(), await base(), await base(), await ours(), measured]).toEqual([1, 10, 20, 2, 2]);
  });
});

describe('the trend of a soak', () => {
  /** A repeating deviation of at most one, without a slope of its own. */
  const noise = (at: number): number => [0, 1, -1, 0.5, -0.5][at % 5] ?? 0;
  const series = (slope: number, size = 60): number[] =>
    Array.from({ length: size }, (_, at) => 100 + slope * at + noise(at));

  it('is flat without a slope, and when the slope is too small to matter', () => {
    expect([trendOf(series(0)).result, trendOf(series(0.05)).result]).toEqual(['flat', 'flat']);
  });

  it('grows or falls when the slope is larger than chance and than a twentieth', () => {
    const grown = trendOf(series(0.5));
    expect([grown.result, trendOf(series(-0.5)).result]).toEqual(['grows', 'falls']);
    expect(grown.drift).toBeCloseTo(29.5 / 114.75, 2);
    expect(grown.bound).toBeLessThan(0.02);
  });

  it('is not known from few or from wild figures', () => {
    expect(trendOf([1, 2, 3]).result).toBe('not known');
    expect(trendOf([1, 90, 3, 70, 2, 80, 5, 1]).result).toBe('not known');
  });
});
