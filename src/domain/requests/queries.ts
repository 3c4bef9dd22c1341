// The only place that touches the request log. Ids of requests are in the order of time, so times are bounds of ids, and
// an id is the place in the list. A day is one partition, and days go round in 32 of them.

import type { Mode } from '../../base/config.ts';
import type { Db, Queryable } from '../../base/db.ts';
import { leastId } from '../../base/ids.ts';

const PARTITION_COUNT = 32;
const DAY_MS = 86_400_000;

/** The partition of a time. */
export function slotOf(ms: number): number {
  return Math.floor(ms / DAY_MS) % PARTITION_COUNT;
}

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

/** What many calls have in common: `n` is its place in the list. */
export type RequestHead = Pick<
  NewRequest,
  | 'venue_id'
  | 'mode'
  | 'slot'
  | 'key_id'
  | 'method'
  | 'route'
  | 'operation'
  | 'tool'
  | 'status'
  | 'replayed'
  | 'address'
  | 'user_agent'
>;

/** Calls without a failure: what is each one's own as a list for each column, and the place of its head. */
export interface ShortRequests {
  readonly heads: readonly RequestHead[];
  readonly ids: readonly string[];
  /** When each was made. */
  readonly seconds: readonly number[];
  readonly paths: readonly string[];
  /** In milliseconds. */
  readonly durations: readonly number[];
  readonly places: readonly number[];
}

/**
 * Inserts calls without a failure, which nearly all are, at a third of the cost of insertRequests: their heads are sent
 * once, and no line is looked for. `mayExist`: some may be stored already, since the outcome of an earlier try is not known.
 */
