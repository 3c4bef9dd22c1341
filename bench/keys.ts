// Venues, keys and guests for the load, made as the program itself makes them, with a limit that no load reaches.

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

const NO_LIMIT = 1_000_000_000;

/** Where the guests of every venue of the load go back to. */
export const ORIGIN = 'https://harbor-house.example';

export interface VenueWithKeys {
  readonly id: string;
  /** Secret test keys. */
  readonly keys: readonly string[];
}

/** A sandbox, unless it must be linked. */
export type MakeVenue = (keys: number, linked?: 'linked') => Promise<VenueWithKeys>;

export interface Guest {
  readonly id: string;
  /** Of the members' app. */
  readonly token: string;
  /** Of their browser. */
  readonly cookie: string;
}

export interface Town {
  readonly makeVenue: MakeVenue;
  /** Signed in at any of our servers: they share one address. */
  makeGuest(): Promise<Guest>;
}

export function makeTown(db: Db, sealKey: Buffer, address: string): Town {
  const context = makeContext({
    config: readConfig({}),
    db,
    clock: systemClock,
    random: systemRandom,
    log: makeLog('silent', 'bench'),
    sealKey,
    operatorToken: '',
    schemas: readSchemas(join(packageRoot, 'schemas', 'v1')),
  });
  const limits = { writesPerHour: NO_LIMIT, readsPerHour: NO_LIMIT };
  const act = () => commandContext(context, { name: 'bench', via: 'cli', address: null, requestId: null });
  const makeVenue: MakeVenue = (count, linked) =>
    db.transaction(async (tx) => {
      const { id } = await createVenue(tx, act(), {
        name: 'Harbor House',
        origins: [ORIGIN],
        sandbox: linked === undefined,
      });
      const wish = { venueId: id, kind: 'secret', mode: 'test', scopes: [], expiresAt: null, allowIps: [] } as const;
      const keys: string[] = [];
      while (keys.length < count) keys.push((await issueKey(tx, act(), { ...wish, ...limits })).key);
      return { id, keys };
    });
  let guests = 0;
  return {
    makeVenue,
    async makeGuest() {
      context.address.base = address;
      const phone = `+1555010${String(1000 + guests++)}`;
      const { id } = await db.transaction((tx) => createMember(tx, act(), { phone, name: `Guest ${guests}` }));
      const session = await beginSession(context, id);
      return { id, token: await context.tokens.sign(id), cookie: `everyshare_session=${session}` };
    },
  };
}
