// The rows of the matrix for the console's calls about a venue: its keys, settings, origins and audit log.

import { addOrigin } from '../../src/domain/venues/change-venue.ts';
import type { IsolationFixture, Owner } from './isolation-fixture.ts';
import { uniqueName } from './objects.ts';
import type { MatrixRow } from './operation-matrix.ts';

async function newKey({ world }: IsolationFixture, { venueId, mode }: Owner): Promise<string> {
  return (await world.key(venueId, { mode, scopes: mode === 'live' ? ['boats:read'] : [] })).id;
}

const keyInPath: MatrixRow = {
  as: 'account',
  references: { 'path id': 'key' },
  make: [async (fixture, owner) => ({ 'path id': await newKey(fixture, owner) })],
};

async function newOrigin({ world }: IsolationFixture, { venueId, mode }: Owner): Promise<string> {
  const origin = `https://${uniqueName('shop')}.example`;
  await world.db.transaction((tx) => addOrigin(tx, world.command(), venueId, origin, mode));
  return origin;
}

export const consoleVenueRows: Readonly<Record<string, MatrixRow>> = {
  listKeys: { as: 'account', createListed: newKey },
  createKey: {},
  updateKey: { ...keyInPath, body: () => ({ name: 'Till' }) },
  rollKey: { ...keyInPath, body: () => ({ overlap_hours: 1 }) },
  revokeKey: keyInPath,
  createVenue: {},
  getVenue: { as: 'account', ofVenue: true, createListed: async (_fixture, { venueId }) => venueId },
  updateVenue: {},
  listOrigins: { as: 'account', ofVenue: true, createListed: newOrigin },
  addOrigin: {},
  removeOrigin: {},
  listAudit: { as: 'account', ofVenue: true, createListed: newOrigin },
};
