// One place of a key for a stream: taken when the stream opens, renewed while it is open, freed when it ends.

import { Problem } from '../../base/errors.ts';
import type { Caller } from '../keys/caller.ts';
import type { FeedServices } from './event-feeds.ts';
import { freePlace, PLACE_LEASE_MS, renewPlace, takePlace } from './stream-place-queries.ts';

export const MAX_STREAMS_PER_KEY = 5;
const RETRY_AFTER_SECONDS = 15;

export interface StreamPlace {
  /** Aborts when the place is lost: another stream may have it then. */
  readonly lost: AbortSignal;
  free(): Promise<void>;
}

/** Throws 429 when every place of the key is taken, on this server or another. */
export async function openPlace(
  { db, clock, log }: FeedServices,
  { venue, key, ids, actor }: Caller,
): Promise<StreamPlace> {
  const streamKey = { venueId: venue.id, keyId: key?.id ?? actor.name };
  const holder = ids.uuid();
  if (!(await takePlace(db, streamKey, holder, MAX_STREAMS_PER_KEY, clock.now()))) {
    throw new Problem('rate_limited', {
      message: `This key has ${MAX_STREAMS_PER_KEY} streams open, which is the limit: close one, or read one stream for all.`,
      headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    });
  }
  const lost = new AbortController();
  const renew = async (): Promise<void> => {
    try {
      if (!(await renewPlace(db, streamKey, holder, clock.now()))) lost.abort();
    } catch (error) {
      // The lease outlives two failures. After that the place may be another's.
      log.warn({ err: error }, 'a stream could not renew its place: it tries again');
    }
  };
  const timer = setInterval(() => void renew(), PLACE_LEASE_MS / 3);
  timer.unref();
  return {
    lost: lost.signal,
    async free() {
      clearInterval(timer);
      try {
        await freePlace(db, streamKey, holder);
      } catch (error) {
        log.warn({ err: error }, 'a stream could not free its place, which is free when its lease ends');
      }
    },
  };
}
