// The worker's side of reading back: claims an integration whose read is due, reads one object or one page of its
// catalogue through the guarded client, outside of any transaction, and applies the result in one transaction, or a long
// list in several. A worker with a stale lease token writes nothing. One integration is read by one worker at a time, so
// nothing is applied out of order. Refused credentials pause the integration; a provider that is down delays its reads
// and loses none. An object that lists times is read again once a day, when nothing else waits. Errors of our own are
// counted apart, and an unavailable database not at all.

import type { Reader } from '../../../../schemas/types.gen.ts';
import type { Clock } from '../../../base/clock.ts';
import { type Db, isUnavailable, type Queryable } from '../../../base/db.ts';
import type { Log } from '../../../base/log.ts';
import type { Random } from '../../../base/random.ts';
import { randomText } from '../../../base/random.ts';
import type { Seal } from '../../../base/seal.ts';
import { findVenue } from '../../venues/queries.ts';
import { venueInMode } from '../../venues/venue.ts';
import { lockQueueWaiting } from '../deliveries/reading-queries.ts';
import { MappingError } from '../mapping/convert.ts';
import { type HookContext, type HookServices, type Outcome, outcome } from '../upsert-from-hook.ts';
import { applyGone, applyMissing, applyPart, changesOf, type DocumentChanges, settleRead } from './apply-read.ts';
import { type ProviderClient, REPLAY_LATER, ReadFailure } from './call-provider.ts';
import { checkCredentials, isVenueRevoked } from './check-credentials.ts';
import { credentialsRow, dropReader } from './credentials.ts';
import { type FetchRequest, fetchDocument } from './fetch-object.ts';
import { giveUpListing, type ListedPage, listPage, skippedList, storePage } from './list-catalogue.ts';
import { nextWork, type Work } from './next-work.ts';
import { backgroundFrom, budgetPaceMs, MINUTE_MS, requestIntervalMs, requestPace, requestsPerDay } from './pace.ts';
import { countInternalError, postponeRead, type ReadEnd, type Refresh } from './read-queries.ts';
import { readEntryOf } from './read-readers.ts';
import { requireAnnouncedVersion, requireSameAccount } from './read-requirements.ts';
import {
  type ClaimedReader,
  claimReaders,
  extendLease,
  lockLease,
  type ReaderOutcome,
  releaseReader,
} from './reader-queries.ts';
import { isReadDaily } from './refresh.ts';
import { countSyncError, markSyncFailing, type SyncRow } from './sync-queries.ts';
import type { Values } from './template.ts';

export interface ReadServices extends HookServices, ProviderClient {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly seal: Seal;
  readonly random: Random;
  /** The most requests of one integration in a day. */
  readonly readsPerDay: number;
  /** Waits between the requests of a read. */
  readonly wait: (ms: number) => Promise<void>;
}

/** A read sends nothing after this time; its last request may take 20 seconds more, which the lease allows. */
const MAX_READ_MS = 90_000;
const LEASE_SECONDS = 120;
const FIRST_BACKOFF_MS = 2_000;
const MAX_BACKOFF_MS = 15 * 60_000;
const MAX_FAILING_MS = 3 * 24 * 3_600_000;
const MAX_INTERNAL_ERRORS = 6;
/** One transaction blocks other writers of the venue, so a long list is applied in parts. */
const PART_SIZE = 200;

