// Random input is the same in every run of `npm test` and `npm run test:fast`, so that a run fails only because of a
// change. `npm run test:long` draws new input each time.

import fc from 'fast-check';
import { inject } from 'vitest';

const SEED = 1;

if (!inject('isLong')) fc.configureGlobal({ seed: SEED });
