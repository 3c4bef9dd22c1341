// The rows of the matrix for the desk. An operator sees every venue, so no reference is isolated: desk.test.ts proves that
// operators alone make these calls.

import { operations } from '../../src/run/operations.ts';
import type { MatrixRow } from './operation-matrix.ts';

const EVERY_VENUE = 'operators see every venue; desk.test.ts tries the other callers';

/** References beside those of the path. */
const REFERENCES: Readonly<Record<string, readonly string[]>> = {
  listReviews: ['query venue'],
  listDeskAudit: ['query venue'],
  raiseLimits: ['body /key_id'],
};

export const deskRows: Readonly<Record<string, MatrixRow>> = Object.fromEntries(
  operations
    .filter(({ audience }) => audience === 'desk')
    .map(({ id, path }) => {
      const inPath = [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => `path ${name}`);
      const places = [...inPath, ...(REFERENCES[id] ?? [])];
      return [id, { unguarded: Object.fromEntries(places.map((place) => [place, EVERY_VENUE])) }];
    }),
);
