// The files that a database is made of: numbered migrations (tables, indexes, constraints, data) and functions, one file
// each, named after the function. Reads and checks the files; migrate.ts applies them.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Where the files are. */
export interface SchemaFolders {
  readonly migrations: string;
  /** The folders of functions, in the order in which they are applied. */
  readonly functions: readonly string[];
}

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
  /** Earlier texts of this file, by their checksums: a database that has applied one of them has this file. */
  readonly earlierChecksums: readonly string[];
  /** Builds indexes on tables in use, without stopping their writers: concurrent-indexes.ts runs it. */
  readonly isConcurrent: boolean;
  /**
   * It drops, renames or narrows what earlier releases read; no release since this one does. Null: servers of the release
   * before go on beside it.
   */
  readonly contractSince: string | null;
}

export interface FunctionFile {
  readonly name: string;
  readonly path: string;
  readonly sql: string;
  readonly hash: string;
}

const MIGRATION_FILE = /^(\d{6})-.+\.sql$/;
const NO_TRANSACTION = /^-- no transaction\n/;
const CONTRACT = /^-- contract: since (\d+\.\d+\.\d+)$/m;
const EARLIER_TEXT = /^-- earlier text: ([0-9a-f]{64})$/gm;

/** A function's home is the folder of its noun; a function without a noun is in base. */
export function schemaFolders(root: string): SchemaFolders {
  const nouns = readdirSync(join(root, 'src', 'domain')).sort();
  const homes = [join(root, 'src', 'base'), ...nouns.map((noun) => join(root, 'src', 'domain', noun))];
  const functions = homes.map((home) => join(home, 'functions')).filter((folder) => existsSync(folder));
  return { migrations: join(root, 'migrations'), functions };
}

export function readMigrations({ migrations: folder }: Pick<SchemaFolders, 'migrations'>): Migration[] {
  const files = readdirSync(folder)
    .filter((name) => MIGRATION_FILE.test(name))
    .sort();
  return files.map((name) => {
    const sql = readFileSync(join(folder, name), 'utf8');
    return {
      version: Number(name.slice(0, 6)),
      name,
      sql,
      checksum: sha256(sql),
      earlierChecksums: sql.includes('-- earlier text: ')
        ? [...sql.matchAll(EARLIER_TEXT)].map((match) => match[1] as string)
        : [],
      isConcurrent: NO_TRANSACTION.test(sql),
      contractSince: CONTRACT.exec(sql)?.[1] ?? null,
    };
  });
}

/** The checksum that the database recorded is that of this file, or of an earlier text of it. */
export function isChecksumOf({ checksum, earlierChecksums }: Migration, recorded: string): boolean {
  return recorded === checksum || earlierChecksums.includes(recorded);
}

/** What a server needs of its database, by the names of the files alone. */
export function readSchemaNeeds(folders: SchemaFolders): {
  readonly functions: readonly string[];
  readonly newestMigration: number;
} {
  const versions = readdirSync(folders.migrations).flatMap((name) => MIGRATION_FILE.exec(name)?.[1] ?? []);
  const files = folders.functions.flatMap((folder) => readdirSync(folder));
  return {
    functions: files.filter((name) => name.endsWith('.sql')).map((name) => basename(name, '.sql')),
    newestMigration: Math.max(0, ...versions.map(Number)),
  };
}

/** In the order of their paths. Two files of one name would replace each other's function, so that is an error. */
export function readFunctions({ functions }: Pick<SchemaFolders, 'functions'>): FunctionFile[] {
  const paths = functions.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.sql'))
      .sort()
      .map((name) => join(folder, name)),
  );
  const files = paths.map((path) => {
    const sql = readFileSync(path, 'utf8');
    return { name: basename(path, '.sql'), path, sql, hash: sha256(sql) };
  });
  const names = new Set<string>();
  for (const { name, path } of files) {
    if (names.has(name)) throw new Error(`${path}: another file has a function named ${name}`);
    names.add(name);
  }
  return files;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
