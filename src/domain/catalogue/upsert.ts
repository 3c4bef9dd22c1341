// Creates or updates a batch of offerings or boats by external id. An object whose content has the stored fingerprint
// is left unchanged. When all are unchanged, nothing is written and no lock is taken; otherwise the venue's list lock
// makes this transaction the only writer, so two calls with one external id cannot both create it.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import type { JsonValue } from '../../base/json/parse.ts';
import { mapInChunks } from '../../base/yielding.ts';
import type { Caller } from '../keys/caller.ts';
import { allocateTimestamps } from '../venues/page-timestamps.ts';
import { insertReviewRoutes } from './review-route-queries.ts';

export type UpsertResult = 'created' | 'updated' | 'unchanged';

export interface Upserted<Row> {
  readonly result: UpsertResult;
  readonly row: Row;
}

/** The venue that sells: called by a partner with a key, or named by a delivery of the venue's system. */
export type Seller = Pick<Caller, 'venue' | 'mode' | 'contract' | 'ids' | 'now'>;

export interface UpsertTarget<Content, Row, Write> {
  /** The schema of the fingerprint, and the kind under which reviewers find the object. */
  readonly kind: 'offering' | 'boat';
  readonly findByExternalIds: (
    tx: Queryable,
    venueId: string,
    mode: Mode,
    externalIds: readonly string[],
  ) => Promise<ReadonlyMap<string, Row>>;
  readonly writeRows: (
    tx: Queryable,
    venueId: string,
    mode: Mode,
    writes: readonly Write[],
  ) => Promise<ReadonlyMap<string, Row>>;
  /** The row to write at `at`, a page timestamp; `existing` is null for a new object. */
  readonly rowToWrite: (
    seller: Seller,
    content: Content,
    existing: Row | null,
    stamp: { readonly fingerprint: Buffer; readonly at: string },
  ) => Write;
}

/** Other requests are answered in between: a fleet has up to a megabyte. */
const CONTENTS_PER_TURN = 10;

/** Upserts in one transaction; one result for each content, in the order given. External ids are unique in a batch. */
export async function upsertByExternalId<
  Content extends { readonly external_id: string },
  Row extends { readonly fingerprint: Buffer },
  Write extends { readonly id: string; readonly externalId: string },
>(
  tx: Queryable,
  seller: Seller,
  contents: readonly Content[],
  target: UpsertTarget<Content, Row, Write>,
): Promise<Upserted<Row>[]> {
  if (contents.length === 0) return [];
  const { venue, mode, contract } = seller;
  const items = await mapInChunks(contents, CONTENTS_PER_TURN, (content) => ({
    content,
    externalId: content.external_id,
    fingerprint: contract.fingerprint(target.kind, content as unknown as JsonValue),
  }));
  const findRows = () =>
    target.findByExternalIds(
      tx,
      venue.id,
      mode,
      contents.map(({ external_id }) => external_id),
    );
  const isUnchanged = (row: Row | undefined, fingerprint: Buffer): boolean =>
    row?.fingerprint.equals(fingerprint) === true;

  const known = await findRows();
  if (items.every(({ externalId, fingerprint }) => isUnchanged(known.get(externalId), fingerprint)))
    return items.map(({ externalId }) => resultOf(externalId, known, new Map()));

  // Taking timestamps takes the venue's list lock. Rows read before it may be stale, so they are read again under it.
  const timestamps = await allocateTimestamps(tx, venue.id, mode, seller.now, contents.length);
  const existing = await findRows();
  const writes = items.flatMap(({ content, externalId, fingerprint }, index) => {
    const row = existing.get(externalId);
    if (isUnchanged(row, fingerprint)) return [];
    return [target.rowToWrite(seller, content, row ?? null, { fingerprint, at: timestamps.at(index) })];
  });
  const written = await target.writeRows(tx, venue.id, mode, writes);
  const newIds = writes.filter(({ externalId }) => !existing.has(externalId)).map(({ id }) => id);
  await insertReviewRoutes(tx, target.kind, venue.id, newIds);
  return items.map(({ externalId }) => resultOf(externalId, existing, written));
}

/** What the upsert of the same contents would give now, in the order given. It writes nothing and takes no lock. */
export async function previewByExternalId<
  Content extends { readonly external_id: string },
  Row extends { readonly fingerprint: Buffer },
>(
  db: Queryable,
  { venue, mode, contract }: Seller,
  contents: readonly Content[],
  target: Pick<UpsertTarget<Content, Row, never>, 'kind' | 'findByExternalIds'>,
): Promise<UpsertResult[]> {
  const externalIds = contents.map(({ external_id }) => external_id);
  const known = await target.findByExternalIds(db, venue.id, mode, externalIds);
  return contents.map((content) => {
    const row = known.get(content.external_id);
    if (row === undefined) return 'created';
    const fingerprint = contract.fingerprint(target.kind, content as unknown as JsonValue);
    return row.fingerprint.equals(fingerprint) ? 'unchanged' : 'updated';
  });
}

function resultOf<Row>(
  externalId: string,
  existing: ReadonlyMap<string, Row>,
  written: ReadonlyMap<string, Row>,
): Upserted<Row> {
  const writtenRow = written.get(externalId);
  if (writtenRow !== undefined) return { result: existing.has(externalId) ? 'updated' : 'created', row: writtenRow };
  const row = existing.get(externalId);
  if (row === undefined) throw new Error(`"${externalId}" was neither stored before nor written`);
  return { result: 'unchanged', row };
}
