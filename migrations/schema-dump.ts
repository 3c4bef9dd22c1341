// The schema of a migrated database as text, read from its catalogue: tables with columns, constraints, indexes,
// triggers and comments, the rows of the two tables that hold rules, and a list of functions with their files. Equal
// schemas give equal texts. The text is for reading, not for creating a database.

import { relative } from 'node:path';
import type { FunctionFile } from '../src/base/schema-files.ts';
import { currentSignatures, type Query } from './function-signatures.ts';

interface TableRow {
  readonly oid: number;
  readonly name: string;
  readonly is_unlogged: boolean;
  readonly options: string | null;
  readonly partition_key: string | null;
  readonly comment: string | null;
}

interface ColumnRow {
  readonly table: number;
  readonly name: string;
  readonly type: string;
  readonly is_required: boolean;
  readonly default: string | null;
  readonly storage: string | null;
  readonly comment: string | null;
}

/** A constraint, index, trigger or partition of a table, as SQL. */
interface PartRow {
  readonly table: number;
  readonly text: string;
  readonly comment?: string | null;
}

/** Tables whose rows are rules: they come with the migrations and never change at run time. */
const RULE_TABLES = ['ledger_accounts', 'state_transitions'];

const TABLES = `
  select c.oid::integer as oid, c.relname as name, c.relpersistence = 'u' as is_unlogged,
    array_to_string(c.reloptions, ', ') as options, pg_get_partkeydef(c.oid) as partition_key,
    obj_description(c.oid, 'pg_class') as comment
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  order by c.relname collate "C"`;

const COLUMNS = `
  select a.attrelid::integer as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
    a.attnotnull as is_required, pg_get_expr(d.adbin, d.adrelid, true) as default,
    case when a.attstorage <> t.typstorage then
      case a.attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end
    end as storage, col_description(a.attrelid, a.attnum) as comment
  from pg_attribute a join pg_type t on t.oid = a.atttypid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attnum > 0 and not a.attisdropped
  order by a.attrelid, a.attnum`;

/** Without the constraints of triggers, and without NOT NULL constraints, which the columns show. */
const CONSTRAINTS = `
  select c.conrelid::integer as table, 'CONSTRAINT ' || c.conname || ' ' || pg_get_constraintdef(c.oid, true) as text
  from pg_constraint c where c.connamespace = 'public'::regnamespace and c.contype in ('p', 'u', 'f', 'c')
  order by position(c.contype::text in 'pufc'), c.conname collate "C"`;

/** Without the indexes of primary and unique keys, which are constraints. */
const INDEXES = `
  select x.indrelid::integer as table, pg_get_indexdef(x.indexrelid, 0, true) as text,
    obj_description(x.indexrelid, 'pg_class') as comment
  from pg_index x join pg_class i on i.oid = x.indexrelid
  where i.relnamespace = 'public'::regnamespace
    and not exists (select from pg_constraint c where c.conindid = x.indexrelid and c.contype in ('p', 'u'))
  order by i.relname collate "C"`;

const TRIGGERS = `
  select t.tgrelid::integer as table, pg_get_triggerdef(t.oid, true) as text
  from pg_trigger t where not t.tgisinternal order by t.tgname collate "C"`;

const PARTITIONS = `
  select h.inhparent::integer as table,
    'CREATE TABLE ' || c.relname || ' PARTITION OF ' || p.relname || ' ' || pg_get_expr(c.relpartbound, c.oid) as text
  from pg_inherits h join pg_class c on c.oid = h.inhrelid join pg_class p on p.oid = h.inhparent
  where c.relkind = 'r' order by c.relname collate "C"`;

const HEAD = `-- The schema of a migrated database, for reading. Made by \`npm run schema\`; do not edit. A test fails when it is not
-- current.
`;

export async function dumpSchema(query: Query, functions: readonly FunctionFile[], root: string): Promise<string> {
  const columns = await query<ColumnRow>(COLUMNS);
  const constraints = await query<PartRow>(CONSTRAINTS);
  const laterParts = [await query<PartRow>(PARTITIONS), await query<PartRow>(INDEXES), await query<PartRow>(TRIGGERS)];
  const tables = (await query<TableRow>(TABLES)).map((table) => {
    const isOfTable = (row: { readonly table: number }): boolean => row.table === table.oid;
    const ownColumns = columns.filter(isOfTable);
    const statements = laterParts.flatMap((parts) =>
      parts.filter(isOfTable).map(({ text, comment }) => `${commentLines(comment ?? null, '')}${text};\n`),
    );
    const storage = ownColumns.flatMap(({ name, storage }) =>
      storage === null ? [] : [`ALTER TABLE ${table.name} ALTER COLUMN ${name} SET STORAGE ${storage};\n`],
    );
    return `${createTable(table, ownColumns, constraints.filter(isOfTable))}${[...storage, ...statements].join('')}`;
  });
  const rules = await Promise.all(RULE_TABLES.map((table) => ruleRows(query, table)));
  return [HEAD, ...tables, ...rules, await functionList(query, functions, root)].join('\n');
}

async function ruleRows(query: Query, table: string): Promise<string> {
  const rows = await query<{ row: Readonly<Record<string, unknown>> }>(
    `select to_json(t) as row from ${table} t order by t::text collate "C"`,
  );
  const lines = rows.map(
    ({ row }) =>
      `--   ${Object.values(row)
        .map((value) => `'${String(value)}'`)
        .join(', ')}\n`,
  );
  return `-- The rows of ${table}.\n${lines.join('')}`;
}

function createTable(table: TableRow, columns: readonly ColumnRow[], constraints: readonly PartRow[]): string {
  const lines = [
    ...columns.map((column) => ({ comment: column.comment, text: columnText(column) })),
    ...constraints.map(({ text }) => ({ comment: null, text })),
  ];
  const body = lines.map(
    ({ comment, text }, index) => `${commentLines(comment, '  ')}  ${text}${index < lines.length - 1 ? ',' : ''}\n`,
  );
  const partitioning = table.partition_key === null ? '' : ` PARTITION BY ${table.partition_key}`;
  const options = table.options === null ? '' : ` WITH (${table.options})`;
  const head = `CREATE ${table.is_unlogged ? 'UNLOGGED ' : ''}TABLE ${table.name} (\n`;
  return `${commentLines(table.comment, '')}${head}${body.join('')})${partitioning}${options};\n`;
}

function columnText({ name, type, is_required: isRequired, default: value }: ColumnRow): string {
  return `${name} ${type}${isRequired ? ' NOT NULL' : ''}${value === null ? '' : ` DEFAULT ${value}`}`;
}

const MAX_WIDTH = 120;

/** The comment as SQL comment lines; an empty text for null. */
function commentLines(comment: string | null, indent: string): string {
  const lines: string[] = [];
  for (const word of comment?.split(' ') ?? []) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > MAX_WIDTH) lines.push(`${indent}-- ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line) => `${line}\n`).join('');
}

async function functionList(query: Query, functions: readonly FunctionFile[], root: string): Promise<string> {
  const paths = new Map(functions.map(({ name, path }) => [name, relative(root, path)]));
  const signatures = await currentSignatures(query);
  const lines = signatures.map(({ name, signature }) => `-- ${paths.get(name) ?? 'no file'}\n--   ${signature}\n`);
  return `-- Functions, each with its file.\n${lines.join('')}`;
}
