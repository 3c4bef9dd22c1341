// Fetches the pictures that pages have asked for: claim, fetch through the guarded client, encode, record. Nothing is
// fetched inside a transaction, and a worker whose lease ran out writes nothing. A picture that cannot be fetched is tried
// again a day later; the reason is stored beside it. So is a picture whose first two attempts had no outcome: it may be
// what ended the worker.

import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db.ts';
import { encodeCover, encodeLogo, ImageError } from '../../base/image-encoder.ts';
import type { Outbound } from '../../base/outbound/outbound.ts';
import { OutboundError } from '../../base/outbound/outbound-error.ts';
import { UNUSED_MS } from './due-queries.ts';
import { wantRequestedImages } from './find-images.ts';
import {
  claimDueImages,
  type DueImage,
  deleteUnusedImages,
  type NewFile,
  recordFailed,
  recordFetched,
  releaseImage,
} from './image-queries.ts';

export interface ImageServices {
  readonly db: Db;
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** For tests: how long an address may take. */
  readonly fetchTimeoutMs?: number;
}

/** Longer than fetching a batch and encoding it one by one may take together. */
const LEASE_MS = 300_000;
const FETCH_TIMEOUT_MS = 15_000;
const MAX_BYTES = 10 * 1_048_576;
const DAY_MS = 24 * 3_600_000;
const RETRY_MS = DAY_MS;
/** Of new checkouts, in one step. Most of them name the same few offerings. */
const MAX_REQUESTS = 1_000;

/**
 * One step of the worker. Returns how many pictures it tried, or how many new checkouts it looked at if these were more.
 * When the signal aborts, fetches under way end, and what is not encoded yet is given back. An unexpected error is
 * recorded first, then thrown.
 */
export async function fetchDueImages(services: ImageServices, batch: number, stop?: AbortSignal): Promise<number> {
  const { db, clock } = services;
  const requests = await wantRequestedImages(db, clock.now(), MAX_REQUESTS);
  const now = clock.now();
  const fresh = await claimDueImages(db, { now, leasedUntil: now + LEASE_MS, limit: batch, isRepeated: false });
  await fetchAll(services, fresh, stop);
  const repeated = stop?.aborted === true ? [] : await claimRepeated(services);
  await fetchAll(services, repeated, stop);
  return Math.max(requests, fresh.length + repeated.length);
}

/** One alone: if it ends the worker again, no other picture waits for a day with it. */
function claimRepeated({ db, clock }: ImageServices): Promise<DueImage[]> {
  const now = clock.now();
  return claimDueImages(db, { now, leasedUntil: now + RETRY_MS, limit: 1, isRepeated: true });
}

async function fetchAll(services: ImageServices, due: readonly DueImage[], stop?: AbortSignal): Promise<void> {
  const outcomes = await Promise.allSettled(due.map((one) => fetchAndRecord(services, one, stop)));
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  if (errors.length > 0) throw new AggregateError(errors, 'Pictures could not be recorded.');
}

async function fetchAndRecord(services: ImageServices, due: DueImage, stop?: AbortSignal): Promise<void> {
  const { db, clock } = services;
  const fail = (error: string): Promise<void> => {
    const at = clock.now();
    return recordFailed(db, due, { error, at, retryAt: at + RETRY_MS });
  };
  try {
    const bytes = await fetchBytes(services, due);
    const files = await encodeInTurn(() => (stop?.aborted === true ? null : encode(due, bytes)));
    if (files === null) await releaseImage(db, due, clock.now());
    else await db.transaction((tx) => recordFetched(tx, due, files));
  } catch (error) {
    if (error instanceof OutboundError) return fail(error.publicMessage);
    if (error instanceof ImageError) return fail(error.message);
    await fail('It could not be fetched.');
    throw error;
  }
}

async function fetchBytes(
  { outbound, fetchTimeoutMs = FETCH_TIMEOUT_MS }: ImageServices,
  { url }: DueImage,
): Promise<Buffer> {
  const { status, body } = await outbound.request({
    url,
    method: 'GET',
    headers: { accept: 'image/avif, image/webp, image/png, image/jpeg' },
    timeoutMs: fetchTimeoutMs,
    maxBytes: MAX_BYTES,
  });
  if (status !== 200) throw new ImageError(`The address answered ${status}.`);
  return body;
}

let encoding: Promise<unknown> = Promise.resolve();

/** One picture at a time: each may need 160 MB of memory while it is decoded. */
function encodeInTurn<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  const encoded = encoding.then(work);
  encoding = encoded.catch(() => undefined);
  return encoded;
}

async function encode({ kind }: DueImage, bytes: Buffer) {
  const webp = (content: Buffer): NewFile => ({ type: 'image/webp', content });
  if (kind === 'logo') return { file: webp(await encodeLogo(bytes)), thumbnail: null, preview: null };
  const { cover, thumbnail, preview } = await encodeCover(bytes);
  return { file: webp(cover), thumbnail: webp(thumbnail), preview: { type: 'image/jpeg', content: preview } as const };
}

/** Deletes pictures that no page has asked for in 90 days. */
export function deleteOldImages(db: Db, now: number, batch: number): Promise<number> {
  return db.transaction((tx) => deleteUnusedImages(tx, now - UNUSED_MS, batch));
}
