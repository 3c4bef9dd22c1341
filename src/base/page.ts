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
