// The second half of the seeds of every test run (see money-a.test.ts).

import { expect, it } from 'vitest';
import { runSeeds } from './seeds.ts';

it('money, events and idempotency keys are correct in seeds 251 to 500', {
  timeout: 600_000,
}, async () => {
  expect(await runSeeds(251, 250)).toEqual([]);
});
