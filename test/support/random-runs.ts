// How often a test repeats random input: a few times in `npm run test:fast`, often in `npm test`, and most often in
// `npm run test:long`, which runs the files `LONG` of vitest.config.ts. The seed is in fixed-seed.ts.

import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly isFastLoop: boolean;
    /** `npm test`: what a proof shows in full is shown once. */
    readonly isUsual: boolean;
    /** `npm run test:long`: every repetition and every variant. */
    readonly isLong: boolean;
  }
}

/** Parameters for `fc.assert`. `usual` is for `npm test`, where a run costs much; `full` then belongs to `npm run test:long`. */
export function runs(full: number, fast = 10, usual = full): { readonly numRuns: number } {
  return { numRuns: inject('isFastLoop') ? fast : repetitions(usual, full) };
}

export function repetitions(usual: number, long: number): number {
  return inject('isLong') ? long : usual;
}
