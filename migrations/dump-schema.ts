// `npm run schema`: starts the embedded PostgreSQL, migrates an empty database, writes migrations/schema.sql from it
// and adds the new signatures of functions to migrations/function-signatures.txt.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../sandbox/postgres/embedded.ts';
import { migrate } from '../src/base/migrate.ts';
import { packageRoot } from '../src/base/package-root.ts';
import { readFunctions, readMigrations, schemaFolders } from '../src/base/schema-files.ts';
import { addSignatures, currentSignatures, type Query } from './function-signatures.ts';
import { dumpSchema } from './schema-dump.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'everyshare-schema-'));
const postgres = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
try {
  const folders = schemaFolders(packageRoot);
  await migrate(postgres.url, folders);
  await withQuery(postgres.url, async (query) => {
    const signatures = join(folders.migrations, 'function-signatures.txt');
    const recorded = readFileSync(signatures, 'utf8');
    writeFileSync(signatures, addSignatures(recorded, await currentSignatures(query), readMigrations(folders)));
    writeFileSync(join(folders.migrations, 'schema.sql'), await dumpSchema(query, readFunctions(folders), packageRoot));
  });
} finally {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function withQuery(url: string, work: (query: Query) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(async <Row>(sql: string): Promise<Row[]> => (await client.query(sql)).rows as Row[]);
  } finally {
    await client.end();
  }
}
