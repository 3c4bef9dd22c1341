// Decides what is read next for a claimed integration. What deliveries name comes before the objects of a catalogue run,
// and objects are read again when nothing waits. New credentials are tried also after the last request of the day.

import type { Db } from '../../../base/db.ts';
import { backgroundRequests, requestsPerDay } from './pace.ts';
import { type DueRead, oldestDueRead, oldestRefresh } from './read-queries.ts';
import type { Readers } from './read-readers.ts';
import type { ClaimedReader } from './reader-queries.ts';
import { findSyncToList, type SyncRow } from './sync-queries.ts';

export type Work =
  | { readonly kind: 'object'; readonly read: DueRead }
  | { readonly kind: 'page'; readonly sync: SyncRow }
  | { readonly kind: 'check' }
  | { readonly kind: 'none' };

interface WorkServices {
  readonly db: Db;
  readonly readers: Readers;
  readonly readsPerDay: number;
}

export async function nextWork(services: WorkServices, claimed: ClaimedReader, now: number): Promise<Work> {
  const { db, readers, readsPerDay } = services;
  const perDay = requestsPerDay(readsPerDay, readers.get(claimed.provider));
  if (claimed.requests_today > perDay) return { kind: 'check' };
  // The last requests of a day are kept for deliveries: a catalogue run of hundreds of objects must not delay them.
  const isNamedOnly = claimed.requests_today > backgroundRequests(perDay);
  const read = await oldestDueRead(db, claimed, now, isNamedOnly);
  if (read !== null) return { kind: 'object', read };
  const sync = isNamedOnly ? null : await findSyncToList(db, claimed);
  if (sync !== null) return { kind: 'page', sync };
  const refresh = isNamedOnly ? null : await oldestRefresh(db, claimed, now);
  if (refresh !== null) return { kind: 'object', read: refresh };
  return { kind: claimed.is_checked ? 'none' : 'check' };
}
