// The PostgreSQL that DATABASE_URL names, for the tests of a run instead of an embedded one: its databases are made and
// dropped there. Says at the start why it cannot be used, instead of in each test.

import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import pg from 'pg';
import { requireSupportedPostgres } from '../../src/base/postgres-version.ts';
import { makeScratchFolder } from './scratch-folder.ts';

export interface GivenPostgres {
  readonly url: string;
  readonly prefix: string;
  readonly folder: string;
  stop(): Promise<void>;
}

const MAX_CONNECT_MS = 10_000;

export async function openGivenPostgres(url: string): Promise<GivenPostgres> {
  const query = async (sql: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: MAX_CONNECT_MS });
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  await requireUsable(url, query);
  const prefix = `everyshare_test_${randomBytes(4).toString('hex')}_`;
  const folder = makeScratchFolder('everyshare-test-');
  // Programs that the tests start as root run their PostgreSQL as another user, who must reach it here.
  chmodSync(folder, 0o711);
  return {
    url,
    prefix,
    folder,
    async stop() {
      const databases = await query(`select datname from pg_database where starts_with(datname, '${prefix}')`);
      for (const { datname } of databases) await query(`drop database if exists ${String(datname)} with (force)`);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function requireUsable(url: string, query: (sql: string) => Promise<Record<string, unknown>[]>): Promise<void> {
  const { host, searchParams, username } = new URL(url);
  const place = searchParams.get('host') ?? host;
  const [row] = await query(
    `select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
       rolcreatedb or rolsuper as "mayCreate", rolsuper as "isSuperuser" from pg_roles where rolname = current_user`,
  ).catch((error: unknown) => {
    throw new Error(
      `DATABASE_URL is set, so the tests use the PostgreSQL at ${place}, and it cannot be reached as ${username} (${String(error)}): ` +
        'start it, correct the address, or unset DATABASE_URL to run with the embedded one.',
    );
  });
  requireSupportedPostgres(Number(row?.number), String(row?.version));
  if (row?.mayCreate !== true)
    throw new Error(
      `DATABASE_URL: the role ${username} at ${place} may not create databases, which each test file needs: run ` +
        `"alter role ${username} createdb" there, or name another role.`,
    );
  if (row.isSuperuser !== true)
    process.stderr.write(
      `DATABASE_URL: the role ${username} is no superuser: the few tests that set deadlock_timeout or session_replication_role will fail.\n`,
    );
}
