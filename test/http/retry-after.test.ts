// The Retry-After header of a call that was not granted.

import { expect, it } from 'vitest';
import { retryAfterSeconds } from '../../src/domain/keys/retry-after.ts';

const counted_at = '2026-03-01T10:00:00.000500Z';

it('a retry after Retry-After is never too early, because microseconds are rounded up', () => {
  expect(retryAfterSeconds({ counted_at, retry_at: '2026-03-01T10:00:02.000900Z' })).toBe(3);
  expect(retryAfterSeconds({ counted_at, retry_at: '2026-03-01T10:59:59.999999Z' })).toBe(3_600);
});

it('Retry-After is at least one second', () => {
  expect(retryAfterSeconds({ counted_at, retry_at: counted_at })).toBe(1);
  expect(retryAfterSeconds({ counted_at, retry_at: null })).toBe(1);
});
