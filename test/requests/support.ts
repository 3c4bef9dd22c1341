// What the tests of the request log share: a person of the console who reads it, and a wait for lines that are stored
// about a second after their call.

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
