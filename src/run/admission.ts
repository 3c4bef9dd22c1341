// The gate: one look-up for keys, their venues and their rolling hours, and for what callers came to read. Calls that arrive
// in the same moment share one round trip, and calls of one key share one row lock, so that load makes a call cheaper, not
// dearer. A call never joins a look-up that was sent before it came: a revoked key fails on the very next request, and what
// is read is never older than its call.

import type { Clock } from '../base/clock.ts';
import type { Queryable } from '../base/db.ts';
import { networkOf } from '../base/network.ts';
import type { PrefetchedCheckout } from '../domain/keys/caller.ts';
import {
  type AdmittedKey,
  admitKeys,
  type CountedCalls,
  countSharedCalls,
  type KeyLookup,
} from '../domain/keys/queries.ts';

/** What the rolling hour says, as the X-RateLimit headers show it. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** The second (Unix time) at which the oldest counted call leaves the window. */
  readonly reset: number;
  /** Null when the call was let through; else the seconds until one more will be. */
  readonly retryAfter: number | null;
}

export interface AdmissionRequest {
  /** The hash of the key as text, a character for each byte; null: no key. */
  readonly hash: string | null;
  readonly effect: 'read' | 'write';
  readonly address: string;
  readonly origin: string;
  /** The checkout that they came to read, where that is to be looked up as well. */
  readonly checkoutId?: string | null;
  /** Takes nothing from the hour of the key, and is let through when nothing is left in it. */
  readonly isUncounted?: boolean;
}

export interface Admission {
  /** Null: the key is unknown, revoked or expired, or there was none. */
  readonly key: AdmittedKey | null;
  readonly rateLimit: RateLimit;
  /** What they came to read; null: nothing of theirs was found, or it was not looked for. */
  readonly prefetched: PrefetchedCheckout | null;
}

interface PendingAdmission {
  readonly request: AdmissionRequest;
  readonly resolve: (admission: Admission) => void;
  readonly reject: (error: unknown) => void;
}

/** Callers without an hour of their own: an address, or a publishable key at an address. */
interface SharedLimitGroup {
  readonly subject: string;
  readonly requests: { readonly key: AdmittedKey | null; readonly waiting: PendingAdmission }[];
}

export type Admit = (request: AdmissionRequest) => Promise<Admission>;

/** So many look-ups are under way at once, each for at most so many keys. */
const MAX_LOOKUPS_IN_FLIGHT = 3;
const MAX_KEYS_PER_LOOKUP = 200;
/** Calls an hour for an address, and for a publishable key at an address. */
const CALLS_PER_ADDRESS_PER_HOUR = 600;

export function makeAdmission(db: Queryable, clock: Clock): Admit {
  /** By key and effect; those without a key stand together. */
  const queue = new Map<string, PendingAdmission[]>();
  /** Being looked up now: whoever comes meanwhile waits for the next, since both would only wait for the same row. */
  const busy = new Set<string>();
  let underway = 0;
  let scheduled = false;

  const schedule = (): void => {
    if (scheduled || queue.size === 0 || underway >= MAX_LOOKUPS_IN_FLIGHT) return;
    scheduled = true;
    // After this turn of the event loop: whoever else arrives in it shares the look-up.
    setImmediate(send);
  };

  const send = (): void => {
    scheduled = false;
    const groups = [...queue].filter(([name]) => !busy.has(name)).slice(0, MAX_KEYS_PER_LOOKUP);
    if (groups.length === 0) return;
    for (const [name] of groups) {
      queue.delete(name);
      busy.add(name);
    }
    underway++;
    void lookUpGroups(
      db,
      groups.map(([, group]) => group),
      clock.now(),
    ).finally(() => {
      underway--;
      for (const [name] of groups) busy.delete(name);
      schedule();
    });
    if ([...queue.keys()].some((name) => !busy.has(name))) schedule();
  };

  return (request) =>
    new Promise<Admission>((pass, fail) => {
      const name = request.hash === null ? '' : `${request.effect} ${request.hash}`;
      const group = queue.get(name);
      if (group === undefined) queue.set(name, [{ request, resolve: pass, reject: fail }]);
      else group.push({ request, resolve: pass, reject: fail });
      if (!busy.has(name)) schedule();
    });
}

/** Never rejects: whoever waits is told. */
async function lookUpGroups(db: Queryable, groups: readonly PendingAdmission[][], now: number): Promise<void> {
  try {
    const crowds = new Map<string, SharedLimitGroup>();
    const keyed = groups.filter(([first]) => first?.request.hash !== null).flatMap(splitByCheckout);
    const admitted = keyed.length === 0 ? [] : await admitKeys(db, keyed.map(keyLookupOf), now);
    for (const [index, group] of keyed.entries()) {
      const {
        key,
        callLimit,
        counted: taken,
        prefetched,
      } = admitted[index] ?? { key: null, callLimit: 0, counted: null, prefetched: null };
      if (taken !== null) admitKeyed(group, callLimit, taken, key, prefetched);
      else for (const waiting of group) joinSharedGroup(crowds, key, waiting);
    }
    for (const group of groups)
      if (group[0]?.request.hash === null) for (const waiting of group) joinSharedGroup(crowds, null, waiting);
    if (crowds.size > 0) await admitShared(db, [...crowds.values()]);
  } catch (error) {
    // Whoever has been let in already hears nothing of it: a promise is settled once.
    for (const group of groups) for (const { reject: fail } of group) fail(error);
  }
}

