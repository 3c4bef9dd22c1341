// The signatures that functions of the database have had: migrations/function-signatures.txt. A line is added for each
// new signature and none is ever changed or removed. So it shows when a change of a file would leave an overload
// behind, or would stop servers of the version before, which an empty database cannot show.

import type { Migration } from '../src/base/schema-files.ts';

/** Runs a statement and returns its rows. */
export type Query = <Row>(sql: string) => Promise<Row[]>;

export interface Signature {
  readonly name: string;
  /** With names and defaults of parameters, and the result: `create or replace` refuses a change of each of them. */
  readonly signature: string;
}

const SIGNATURES = `
  select p.proname as name,
    p.proname || '(' || pg_get_function_arguments(p.oid) || ') returns ' || pg_get_function_result(p.oid) as signature
  from pg_proc p where p.pronamespace = 'public'::regnamespace
  order by p.proname collate "C", pg_get_function_identity_arguments(p.oid) collate "C"`;

export function currentSignatures(query: Query): Promise<Signature[]> {
  return query<Signature>(SIGNATURES);
}

interface RecordedSignature extends Signature {
  /** The newest migration when the line was added. */
  readonly since: number;
}

function readLine(line: string): RecordedSignature {
  const [, since = '', signature = '', name = ''] = /^(\d{6}) ((\w+)\(.+)$/.exec(line) ?? [];
  if (name === '') throw new Error(`function-signatures.txt: not a line of it: ${line}`);
  return { since: Number(since), name, signature };
}

/** Drops that name the function: `drop function a, b(integer);` */
function dropsFunction({ sql }: Migration, name: string): boolean {
  const drops = sql.replaceAll(/--.*$/gm, '').match(/\bdrop\s+function\b[^;]*;/gi) ?? [];
  return drops.some((drop) => new RegExp(`\\b${name}\\b`).test(drop));
}

/**
 * The text of function-signatures.txt with lines for the signatures that are new. A name has one signature, unless a
 * migration that is newer than its last line drops the function explicitly; otherwise this throws what to do.
 */
export function addSignatures(
  recorded: string,
  current: readonly Signature[],
  migrations: readonly Migration[],
): string {
  const lines = recorded.split('\n').filter((line) => line !== '');
  const newest = Math.max(...migrations.map(({ version }) => version));
  const known = lines.map(readLine);
  for (const { name, signature } of current) {
    const last = known.filter((one) => one.name === name).at(-1);
    if (last?.signature === signature) continue;
    const isDropped = migrations.some(
      (migration) => last !== undefined && migration.version > last.since && dropsFunction(migration, name),
    );
    if (last !== undefined && !isDropped) throw new Error(explainChange(last, signature));
    lines.push(`${String(newest).padStart(6, '0')} ${signature}`);
  }
  const key = (line: string): string => `${readLine(line).name} ${line}`;
  lines.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return lines.map((line) => `${line}\n`).join('');
}

function explainChange(last: RecordedSignature, signature: string): string {
  return [
    `The signature of the function ${last.name} changed, and servers of the version before still call the old one.`,
    `  before: ${last.signature}`,
    `  now:    ${signature}`,
    'Give the function a new name and leave the old file; a later migration drops the old function with its file.',
    `Where no server of the version before runs beside this release, a new migration may say "drop function ${last.name}"`,
    'instead. Then run npm run schema, which adds the line to migrations/function-signatures.txt.',
  ].join('\n');
}
