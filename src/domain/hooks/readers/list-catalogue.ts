// Lists the catalogue of a venue system for a run that reads all of it: one page at a time, each with its cursor in one
// transaction, so that a run goes on after a crash where it was. Every object of a page goes into the queue of reads.

import type { Queryable } from '../../../base/db.ts';
import { hashOf } from '../delivery-order.ts';
import { type BodyScope, itemScopes, textOf, valueAt } from '../mapping/body.ts';
import type { HookContext } from '../upsert-from-hook.ts';
import { type ProviderClient, ReadFailure, SEND_IT_YOURSELF } from './call-provider.ts';
import {
  type FetchedPage,
  type FetchRequest,
  fetchDocument,
  fetchPage,
  REPEATED_PAGE,
  requireList,
} from './fetch-object.ts';
import { hasWaits, wantRead } from './read-queries.ts';
import type { ClaimedReader } from './reader-queries.ts';
import { hashOfObject, nameOfObject, variablesAt } from './request-reads.ts';
import {
  countSynced,
  endListing,
  finishSync,
  type SkippedObject,
  type SyncCursor,
  type SyncRow,
  storeListedPage,
} from './sync-queries.ts';

const MAX_CATALOGUE_PAGES = 1_000;

export interface ListedPage {
  readonly cursor: SyncCursor;
  readonly isLast: boolean;
  readonly readName: string;
  readonly objects: readonly Readonly<Record<string, string>>[];
  readonly skipped: readonly SkippedObject[];
  /** Why nothing more can be listed. Null: the listing goes on, or is complete. */
  readonly problem: string | null;
}

/** `cursor` null: nothing was listed yet. A page that needs requests of its own first is listed in the next step. */
export async function listPage(
  client: ProviderClient,
  request: FetchRequest,
  cursor: SyncCursor | null,
): Promise<ListedPage> {
  const { page, each, read: readName, prepare = [], variables: wanted = {} } = request.reader.catalogue;
  const nothing = { isLast: false, readName, objects: [], skipped: [], problem: null };
  const start = cursor ?? (await firstCursor(client, request));
  if (page === undefined || each === undefined)
    return { ...nothing, cursor: start, isLast: true, objects: start.lists };
  if (cursor === null && prepare.length > 0) return { ...nothing, cursor: start };
  const kept = start.lists[start.at] ?? {};
  const fetched = await fetchPage(client, { ...request, variables: kept }, page, start.next);
  const scope: BodyScope = { root: { [page.name]: fetched.answer }, bound: [] };
  requireList(scope.root, each.slice(0, -2));
  const objects: Readonly<Record<string, string>>[] = [];
  const skipped: SkippedObject[] = [];
  for (const item of itemScopes(scope, each)) {
    const named = { ...(item.bound.at(-1)?.value as object), credentials: request.credentials };
    const variables = variablesAt(wanted, { root: named, bound: [] });
    if (variables === null) skipped.push({ object: readName, reason: UNUSABLE_ID });
    else objects.push(variables);
  }
  return { ...afterPage(start, fetched), readName, objects, skipped };
}

const UNUSABLE_ID = `The catalogue names an object without a usable id: ${SEND_IT_YOURSELF}`;
const TOO_MANY_PAGES = `The catalogue has more than ${MAX_CATALOGUE_PAGES} pages, and the rest is not read: ${SEND_IT_YOURSELF}`;

/** A cursor that comes back, or a catalogue without an end, ends the listing: it could not end otherwise. */
function afterPage(
  cursor: SyncCursor,
  { next, problem }: FetchedPage,
): Pick<ListedPage, 'cursor' | 'isLast' | 'problem'> {
  const pages = cursor.pages + 1;
  const hash = next === null ? '' : hashOf(next).toString('hex').slice(0, 16);
  const isRepeated = cursor.seen.includes(hash);
  const after =
    next === null ? nextList({ ...cursor, pages }) : { ...cursor, next, pages, seen: [...cursor.seen, hash] };
  const isLast = isListed(after);
  const found =
    problem ?? (isRepeated ? REPEATED_PAGE : pages >= MAX_CATALOGUE_PAGES && !isLast ? TOO_MANY_PAGES : null);
  return { cursor: after, isLast, problem: found };
}

