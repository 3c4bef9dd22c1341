// The rows of the matrix for the request log of the console.

import { insertRequests, slotOf } from '../../src/domain/requests/queries.ts';
import type { IsolationFixture, Owner } from './isolation-fixture.ts';
import type { MatrixRow } from './operation-matrix.ts';

/** A logged call of the owner that failed, so that the summary names it too. */
async function loggedRequest({ world }: IsolationFixture, { venueId, mode }: Owner): Promise<string> {
  const scopes = mode === 'live' ? ['boats:read'] : [];
  const { id: keyId } = await world.key(venueId, { mode, scopes });
  const id = world.context.ids.prefixed('req');
  const now = Date.now();
  await insertRequests(world.db, [
    {
      venue_id: venueId,
      mode,
      request_id: id,
      slot: slotOf(now),
      at: now / 1000,
      key_id: keyId,
      method: 'GET',
      path: '/v1/boats/none',
      route: '/v1/boats/{id}',
      operation: 'getBoat',
      tool: null,
      status: 404,
      code: 'not_found',
      reason: null,
      field: null,
      problem_count: 1,
      replayed: false,
      duration_ms: 1,
      address: '203.0.113.…',
      user_agent: null,
      failure: null,
    },
  ]);
  return id;
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
