// Databases for the tests of a run, on the PostgreSQL that postgres-setup.ts started or that DATABASE_URL names. Their names
// begin with the run's own prefix, so that runs share a server, and the end of a run drops only what it made.

import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { createDatabase, templateOf } from './create-database.ts';

/** Returns the URL. `content`: with the schema of this release, or nothing. */
export function createTestDatabase(name: string, content: 'migrated' | 'empty'): Promise<string> {
  const prefix = inject('databasePrefix');
  const unique = `${prefix}${name}_${randomBytes(6).toString('hex')}`;
  return createDatabase(inject('postgresUrl'), unique, content === 'empty' ? null : templateOf(prefix));
}

export function databaseNameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
