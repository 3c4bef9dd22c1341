// The worker's side of reading back: claims an integration whose read is due, reads one object or one page of its
// catalogue through the guarded client, outside of any transaction, and applies the result in one transaction. A worker
// with a stale lease token writes nothing. One integration is read by one worker at a time, so nothing is applied out of
// order. Refused credentials pause the integration; a provider that is down delays its reads and loses none.

import type { Reader } from '../../../../schemas/types.gen.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Db, Queryable } from '../../../base/db.ts';
import type { Log } from '../../../base/log.ts';
import type { Random } from '../../../base/random.ts';
import { randomText } from '../../../base/random.ts';
import type { Seal } from '../../../base/seal.ts';
import { findVenue } from '../../venues/queries.ts';
import { venueInMode } from '../../venues/venue.ts';
import { lockQueueWaiting } from '../deliveries/reading-queries.ts';
import { MappingError } from '../mapping/convert.ts';
import { type HookContext, type HookServices, type Outcome, outcome } from '../upsert-from-hook.ts';
import { applyDocument, applyGone, settleRead } from './apply-read.ts';
import { type ProviderClient, ReadFailure } from './call-provider.ts';
import { credentialsRow } from './credentials.ts';
import { type FetchRequest, fetchEntry } from './fetch-object.ts';
import { type ListedPage, listPage, storePage } from './list-catalogue.ts';
import { type DueRead, oldestDueRead, postponeRead } from './read-queries.ts';
import { readEntryOf } from './read-readers.ts';
import { type ClaimedReader, claimReaders, lockLease, type ReaderOutcome, releaseReader } from './reader-queries.ts';
import { endSync, findSyncToList, type SyncRow } from './sync-queries.ts';
import type { Values } from './template.ts';

export interface ReadServices extends HookServices, ProviderClient {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly seal: Seal;
  readonly random: Random;
  /** The most requests of one integration in a day. */
  readonly readsPerDay: number;
}

/** A read sends nothing after this time; its last request may take 20 seconds more. */
const MAX_READ_MS = 120_000;
const LEASE_SECONDS = 240;
const FIRST_BACKOFF_MS = 2_000;
const MAX_BACKOFF_MS = 15 * 60_000;
const MAX_WAIT_MS = 3 * 24 * 3_600_000;
const MAX_INTERNAL_ERRORS = 6;
const MINUTE_MS = 60_000;

