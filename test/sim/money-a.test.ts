// The first half of the simulation that every run of the tests makes; the other half is money-b.test.ts, so that both of
// the tests' workers have one.

import { expect, it } from 'vitest';
import { runSeeds } from './seeds.ts';

it('money, events and idempotency hold in a thousand simulated worlds (1 to 1000)', {
  timeout: 1_800_000,
}, async () => {
  expect(await runSeeds(1, 1_000)).toEqual([]);
});
