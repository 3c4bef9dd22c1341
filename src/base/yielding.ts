// Long synchronous work in steps: a generator that yields between them. Run at once where that is quick enough, or apart
// in the event loop, so that other requests are answered in between.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Maps a long list in several turns of the event loop, `size` items in each. */
export async function mapInChunks<Item, Result>(
  list: readonly Item[],
  size: number,
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of list.entries()) {
    if (index > 0 && index % size === 0) await nextTurn();
    results.push(map(item, index));
  }
  return results;
}

export type Steps<Result> = Generator<void, Result, void>;

export function runSync<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

export async function runYielding<Result>(steps: Steps<Result>): Promise<Result> {
  let step = steps.next();
  while (step.done !== true) {
    await nextTurn();
    step = steps.next();
  }
  return step.value;
}
