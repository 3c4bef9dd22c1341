// How often a screen of the console reads again: a window that is left open uses at most a third of a person's reads.

import { expect, it } from 'vitest';
import { READS_PER_HOUR } from '../../src/run/authorize-session.ts';
import { forCalls, POLLS, type Poll, paceOf } from '../../web/console/client/polls.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Reads in the first hour of a screen. */
function readsInAnHour(poll: Poll, isChanging: boolean): number {
  let reads = 0;
  for (let now = 0; now < HOUR_MS; now += paceOf(poll, isChanging ? 0 : now)) reads += 1;
  return reads;
}

/** The first steps change three times in all, and a refused request that is new takes a second read. */
function mostReads(name: string, poll: Poll): number {
  if (name === 'steps') return readsInAnHour(poll, false);
  return readsInAnHour(poll, true) * (name === 'refused' ? 2 : 1);
}

it.each(Object.entries(POLLS))('the screen %s uses at most a third of the reads of an hour', (_screen, polls) => {
  const reads = Object.entries(polls).map(([name, poll]) => mostReads(name, poll as Poll));
  expect(reads.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(READS_PER_HOUR / 3);
});

it('a read of fifty addresses comes as much less often as it makes calls', () => {
  const calls = 51;
  expect(readsInAnHour(forCalls(POLLS.event.deliveries, calls), true) * calls).toBeLessThanOrEqual(READS_PER_HOUR / 3);
});

it('the pace is slower after two and after ten minutes without a change, and never faster than the screen’s own', () => {
  const { steps } = POLLS.firstSteps;
  const { overview } = POLLS.home;
  expect([0, 2, 10].map((minutes) => paceOf(steps, minutes * MINUTE_MS))).toEqual([2_000, 5_000, 15_000]);
  expect(paceOf(POLLS.webhooks.list, 2 * MINUTE_MS)).toBe(10_000);
  expect(paceOf(overview, 60 * MINUTE_MS)).toBe(15_000);
});
