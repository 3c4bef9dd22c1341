// The demo's year: the same for the same seed, true to the ledger and to the processor, only in an empty venue.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkLedger } from '../../src/domain/checkouts/accounting/check-ledger.ts';
import { reconcile } from '../../src/domain/checkouts/accounting/reconcile.ts';
import { type FilledVenue, fillVenue } from '../../src/domain/demo/fill-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

const UNTIL = Date.now();

function fill(world: TestWorld, options: Partial<Parameters<typeof fillVenue>[2]> = {}): Promise<FilledVenue> {
  const defaults = {
    venueId: null,
    seed: 7,
    until: UNTIL,
    mode: 'test',
    checkouts: 150,
    onProgress: () => undefined,
  } as const;
  return fillVenue(world.context.services, world.command(), { ...defaults, ...options });
}

let world: TestWorld;
let filled: FilledVenue;
beforeAll(async () => {
  world = await openTestWorld();
  filled = await fill(world);
});
afterAll(() => world.close());

describe('the year', () => {
  it('adds up in the ledger', async () => {
    const report = await checkLedger(world.db);
    expect(report.problems).toEqual([]);
    expect(report.balances.length).toBeGreaterThan(4);
  });
  it('agrees with the processor', async () => {
    const since = UNTIL - 400 * 86_400_000;
    const report = await reconcile(world.context.services, { mode: 'test', since, apply: null });
    expect(report.differences).toEqual([]);
    expect(report.compared).toBeGreaterThan(100);
  });
});
