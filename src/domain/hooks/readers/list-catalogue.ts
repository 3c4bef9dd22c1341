// Lists the catalogue of a venue system for a run that reads all of it: one page at a time, each with its cursor in one
// transaction, so that a run goes on after a crash where it was. Every object of a page goes into the queue of reads.

import type { Queryable } from '../../../base/db.ts';
import { type BodyScope, itemScopes, textOf, valueAt } from '../mapping/body.ts';
import type { HookContext } from '../upsert-from-hook.ts';
import { type ProviderClient, ReadFailure } from './call-provider.ts';
import { type FetchRequest, fetchDocument, fetchPage } from './fetch-object.ts';
import { hasWaits, waitForRead, wantRead } from './read-queries.ts';
import type { ClaimedReader } from './reader-queries.ts';
import { hashOfObject, variablesAt } from './request-reads.ts';
import {
  countSynced,
  endSync,
  type SkippedObject,
  type SyncCursor,
  type SyncRow,
  storeListedPage,
} from './sync-queries.ts';

export interface ListedPage {
  readonly cursor: SyncCursor;
  readonly isLast: boolean;
  readonly readName: string;
  readonly objects: readonly Readonly<Record<string, string>>[];
  readonly skipped: readonly SkippedObject[];
}

/** `cursor` null: the first page. */
export async function listPage(
  client: ProviderClient,
  request: FetchRequest,
  cursor: SyncCursor | null,
): Promise<ListedPage> {
  const { catalogue } = request.reader;
  const kept = cursor?.kept ?? (await keptValues(client, request));
  const { page, each, read: readName } = catalogue;
  if (page === undefined || each === undefined)
    return { cursor: { kept, next: null }, isLast: true, readName, objects: [kept], skipped: [] };
  const { answer, next } = await fetchPage(client, { ...request, variables: kept }, page, cursor?.next ?? null);
  const scope: BodyScope = { root: { [page.name]: answer }, bound: [] };
  const objects: Readonly<Record<string, string>>[] = [];
  const skipped: SkippedObject[] = [];
  for (const item of itemScopes(scope, each)) {
    const variables = variablesAt(catalogue.variables ?? {}, { root: item.bound.at(-1)?.value, bound: [] });
    if (variables === null)
      skipped.push({ object: readName, reason: 'The catalogue names an object without a usable id.' });
    else objects.push(variables);
  }
  return { cursor: { kept, next }, isLast: next === null, readName, objects, skipped };
}

async function keptValues(client: ProviderClient, request: FetchRequest): Promise<Readonly<Record<string, string>>> {
  const { prepare = [], keep = {} } = request.reader.catalogue;
  const document = await fetchDocument(client, request, prepare);
  const scope: BodyScope = { root: { ...document, credentials: request.credentials }, bound: [] };
  return Object.fromEntries(
    Object.entries(keep).map(([name, path]) => {
      const text = textOf(valueAt(scope, path));
      if (text === null) throw new ReadFailure('failed', `The venue system has no value at ${path}.`);
      return [name, text];
    }),
  );
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
    const read = { ...object, venueId, integrationId, hash: hashOfObject(object), version: null, now: context.now };
    // What a delivery has caused to be read since the run began is read again: the run counts every object.
    await wantRead(tx, { ...read, wantedAt: claimed.claimed_at });
    await waitForRead(tx, { ...read, wantedAt: claimed.claimed_at }, sync.id);
  }
  const listed = page.objects.length + page.skipped.length;
  await storeListedPage(tx, venueId, sync.id, { cursor: page.cursor, isListed: page.isLast, listed });
  if (page.skipped.length > 0)
    await countSynced(tx, venueId, sync.id, { read: 0, created: 0, changed: 0, unchanged: 0, skipped: page.skipped });
  if (page.isLast && !(await hasWaits(tx, venueId, sync.id)))
    await endSync(tx, venueId, sync.id, { status: 'finished', reason: null, now: context.now });
}
