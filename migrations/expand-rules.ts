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
  [/^rename (to|column|constraint|value)?/, 'renames'],
  [/^alter (type|domain) .* rename /, 'renames'],
  [/^alter column \w+ drop (default|identity|expression)\b/, 'drops'],
  [/^alter column \w+ drop not null\b/, 'lets in null, which the release before may not expect'],
  [/^alter column \w+ set not null\b/, 'narrows'],
  [/^alter column \w+ (set data )?type\b/, 'changes a type'],
  [/^add (constraint|check|unique|primary key|foreign key|exclude)\b/, 'adds a constraint'],
  [/^add column (?!.*\bdefault\b).*\bnot null\b/, 'adds a column that must be written'],
  [/^set schema\b/, 'moves'],
];

/** Each keeps every writer of its table waiting for as long as it works on the table's rows. */
const LOCKS: readonly (readonly [pattern: RegExp, what: string])[] = [
  [
    /^create (unique )?index (?!concurrently)/,
    'builds an index while no one can write: use a file with "-- no transaction" and "create index concurrently"',
  ],
  [
    /^add column .*\bdefault .*\b(gen_random_uuid|uuid_generate_\w+|uuidv\d|random|clock_timestamp|timeofday|nextval)\(/,
    'writes every row anew, because each gets a value of its own: add the column without a default, and fill it later',
  ],
  [/^add column .*(\b(small|big)?serial\b|\bgenerated (always|by default)\b)/, 'writes every row anew'],
];

/** A program inside of a migration can do anything, so that no rule can read it. */
const PROGRAM = /^(do|execute|call)\b/;

/** `-- widens: <name>: <reason>`: the constraint, index or column of that name lets in more than before. */
const WIDENS = /^-- widens: (\w+): \S.*$/gm;
/** `-- few rows: <table>: <reason>`: what is written to that table at once is not much. */
const FEW_ROWS = /^-- few rows: (\w+): \S.*$/gm;

const named = (sql: string, mark: RegExp): string[] => [...sql.matchAll(mark)].map((match) => match[1] as string);

/** What this file takes away from servers of the newest release; empty: they go on beside it. */
export function expandViolations(
  migration: Migration,
  later: readonly Migration[],
  releases: readonly ListedRelease[],
): string[] {
  const { name, sql, contractSince } = migration;
  if (contractSince !== null) return contractViolations(name, contractSince, releases);
  const widened = named(sql, WIDENS);
  const small = named(sql, FEW_ROWS);
  const created = createdTables(later);
  return statementsOf(sql).flatMap((statement) => {
    const table = tableOf(statement) ?? '';
    if (created.has(table)) return [];
    const refuse = (what: string): string => `${name} ${what}: "${statement.slice(0, 80)}". ${REMEDY}`;
    if (PROGRAM.test(statement)) return [refuse('runs a program, which these rules cannot read')];
    if (/^(with .*)?update /.test(statement))
      return small.includes(table)
        ? []
        : [refuse('may write many rows at once (else: "-- few rows: <table>: <reason>")')];
    return actionsOf(statement).flatMap((action) => [
      ...(isWidening(action, widened) ? [] : whatOf(action, TAKES_AWAY)).map(refuse),
      ...whatOf(action, LOCKS).map(refuse),
    ]);
  });
}

const REMEDY =
  'Servers of the release before run beside it: add instead, and take away in a later release with ' +
  '"-- contract: since <version>"; what lets in more says "-- widens: <name>: <reason>"';

function whatOf(action: string, rules: readonly (readonly [pattern: RegExp, what: string])[]): string[] {
  return rules.filter(([pattern]) => pattern.test(action)).map(([, what]) => what);
}

/** Only what can let in more than before: a constraint or unique index that goes or comes back wider, an index, a null. */
function isWidening(action: string, widened: readonly string[]): boolean {
  const found =
    /^(?:drop constraint(?: if exists)?|add constraint|drop index(?: concurrently)?(?: if exists)?|create unique index(?: concurrently)?(?: if not exists)?) (\w+)\b/.exec(
      action,
    ) ?? /^alter column (\w+) drop not null$/.exec(action);
  return found?.[1] !== undefined && widened.includes(found[1]);
}

/** The actions of "alter table", each by itself; any other statement as a whole. */
function actionsOf(statement: string): string[] {
  const rest = /^alter table (?:if exists )?(?:only )?\w+ (.*)$/.exec(statement)?.[1];
  if (rest === undefined) return [statement];
  const actions = [''];
  let depth = 0;
  for (const letter of rest) {
    if (letter === '(') depth++;
    if (letter === ')') depth--;
    if (letter === ',' && depth === 0) actions.push('');
    else actions[actions.length - 1] += letter;
  }
  // "column" may be left out.
  return actions.map((action) =>
    action
      .trim()
      .replace(/^add (?:column )?(?:if not exists )?(?!constraint|check|unique|primary|foreign|exclude)/, 'add column ')
      .replace(/^alter (?!column |constraint )/, 'alter column ')
      .replace(/^drop (?!column |constraint )/, 'drop column '),
  );
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
    /^(?:alter table|drop table|delete from|truncate(?: table)?|update|create (?:unique )?index .*? on) (?:if exists )?(?:only )?(\w+)/;
  return found.exec(statement)?.[1];
}

function statementsOf(sql: string): string[] {
  const text = sql.replaceAll(/--.*$/gm, '').toLowerCase().replaceAll(/\s+/g, ' ');
  return text
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