/** One step of the worker. Returns how many integrations it claimed. */
export async function readDueObjects(services: ReadServices, batch: number): Promise<number> {
  const { db, clock, random, readers, readsPerDay } = services;
  const now = clock.now();
  const limits = [...readers.values()].map((reader) => [reader.provider, requestsPerDay(readsPerDay, reader)]);
  const perDay: Record<string, number> = Object.fromEntries(limits);
  const claimed = await claimReaders(db, now, LEASE_SECONDS, perDay, randomText(random, 16), batch);
  const results = await Promise.allSettled(claimed.map((one) => readOne(services, one, now)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return claimed.length;
}

type Result =
  | { readonly kind: 'changes'; readonly changes: DocumentChanges }
  | { readonly kind: 'page'; readonly page: ListedPage }
  | { readonly kind: 'checked' }
  | { readonly kind: 'failure'; readonly failure: ReadFailure };

/** What a step of one integration has done so far. */
interface Step {
  work: Work;
  requests: number;
}

async function readOne(services: ReadServices, claimed: ClaimedReader, now: number): Promise<void> {
  const step: Step = { work: { kind: 'none' }, requests: 0 };
  try {
    const reader = services.readers.get(claimed.provider);
    if (reader === undefined) throw new Error(`provider ${claimed.provider} has no reader`);
    if (await isVenueRevoked(services.db, claimed)) {
      await inLease(services, claimed, (tx) => dropReader(tx, claimed.venue_id, claimed.integration_id, now));
      return;
    }
    step.work = await nextWork(services, claimed, now);
    const result = await fetchWork(services, claimed, reader, step);
    logUnawaitedFailure(services, claimed, step.work, result);
    const applied = await applyLeadingParts(services, claimed, step.work, result);
    if (applied === null) return;
    await inLease(services, claimed, async (tx) => {
      const context = await contextOf(tx, services, claimed);
      const failure = await applyResult(tx, context, claimed, reader, step.work, result, applied);
      await release(tx, services, claimed, step, failure);
    });
  } catch (error) {
    await recordError(services, claimed, step, error);
  }
}

/** No delivery waits for an object that is read again, or that is read beside one, so none shows why it could not be read. */
function logUnawaitedFailure({ log }: ReadServices, claimed: ClaimedReader, work: Work, result: Result | null): void {
  if (work.kind !== 'object' || !work.read.is_unawaited || result?.kind !== 'failure') return;
  log.warn(
    { integration: claimed.integration_id, read: work.read.read_name, reason: result.failure.message },
    'an object of a venue system could not be read, and no delivery waits for it',
  );
}

/** Runs in a transaction that no other worker can disturb. Null: the lease is over, and nothing was written. */
async function inLease<Value>(
  { db }: ReadServices,
  claimed: ClaimedReader,
  run: (tx: Queryable) => Promise<Value>,
): Promise<Value | null> {
  return db.transaction(async (tx) => {
    await lockQueueWaiting(tx, claimed);
    return (await lockLease(tx, claimed)) ? run(tx) : null;
  });
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
  step: Step,
): Promise<Result | null> {
  const { work } = step;
  if (work.kind === 'none') return null;
  const row = credentialsRow(claimed.venue_id, claimed.integration_id);
  const request: FetchRequest = {
    reader,
    credentials: JSON.parse(services.seal.open(claimed.credentials, row)) as Values,
    credentialsKey: `${claimed.integration_id} ${claimed.set_at}`,
    variables: work.kind === 'object' ? work.read.variables : {},
    timezone: claimed.defaults.timezone ?? null,
    deadline: services.clock.now() + MAX_READ_MS,
    pace: requestPace(services.clock, services.wait, reader),
    count: () => {
      step.requests += 1;
    },
  };
  try {
    if (work.kind === 'check') {
      await checkCredentials(services, request);
      return { kind: 'checked' };
    }
    if (work.kind === 'page') return { kind: 'page', page: await listPage(services, request, cursorOf(work.sync)) };
    const entry = readEntryOf(reader, work.read.read_name);
    requireSameAccount(entry, request);
    const document = await fetchDocument(services, request, entry);
    requireAnnouncedVersion(entry, work.read, document);
    return { kind: 'changes', changes: changesOf(claimed, reader, work.read, document) };
  } catch (error) {
    if (error instanceof ReadFailure) return { kind: 'failure', failure: error };
    if (error instanceof MappingError)
      return { kind: 'failure', failure: new ReadFailure('failed', `${error.message} ${REPLAY_LATER}`) };
    throw error;
  }
}

/** A run that an earlier version of this program has begun to list begins again. */
const cursorOf = ({ cursor }: SyncRow) => (cursor?.lists === undefined ? null : cursor);

/** Applies a long list but for its last part, each part in a transaction of its own. Null: the lease is over. */
async function applyLeadingParts(
  services: ReadServices,
  claimed: ClaimedReader,
  work: Work,
  result: Result | null,
): Promise<Outcome[] | null> {
  const outcomes: Outcome[] = [];
  if (work.kind !== 'object' || result?.kind !== 'changes') return outcomes;
  const { changes } = result;
  const apply = async (run: (tx: Queryable, context: HookContext) => Promise<Outcome[]>): Promise<number | null> => {
    const part = await inLease(services, claimed, async (tx) => {
      await extendLease(tx, claimed, services.clock.now(), LEASE_SECONDS);
      return run(tx, await contextOf(tx, services, claimed));
    });
    outcomes.push(...(part ?? []));
    return part?.length ?? null;
  };
  for (let at = 0; at + PART_SIZE < changes.changes.length; at += PART_SIZE) {
    const part = changes.changes.slice(at, at + PART_SIZE);
    if ((await apply((tx, context) => applyPart(tx, context, claimed, work.read, changes, part))) === null) return null;
  }
  for (let count: number | null = changes.isWholeList ? PART_SIZE : 0; count === PART_SIZE; ) {
    count = await apply((tx, context) => applyMissing(tx, context, claimed, work.read, changes, PART_SIZE));
    if (count === null) return null;
  }
  return outcomes;
}

/** Applies the result, or the last part of it, and settles what waits for it. Returns why nothing could be read. */
async function applyResult(
  tx: Queryable,
  context: HookContext,
  claimed: ClaimedReader,
  reader: Reader,
  work: Work,
  result: Result | null,
  applied: readonly Outcome[],
): Promise<ReadFailure | null> {
  if (result === null || work.kind === 'none') return null;
  if (work.kind === 'check') return result.kind === 'failure' ? result.failure : null;
  if (work.kind === 'page') return applyPage(tx, context, claimed, reader, work.sync, result);
  const { read } = work;
  const { now } = context;
  const settle = async (outcomes: readonly Outcome[], isRead: boolean, refresh: Refresh = 'keep'): Promise<null> => {
    await settleRead(tx, claimed, read, outcomes, { isRead, refresh, now });
    return null;
  };
  if (result.kind === 'page' || result.kind === 'checked') throw new Error('an object was read, not a page');
  if (result.kind === 'changes') {
    const { changes, otherwise } = result.changes;
    const last = changes.slice(Math.floor(Math.max(0, changes.length - 1) / PART_SIZE) * PART_SIZE);
    if (otherwise !== null) return settle(applied.length > 0 ? applied : [otherwise], true);
    const outcomes = [...applied, ...(await applyPart(tx, context, claimed, read, result.changes, last))];
    const isDaily = isReadDaily(reader, read.read_name) && outcomes.some(({ effect }) => effect !== undefined);
    return settle(outcomes, true, isDaily ? 'start' : 'keep');
  }
  const { failure } = result;
  if (failure.kind === 'gone') {
    const refresh = readEntryOf(reader, read.read_name).gone === 'cancel' ? 'end' : 'keep';
    return settle([await applyGone(tx, context, claimed, reader, read)], true, refresh);
  }
  if (failure.kind === 'failed') return settle([outcome('failed', failure.message, null)], false);
  if (failure.kind === 'refused') return failure;
  if (hasFailedTooLong(read.failing_since, now))
    await settle([outcome('failed', `${failure.message} ${TRIED_FOR_DAYS} Replay the delivery later.`, null)], false);
  else await postponeRead(tx, claimed, read, now + backoffMs(read.attempts, failure.retryAfterMs), now);
  return failure;
}

const hasFailedTooLong = (since: string | null, now: number): boolean =>
  since !== null && now - Date.parse(since) > MAX_FAILING_MS;

const TRIED_FOR_DAYS = 'The server has tried for three days.';

async function applyPage(
  tx: Queryable,
  context: HookContext,
  claimed: ClaimedReader,
  reader: Reader,
  sync: SyncRow,
  result: Result,
): Promise<ReadFailure | null> {
  if (result.kind === 'changes' || result.kind === 'checked') throw new Error('a page was read, not an object');
  const { failure } = result.kind === 'page' ? { failure: null } : result;
  if (failure?.kind === 'refused') return failure;
  if (failure?.kind === 'later') {
    if (hasFailedTooLong(sync.failing_since, context.now))
      await giveUpListing(tx, context, claimed, sync, `${failure.message} ${TRIED_FOR_DAYS} Start another run later.`);
    else await markSyncFailing(tx, claimed.venue_id, sync.id, context.now);
    return failure;
  }
  const page =
    result.kind === 'page' ? result.page : skippedList(reader.catalogue.read, cursorOf(sync), failure?.message ?? '');
  if (page === null) await giveUpListing(tx, context, claimed, sync, failure?.message ?? '');
  else await storePage(tx, context, claimed, sync, page);
  return null;
}

/** Each failure doubles the pause, up to a quarter of an hour; the provider may ask for a longer one. */
export function backoffMs(failures: number, retryAfterMs: number | null): number {
  return Math.max(Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(failures, 20), MAX_BACKOFF_MS), retryAfterMs ?? 0);
}

async function release(
  tx: Queryable,
  services: ReadServices,
  claimed: ClaimedReader,
  { work, requests }: Step,
  failure: ReadFailure | null,
): Promise<void> {
  const now = services.clock.now();
  const isLater = failure?.kind === 'later';
  const pauseMs = isLater ? backoffMs(claimed.failures, failure.retryAfterMs) : 0;
  const state: ReaderOutcome = {
    nextRequestAt: now + Math.max(paceMs(services, claimed, requests), pauseMs),
    waitReason: isLater ? (failure.isRateLimit ? 'rate_limited' : 'provider_unavailable') : null,
    isPaused: failure?.kind === 'refused',
    failures: isLater ? claimed.failures + 1 : 0,
    backgroundFrom: backgroundStart(services, claimed, requests),
    moreRequests: requests - 1,
    hasRead: failure === null && requests > 0 && work.kind !== 'check',
    isAnswered: failure?.kind !== 'later' && failure?.kind !== 'refused' && requests > 0,
    now,
  };
  await releaseReader(tx, claimed, state);
}

function paceMs(services: ReadServices, { provider, requests_today }: ClaimedReader, requests: number): number {
  const { readers, readsPerDay, clock } = services;
  const reader = readers.get(provider);
  const providerMs = reader === undefined ? MINUTE_MS : requests === 0 ? 0 : requestIntervalMs(reader);
  const perDay = requestsPerDay(readsPerDay, reader);
  return Math.max(providerMs, budgetPaceMs(clock.now(), perDay, requests_today + requests - 1, requests));
}

function backgroundStart(services: ReadServices, { provider, requests_today }: ClaimedReader, requests: number) {
  const perDay = requestsPerDay(services.readsPerDay, services.readers.get(provider));
  return backgroundFrom(services.clock.now(), perDay, requests_today + requests - 1);
}

/**
 * An error of ours is retried a few times, so that it cannot block the queue forever. It is no failure of the provider,
 * and an unavailable database is no error of the object that was read.
 */
async function recordError(services: ReadServices, claimed: ClaimedReader, step: Step, error: unknown): Promise<void> {
  const isDatabaseUnavailable = isUnavailable(error);
  services.log[isDatabaseUnavailable ? 'warn' : 'error'](
    { integration: claimed.integration_id, err: error },
    'the worker could not apply what it read',
  );
  await inLease(services, claimed, async (tx) => {
    const now = services.clock.now();
    const pauseMs = isDatabaseUnavailable ? FIRST_BACKOFF_MS : await countError(tx, claimed, step.work, now);
    await releaseReader(tx, claimed, {
      nextRequestAt: now + Math.max(paceMs(services, claimed, step.requests), pauseMs),
      waitReason: null,
      isPaused: false,
      failures: claimed.failures,
      backgroundFrom: backgroundStart(services, claimed, step.requests),
      moreRequests: step.requests - 1,
      hasRead: false,
      // An error of ours must not repeat the trial for ever.
      isAnswered: step.work.kind === 'check' && !isDatabaseUnavailable,
      now,
    });
  });
}

/** Returns how long the integration waits. */
async function countError(tx: Queryable, claimed: ClaimedReader, work: Work, now: number): Promise<number> {
  if (work.kind === 'none' || work.kind === 'check') return MINUTE_MS;
  const errors = work.kind === 'object' ? work.read.internal_errors : work.sync.internal_errors;
  const isLast = errors + 1 >= MAX_INTERNAL_ERRORS;
  const pauseMs = backoffMs(errors, null);
  if (work.kind === 'object') {
    if (!isLast) await countInternalError(tx, claimed, work.read, now + pauseMs);
    else await settleRead(tx, claimed, work.read, [outcome('failed', INTERNAL_ERROR, null)], failedEnd(now));
  } else if (!isLast) await countSyncError(tx, claimed.venue_id, work.sync.id);
  else await giveUpListing(tx, { now }, claimed, work.sync, INTERNAL_ERROR_OF_SYNC);
  return pauseMs;
}

const failedEnd = (now: number): ReadEnd => ({ isRead: false, refresh: 'keep', now });

const INTERNAL_ERROR = 'An internal error occurred: replay the delivery, or contact us.';
const INTERNAL_ERROR_OF_SYNC = 'An internal error occurred: start another run, or contact us.';
