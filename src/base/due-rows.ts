// Rows that wait for a loop of the worker, described as data: the folder of the table says which column makes a row due.
// backlogOf() counts them up to a bound, so that its cost does not grow with the table.

import type { Queryable } from './db.ts';
import { timeOfId } from './ids.ts';

export interface DueRows {
  readonly table: string;
  /** The column with the time at which a row becomes due, or with an id that was made then. */
  readonly dueAt: string;
  readonly isId?: true;
  /** SQL: which rows. */
  readonly where?: string;
  /** A row becomes due this long after the time in its column: the retention of rows that are deleted. */
  readonly afterMs?: number;
  /** The column with the mode of a row: its backlog has the oldest of each mode. */
  readonly mode?: string;
  /** No index has the rows in the order of their due times: beyond the bound the oldest of those counted is given. */
  readonly isUnordered?: true;
}

export interface Backlog {
  /** At most MAX_COUNTED. */
  readonly waiting: number;
  readonly isCapped: boolean;
  /** When the oldest became due, in milliseconds; null: none is due. */
  readonly oldestDueAt: number | null;
  /** The same by mode, of the rows that were counted. Absent: the rows have no mode. */
  readonly byMode?: Readonly<Record<string, number>>;
}

export const MAX_COUNTED = 10_000;

export async function backlogOf(db: Queryable, rows: DueRows, now: number): Promise<Backlog> {
  const { afterMs = 0 } = rows;
  const found = rows.isId === true ? await countIds(db, rows) : await countTimes(db, rows, now - afterMs);
  const isCapped = found.count > MAX_COUNTED;
  // A row that is due at once (-infinity) has no time of its own.
  const since = found.oldest ?? (found.count > 0 ? now - afterMs : null);
  const oldestDueAt = since === null ? null : since + afterMs;
  const byMode = found.byMode === undefined ? {} : { byMode: found.byMode };
  return { waiting: isCapped ? MAX_COUNTED : found.count, isCapped, oldestDueAt, ...byMode };
}

interface Found {
  readonly count: number;
  readonly oldest: number | null;
  readonly byMode?: Readonly<Record<string, number>>;
}

async function countTimes(db: Queryable, rows: DueRows, before: number): Promise<Found> {
  const { table, dueAt, where = 'true' } = rows;
  if (rows.mode !== undefined) return countByMode(db, rows, rows.mode, before);
  const order = rows.isUnordered === true ? '' : `order by ${dueAt}`;
  const [found] = await db.query<Found>(
    `select count(*)::integer as count, (extract(epoch from min(nullif(due, '-infinity'))) * 1000)::float8 as oldest
     from (select ${dueAt} as due from ${table} where ${where} and ${dueAt} <= to_timestamp($1 / 1000.0)
       ${order} limit ${MAX_COUNTED + 1}) due`,
    [before],
  );
  return found ?? { count: 0, oldest: null };
}

async function countByMode(db: Queryable, rows: DueRows, mode: string, before: number): Promise<Found> {
  const { table, dueAt, where = 'true' } = rows;
  const found = await db.query<{ mode: string; count: number; oldest: number }>(
    `select mode, count(*)::integer as count, (extract(epoch from min(coalesce(nullif(due, '-infinity'), to_timestamp($1 / 1000.0)))) * 1000)::float8 as oldest
     from (select ${mode} as mode, ${dueAt} as due from ${table} where ${where} and ${dueAt} <= to_timestamp($1 / 1000.0)
       order by ${dueAt} limit ${MAX_COUNTED + 1}) due group by mode`,
    [before],
  );
  return {
    count: found.reduce((sum, { count }) => sum + count, 0),
    oldest: found.length === 0 ? null : Math.min(...found.map(({ oldest }) => oldest)),
    byMode: Object.fromEntries(found.map(({ mode: of, oldest }) => [of, oldest])),
  };
}

async function countIds(db: Queryable, { table, dueAt }: DueRows): Promise<Found> {
  const [found] = await db.query<{ count: number; oldest: string | null }>(
    `select count(*)::integer as count, min(id) as oldest
     from (select ${dueAt} as id from ${table} order by ${dueAt} limit ${MAX_COUNTED + 1}) due`,
  );
  const { count = 0, oldest = null } = found ?? {};
  return { count, oldest: oldest === null ? null : timeOfId(oldest) };
}

/** By the name of the loop that processes them. */
export type Queues = Readonly<Record<string, DueRows>>;
