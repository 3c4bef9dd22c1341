// SQL that PostgreSQL accepts and Citus does not, or answers wrongly (docs/scaling.md, step 6). New statements must not have
// these patterns; the statements that have them today are listed, and the list only shrinks: an entry that is no longer
// needed fails too.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { TABLE_HOMES } from './table-homes.ts';

interface Source {
  readonly path: string;
  /** Without comments, in lower case, with single spaces. */
  readonly text: string;
  readonly statements: readonly string[];
  readonly isFunction: boolean;
}

interface Rule {
  readonly why: string;
  /** How many statements of the file break it. */
  readonly count: (source: Source) => number;
  /** Files that break it today, each with that number. */
  readonly known: readonly string[];
}

const TABLES = Object.keys(TABLE_HOMES).join('|');
/** Tables that stay on one node: rows of the installation, and queues of messages. */
const ONE_NODE = /\b(migration_lock|mails|messages|processor_events|figures|processes)\b/;
const inStatements =
  (test: (statement: string) => boolean) =>
  ({ statements }: Source): number =>
    statements.filter((statement) => !ONE_NODE.test(statement) && test(statement)).length;
const inFunction =
  (test: (source: Source) => boolean) =>
  (source: Source): number =>
    source.isFunction && test(source) ? 1 : 0;

