// The statements of rows of the request log: failed calls, and those of unknown keys. Calls that succeeded are in blocks
// (block-queries.ts); earlier releases wrote rows for them too, which are read until their day is emptied.

import type { Mode } from '../../base/config.ts';
import type { Db, Queryable } from '../../base/db.ts';
import { type IdFilter, type IdRange, PARTITION_COUNT, slotsBetween } from './id-range.ts';

const DAY_MS = 86_400_000;

/** One line as JSON; `failure` in base64. */
export interface NewRequest {
  readonly venue_id: string;
  readonly mode: Mode;
  readonly request_id: string;
  readonly slot: number;
  /** Seconds. */
  readonly at: number;
  readonly key_id: string;
  readonly method: string;
  readonly path: string;
  readonly route: string | null;
  readonly operation: string | null;
  readonly tool: string | null;
  readonly status: number;
  readonly code: string | null;
  readonly reason: string | null;
  readonly field: string | null;
  readonly problem_count: number;
  readonly replayed: boolean;
  readonly duration_ms: number;
  readonly address: string;
  readonly user_agent: string | null;
  readonly failure: string | null;
}

/** A line that is stored already is left as it is: a batch whose outcome was not known is sent again. */
export async function insertRequests(db: Queryable, lines: readonly NewRequest[]): Promise<void> {
  await db.query(
    `insert into request_log (venue_id, mode, request_id, slot, at, key_id, method, path, route, operation, tool, status, code,
       reason, field, problem_count, replayed, duration_ms, address, user_agent, failure)
     select venue_id, mode, request_id, slot, to_timestamp(at), key_id, method, path, route, operation, tool, status, code,
       reason, field, problem_count, replayed, duration_ms, address, user_agent, decode(failure, 'base64')
     from json_to_recordset($1::json) as l (venue_id uuid, mode text, request_id text, slot smallint, at double precision,
       key_id text, method text, path text, route text, operation text, tool text, status smallint, code text, reason text,
       field text, problem_count smallint, replayed boolean, duration_ms real, address text, user_agent text, failure text)
     on conflict do nothing`,
    [JSON.stringify(lines)],
  );
}

/** A line as it is read, of a row or of a block. When it was made is the time of its id. */
export interface RequestRow {
  readonly id: string;
  readonly mode: Mode;
  readonly key_id: string;
  readonly method: string;
  readonly path: string;
  readonly route: string | null;
  readonly operation: string | null;
  readonly tool: string | null;
  readonly status: number;
  readonly code: string | null;
  readonly reason: string | null;
  readonly field: string | null;
  readonly problem_count: number;
  readonly replayed: boolean;
  readonly duration_ms: number;
  readonly address: string;
  readonly user_agent: string | null;
}

const COLUMNS = `request_id as id, mode, key_id, method, path, route, operation, tool, status, code, reason, field,
  problem_count, replayed, duration_ms, address, user_agent`;

export interface LineFilter {
  readonly minStatus: number;
  readonly maxStatus: number;
  /** The code or the reason of the failure. */
  readonly code: string | null;
  readonly method: string | null;
  readonly operation: string | null;
  readonly keyId: string | null;
  /** Text in the path. */
  readonly search: string | null;
  readonly limit: number;
}

export type RequestFilter = IdFilter & LineFilter;

/** Every call meets it; one line. */
export const ANY_REQUEST: RequestFilter = {
  before: null,
  minStatus: 100,
  maxStatus: 599,
  code: null,
  method: null,
  operation: null,
  keyId: null,
  requestId: null,
  idPrefix: null,
  search: null,
  limit: 1,
};

/** Failed calls are rows, and have an index of their own. */
export function isOfFailures({ minStatus, code }: LineFilter): boolean {
  return minStatus >= 400 || code !== null;
}

const IN_RANGE = `venue_id = $1 and mode = $2 and slot = any($3::smallint[]) and request_id >= $4 and request_id < $5`;

const valuesOf = ({ venueId, mode, slots, from, to }: IdRange): unknown[] => [venueId, mode, slots, from, to];