/** One step of the worker. Returns how many integrations it claimed. */
export async function readDueObjects(services: ReadServices, batch: number): Promise<number> {
  const { db, clock, random, readsPerDay } = services;
  const claimed = await claimReaders(db, clock.now(), LEASE_SECONDS, readsPerDay, randomText(random, 16), batch);
  const results = await Promise.allSettled(claimed.map((one) => readOne(services, one)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return claimed.length;
}

/** What is read for a claimed integration. */
type Work =
  | { readonly kind: 'object'; readonly read: DueRead }
  | { readonly kind: 'page'; readonly sync: SyncRow }
  | { readonly kind: 'none' };

type Result =
  | { readonly kind: 'document'; readonly document: Values }
  | { readonly kind: 'page'; readonly page: ListedPage }
  | { readonly kind: 'failure'; readonly failure: ReadFailure };

async function readOne(services: ReadServices, claimed: ClaimedReader): Promise<void> {
  const reader = services.readers.get(claimed.provider);
  if (reader === undefined) throw new Error(`provider ${claimed.provider} has no reader`);
  let requests = 0;
  const work = await workOf(services.db, claimed);
  try {
    const result = await fetchWork(services, claimed, reader, work, () => {
      requests += 1;
    });
    await services.db.transaction(async (tx) => {
      await lockQueueWaiting(tx, claimed);
      if (!(await lockLease(tx, claimed))) return;
      const context = await contextOf(tx, services, claimed);
      const state = await applyResult(tx, services, context, claimed, work, result);
      await release(tx, services, claimed, reader, requests, state);
    });
  } catch (error) {
    services.log.error({ integration: claimed.integration_id, err: error }, 'the worker could not apply what it read');
    await services.db.transaction(async (tx) => {
      await lockQueueWaiting(tx, claimed);
      if (await lockLease(tx, claimed)) await recordInternalError(tx, services, claimed, reader, requests, work);
    });
  }
}

async function workOf(db: Db, claimed: ClaimedReader): Promise<Work> {
  const read = await oldestDueRead(db, claimed);
  if (read !== null) return { kind: 'object', read };
  const sync = await findSyncToList(db, claimed);
  return sync === null ? { kind: 'none' } : { kind: 'page', sync };
}

async function contextOf(tx: Queryable, services: ReadServices, claimed: ClaimedReader): Promise<HookContext> {
  const row = await findVenue(tx, claimed.venue_id);
  if (row === null) throw new Error(`venue ${claimed.venue_id} of a read does not exist`);
  const { ids, contract, mappings, readers, clock } = services;
  const { mode, provider } = claimed;
  return { ids, contract, mappings, readers, venue: venueInMode(row, mode), mode, provider, now: clock.now() };
}

/** Null: nothing waits. */
async function fetchWork(
  services: ReadServices,
  claimed: ClaimedReader,
  reader: Reader,
  work: Work,
  count: () => void,
): Promise<Result | null> {
  const row = credentialsRow(claimed.venue_id, claimed.integration_id);
  const request: FetchRequest = {
    reader,
    credentials: JSON.parse(services.seal.open(claimed.credentials, row)) as Values,
    credentialsKey: `${claimed.integration_id} ${claimed.set_at}`,
    variables: work.kind === 'object' ? work.read.variables : {},
    timezone: claimed.defaults.timezone ?? null,
    deadline: services.clock.now() + MAX_READ_MS,
    count,
  };
  try {
    if (work.kind === 'page') return { kind: 'page', page: await listPage(services, request, work.sync.cursor) };
    if (work.kind === 'none') return null;
    const entry = readEntryOf(reader, work.read.read_name);
    return { kind: 'document', document: await fetchEntry(services, request, entry) };
  } catch (error) {
    if (error instanceof ReadFailure) return { kind: 'failure', failure: error };
    if (error instanceof MappingError) return { kind: 'failure', failure: new ReadFailure('failed', error.message) };
    throw error;
  }
}

/** How the reads of the integration go on. */
interface NextState {
  readonly failure: ReadFailure | null;
}

const CONTINUES: NextState = { failure: null };

async function applyResult(
  tx: Queryable,
  services: ReadServices,
  context: HookContext,
  claimed: ClaimedReader,
  work: Work,
  result: Result | null,
): Promise<NextState> {
  if (result === null || work.kind === 'none') return CONTINUES;
  if (work.kind === 'page') return applyPage(tx, context, claimed, work.sync, result);
  const { read } = work;
  const now = services.clock.now();
  const settle = async (outcomes: readonly Outcome[], isRead: boolean): Promise<NextState> => {
    await settleRead(tx, claimed, read, outcomes, { isRead, now });
    return CONTINUES;
  };
  if (result.kind === 'document') return settle(await applyDocument(tx, context, claimed, read, result.document), true);
  if (result.kind === 'page') throw new Error('an object was read, not a page');
  const { failure } = result;
  if (failure.kind === 'gone') return settle([await applyGone(tx, context, claimed, read)], true);
  if (failure.kind === 'failed') return settle([outcome('failed', failure.message, null)], false);
  const isTooOld = now - Date.parse(read.waiting_since) > MAX_WAIT_MS;
  if (failure.kind === 'later' && isTooOld) {
    await settle([outcome('failed', `${failure.message} The server tried for three days.`, null)], false);
    return { failure };
  }
  if (failure.kind === 'later')
    await postponeRead(tx, claimed, read, now + backoffMs(read.attempts, failure.retryAfterMs));
  return { failure };
}

async function applyPage(
  tx: Queryable,
  context: HookContext,
  claimed: ClaimedReader,
  sync: SyncRow,
  result: Result,
): Promise<NextState> {
  if (result.kind === 'document') throw new Error('a page was read, not an object');
  if (result.kind === 'page') {
    await storePage(tx, context, claimed, sync, result.page);
    return CONTINUES;
  }
  const { failure } = result;
  if (failure.kind === 'refused' || failure.kind === 'later') return { failure };
  await endSync(tx, claimed.venue_id, sync.id, { status: 'failed', reason: failure.message, now: context.now });
  return CONTINUES;
}

/** Each failure doubles the pause, up to a quarter of an hour; the provider may ask for a longer one. */
export function backoffMs(failures: number, retryAfterMs: number | null): number {
  return Math.max(Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(failures, 20), MAX_BACKOFF_MS), retryAfterMs ?? 0);
}

async function release(
  tx: Queryable,
  { clock }: ReadServices,
  claimed: ClaimedReader,
  reader: Reader,
  requests: number,
  { failure }: NextState,
): Promise<void> {
  const now = clock.now();
  const isLater = failure?.kind === 'later';
  const paceMs = (requests * MINUTE_MS) / reader.limits.requests_per_minute;
  const pauseMs = isLater ? backoffMs(claimed.failures, failure.retryAfterMs) : 0;
  const state: ReaderOutcome = {
    nextRequestAt: now + Math.max(paceMs, pauseMs),
    waitReason: isLater ? (failure.isRateLimit ? 'rate_limited' : 'provider_unavailable') : null,
    isPaused: failure?.kind === 'refused',
    failures: isLater ? claimed.failures + 1 : 0,
    moreRequests: requests - 1,
    hasRead: failure === null && requests > 0,
    now,
  };
  await releaseReader(tx, claimed, state);
}

/** An error of ours is retried a few times, so that it cannot block the queue forever. */
async function recordInternalError(
  tx: Queryable,
  services: ReadServices,
  claimed: ClaimedReader,
  reader: Reader,
  requests: number,
  work: Work,
): Promise<void> {
  const now = services.clock.now();
  if (work.kind === 'object') {
    const { read } = work;
    if (read.attempts + 1 < MAX_INTERNAL_ERRORS)
      await postponeRead(tx, claimed, read, now + backoffMs(read.attempts, null));
    else await settleRead(tx, claimed, read, [outcome('failed', INTERNAL_ERROR, null)], { isRead: false, now });
  }
  const failure = new ReadFailure('later', INTERNAL_ERROR);
  await release(tx, services, claimed, reader, requests, { failure });
}

const INTERNAL_ERROR = 'An internal error occurred: replay the delivery, or contact us.';
