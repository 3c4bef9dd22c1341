// Our server without its database: a POST runs all of the server's own code (HTTP, admission, parsing, validation,
// fingerprint, response) with rows that the real database returned once. Creates and the request log are canned; any other
// statement throws.

import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { readConfig } from '../src/base/config.ts';
import { type Db, openDb } from '../src/base/db.ts';
import { makeLog } from '../src/base/log.ts';
import { packageRoot } from '../src/base/package-root.ts';
import { systemRandom } from '../src/base/random.ts';
import { hashOfKey } from '../src/domain/keys/key.ts';
import { startServer } from '../src/http/server.ts';
import { makeContext, readSchemas } from '../src/run/context.ts';

const config = readConfig(process.env);
const { KEYS = '', RESPONSE = '' } = process.env;
const ADMIT = 'select * from admit(';
const CREATE = 'select * from create_checkout(';

/** The row that admit() returns for each key, from the real database. */
async function recordKeys(keys: readonly string[]): Promise<Map<string, object>> {
  const db = openDb({ url: config.databaseUrl ?? '', connections: 2, pooled: false, applicationName: 'bench-canned' });
  const hashes = keys.map(hashOfKey);
  const rows = await db.query<{ position: number }>(`${ADMIT}$1, $2, $3)`, [
    hashes,
    keys.map(() => 'write'),
    keys.map(() => 1),
  ]);
  await db.close();
  return new Map(rows.map((row) => [hashes[row.position - 1]?.toString('latin1') ?? '', row]));
}

function cannedDb(keyRows: ReadonlyMap<string, object>): Db {
  const admit = ([hashes, , wanted]: readonly [Buffer[], string[], number[]]): object[] =>
    hashes.map((hash, at) => ({ ...keyRows.get(hash.toString('latin1')), position: at + 1, granted: wanted[at] }));
  const query = async <R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> => {
    if (text.startsWith(ADMIT)) return admit(values as unknown as [Buffer[], string[], number[]]) as R[];
    if (text.startsWith(CREATE))
      return [{ outcome: 'created', response: RESPONSE, found_id: values[2] }] as object[] as R[];
    throw new Error(`there are no canned rows for ${text}`);
  };
  // What the request log stores: its batches are made and sent, and the database has nothing to say.
  const background = { query: async <R extends object>(): Promise<R[]> => [] };
  const transaction = async (): Promise<never> => {
    throw new Error('a create needs no transaction of its own');
  };
  return {
    query,
    priority: { query },
    background,
    monitoring: { query },
    transaction,
    close: async () => undefined,
  };
}

const context = makeContext({
  config,
  db: cannedDb(await recordKeys(KEYS.split(' '))),
  clock: systemClock,
  random: systemRandom,
  log: makeLog(config.logLevel, 'serve'),
  sealKeys: [Buffer.alloc(32, 7)],
  operatorToken: '',
  schemas: readSchemas(join(packageRoot, 'schemas', 'v1')),
});
await startServer(context, async (server) => (await import('../src/mcp/tool-server.ts')).open(server));
