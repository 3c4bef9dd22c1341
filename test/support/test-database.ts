// Databases for the tests of a run, on the PostgreSQL that postgres-setup.ts started or that DATABASE_URL names. Their names
// begin with the run's own prefix, so that runs share a server, and the end of a run drops only what it made.

import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { copyDistributed } from './citus-cluster.ts';
import { createDatabase, databaseUrl, templateOf } from './create-database.ts';

/** Returns the URL. `content`: with the schema of this release, or nothing. */
export async function createTestDatabase(name: string, content: 'migrated' | 'empty'): Promise<string> {
  const prefix = inject('databasePrefix');
  const unique = `${prefix}${name}_${randomBytes(6).toString('hex')}`;
  const server = inject('postgresUrl');
  const workers = inject('workerNodes');
  if (workers.length > 0 && content === 'migrated') {
    await copyDistributed([server, ...workers], unique, templateOf(prefix));
    return databaseUrl(server, unique);
  }
  return createDatabase(server, unique, content === 'empty' ? null : templateOf(prefix));
}

export function databaseNameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