const nextList = (cursor: SyncCursor): SyncCursor => ({ ...cursor, at: cursor.at + 1, next: null, seen: [] });
const isListed = ({ at, lists }: SyncCursor): boolean => at >= lists.length;

/** The page that stands for a list that cannot be read; the others still are. Null: there is only this list. */
export function skippedList(readName: string, cursor: SyncCursor | null, reason: string): ListedPage | null {
  if (cursor === null || cursor.lists.length < 2) return null;
  const after = nextList(cursor);
  const object = nameOfObject('list', cursor.lists[cursor.at] ?? {});
  return {
    cursor: after,
    isLast: isListed(after),
    readName,
    objects: [],
    skipped: [{ object, reason }],
    problem: null,
  };
}

/** One list for each item of keep_each; lists that are the same are one. */
async function firstCursor(client: ProviderClient, request: FetchRequest): Promise<SyncCursor> {
  const { prepare = [], keep = {}, keep_each } = request.reader.catalogue;
  const document = await fetchDocument(client, request, { steps: prepare });
  const whole: BodyScope = { root: { ...document, credentials: request.credentials }, bound: [] };
  const items = keep_each === undefined ? [] : itemScopes(whole, keep_each);
  const lists = (items.length === 0 ? [whole] : items).map((scope) =>
    Object.fromEntries(Object.entries(keep).map(([name, path]) => [name, keptAt(scope, path)])),
  );
  const distinct = new Map(lists.map((list) => [JSON.stringify(list), list]));
  return { lists: [...distinct.values()], at: 0, next: null, seen: [], pages: 0 };
}

function keptAt(scope: BodyScope, path: string): string {
  const text = textOf(valueAt(scope, path));
  if (text === null) throw new ReadFailure('failed', `The venue system has no value at ${path}: ${SEND_IT_YOURSELF}`);
  return text;
}

/** Queues the objects of the page and moves the cursor, in the caller's transaction. */
export async function storePage(
  tx: Queryable,
  context: HookContext,
  claimed: ClaimedReader,
  sync: SyncRow,
  page: ListedPage,
): Promise<void> {
  const { venue_id: venueId, integration_id: integrationId } = claimed;
  for (const variables of page.objects) {
    const object = { readName: page.readName, variables };
    // What a delivery has caused to be read since the run began is read again: the run counts every object.
    const read = { ...object, venueId, integrationId, hash: hashOfObject(object), version: null, receivedAt: null };
    await wantRead(tx, { ...read, now: context.now }, sync.id);
  }
  const listed = page.objects.length + page.skipped.length;
  await storeListedPage(tx, venueId, sync.id, { cursor: page.cursor, isListed: page.isLast, listed });
  if (page.skipped.length > 0)
    await countSynced(tx, venueId, sync.id, { read: 0, created: 0, changed: 0, unchanged: 0, skipped: page.skipped });
  if (page.problem !== null) await endListing(tx, venueId, sync.id, page.problem);
  await finishIfRead(tx, context, claimed, sync);
}

/** Lists no more. What was listed is still read. */
export async function giveUpListing(
  tx: Queryable,
  context: Pick<HookContext, 'now'>,
  claimed: ClaimedReader,
  sync: SyncRow,
  reason: string,
): Promise<void> {
  await endListing(tx, claimed.venue_id, sync.id, reason);
  await finishIfRead(tx, context, claimed, sync);
}

async function finishIfRead(
  tx: Queryable,
  { now }: Pick<HookContext, 'now'>,
  { venue_id: venueId }: ClaimedReader,
  { id }: SyncRow,
): Promise<void> {
  if (!(await hasWaits(tx, venueId, id))) await finishSync(tx, venueId, id, now);
}