/** Callers with one key, apart by what they came to read. */
function splitByCheckout(group: readonly PendingAdmission[]): PendingAdmission[][] {
  const first = group[0]?.request.checkoutId;
  if (group.every(({ request }) => request.checkoutId === first)) return [[...group]];
  const parts = new Map<string | null, PendingAdmission[]>();
  for (const waiting of group) {
    const prefetched = waiting.request.checkoutId ?? null;
    const part = parts.get(prefetched);
    if (part === undefined) parts.set(prefetched, [waiting]);
    else part.push(waiting);
  }
  return [...parts.values()];
}

function keyLookupOf(group: readonly PendingAdmission[]): KeyLookup {
  const request = group[0]?.request;
  if (request === undefined || request.hash === null) throw new Error('a group has a key and somebody in it');
  const hash = Buffer.from(request.hash, 'latin1');
  return {
    hash,
    effect: request.effect,
    calls: group.filter(isCounted).length,
    checkoutId: request.checkoutId ?? null,
  };
}

const isCounted = ({ request }: PendingAdmission): boolean => request.isUncounted !== true;

/** A publishable key is counted for its address and, where that is registered, its origin. */
function joinSharedGroup(
  crowds: Map<string, SharedLimitGroup>,
  key: AdmittedKey | null,
  waiting: PendingAdmission,
): void {
  const { origin } = waiting.request;
  const address = networkOf(waiting.request.address);
  const at = key?.venue_origins.includes(origin) ? `${address} ${origin}` : address;
  const subject = key === null ? `address ${address}` : `publishable ${key.key_id} ${at}`;
  const crowd = crowds.get(subject);
  if (crowd === undefined) crowds.set(subject, { subject, requests: [{ key, waiting }] });
  else crowd.requests.push({ key, waiting });
}

async function admitShared(db: Queryable, crowds: readonly SharedLimitGroup[]): Promise<void> {
  const taken = await countSharedCalls(
    db,
    CALLS_PER_ADDRESS_PER_HOUR,
    crowds.map(({ subject, requests: members }) => ({ subject, calls: members.length })),
  );
  for (const [index, { requests: members }] of crowds.entries()) {
    const calls = taken[index];
    if (calls === undefined) throw new Error('count_calls_each() answers one row for each subject');
    const rateLimit = rateLimitsFor(CALLS_PER_ADDRESS_PER_HOUR, calls);
    for (const [callIndex, { key, waiting }] of members.entries()) {
      waiting.resolve({ key, rateLimit: rateLimit(callIndex), prefetched: null });
    }
  }
}

function admitKeyed(
  group: readonly PendingAdmission[],
  limit: number,
  taken: CountedCalls,
  key: AdmittedKey | null,
  prefetched: PrefetchedCheckout | null,
): void {
  const rateLimit = rateLimitsFor(limit, taken);
  const counted = group.filter(isCounted);
  for (const [callIndex, waiting] of counted.entries())
    waiting.resolve({ key, rateLimit: rateLimit(callIndex), prefetched });
  // Whoever takes nothing sees what is left after the others.
  const after = { ...rateLimit(taken.granted), retryAfter: null };
  for (const waiting of group) if (!isCounted(waiting)) waiting.resolve({ key, rateLimit: after, prefetched });
}

/** Of several calls that were counted together, by their turn: the first ones are let through, each seeing one fewer. */
export function rateLimitsFor(limit: number, taken: CountedCalls): (callIndex: number) => RateLimit {
  const now = Date.parse(taken.asked_at);
  const reset = taken.reset_at === null ? Math.floor(now / 1000) : secondAfter(taken.reset_at);
  const retryAt = taken.retry_at === null ? now : Date.parse(taken.retry_at) + 1;
  const wait = Math.max(1, Math.ceil((retryAt - now) / 1000));
  const { granted, remaining } = taken;
  return (callIndex) =>
    callIndex < granted
      ? { limit, remaining: remaining + granted - callIndex - 1, reset, retryAfter: null }
      : { limit, remaining, reset, retryAfter: wait };
}

/** The first whole second that is not before this time (microseconds count: Date.parse would cut them). */
function secondAfter(iso: string): number {
  const whole = Math.floor(Date.parse(iso) / 1000);
  return /\.0*Z$/.test(iso) ? whole : whole + 1;
}
