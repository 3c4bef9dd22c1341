// Reads the log from both of its tables: rows of failed calls, and blocks of the others. Each is read for a range of ids, so
// what is merged by id has no gap.

import type { Queryable } from '../../base/db.ts';
import { countBlockLines, listBlockLines } from './block-queries.ts';
import { type IdRange, type RequestWindow, rangeOf } from './id-range.ts';
import {
  ANY_REQUEST,
  countRows,
  findBound,
  findRow,
  isOfFailures,
  listRows,
  type RequestCount,
  type RequestFilter,
  type RequestRow,
} from './queries.ts';

/** For a page at most so many lines are looked through, however long the log is. */
const MAX_LOOKED_THROUGH = 50_000;
/** Nearly every page is found in the first few; the blocks of many servers end at about the same time, so a page may need more. */
const LOOKS = [1_000, 5_000, MAX_LOOKED_THROUGH];

export interface LinesFound {
  /** Newest first. */
  readonly rows: readonly RequestRow[];
  /** The last line that was looked through; null: all were, or the page is full. */
  readonly lookedUntil: string | null;
}

export async function listRequests(
  db: Queryable,
  window: RequestWindow,
  filter: RequestFilter,
  looks: readonly number[] = LOOKS,
): Promise<LinesFound> {
  const range = rangeOf(window, filter);
  let found: LinesFound = { rows: [], lookedUntil: null };
  for (const maxLines of looks) {
    const lookedUntil = await findBound(db, range, isOfFailures(filter), maxLines);
    const rows = await listLines(db, { ...range, from: lookedUntil ?? range.from }, filter);
    if (rows.length >= filter.limit) return { rows, lookedUntil: null };
    found = { rows, lookedUntil };
    if (lookedUntil === null) break;
  }
  return found;
}

async function listLines(db: Queryable, range: IdRange, filter: RequestFilter): Promise<RequestRow[]> {
  const [rows, lines] = await Promise.all([listRows(db, range, filter), listBlockLines(db, range, filter)]);
  if (rows.length === 0 || lines.length === 0) return rows.length === 0 ? lines : rows;
  return [...rows, ...lines].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, filter.limit);
}

const REQUEST_ID = /^req_[0-9a-z]{26}$/;

export async function findRequest(
  db: Queryable,
  window: RequestWindow,
  id: string,
): Promise<(RequestRow & { readonly failure: Buffer | null }) | null> {
  if (!REQUEST_ID.test(id)) return null;
  const range = rangeOf(window, { ...ANY_REQUEST, requestId: id });
  const [row, [line]] = await Promise.all([findRow(db, range, id), listBlockLines(db, range, ANY_REQUEST)]);
  return row ?? (line === undefined ? null : { ...line, failure: null });
}

export interface RequestCounts {
  readonly counts: readonly RequestCount[];
  /** The oldest line that was counted; null: all of the window were. */
  readonly countedSince: string | null;
}

/** Counts the newest lines of a window, at most so many, by how they ended. */
export async function countRequests(db: Queryable, window: RequestWindow, maxLines: number): Promise<RequestCounts> {
  const all = rangeOf(window, ANY_REQUEST);
  const countedSince = await findBound(db, all, false, maxLines);
  const range = { ...all, from: countedSince ?? all.from };
  const [rows, blocks] = await Promise.all([countRows(db, range), countBlockLines(db, range)]);
  const succeeded = { status: 200, code: null, reason: null, operation: null, field: null, last_id: null };
  return { counts: [...rows, ...blocks.map((keyed) => ({ ...succeeded, ...keyed }))], countedSince };
}
