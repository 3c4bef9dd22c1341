// Ids as they were made at a time in the past: ids are ordered by time.

import { type Ids, makeIds } from '../../base/ids.ts';
import type { Random } from '../../base/random.ts';

export function idsAt(at: number, random: Random): Ids {
  return makeIds({ now: () => at }, random);
}