const RULES: Readonly<Record<string, Rule>> = {
  'a count after "insert … select … on conflict"': {
    why: 'Citus counts the rows that were selected, so that FOUND and row_count are true for a row that was there: an event was lost in silence. Insert values, or count afterwards.',
    count: inFunction(
      ({ text, statements }) =>
        /\bfound\b|\brow_count\b/.test(text) &&
        statements.some((statement) => /insert into .*\bselect\b.*on conflict/.test(statement)),
    ),
    known: [
      'src/domain/analytics/functions/record_activity.sql: 1',
      'src/domain/analytics/functions/repair_people.sql: 1',
    ],
  },
  'a write in a function of language sql': {
    why: 'It crashed the coordinator: use plpgsql.',
    count: inFunction(
      ({ text }) => /\blanguage sql\b/.test(text) && /\b(insert into|update \w+ (\w+ )?set|delete from)\b/.test(text),
    ),
    known: [],
  },
  'a forced generic plan': {
    why: 'Citus plans by the value of the venue: "could not create distributed plan".',
    count: inFunction(({ text }) => text.includes('force_generic_plan')),
    known: [
      // It looks for Citus first.
      'src/base/functions/keep_plans.sql: 1',
      'src/domain/analytics/functions/activity_figures.sql: 1',
      'src/domain/analytics/functions/add_figures.sql: 1',
      'src/domain/analytics/functions/count_activity.sql: 1',
      'src/domain/analytics/functions/has_activity.sql: 1',
      'src/domain/analytics/functions/people_changes.sql: 1',
      'src/domain/analytics/functions/record_activity.sql: 1',
      'src/domain/analytics/functions/record_people.sql: 1',
      'src/domain/analytics/functions/recount_events.sql: 1',
      'src/domain/analytics/functions/recount_people.sql: 1',
      'src/domain/analytics/functions/repair_day.sql: 1',
      'src/domain/analytics/functions/repair_people.sql: 1',
      'src/domain/analytics/functions/repair_previous_hours.sql: 1',
      'src/domain/analytics/functions/stored_figures.sql: 1',
    ],
  },
  'a row of a table as an argument': {
    why: 'The row of a shard has another type: take anyelement, or the columns.',
    count: inFunction(({ text }) => {
      const parameters = /create or replace function \w+ ?\((.*?)\) returns/.exec(text)?.[1] ?? '';
      return new RegExp(`\\b\\w+ (${TABLES})\\b`).test(parameters);
    }),
    known: [],
  },
  'a claim across venues': {
    why: '"for update skip locked" is refused over several shards: claim venue by venue, or update and check the condition again.',
    count: inStatements((statement) => statement.includes('skip locked') && !/venue_id = (\$|p_|v_)/.test(statement)),
    known: [],
  },
  'a recursive query': {
    why: 'Over several venues it is refused: use "distinct on". Inside of one venue it works; those are listed too.',
    count: inStatements((statement) => statement.includes('with recursive')),
    known: [
      'src/domain/analytics/functions/stored_figures.sql: 1',
      'src/domain/analytics/queries.ts: 1',
      'src/domain/payments/statement-queries.ts: 1',
      'src/domain/venues/audit.ts: 1',
    ],
  },
  ctid: {
    why: 'It means nothing on a distributed table: use the key, and check the condition again (base/delete-batch.ts).',
    count: inStatements((statement) => /\bctid\b/.test(statement)),
    known: [
      'src/domain/analytics/functions/people_changes.sql: 1',
      'src/domain/analytics/functions/people_on_day.sql: 1',
      'src/domain/analytics/functions/record_people.sql: 1',
      'src/domain/analytics/functions/repair_people.sql: 1',
      'src/domain/analytics/functions/repair_previous_hours.sql: 1',
      'src/domain/analytics/queries.ts: 1',
    ],
  },
  'time arithmetic in an update': {
    why: '"timestamptz + interval" is not immutable, and refused in UPDATE and ON CONFLICT: compute the time in the program, or in UTC.',
    count: inStatements((statement) =>
      /\bupdate (\w+ )?(\w+ )?set [^;]*[+-] [^,;]*\b(make_)?interval\b/.test(
        // In UTC it is immutable.
        statement.replace(/\bwhere\b.*$/, '').replaceAll(/\([^()]*\) at time zone 'utc'/g, ''),
      ),
    ),
    known: [],
  },
  'an array element as the new value of an update': {
    why: 'It crashed the coordinator: give the element to a variable first.',
    count: inStatements((statement) =>
      /\bupdate (\w+ )?(\w+ )?set [^;]*= ?(?!array)\w+\[/.test(statement.replace(/\bwhere\b.*$/, '')),
    ),
    known: [],
  },
  'a transition table': {
    why: 'Triggers with "referencing new table" are refused: use "for each row".',
    count: inFunction(({ text }) => text.includes('referencing new table')),
    known: [],
  },
  'a join through a table of routes': {
    why: 'The venue is not known when the statement is planned: read the route first, then the rest with its venue.',
    count: inStatements(
      (statement) =>
        /\b(from|join) \w+_routes\b/.test(statement) &&
        new RegExp(`\\b(from|join) (?!\\w+_routes\\b)(${TABLES})\\b`).test(statement),
    ),
    // Both tables of routes are on every node.
    known: ['src/domain/hooks/shared-hook-queries.ts: 1', 'src/domain/keys/key-use-queries.ts: 1'],
  },
};

function readSources(): Source[] {
  const files = execFileSync('git', ['ls-files', 'src/*.sql', 'src/*.ts'], { cwd: packageRoot, encoding: 'utf8' });
  return files
    .trim()
    .split('\n')
    .map((path) => {
      const isFunction = path.endsWith('.sql');
      const content = readFileSync(join(packageRoot, path), 'utf8').toLowerCase();
      const text = isFunction ? content.replaceAll(/--.*$/gm, '') : content.replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '');
      const parts = isFunction
        ? text.split(';')
        : [...text.matchAll(/`([^`]*)`|'([^'\n]*)'/g)].map((m) => m[1] ?? m[2] ?? '');
      const oneLine = (part: string): string => part.replaceAll(/\s+/g, ' ').trim();
      return { path, isFunction, text: oneLine(text), statements: parts.map(oneLine) };
    });
}

const sources = readSources();

it.each(Object.entries(RULES))('no statement has %s, except for the listed ones', (_name, { count, known, why }) => {
  const found = sources.map((source) => `${source.path}: ${count(source)}`).filter((line) => !line.endsWith(': 0'));
  expect(found, why).toEqual(known);
});

it.each([
  ['ctid', 'delete from boats where ctid = any(array(select ctid from boats limit 1))'],
  ['a claim across venues', 'select boat_id from boats where due_at < now() for update skip locked'],
  [
    'an array element as the new value of an update',
    'update keys k set last_used_address = p_addresses[v_use] where k.key_id = v_key',
  ],
  ['a recursive query', 'with recursive r as (select 1) select * from r'],
])('finds %s', (name, statement) => {
  const source = { path: 'x', isFunction: false, text: statement, statements: [statement] };
  expect(RULES[name]?.count(source)).toBe(1);
});
