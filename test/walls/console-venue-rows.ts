// The rows of the matrix for the console's calls about a venue: its keys.

import type { IsolationFixture, Owner } from './isolation-fixture.ts';
import type { MatrixRow } from './operation-matrix.ts';

async function newKey({ world }: IsolationFixture, { venueId, mode }: Owner): Promise<string> {
  return (await world.key(venueId, { mode, scopes: mode === 'live' ? ['boats:read'] : [] })).id;
}

const keyInPath: MatrixRow = {
  as: 'account',
  references: { 'path id': 'key' },
  make: [async (fixture, owner) => ({ 'path id': await newKey(fixture, owner) })],
};

export const consoleVenueRows: Readonly<Record<string, MatrixRow>> = {
  listKeys: { as: 'account', createListed: newKey },
  createKey: {},
  updateKey: { ...keyInPath, body: () => ({ name: 'Till' }) },
  rollKey: { ...keyInPath, body: () => ({ overlap_hours: 1 }) },
  revokeKey: keyInPath,
};
