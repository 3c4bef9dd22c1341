// How often a property is tried with random input: in full by `npm test`, a few times and always with the same input by
// `npm run test:fast`.

import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly isFastLoop: boolean;
  }
}

const FAST_SEED = 1;

/** Parameters for `fc.assert`. The fixed seed keeps the checks of coverage true: few runs may miss a case otherwise. */
export function runs(full: number, fast = 10): { readonly numRuns: number; readonly seed?: number } {
  return inject('isFastLoop') ? { numRuns: fast, seed: FAST_SEED } : { numRuns: full };
}
