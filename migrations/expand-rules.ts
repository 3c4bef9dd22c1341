// Migrations expand first and contract later: while a release is installed, servers of the release before use the same
// database. So a migration may add, and what it drops, renames or narrows must be unread since a release that is out,
// named by `-- contract: since <version>`. test/tidy/migrations.test.ts applies these rules to every file.

import type { Migration } from '../src/base/schema-files.ts';

export interface ListedRelease {
  readonly version: string;
  readonly commit: string;
  readonly newestMigration: number;
}

/** migrations/releases.txt, oldest first. */
export function readReleaseList(text: string): ListedRelease[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, version, commit, migration] = /^(\d+\.\d+\.\d+) ([0-9a-f]{40}) (\d{6})$/.exec(line) ?? [];
    if (version === undefined || commit === undefined || migration === undefined)
      throw new Error(`releases.txt: a line is "<version> <commit, 40 digits> <migration, 6 digits>", not: ${line}`);
    return { version, commit, newestMigration: Number(migration) };
  });
}

/** Each takes something from a server of the release before, or gives it values that it does not know. */
const TAKES_AWAY: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^drop (?!index)/, 'drops'],
  [/^drop index/, 'drops an index, which "on conflict" of the release before may need'],
  [/^(truncate|delete from) /, 'removes rows'],
  [/^create unique index /, 'adds a unique index'],
  [/\brename (to|column|constraint|value)\b/, 'renames'],
  [/\bdrop (column|constraint|default|identity|expression)\b/, 'drops'],
  [/\bdrop not null\b/, 'lets in null, which the release before may not expect'],
  [/\bset not null\b/, 'narrows'],
  [/\balter column \w+ (set data )?type\b/, 'changes a type'],
  [/\badd (constraint|check|unique|primary key|foreign key)\b/, 'adds a constraint'],
  [/\badd column (?:if not exists )?\w+ (?![^,]*\bdefault\b)[^,]*\bnot null\b/, 'adds a column that must be written'],
  [/\bset schema\b/, 'moves'],
];

/** `-- widens: <name>: <reason>`: the constraint, index or column of that name lets in more than before. */
const WIDENS = /^-- widens: (\w+): \S.*$/gm;

/** What this file takes away from servers of the newest release; empty: they go on beside it. */
export function expandViolations(
  migration: Migration,
  later: readonly Migration[],
  releases: readonly ListedRelease[],
): string[] {
  const { name, sql, contractSince } = migration;
  if (contractSince !== null) return contractViolations(name, contractSince, releases);
  const widened = [...sql.matchAll(WIDENS)].map((match) => match[1] as string);
  const created = createdTables(later);
  return statementsOf(sql).flatMap((statement) => {
    if (created.has(tableOf(statement) ?? '')) return [];
    if (widened.some((each) => new RegExp(`\\b${each}\\b`).test(statement))) return [];
    return TAKES_AWAY.filter(([pattern]) => pattern.test(statement)).map(
      ([, what]) =>
        `${name} ${what}: "${statement.slice(0, 80)}". Servers of the release before run beside it: add instead, and take away in ` +
        'a later release with "-- contract: since <version>"; what lets in more says "-- widens: <name>: <reason>"',
    );
  });
}

function contractViolations(name: string, since: string, releases: readonly ListedRelease[]): string[] {
  if (releases.some(({ version }) => version === since)) return [];
  return [`${name}: "-- contract: since ${since}" names no release of releases.txt: its servers are not out yet`];
}

/** The release before does not know these tables. */
function createdTables(migrations: readonly Migration[]): ReadonlySet<string> {
  const names = migrations.flatMap(({ sql }) =>
    statementsOf(sql).map((statement) => /^create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(statement)?.[1]),
  );
  return new Set(names.filter((name) => name !== undefined));
}

function tableOf(statement: string): string | undefined {
  const found =
    /^(?:alter table|drop table|delete from|truncate(?: table)?|create unique index .*? on) (?:only |if exists )?(\w+)/;
  return found.exec(statement)?.[1];
}

function statementsOf(sql: string): string[] {
  const text = sql.replaceAll(/--.*$/gm, '').toLowerCase().replaceAll(/\s+/g, ' ');
  return text
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
