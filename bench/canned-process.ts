// Our server without its database: the whole way of a POST through it (HTTP, gate, parsing, validation, fingerprint,
// answer), with the rows that the real database gave once. It answers creates alone; anything else is an error.

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
const { KEYS = '', ANSWER = '' } = process.env;
const ADMIT = 'select * from admit(';
const CREATE = 'select * from create_checkout(';

/** What the gate is told about each key, from the database itself. */
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

function cannedDb(known: ReadonlyMap<string, object>): Db {
  const admitted = ([hashes, , wanted]: readonly [Buffer[], string[], number[]]): object[] =>
    hashes.map((hash, at) => ({ ...known.get(hash.toString('latin1')), position: at + 1, granted: wanted[at] }));
  const query = async <R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> => {
    if (text.startsWith(ADMIT)) return admitted(values as unknown as [Buffer[], string[], number[]]) as R[];
    if (text.startsWith(CREATE))
      return [{ outcome: 'created', response: ANSWER, found_id: values[2] }] as object[] as R[];
    throw new Error(`nobody has canned an answer to ${text}`);
  };
  const transaction = async (): Promise<never> => {
    throw new Error('a create needs no transaction of its own');
  };
  return { query, priority: { query }, transaction, close: async () => undefined };
}

const context = makeContext({
  config,
  db: cannedDb(await recordKeys(KEYS.split(' '))),
  clock: systemClock,
  random: systemRandom,
  log: makeLog(config.logLevel, 'serve'),
  sealKey: Buffer.alloc(32, 7),
  operatorToken: '',
  schemas: readSchemas(join(packageRoot, 'schemas', 'v1')),
});
await startServer(context, async (server) => (await import('../src/mcp/tool-server.ts')).open(server));
