// What the tests of the request log share: a person of the console who reads it, and a wait for lines that are stored
// about a second after their call.

import type { Queryable } from '../../src/base/db.ts';
import { timeOfId } from '../../src/base/ids.ts';
import { slotOf } from '../../src/domain/requests/id-range.ts';
import { insertRequests, type NewRequest, type RequestRow } from '../../src/domain/requests/queries.ts';
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

/** As earlier releases stored every call, and as failed calls are stored. */
export function newRow(venueId: string, { id, ...rest }: RequestRow): NewRequest {
  const at = timeOfId(id);
  return { venue_id: venueId, request_id: id, slot: slotOf(at), at: at / 1000, failure: null, ...rest };
}

/** A logged call of a key that failed. Gives its id. */
export async function insertLoggedRequest(
  { db, ids }: AppContext,
  { venueId, mode, keyId }: LoggedKey,
): Promise<string> {
  const id = ids.prefixed('req');
  const row = {
    id,
    mode,
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
  };
  await insertRequests(db, [newRow(venueId, row)]);
  return id;
}

/** How many calls of a venue are stored, as rows and in blocks. */
export async function countStored(db: Queryable, venueId: string): Promise<number> {
  const [found] = await db.query<{ count: number }>(
    `select (select count(*) from request_log where venue_id = $1)::int
       + (select coalesce(sum(line_count), 0) from request_blocks where venue_id = $1)::int as count`,
    [venueId],
  );
  return found?.count ?? 0;
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
