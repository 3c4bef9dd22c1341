// What an answer may still list. A hostile body has a hundred thousand problems: describing them all would block every
// other request, and the answer would be larger than the body. One budget serves a whole answer, such as a fleet's.

import { MAX_LISTED } from '../errors.ts';

/** Finding the name that was probably meant compares the unknown one with every known one. */
export const MAX_NEAR_MISSES = 20;

export interface ProblemBudget {
  /** Problems that may still be listed. */
  problems: number;
  /** Unknown names for which the nearest known one may still be searched. */
  nearMisses: number;
  /** Problems found so far, listed or not. */
  found: number;
}

export function newProblemBudget(): ProblemBudget {
  return { problems: MAX_LISTED, nearMisses: MAX_NEAR_MISSES, found: 0 };
}
