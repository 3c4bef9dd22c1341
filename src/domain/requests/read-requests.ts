// What the console shows of the request log: the list, one call, and counts by outcome. A call belongs to the venue and
// mode of its key; an id of another venue or mode is unknown. Lines older than REQUEST_LOG_DAYS are not shown, also where
// they are not deleted yet.

import type { LoggedRequest, LoggedRequestDetail, RequestKey, RequestSummary } from '../../../schemas/types.gen.ts';
import { type Cell, csvOf } from '../../base/csv.ts';
import type { Db } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { Retention } from '../../base/retention.ts';
import type { Seal } from '../../base/seal.ts';
import type { TeamCaller } from '../accounts/account.ts';
import { findKeyNames } from '../keys/key-use-queries.ts';
import { type RequestWindow, timeTextOf } from './id-range.ts';
import type { RequestCount, RequestFilter, RequestRow } from './queries.ts';
import { countRequests, findRequest, listRequests } from './read-lines.ts';
import type { LoggedFailure } from './request-line.ts';
import { sealNameOfRequest } from './request-log.ts';

interface Services {
  readonly db: Db;
  readonly seal: Seal;
  readonly retention: Retention;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Query = Readonly<Record<string, unknown>>;

const textIn = (query: Query, name: string): string | null => (typeof query[name] === 'string' ? query[name] : null);

/** Without a `to`, an hour ahead: the clocks of servers differ. */
function windowOf(
  { retention: { requestLogDays } }: Services,
  caller: TeamCaller,
  query: Query,
  defaultFrom = 0,
): RequestWindow {
  const { venue, mode, now } = caller;
  const [from, to] = [textIn(query, 'from'), textIn(query, 'to')];
  const oldest = now - requestLogDays * DAY_MS;
  return {
    venueId: venue.id,
    mode,
    from: Math.min(Math.max(from === null ? defaultFrom : Date.parse(from), oldest), now + HOUR_MS),
    to: Math.max(Math.min(to === null ? Number.POSITIVE_INFINITY : Date.parse(to), now + HOUR_MS), oldest),
  };
}

const STATUSES: Readonly<Record<string, readonly [min: number, max: number]>> = {
  succeeded: [100, 399],
  refused: [400, 499],
  failed: [500, 599],
  unsuccessful: [400, 599],
};

/** The text of a search that is a request id, or the beginning of one. */
const ID_PREFIX = /^req_[0-9a-z]{0,26}$/i;

function filterOf(query: Query): RequestFilter {
  const search = textIn(query, 'search');
  const isId = search !== null && ID_PREFIX.test(search);
  const [min, max] = STATUSES[textIn(query, 'outcome') ?? ''] ?? [100, 599];
  const status = typeof query.status === 'number' ? query.status : null;
  return {
    before: textIn(query, 'before'),
    minStatus: Math.max(min, status ?? min),
    maxStatus: Math.min(max, status ?? max),
    code: textIn(query, 'code'),
    method: textIn(query, 'method'),
    operation: textIn(query, 'operation'),
    keyId: textIn(query, 'key'),
    requestId: textIn(query, 'request_id'),
    idPrefix: isId ? search.toLowerCase() : null,
    search: isId ? null : search,
    limit: typeof query.limit === 'number' ? query.limit : 50,
  };
}

export async function listLoggedRequests(
  services: Services,
  caller: TeamCaller,
  { query, asCsv }: Input,
): Promise<OperationResult> {
  const { db } = services;
  const filter = filterOf(query);
  const window = windowOf(services, caller, query);
  const { rows: found, lookedUntil } = await listRequests(db, window, { ...filter, limit: filter.limit + 1 });
  const rows = found.slice(0, filter.limit);
  // A page that found less than it may goes on after the lines that it looked through.
  const nextBefore = found.length > rows.length ? (rows.at(-1)?.id ?? null) : lookedUntil;
  const keys = await keysOf(db, caller, rows);
  const data = rows.map((row) => requestView(row, keys));
  if (asCsv === true) return { status: 200, csv: csvOf(CSV_COLUMNS, data.map(csvRow)), nextBefore };
  return {
    status: 200,
    body: { data, next_before: nextBefore, searched_since: lookedUntil === null ? null : timeTextOf(lookedUntil) },
  };
}

export async function getLoggedRequest(
  services: Services,
  caller: TeamCaller,
  { params: { id = '' } }: Input,
): Promise<OperationResult> {
  const { db, seal } = services;
  const row = await findRequest(db, windowOf(services, caller, {}), id);
  if (row === null) throw notFound();
  const keys = await keysOf(db, caller, [row]);
  const failure = row.failure === null ? null : openFailure(seal, caller.venue.id, row.id, row.failure);
  const body: LoggedRequestDetail = {
    ...requestView(row, keys),
    message: failure?.message ?? null,
    problems: (failure?.problems ?? []).map(({ exampleFix, ...problem }) => ({
      ...problem,
      example_fix: exampleFix,
      doc_url: caller.docUrl(problem.code),
    })),
    body: failure?.body ?? null,
    body_is_cut: failure?.bodyIsCut === true,
  };
  return { status: 200, body };
}

function openFailure(seal: Seal, venueId: string, id: string, sealed: Buffer): LoggedFailure {
  return JSON.parse(seal.open(sealed, sealNameOfRequest(venueId, id))) as LoggedFailure;
}

/** By id. A key is never deleted, so each line has one. */
async function keysOf(
  db: Db,
  { venue }: TeamCaller,
  rows: readonly { readonly key_id: string }[],
): Promise<ReadonlyMap<string, RequestKey>> {
  const ids = [...new Set(rows.map(({ key_id: id }) => id))];
  const found = ids.length === 0 ? [] : await findKeyNames(db, venue.id, ids);
  return new Map(found.map(({ id, name, kind, hint }) => [id, { id, name, kind, hint }]));
}

function keyNamed(keys: ReadonlyMap<string, RequestKey>, id: string): RequestKey {
  const key = keys.get(id);
  if (key === undefined) throw new Error(`the request log names the key ${id}, which the venue does not have`);
  return key;
}

function requestView(row: RequestRow, keys: ReadonlyMap<string, RequestKey>): LoggedRequest {
  const { id, mode, method, path, route, operation, tool, status, code, reason, field } = row;
  return {
    id,
    object: 'request',
    mode,
    created_at: timeTextOf(id),
    method,
    path,
    route,
    operation,
    tool,
    status,
    code,
    reason,
    field,
    problem_count: row.problem_count,
    replayed: row.replayed,
    duration_ms: row.duration_ms,
    key: keyNamed(keys, row.key_id),
    address: row.address,
    user_agent: row.user_agent,
  };
}

const CSV_COLUMNS = [
  'id',
  'created_at',
  'mode',
  'method',
  'path',
  'operation',
  'tool',
  'status',
  'code',
  'reason',
  'field',
  'problem_count',
  'replayed',
  'duration_ms',
  'key_id',
  'key_name',
  'address',
  'user_agent',
] as const;

function csvRow(request: LoggedRequest): Cell[] {
  const { key, replayed } = request;
  return CSV_COLUMNS.map((name) => {
    if (name === 'key_id') return key.id;
    if (name === 'key_name') return key.name;
    return name === 'replayed' ? String(replayed) : request[name];
  });
}

const MAX_COUNTED_LINES = 100_000;
const MAX_KINDS = 50;
const MAX_KEYS = 50;
/** The key was not let in. */
const TURNED_AWAY = [401, 403, 429];

export async function summarizeRequests(
  services: Services,
  caller: TeamCaller,
  { query }: Input,
): Promise<OperationResult> {
  const window = windowOf(services, caller, query, caller.now - DAY_MS);
  const { counts, countedSince } = await countRequests(services.db, window, MAX_COUNTED_LINES);
  const body: RequestSummary = {
    from: countedSince === null ? new Date(window.from).toISOString() : timeTextOf(countedSince),
    to: new Date(Math.min(window.to, Math.max(caller.now, window.from))).toISOString(),
    is_complete: countedSince === null,
    total: sumOf(counts),
    succeeded: sumOf(counts.filter(({ status }) => status < 400)),
    refused: sumOf(counts.filter(isRefused)),
    failed: sumOf(counts.filter(({ status }) => status >= 500)),
    kinds: kindsOf(counts),
    keys: countsByKey(counts, await keysOf(services.db, caller, counts)),
  };
  return { status: 200, body };
}

const isRefused = ({ status }: RequestCount): boolean => status >= 400 && status < 500;

function sumOf(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

function groupsOf<Item>(items: readonly Item[], nameOf: (item: Item) => string): [name: string, group: Item[]][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return [...groups];
}

/** The same failure of several keys is one kind. */
function kindsOf(counts: readonly RequestCount[]): RequestSummary['kinds'] {
  const failures = counts.flatMap((one) =>
    one.last_id === null || one.status < 400 ? [] : [{ ...one, last_id: one.last_id }],
  );
  const nameOf = ({ status, code, reason, operation, field }: RequestCount): string =>
    JSON.stringify([status, code, reason, operation, field]);
  const kinds = groupsOf(failures, nameOf).map(([, group]) => {
    const last = group.reduce((a, b) => (a.last_id > b.last_id ? a : b));
    const { status, code, reason, operation, field, last_id } = last;
    const shown = { code, reason, operation, field, status, count: sumOf(group) };
    return { ...shown, last_request_id: last_id, last_at: timeTextOf(last_id) };
  });
  kinds.sort((a, b) => b.count - a.count || (a.last_request_id < b.last_request_id ? 1 : -1));
  return kinds.slice(0, MAX_KINDS);
}

function countsByKey(counts: readonly RequestCount[], keys: ReadonlyMap<string, RequestKey>): RequestSummary['keys'] {
  const byKey = groupsOf(counts, ({ key_id: id }) => id).map(([id, group]) => ({
    key: keyNamed(keys, id),
    total: sumOf(group),
    refused: sumOf(group.filter(isRefused)),
    failed: sumOf(group.filter(({ status }) => status >= 500)),
    turned_away: turnedAway(group),
  }));
  return byKey.sort((a, b) => b.total - a.total || (a.key.id < b.key.id ? -1 : 1)).slice(0, MAX_KEYS);
}

function turnedAway(counts: readonly RequestCount[]): RequestSummary['keys'][number]['turned_away'] {
  const refused = counts.filter(({ status }) => TURNED_AWAY.includes(status));
  return groupsOf(refused, ({ code }) => code ?? 'unknown')
    .map(([code, group]) => ({ code, count: sumOf(group) }))
    .sort((a, b) => b.count - a.count);
}
