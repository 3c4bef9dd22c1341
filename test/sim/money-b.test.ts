// The second half of the simulation that every run of the tests makes (see money-a.test.ts).

import { expect, it } from 'vitest';
import { runSeeds } from './seeds.ts';

it('money, events and idempotency hold in a thousand simulated worlds (1001 to 2000)', {
  timeout: 1_800_000,
}, async () => {
  expect(await runSeeds(1_001, 1_000)).toEqual([]);
});
