// Admission: one look-up for keys, their venues, their rate limits, and the checkouts that callers want to read. Calls
// that arrive at the same moment share one round trip, and calls with one key share one row lock, so that a call costs
// less under load. A call never joins a look-up that was sent before the call arrived: a revoked key fails on the next
// request, and what a caller reads is never older than the call.

import type { Clock } from '../base/clock.ts';
import { isNodeGone, type Queryable } from '../base/db.ts';
import { networkOf } from '../base/network.ts';
import type { PrefetchedCheckout } from '../domain/keys/caller.ts';
import {
  type AdmittedKey,
  admitKeys,
  type CountedCalls,
  countSharedCalls,
  type KeyLookup,
} from '../domain/keys/queries.ts';
import { retryAfterSeconds } from '../domain/keys/retry-after.ts';

/** Whose calls a rate limit counts. */
export type LimitedCaller = 'key' | 'publishable key' | 'address' | 'member' | 'account' | 'integration';

/** The state of a rolling hour, as the X-RateLimit headers show it. */
export interface RateLimit {
  readonly of: LimitedCaller;
  readonly limit: number;
  readonly remaining: number;
  /** The second (Unix time) at which the oldest counted call leaves the window. */
  readonly reset: number;
  /** Null: the call is admitted. Otherwise the seconds until one more call will be. */
  readonly retryAfter: number | null;
}

export interface AdmissionRequest {
  /** The hash of the key as text, one character for each byte; null: no key. */
  readonly hash: string | null;
  readonly effect: 'read' | 'write';
  readonly address: string;
  readonly origin: string;
  /** The checkout to look up in the same statement; absent or null: none. */
  readonly checkoutId?: string | null;
  /** With a valid key it is not counted, and is admitted when the rate limit is used up. Without one it counts. */
  readonly isUncounted?: boolean;
}

export interface Admission {
  /** Null: the key is unknown, revoked or expired, or there was none. */
  readonly key: AdmittedKey | null;
  readonly rateLimit: RateLimit;
  /** The checkout that the request names; null: the venue has none of that id, or the request names none. */
  readonly prefetched: PrefetchedCheckout | null;
}

interface PendingAdmission {
  readonly request: AdmissionRequest;
  readonly resolve: (admission: Admission) => void;
  readonly reject: (error: unknown) => void;
}

/** Requests that share one rate limit: those of an address, or of a publishable key at an address. */
interface SharedLimitGroup {
  readonly subject: string;
  readonly members: { readonly key: AdmittedKey | null; readonly pending: PendingAdmission }[];
}

export type Admit = (request: AdmissionRequest) => Promise<Admission>;

const MAX_LOOKUPS_IN_FLIGHT = 3;
const MAX_KEYS_PER_LOOKUP = 200;
/** For an address, and for a publishable key at an address. */
const CALLS_PER_ADDRESS_PER_HOUR = 600;

export function makeAdmission(db: Queryable, clock: Clock): Admit {
  /** By key and effect; requests without a key are one group. */
  const queue = new Map<string, PendingAdmission[]>();
  /**
   * Groups in a look-up now. A request that joins such a group waits for it: a second look-up would wait for the same
   * row.
   */
  const busy = new Set<string>();
  let lookupsInFlight = 0;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled || queue.size === 0 || lookupsInFlight >= MAX_LOOKUPS_IN_FLIGHT) return;
    isScheduled = true;
    // In the next turn of the event loop, so that requests that arrive in this one share the look-up.
    setImmediate(send);
  };

  const send = (): void => {
    isScheduled = false;
    const groups = [...queue].filter(([name]) => !busy.has(name)).slice(0, MAX_KEYS_PER_LOOKUP);
    if (groups.length === 0) return;
    for (const [name] of groups) {
      queue.delete(name);
      busy.add(name);
    }
    lookupsInFlight++;
    void lookUpGroups(
      db,
      groups.map(([, group]) => group),
      clock.now(),
    ).finally(() => {
      lookupsInFlight--;
      for (const [name] of groups) busy.delete(name);
      schedule();
    });
    if ([...queue.keys()].some((name) => !busy.has(name))) schedule();
  };

  return (request) =>
    new Promise<Admission>((resolve, reject) => {
      const name = request.hash === null ? '' : `${request.effect} ${request.hash}`;
      const group = queue.get(name);
      if (group === undefined) queue.set(name, [{ request, resolve, reject }]);
      else group.push({ request, resolve, reject });
      if (!busy.has(name)) schedule();
    });
}

const UNKNOWN_KEY = { key: null, callLimit: 0, counted: null, prefetched: null };

/** Never rejects: an error rejects the pending requests instead. */
async function lookUpGroups(db: Queryable, groups: readonly PendingAdmission[][], now: number): Promise<void> {
  try {
    const sharedGroups = new Map<string, SharedLimitGroup>();
    const keyed = groups.filter(([first]) => first?.request.hash !== null).flatMap(splitByCheckout);
    const admitted = keyed.length === 0 ? [] : await admitKeys(db, keyed.map(keyLookupOf), now);
    for (const [index, group] of keyed.entries()) {
      const { key, callLimit, counted, prefetched } = admitted[index] ?? UNKNOWN_KEY;
      if (counted !== null) admitKeyed(group, callLimit, counted, key, prefetched);
      else for (const pending of group) joinSharedGroup(sharedGroups, key, pending);
    }
    for (const group of groups)
      if (group[0]?.request.hash === null) for (const pending of group) joinSharedGroup(sharedGroups, null, pending);
    if (sharedGroups.size > 0) await admitShared(db, [...sharedGroups.values()]);
  } catch (error) {
    // Callers of venues on other nodes must not fail with those of the node that is gone. A call of a key counts twice if
    // the shared limits were on that node.
    if (groups.length > 1 && isNodeGone(error)) {
      await Promise.all(groups.map((group) => lookUpGroups(db, [group], now)));
      return;
    }
    // A request that is admitted already is not affected: a promise settles once.
    for (const group of groups) for (const { reject } of group) reject(error);
  }
}

