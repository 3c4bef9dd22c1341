// The numbers of the guide on setting up Stripe are right. test/docs runs its commands.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { feeOf } from '../../src/base/money.ts';
import { packageRoot } from '../../src/base/package-root.ts';

const guide = readFileSync(join(packageRoot, 'docs', 'guides', 'stripe.md'), 'utf8');

describe('the guide on setting up Stripe', () => {
  it('has an example of the fee that is right to the cent', () => {
    const cost = 6 * (Math.round(4000 * 0.029) + 30);
    const [low, high] = [feeOf(24_000, { bps: 300, fixed: 0 }), feeOf(24_000, { bps: 300, fixed: 200 })];
    const text = (amount: number): string => (amount / 100).toFixed(2);
    expect(guide).toContain(`cost you 6 × ${text(cost / 6)} = ${text(cost)}`);
    expect(guide).toContain(`earns ${text(low)} of these 240.00, and loses ${text(cost - low)}`);
    expect(guide).toContain(`a fee of 3 % and 2.00 earns ${text(high)}`);
  });
});
