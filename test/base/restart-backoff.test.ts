// The waits before the embedded PostgreSQL is started again.

import { expect, it } from 'vitest';
import { RestartBackoff } from '../../src/main/restart-backoff.ts';

it('a program that ends again and again is started at once, then after longer and longer waits, up to half a minute', () => {
  const backoff = new RestartBackoff();
  let now = 0;
  const delays = Array.from({ length: 8 }, () => {
    const delay = backoff.nextDelayMs(now);
    now += delay + 100;
    return delay;
  });
  expect(delays).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

it('a program that ran for a minute is started at once again', () => {
  const backoff = new RestartBackoff();
  for (let attempts = 0; attempts < 4; attempts++) backoff.nextDelayMs(0);
  expect(backoff.nextDelayMs(200_000)).toBe(0);
});
