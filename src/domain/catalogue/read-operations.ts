// The two read operations that offerings, experiences and boats share: GET of one object, by its id or the venue's own
// id, and GET of a page of the venue's objects. An object of another venue or mode is not found.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { pageJson, pageQueryOf } from '../../base/page.ts';
import type { Caller } from '../keys/caller.ts';
import type { CatalogueQueries } from './queries.ts';

type ReadOperation = (db: Queryable, caller: Caller, input: Input) => Promise<OperationResult>;

export function getOperation<Row>(
  find: (db: Queryable, venueId: string, mode: Mode, reference: string) => Promise<Row | null>,
  show: (row: Row) => Record<string, unknown>,
): ReadOperation {
  return async (db, caller, input) => {
    const row = await find(db, caller.venue.id, caller.mode, input.params.id ?? '');
    if (row === null) throw notFound();
    return { status: 200, body: { data: show(row) } };
  };
}

/** `pageTimeOf` gives the time by which the list pages. */
export function listOperation<ListRow>(
  listPage: CatalogueQueries<unknown, ListRow>['listPage'],
  pageTimeOf: (row: ListRow) => string,
  show: (row: ListRow) => Record<string, unknown>,
): ReadOperation {
  return async (db, caller, input) => {
    const query = pageQueryOf(input.query);
    const found = await listPage(db, caller.venue.id, caller.mode, query);
    const objects = found.map((row) => ({ json: JSON.stringify(show(row)), time: pageTimeOf(row) }));
    return { status: 200, json: pageJson(objects, query.limit) };
  };
}
