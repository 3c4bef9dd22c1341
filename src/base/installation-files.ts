// The files by which a data directory is known to hold an installation with the embedded database.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The embedded PostgreSQL writes it before any other file. */
export function databaseStateFile(dataDir: string): string {
  return join(dataDir, 'postgres.json');
}

/** Without its state file a database counts as well: it is damaged, and opening it says how to repair it. */
export function hasEmbeddedDatabase(dataDir: string): boolean {
  return existsSync(databaseStateFile(dataDir)) || existsSync(join(dataDir, 'postgres'));
}
