// The choice of the seeds that `npm test` runs.

import { expect, it } from 'vitest';
import { chooseSeeds, MIN_SEEDS_PER_TRANSITION } from './choose-seeds.ts';

const reached = new Map<number, readonly string[]>([
  [1, ['often']],
  [2, ['often', 'rare']],
  [3, ['often']],
  [4, ['rare']],
  [5, ['often', 'rare', 'very rare']],
  [6, ['often']],
  [7, ['very rare']],
  [8, ['rare', 'very rare']],
  [9, ['rare']],
]);

it('the chosen seeds and the first ones together reach each required transition often enough', () => {
  const { rareSeeds } = chooseSeeds(reached, ['often', 'rare', 'very rare'], 3);
  const all = [1, 2, 3, ...rareSeeds];
  for (const name of ['often', 'rare', 'very rare']) {
    const count = all.filter((seed) => reached.get(seed)?.includes(name)).length;
    expect([name, count >= MIN_SEEDS_PER_TRANSITION]).toEqual([name, true]);
  }
});

it('one seed that reaches several rare transitions is preferred to several seeds', () => {
  expect(chooseSeeds(reached, ['often', 'rare', 'very rare'], 3).rareSeeds).toEqual([5, 7, 8]);
});

it('a transition that no seed reaches is counted as 0, and adds no seed', () => {
  const { rareSeeds, counts } = chooseSeeds(reached, ['often', 'never'], 3);
  expect([rareSeeds, counts.get('never'), counts.get('often')]).toEqual([[], 0, 5]);
});
