// One page of a list: newest first, by a time that no two rows of a list share. A query reads one row more than
// the limit, which shows whether there is a next page.

import { utc } from './schema/normalize.ts';

export interface PageQuery {
  readonly status: string | null;
  readonly limit: number;
  /** Only what is older than this. */
  readonly before: string | null;
}

/** From a query that was validated against the list's schema. */
export function pageQueryOf(query: Readonly<Record<string, unknown>>): PageQuery {
  return {
    status: typeof query.status === 'string' ? query.status : null,
    limit: typeof query.limit === 'number' ? query.limit : 50,
    before: typeof query.before === 'string' ? utc(query.before) : null,
  };
}

/**
 * A page is shorter than its limit where it would have more bytes, so that no answer is over 1 MB: the tool server sends
 * a page twice, as data and as text in which each quote is escaped.
 */
export const MAX_PAGE_BYTES = 320 * 1024;

/**
 * SQL for a list: of `rows`, newest first by `time`, those with which a page is full, and one more. `bytes` is the size
 * of a row. So the database sends little more than a page holds, however large its rows are. `asc`: oldest first.
 */
export function pageRowsSql(
  columns: string,
  rows: string,
  time: string,
  bytes: string,
  order: 'asc' | 'desc' = 'desc',
): string {
  return `select ${columns} from (
      select *, sum(${bytes}) over (order by ${time} ${order} rows between unbounded preceding and 1 preceding) as bytes_before
      from (${rows}) page_rows) sized_rows
    where coalesce(bytes_before, 0) <= ${MAX_PAGE_BYTES} order by ${time} ${order}`;
}

/** The body of a list: as many of the found objects as the limit and the bytes allow, and at least one. */
export function pageJson(found: readonly { readonly json: string; readonly time: string }[], limit: number): string {
  const data: string[] = [];
  let bytes = 0;
  for (const { json } of found.slice(0, limit)) {
    bytes += Buffer.byteLength(json);
    if (data.length > 0 && bytes > MAX_PAGE_BYTES) break;
    data.push(json);
  }
  const nextBefore = found.length > data.length ? (found[data.length - 1]?.time ?? null) : null;
  return `{"data":[${data.join(',')}],"next_before":${JSON.stringify(nextBefore)}}`;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextBefore: string | null;
}

/** `found` has up to `limit` + 1 rows. */
export function pageOf<Row>(found: readonly Row[], limit: number, timeOf: (row: Row) => string): Page<Row> {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, nextBefore: found.length > limit && last !== undefined ? timeOf(last) : null };
}