export async function insertShortRequests(
  db: Queryable,
  { heads, ids, seconds, paths, durations, places }: ShortRequests,
  mayExist: boolean,
): Promise<void> {
  await db.query(
    `insert into request_log (venue_id, mode, request_id, slot, at, key_id, method, path, route, operation, tool, status,
       problem_count, replayed, duration_ms, address, user_agent)
     select h.venue_id, h.mode, l.request_id, h.slot, to_timestamp(l.at::double precision), h.key_id, h.method, l.path, h.route,
       h.operation, h.tool, h.status, 0, h.replayed, l.duration_ms::real, h.address, h.user_agent
     from json_to_recordset($1::json) as h (n smallint, venue_id uuid, mode text, slot smallint, key_id text, method text,
       route text, operation text, tool text, status smallint, replayed boolean, address text, user_agent text)
     join rows from (string_to_table($2, ' '), string_to_table($3, ' '), json_array_elements_text($4::json),
       string_to_table($5, ' '), string_to_table($6, ' ')) as l (request_id, at, path, duration_ms, head)
       on h.n = l.head::smallint
     ${mayExist ? 'on conflict do nothing' : ''}`,
    [
      JSON.stringify(heads.map((head, n) => ({ n, ...head }))),
      ids.join(' '),
      seconds.join(' '),
      JSON.stringify(paths),
      durations.join(' '),
      places.join(' '),
    ],
  );
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

export interface RequestRow {
  readonly id: string;
  readonly mode: Mode;
  readonly at: string;
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

const COLUMNS = `request_id as id, mode, at, key_id, method, path, route, operation, tool, status, code, reason, field,
  problem_count, replayed, duration_ms, address, user_agent`;

/** Whose lines, and of which time: milliseconds, `from` inclusive, `to` exclusive. */
export interface RequestWindow {
  readonly venueId: string;
  readonly mode: Mode;
  readonly from: number;
  readonly to: number;
}

export interface RequestFilter {
  /** Only ids before this one. */
  readonly before: string | null;
  readonly minStatus: number;
  readonly maxStatus: number;
  /** The code or the reason of the failure. */
  readonly code: string | null;
  readonly method: string | null;
  readonly operation: string | null;
  readonly keyId: string | null;
  readonly requestId: string | null;
  /** The beginning of a request id. */
  readonly idPrefix: string | null;
  /** Text in the path. */
  readonly search: string | null;
  readonly limit: number;
}

/** The partitions of a window. */
function slotsOf({ from, to }: RequestWindow): number[] {
  const first = Math.floor(from / DAY_MS);
  const days = Math.min(Math.floor(to / DAY_MS) - first + 1, PARTITION_COUNT);
  return Array.from({ length: Math.max(days, 0) }, (_, day) => (first + day) % PARTITION_COUNT);
}

const WINDOW = `venue_id = $1 and mode = $2 and slot = any($3::smallint[]) and request_id >= $4 and request_id < $5`;

function windowValues(window: RequestWindow): unknown[] {
  const { venueId, mode, from, to } = window;
  return [venueId, mode, slotsOf(window), leastId('req', from), leastId('req', to)];
}

/** For a page at most so many lines are looked through, however long the log is. */
export const MAX_LOOKED_THROUGH = 50_000;

/** SQL: the lines that are looked through, newest first. A failed call is found by an index of its own. */
function lookedThrough(
  window: RequestWindow,
  filter: RequestFilter,
): { readonly sql: string; readonly values: unknown[] } {
  const isFailure = filter.minStatus >= 400 || filter.code !== null;
  const sql = `select * from request_log where ${WINDOW} ${isFailure ? 'and status >= 400' : ''}
      and request_id < coalesce($6, '~') and ($7::text is null or request_id = $7)
      and ($8::text is null or request_id >= $8 and request_id < $8 || '~')
    order by request_id desc`;
  return { sql, values: [...windowValues(window), filter.before, filter.requestId, filter.idPrefix] };
}

/** Newest first. */
export async function listRequests(db: Queryable, window: RequestWindow, filter: RequestFilter): Promise<RequestRow[]> {
  const { sql, values } = lookedThrough(window, filter);
  return db.query<RequestRow>(
    `select ${COLUMNS} from (${sql} limit ${MAX_LOOKED_THROUGH}) looked
     where status between $9 and $10 and ($11::text is null or code = $11 or reason = $11)
       and ($12::text is null or method = $12) and ($13::text is null or operation = $13)
       and ($14::text is null or key_id = $14) and ($15::text is null or strpos(lower(path), lower($15)) > 0)
     order by request_id desc limit $16`,
    [
      ...values,
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

/** The last line that is looked through for a page; null: all of them are. */
export async function lastLookedThrough(
  db: Queryable,
  window: RequestWindow,
  filter: RequestFilter,
): Promise<Pick<RequestRow, 'id' | 'at'> | null> {
  const { sql, values } = lookedThrough(window, filter);
  const rows = await db.query<Pick<RequestRow, 'id' | 'at'>>(
    `select request_id as id, at from (${sql} offset ${MAX_LOOKED_THROUGH - 1} limit 2) looked order by request_id desc`,
    values,
  );
  return rows.length === 2 ? (rows[0] ?? null) : null;
}

export async function findRequest(
  db: Queryable,
  window: RequestWindow,
  id: string,
): Promise<(RequestRow & { readonly failure: Buffer | null }) | null> {
  const rows = await db.query<RequestRow & { failure: Buffer | null }>(
    `select ${COLUMNS}, failure from request_log where ${WINDOW} and request_id = $6`,
    [...windowValues(window), id],
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
  readonly last_id: string;
  readonly last_at: string;
  readonly first_at: string;
}

/** Counts the newest lines of a window, at most so many, by how they ended. Successes of a key are one group. */
export async function countRequests(db: Queryable, window: RequestWindow, maxLines: number): Promise<RequestCount[]> {
  return db.query<RequestCount>(
    `select key_id, status, code, reason, operation, field, count(*)::int as count, max(request_id) as last_id,
       max(at) as last_at, min(at) as first_at
     from (
       select key_id, request_id, at, case when status < 400 then 200 else status end as status,
         code, reason, field, case when status >= 400 then operation end as operation
       from request_log where ${WINDOW} order by request_id desc limit $6) newest
     group by key_id, status, code, reason, operation, field`,
    [...windowValues(window), maxLines],
  );
}

/** Empties the partitions of days that are not kept. Returns how many had lines. */
export async function truncateOldRequests(db: Db, now: number, days: number): Promise<number> {
  // The next day too: the clock of a server may be ahead.
  const kept = slotsOf({ venueId: '', mode: 'test', from: now - days * DAY_MS, to: now + DAY_MS });
  let emptied = 0;
  for (let slot = 0; slot < PARTITION_COUNT; slot++) {
    const name = `request_log_slot_${String(slot).padStart(2, '0')}`;
    if (kept.includes(slot) || (await db.query(`select from ${name} limit 1`)).length === 0) continue;
    await db.transaction((tx) => tx.query(`truncate ${name}`));
    emptied++;
  }
  return emptied;
}
