// What the tests of the request log share: a person of the console who reads it, and a wait for lines that are stored
// about a second after their call.

import { insertRequests, slotOf } from '../../src/domain/requests/queries.ts';
import type { LoggedKey } from '../../src/domain/requests/request-line.ts';
import type { AppContext } from '../../src/run/context.ts';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import type { HttpResponse, TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

export interface Reader {
  /** Reads /console/api/requests and what follows. */
  read(path?: string, options?: { mode?: 'test' | 'live'; accept?: string; server?: number }): Promise<HttpResponse>;
  /** Waits until so many calls of the venue are logged, and gives them, newest first. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape.
  waitForLines(count: number, mode?: 'test' | 'live'): Promise<any[]>;
}

/** A logged call of a key that failed. Gives its id. */
export async function insertLoggedRequest(
  { db, ids, clock }: AppContext,
  { venueId, mode, keyId }: LoggedKey,
): Promise<string> {
  const id = ids.prefixed('req');
  const now = clock.now();
  await insertRequests(db, [
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

let people = 0;

export async function openReader(world: TestWorld, venueId: string): Promise<Reader> {
  const accountId = await createAccount(world.context, `reader${people++}@harbor.example`, [[venueId, 'viewer']]);
  const { token } = await createSession(world.context, accountId);
  const read: Reader['read'] = (path = '', { mode = 'test', accept = 'application/json', server = 0 } = {}) =>
    callConsole(world, 'GET', `/console/api/requests${path}`, {
      token,
      venue: venueId,
      mode,
      server,
      headers: { accept },
    });
  return {
    read,
    waitForLines: (count, mode = 'test') =>
      waitFor(
        `${count} calls are logged`,
        async () => {
          const { status, json, text } = await read('?limit=100', { mode });
          if (status !== 200) throw new Error(text);
          return json.data.length >= count ? json.data : null;
        },
        { intervalMs: 100 },
      ),
  };
}
