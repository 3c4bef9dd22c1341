// When declines block: at the limit within an hour, for an hour from that decline on.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { blockedUntil } from '../../src/domain/payments/decline-limit.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2027, 5, 1);

it('declines below the limit do not block; the decline that reaches it blocks for an hour', () => {
  const times = [NOW - 30_000, NOW - 20_000, NOW - 10_000];
  expect(blockedUntil(times, 4, NOW)).toBeNull();
  expect(blockedUntil(times, 3, NOW)).toBe(NOW - 10_000 + HOUR);
  expect(blockedUntil(times, 3, NOW - 10_000 + HOUR - 1)).toBe(NOW - 10_000 + HOUR);
  expect(blockedUntil(times, 3, NOW - 10_000 + HOUR)).toBeNull();
});

it('declines that are more than an hour apart do not count together', () => {
  expect(blockedUntil([NOW - HOUR, NOW], 2, NOW)).toBe(NOW + HOUR);
  expect(blockedUntil([NOW - HOUR - 1, NOW], 2, NOW)).toBeNull();
});

it('a further decline never opens a form earlier', () => {
  const at = fc.integer({ min: NOW - 2 * HOUR, max: NOW });
  fc.assert(
    fc.property(fc.array(at, { maxLength: 12 }), at, fc.integer({ min: 1, max: 6 }), (declines, another, limit) => {
      const before = blockedUntil(declines, limit, NOW) ?? 0;
      expect(blockedUntil([...declines, another], limit, NOW) ?? 0).toBeGreaterThanOrEqual(before);
    }),
  );
});