/** Requests with one key, grouped by the checkout that they want to read. */
function splitByCheckout(group: readonly PendingAdmission[]): PendingAdmission[][] {
  const first = group[0]?.request.checkoutId;
  if (group.every(({ request }) => request.checkoutId === first)) return [[...group]];
  const parts = new Map<string | null, PendingAdmission[]>();
  for (const pending of group) {
    const checkoutId = pending.request.checkoutId ?? null;
    const part = parts.get(checkoutId);
    if (part === undefined) parts.set(checkoutId, [pending]);
    else part.push(pending);
  }
  return [...parts.values()];
}

function keyLookupOf(group: readonly PendingAdmission[]): KeyLookup {
  const request = group[0]?.request;
  if (request === undefined || request.hash === null)
    throw new Error('a group of requests with a key is empty or has no key');
  const hash = Buffer.from(request.hash, 'latin1');
  return {
    hash,
    effect: request.effect,
    calls: group.filter(isCounted).length,
    checkoutId: request.checkoutId ?? null,
  };
}

const isCounted = ({ request }: PendingAdmission): boolean => request.isUncounted !== true;

/** A publishable key is counted by address and, where the venue has registered it, by origin. */
function joinSharedGroup(
  groups: Map<string, SharedLimitGroup>,
  key: AdmittedKey | null,
  pending: PendingAdmission,
): void {
  const { origin } = pending.request;
  const address = networkOf(pending.request.address);
  const at = key?.venue_origins.includes(origin) ? `${address} ${origin}` : address;
  const subject = key === null ? `address ${address}` : `publishable ${key.key_id} ${at}`;
  const group = groups.get(subject);
  if (group === undefined) groups.set(subject, { subject, members: [{ key, pending }] });
  else group.members.push({ key, pending });
}

/** A caller without a valid key may guess one, so every call counts. */
const countsForShared = ({ key, pending }: SharedLimitGroup['members'][number]): boolean =>
  key === null || isCounted(pending);

async function admitShared(db: Queryable, groups: readonly SharedLimitGroup[]): Promise<void> {
  const counted = await countSharedCalls(
    db,
    CALLS_PER_ADDRESS_PER_HOUR,
    groups.map(({ subject, members }) => ({
      subject,
      calls: members.filter(countsForShared).length,
    })),
  );
  for (const [index, { members }] of groups.entries()) {
    const calls = counted[index];
    if (calls === undefined) throw new Error('count_calls_each() answers one row for each subject');
    const of = members[0]?.key == null ? 'address' : 'publishable key';
    const rateLimit = rateLimitsFor(of, CALLS_PER_ADDRESS_PER_HOUR, calls);
    let callIndex = 0;
    for (const member of members) {
      const { key, pending } = member;
      const own = countsForShared(member) ? rateLimit(callIndex++) : { ...rateLimit(calls.granted), retryAfter: null };
      pending.resolve({ key, rateLimit: own, prefetched: null });
    }
  }
}

function admitKeyed(
  group: readonly PendingAdmission[],
  limit: number,
  counted: CountedCalls,
  key: AdmittedKey | null,
  prefetched: PrefetchedCheckout | null,
): void {
  const rateLimit = rateLimitsFor('key', limit, counted);
  for (const [callIndex, pending] of group.filter(isCounted).entries())
    pending.resolve({ key, rateLimit: rateLimit(callIndex), prefetched });
  // A request that is not counted shows what the counted ones leave.
  const uncounted = { ...rateLimit(counted.granted), retryAfter: null };
  for (const pending of group) if (!isCounted(pending)) pending.resolve({ key, rateLimit: uncounted, prefetched });
}

/**
 * The rate limit that each of several calls counted together shows: the first ones are admitted, each sees one fewer.
 */
export function rateLimitsFor(
  of: LimitedCaller,
  limit: number,
  counted: CountedCalls,
): (callIndex: number) => RateLimit {
  const now = Date.parse(counted.counted_at);
  const reset = counted.reset_at === null ? Math.floor(now / 1000) : secondAfter(counted.reset_at);
  const wait = retryAfterSeconds(counted);
  const { granted, remaining } = counted;
  return (callIndex) =>
    callIndex < granted
      ? { of, limit, remaining: remaining + granted - callIndex - 1, reset, retryAfter: null }
      : { of, limit, remaining, reset, retryAfter: wait };
}

/** The first whole second that is not before this time. Date.parse would drop its microseconds. */
function secondAfter(iso: string): number {
  const whole = Math.floor(Date.parse(iso) / 1000);
  return /\.0*Z$/.test(iso) ? whole : whole + 1;
}
