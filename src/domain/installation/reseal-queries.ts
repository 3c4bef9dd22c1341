// Reads and writes sealed values of any table, as described by the noun that owns it (SealedColumn). A value is
// replaced only if it is still the one that was read: a change by a server meanwhile wins.

import type { Queryable } from '../../base/db.ts';
import type { SealedColumn } from '../../base/seal.ts';

/** Longer than format, key name, nonce and tag together: two sealed values never have the same first bytes. */
const HEAD_BYTES = 33;

export interface SealedRow {
  readonly names: Readonly<Record<string, string>>;
  readonly sealed: readonly Buffer[];
}

const valuesOf = ({ column, isArray }: SealedColumn): string => (isArray === true ? column : `array[${column}]`);

const isOlderSql = (column: SealedColumn, prefix: string): string =>
  `${column.column} is not null and exists (
     select 1 from unnest(${valuesOf(column)}) as s(value) where substr(s.value, 1, length(${prefix})) <> ${prefix})`;

/** How many rows have a value that another key sealed. */
export async function countOlder(db: Queryable, column: SealedColumn, prefix: Buffer): Promise<number> {
  const rows = await db.query<{ older: number }>(
    `select count(*) as older from ${column.table} where ${isOlderSql(column, '$1::bytea')}`,
    [prefix],
  );
  return rows[0]?.older ?? 0;
}

/** Rows with a value that another key sealed, in the order of the primary key, after the row with `after`. */
export async function readOlder(
  db: Queryable,
  column: SealedColumn,
  prefix: Buffer,
  after: SealedRow | null,
  limit: number,
): Promise<SealedRow[]> {
  const { table, key, needs = [] } = column;
  const keys = key.join(', ');
  const isAfter = after === null ? 'true' : `(${keys}) > (${key.map((_, index) => `$${index + 3}`).join(', ')})`;
  const names = [...key, ...needs].map((name) => `'${name}', to_jsonb(${name})`).join(', ');
  return db.query<SealedRow>(
    `select jsonb_build_object(${names}) as names, ${valuesOf(column)} as sealed from ${table}
     where ${isAfter} and ${isOlderSql(column, '$1::bytea')} order by ${keys} limit $2`,
    [prefix, limit, ...(after === null ? [] : key.map((name) => after.names[name]))],
  );
}

/** Every row with a value, in the order of the primary key, after the row with `after`: no key has this name. */
export async function readSealed(
  db: Queryable,
  column: SealedColumn,
  after: SealedRow | null,
  limit: number,
): Promise<SealedRow[]> {
  return readOlder(db, column, Buffer.from('no key has this name'), after, limit);
}

/** False: the row has other values by now, also in one of the columns `unchanged`, or is gone. */
export async function replaceSealed(
  tx: Queryable,
  column: SealedColumn,
  row: SealedRow,
  values: readonly Buffer[],
  unchanged: readonly string[] = [],
): Promise<boolean> {
  const { table } = column;
  const key = [...column.key, ...unchanged];
  const value = column.isArray === true ? '$1::bytea[]' : '($1::bytea[])[1]';
  const rows = await tx.query(
    `update ${table} set ${column.column} = ${value}
     where ${key.map((name, index) => `${name} = $${index + 3}`).join(' and ')}
       and array(select substr(s.value, 1, ${HEAD_BYTES}) from unnest(${valuesOf(column)}) with ordinality as s(value, place)
         order by s.place) = $2::bytea[]
     returning 1`,
    [values, row.sealed.map((one) => one.subarray(0, HEAD_BYTES)), ...key.map((name) => row.names[name])],
  );
  return rows.length > 0;
}
