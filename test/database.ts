// One real PostgreSQL for a whole run of the tests (durability off: tests do not survive a power cut, nor need they), with
// a migrated template from which each test file gets a database of its own in about a tenth of a second.

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findCluster } from '../sandbox/postgres/cluster.ts';
import { startEmbeddedPostgres } from '../sandbox/postgres/embedded.ts';
import { migrate } from '../src/base/migrate.ts';
import { packageRoot } from '../src/base/package-root.ts';
import { type Bouncer, findBouncer, startBouncer } from './bouncer.ts';
import { createDatabase } from './fresh-database.ts';
import { FOLDER, POSTGRES } from './logs/kept.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    /** The same server behind PgBouncer in transaction mode (`npm run pooler`); null: worlds go straight to it. */
    poolerUrl: string | null;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const pooler = askedPooler();
  const dataDir = mkdtempSync(join(tmpdir(), 'everyshare-test-'));
  const postgres = await startEmbeddedPostgres({
    dataDir,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
  });
  const template = await createDatabase(postgres.url, 'everyshare_template', null);
  await migrate(template, join(packageRoot, 'migrations'));
  project.provide('postgresUrl', postgres.url);
  const bouncer = pooler === null ? null : await bounce(pooler, postgres.url, join(dataDir, 'pgbouncer'));
  project.provide('poolerUrl', bouncer?.url('postgres') ?? null);
  return async () => {
    await bouncer?.stop();
    await postgres.stop();
    // What PostgreSQL says of statements that fail is a log like any other.
    const log = (await findCluster(dataDir))?.logFile;
    const kept = process.env[FOLDER];
    if (log !== undefined && kept !== undefined) copyFileSync(log, join(kept, POSTGRES));
    rmSync(dataDir, { recursive: true, force: true });
  };
}

/** Whoever asks for a pooler and has none is told so, and the run ends before anything is started: it would prove nothing. */
function askedPooler(): string | null {
  if (process.env.POOLER === undefined) return null;
  return findBouncer() ?? process.exit(0);
}

async function bounce(program: string, server: string, folder: string): Promise<Bouncer> {
  const url = new URL(server);
  return startBouncer(program, {
    folder,
    target: { folder: url.searchParams.get('host') ?? '', port: Number(url.searchParams.get('port')) },
    user: url.username,
    password: decodeURIComponent(url.password),
  });
}
