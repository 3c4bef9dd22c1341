// The subject that stands for all experiences is the same in TypeScript, which reads its figures, and in SQL, which counts
// under it.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { allExperiencesId } from '../../src/domain/analytics/queries.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

it.each(['test', 'live'] as const)('all experiences of %s mode have one id in TypeScript and in SQL', async (mode) => {
  expect(await world.db.query('select all_experiences_id($1) as id', [mode])).toEqual([{ id: allExperiencesId(mode) }]);
});
