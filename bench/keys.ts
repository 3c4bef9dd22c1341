// Keys for the load, issued as the program itself issues them, with a limit that no load reaches.

import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { readConfig } from '../src/base/config.ts';
import type { Db } from '../src/base/db.ts';
import { makeLog } from '../src/base/log.ts';
import { packageRoot } from '../src/base/package-root.ts';
import { systemRandom } from '../src/base/random.ts';
import { issueKey } from '../src/domain/keys/issue-key.ts';
import { createVenue } from '../src/domain/venues/create-venue.ts';
import { actIn, makeHouse } from '../src/run/house.ts';

const NO_LIMIT = 1_000_000_000;

/** Secret test keys of one new venue. */
export async function makeKeys(db: Db, sealKey: Buffer, count: number): Promise<string[]> {
  const house = makeHouse({
    config: readConfig({}),
    db,
    clock: systemClock,
    random: systemRandom,
    log: makeLog('silent', 'bench'),
    sealKey,
    operatorToken: '',
    schemaFolder: join(packageRoot, 'schemas', 'v1'),
  });
  const act = actIn(house, { actor: 'bench', via: 'cli', address: null, requestId: null });
  const limits = { writesPerHour: NO_LIMIT, readsPerHour: NO_LIMIT };
  return db.transaction(async (tx) => {
    const { id } = await createVenue(tx, act, { name: 'Harbor House', origins: [], sandbox: true });
    const wish = { venueId: id, kind: 'secret', mode: 'test', scopes: [], expiresAt: null, allowIps: [] } as const;
    const keys: string[] = [];
    while (keys.length < count) keys.push((await issueKey(tx, act, { ...wish, ...limits })).key);
    return keys;
  });
}