/** The newest rows that meet the filter, newest first. */
export async function listRows(db: Queryable, range: IdRange, filter: LineFilter): Promise<RequestRow[]> {
  return db.query<RequestRow>(
    `select ${COLUMNS} from request_log where ${IN_RANGE} ${isOfFailures(filter) ? 'and status >= 400' : ''}
       and status between $6 and $7 and ($8::text is null or code = $8 or reason = $8)
       and ($9::text is null or method = $9) and ($10::text is null or operation = $10)
       and ($11::text is null or key_id = $11) and ($12::text is null or strpos(lower(path), lower($12)) > 0)
     order by request_id desc limit $13`,
    [
      ...valuesOf(range),
      filter.minStatus,
      filter.maxStatus,
      filter.code,
      filter.method,
      filter.operation,
      filter.keyId,
      filter.search,
      filter.limit,
    ],
  );
}

/**
 * The id from which on a range has about so many lines, at most one block fewer; null: it has no more. A block whose last id
 * is not in the range is not counted, so that each page gets further.
 */
export async function findBound(
  db: Queryable,
  range: IdRange,
  isOfFailures: boolean,
  maxLines: number,
): Promise<string | null> {
  // With an order and a limit each, both are read from the end of their index; without, all of the range is sorted.
  const blocks = `union all (select last_id, line_count from request_blocks where venue_id = $1 and mode = $2
    and slot = any($3::smallint[]) and last_id >= $4 and last_id < $5 order by last_id desc limit $6)`;
  const rows = await db.query<{ id: string }>(
    `select id from (
       select id, sum(lines) over (order by id desc rows unbounded preceding) as total from (
         (select request_id as id, 1::smallint as lines from request_log where ${IN_RANGE}
            ${isOfFailures ? 'and status >= 400' : ''} order by request_id desc limit $6)
         ${isOfFailures ? '' : blocks}) newest) counted
     where total >= $6 order by id desc limit 1`,
    [...valuesOf(range), maxLines],
  );
  return rows[0]?.id ?? null;
}

export async function findRow(
  db: Queryable,
  range: IdRange,
  id: string,
): Promise<(RequestRow & { readonly failure: Buffer | null }) | null> {
  const rows = await db.query<RequestRow & { failure: Buffer | null }>(
    `select ${COLUMNS}, failure from request_log where ${IN_RANGE} and request_id = $6`,
    [...valuesOf(range), id],
  );
  return rows[0] ?? null;
}

export interface RequestCount {
  readonly key_id: string;
  readonly status: number;
  readonly code: string | null;
  readonly reason: string | null;
  readonly operation: string | null;
  readonly field: string | null;
  readonly count: number;
  /** The newest of them; null: calls of blocks, which succeeded. */
  readonly last_id: string | null;
}

/** Counts rows by how they ended. Successes of a key are one group. */
export async function countRows(db: Queryable, range: IdRange): Promise<RequestCount[]> {
  return db.query<RequestCount>(
    `select key_id, status, code, reason, operation, field, count(*)::int as count, max(request_id) as last_id
     from (
       select key_id, request_id, case when status < 400 then 200 else status end as status,
         code, reason, field, case when status >= 400 then operation end as operation
       from request_log where ${IN_RANGE}) lines
     group by key_id, status, code, reason, operation, field`,
    valuesOf(range),
  );
}

/** Empties the partitions of days that are not kept. Returns how many had lines. */
export async function truncateOldRequests(db: Db, now: number, days: number): Promise<number> {
  // The next day too: the clock of a server may be ahead.
  const kept = slotsBetween(now - days * DAY_MS, now + DAY_MS);
  let emptied = 0;
  for (let slot = 0; slot < PARTITION_COUNT; slot++) {
    if (kept.includes(slot)) continue;
    for (const table of ['request_log', 'request_blocks']) {
      const name = `${table}_slot_${String(slot).padStart(2, '0')}`;
      if ((await db.query(`select from ${name} limit 1`)).length === 0) continue;
      await db.transaction((tx) => tx.query(`truncate ${name}`));
      emptied++;
    }
  }
  return emptied;
}
