// The rows of the matrix for the request log of the console.

import { insertLoggedRequest } from '../requests/support.ts';
import type { IsolationFixture, Owner } from './isolation-fixture.ts';
import type { MatrixRow } from './operation-matrix.ts';

/** A logged call of the owner that failed, so that the summary names it too. */
async function loggedRequest({ world }: IsolationFixture, { venueId, mode }: Owner): Promise<string> {
  const scopes = mode === 'live' ? ['boats:read'] : [];
  const { id: keyId } = await world.key(venueId, { mode, scopes });
  return insertLoggedRequest(world.context, { venueId, mode, keyId });
}

export const consoleRequestRows: Readonly<Record<string, MatrixRow>> = {
  listRequests: {
    as: 'account',
    createListed: loggedRequest,
    unguarded: { 'query request_id': 'a filter of the caller’s own list, in which no other id is' },
  },
  summarizeRequests: { as: 'account', createListed: loggedRequest },
  getRequest: {
    as: 'account',
    references: { 'path id': 'request' },
    make: [async (fixture, owner) => ({ 'path id': await loggedRequest(fixture, owner) })],
  },
};
