// `npm run schema`: starts the embedded PostgreSQL, migrates an empty database and writes migrations/schema.sql from it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../sandbox/postgres/embedded.ts';
import { migrate } from '../src/base/migrate.ts';
import { packageRoot } from '../src/base/package-root.ts';
import { type FunctionFile, readFunctions, schemaFolders } from '../src/base/schema-files.ts';
import { dumpSchema } from './schema-dump.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'everyshare-schema-'));
const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
try {
  const folders = schemaFolders(packageRoot);
  await migrate(postgres.url, folders);
  writeFileSync(join(folders.migrations, 'schema.sql'), await dump(postgres.url, readFunctions(folders)));
} finally {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function dump(url: string, functions: readonly FunctionFile[]): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const query = async <Row>(sql: string): Promise<Row[]> => (await client.query(sql)).rows as Row[];
    return await dumpSchema(query, functions, packageRoot);
  } finally {
    await client.end();
  }
}
