// When a card form is closed: at the limit within an hour, for an hour from that decline on.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { closedBy } from '../../src/domain/payments/card-form.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2027, 5, 1);

it('a card form is open below the limit, and closed for an hour from the decline that reaches it', () => {
  const times = [NOW - 30_000, NOW - 20_000, NOW - 10_000];
  expect(closedBy(times, 4, NOW)).toBeNull();
  expect(closedBy(times, 3, NOW)).toBe(NOW - 10_000 + HOUR);
  expect(closedBy(times, 3, NOW - 10_000 + HOUR - 1)).toBe(NOW - 10_000 + HOUR);
  expect(closedBy(times, 3, NOW - 10_000 + HOUR)).toBeNull();
});

it('declines that are more than an hour apart do not count together', () => {
  expect(closedBy([NOW - HOUR, NOW], 2, NOW)).toBe(NOW + HOUR);
  expect(closedBy([NOW - HOUR - 1, NOW], 2, NOW)).toBeNull();
});

it('a further decline never opens a form earlier', () => {
  const at = fc.integer({ min: NOW - 2 * HOUR, max: NOW });
  fc.assert(
    fc.property(fc.array(at, { maxLength: 12 }), at, fc.integer({ min: 1, max: 6 }), (declines, another, limit) => {
      const before = closedBy(declines, limit, NOW) ?? 0;
      expect(closedBy([...declines, another], limit, NOW) ?? 0).toBeGreaterThanOrEqual(before);
    }),
  );
});
