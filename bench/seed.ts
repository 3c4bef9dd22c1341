// Creates venues, keys and guests for the load through the program's own commands. The keys' rate limit is never
// reached.

import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { readConfig } from '../src/base/config.ts';
import type { Db } from '../src/base/db.ts';
import { makeLog } from '../src/base/log.ts';
import { packageRoot } from '../src/base/package-root.ts';
import { systemRandom } from '../src/base/random.ts';
import { issueKey } from '../src/domain/keys/issue-key.ts';
import { createMember } from '../src/domain/members/create-member.ts';
import { beginSession } from '../src/domain/members/sessions.ts';
import { createVenue } from '../src/domain/venues/create-venue.ts';
import { commandContext, makeContext, readSchemas } from '../src/run/context.ts';

const UNREACHABLE_LIMIT = 1_000_000_000;

/** The allowed origin of every venue; return URLs begin with it. */
export const ORIGIN = 'https://harbor-club.example';

export interface VenueWithKeys {
  readonly id: string;
  /** Secret test keys. */
  readonly keys: readonly string[];
}

/** Creates a sandbox venue, or a linked one. */
export type MakeVenue = (keys: number, linked?: 'linked') => Promise<VenueWithKeys>;

export interface Guest {
  readonly id: string;
  /** Bearer token, as the members' app sends it. */
  readonly token: string;
  /** Session cookie, as a browser sends it. */
  readonly cookie: string;
}

export interface Seeder {
  readonly makeVenue: MakeVenue;
  /** Creates a guest with a session that is valid at all our servers, because they share one address. */
  makeGuest(): Promise<Guest>;
}

export function makeSeeder(db: Db, sealKey: Buffer, address: string): Seeder {
  const context = makeContext({
    config: readConfig({}),
    db,
    clock: systemClock,
    random: systemRandom,
    log: makeLog('silent', 'bench'),
    sealKeys: [sealKey],
    operatorToken: '',
    schemas: readSchemas(join(packageRoot, 'schemas', 'v1')),
  });
  const limits = { writesPerHour: UNREACHABLE_LIMIT, readsPerHour: UNREACHABLE_LIMIT };
  const newCommand = () => commandContext(context, { name: 'bench', via: 'cli', address: null, requestId: null });
  const makeVenue: MakeVenue = (count, linked) =>
    db.transaction(async (tx) => {
      const { id } = await createVenue(tx, newCommand(), {
        name: 'Harbor Club',
        origins: [ORIGIN],
        sandbox: linked === undefined,
      });
      const newKey = { venueId: id, kind: 'secret', mode: 'test', scopes: [], expiresAt: null, allowIps: [] } as const;
      const keys: string[] = [];
      while (keys.length < count) keys.push((await issueKey(tx, newCommand(), { ...newKey, ...limits })).key);
      return { id, keys };
    });
  let guests = 0;
  return {
    makeVenue,
    async makeGuest() {
      context.address.base = address;
      const phone = `+1212555${String(1000 + guests++)}`;
      const { id } = await db.transaction((tx) => createMember(tx, newCommand(), { phone, name: `Guest ${guests}` }));
      const session = await beginSession(context, id);
      return { id, token: await context.tokens.sign(id), cookie: `everyshare_session=${session}` };
    },
  };
}
