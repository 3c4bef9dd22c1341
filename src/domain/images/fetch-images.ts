// Fetches the pictures that pages have asked for: claim, fetch through the guarded client, encode, record. Nothing is
// fetched inside a transaction, and a worker whose lease ran out writes nothing. A picture that cannot be fetched is tried
// again a day later; the reason is stored beside it.

import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db.ts';
import { encodeCover, encodeLogo, ImageError } from '../../base/image-encoder.ts';
import type { Outbound } from '../../base/outbound/outbound.ts';
import { OutboundError } from '../../base/outbound/outbound-error.ts';
import { wantRequestedImages } from './find-images.ts';
import {
  claimDueImages,
  type DueImage,
  deleteUnusedImages,
  type NewFile,
  recordFailed,
  recordFetched,
} from './image-queries.ts';

export interface ImageServices {
  readonly db: Db;
  readonly outbound: Outbound;
  readonly clock: Clock;
  /** For tests: how long an address may take. */
  readonly fetchTimeoutMs?: number;
}

/** Longer than fetching and encoding may take together. */
const LEASE_SECONDS = 120;
const FETCH_TIMEOUT_MS = 15_000;
const MAX_BYTES = 10 * 1_048_576;
const DAY_MS = 24 * 3_600_000;
const RETRY_MS = DAY_MS;
const UNUSED_MS = 90 * DAY_MS;

/** One step of the worker. Returns how many pictures it tried. An unexpected error is recorded first, then thrown. */
export async function fetchDueImages(services: ImageServices, batch: number): Promise<number> {
  const { db, clock } = services;
  await wantRequestedImages(db, clock.now(), batch);
  const due = await claimDueImages(db, clock.now(), LEASE_SECONDS, batch);
  const outcomes = await Promise.allSettled(due.map((one) => fetchAndRecord(services, one)));
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  if (errors.length > 0) throw new AggregateError(errors, 'Pictures could not be recorded.');
  return due.length;
}

async function fetchAndRecord(services: ImageServices, due: DueImage): Promise<void> {
  const fail = (error: string): Promise<void> => {
    const at = services.clock.now();
    return recordFailed(services.db, due, { error, at, retryAt: at + RETRY_MS });
  };
  try {
    await recordFetched(services.db, due, await fetchAndEncode(services, due));
  } catch (error) {
    if (error instanceof OutboundError) return fail(error.publicMessage);
    if (error instanceof ImageError) return fail(error.message);
    await fail('It could not be fetched.');
    throw error;
  }
}

async function fetchAndEncode({ outbound, fetchTimeoutMs = FETCH_TIMEOUT_MS }: ImageServices, { kind, url }: DueImage) {
  const { status, body } = await outbound.request({
    url,
    method: 'GET',
    headers: { accept: 'image/avif, image/webp, image/png, image/jpeg' },
    timeoutMs: fetchTimeoutMs,
    maxBytes: MAX_BYTES,
  });
  if (status !== 200) throw new ImageError(`The address answered ${status}.`);
  const webp = (content: Buffer): NewFile => ({ type: 'image/webp', content });
  if (kind === 'logo') return { file: webp(await encodeLogo(body)), thumbnail: null, preview: null };
  const { cover, thumbnail, preview } = await encodeCover(body);
  return { file: webp(cover), thumbnail: webp(thumbnail), preview: { type: 'image/jpeg', content: preview } as const };
}

/** Deletes pictures that no page has asked for in 90 days. */
export function deleteOldImages(db: Db, now: number, batch: number): Promise<number> {
  return deleteUnusedImages(db, now - UNUSED_MS, batch);
}
