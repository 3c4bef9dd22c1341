// How often a test repeats random input: a few times and always with the same input in `npm run test:fast`, often in
// `npm test`, and most often in `npm run test:long`, which runs the files `LONG` of vitest.config.ts.

import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly isFastLoop: boolean;
    /** `npm run test:long`: every repetition and every variant. */
    readonly isLong: boolean;
  }
}

const FAST_SEED = 1;

/**
 * Parameters for `fc.assert`. The fixed seed keeps the checks of coverage true: few runs may miss a case otherwise.
 * `usual` is for `npm test`, where a run costs much; `full` then belongs to `npm run test:long`.
 */
export function runs(full: number, fast = 10, usual = full): { readonly numRuns: number; readonly seed?: number } {
  return inject('isFastLoop') ? { numRuns: fast, seed: FAST_SEED } : { numRuns: repetitions(usual, full) };
}

export function repetitions(usual: number, long: number): number {
  return inject('isLong') ? long : usual;
}
