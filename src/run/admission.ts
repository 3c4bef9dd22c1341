// The gate: one look-up for keys, their venues and their rolling hours, and for what callers came to read. Calls that arrive
// in the same moment share one round trip, and calls of one key share one row lock, so that load makes a call cheaper, not
// dearer. A call never joins a look-up that was sent before it came: a revoked key fails on the very next request, and what
// is read is never older than its call.

import type { Clock } from '../base/clock.ts';
import type { Queryable } from '../base/db.ts';
import { networkOf } from '../base/network.ts';
import type { Sight } from '../domain/keys/caller.ts';
import { admitAll, type KeyAtTheGate, type Knocking, type TakenCalls, takeAll } from '../domain/keys/queries.ts';

/** What the rolling hour says, as the X-RateLimit headers show it. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** The second (Unix time) at which the oldest counted call leaves the window. */
  readonly reset: number;
  /** Null when the call was let through; else the seconds until one more will be. */
  readonly retryAfter: number | null;
}

export interface Knock {
  /** The hash of the key as text, a character for each byte; null: no key. */
  readonly hash: string | null;
  readonly effect: 'read' | 'write';
  readonly address: string;
  readonly origin: string;
  /** The checkout that they came to read, where that is to be looked up as well. */
  readonly sight?: string | null;
  /** Takes nothing from the hour of the key, and is let through when nothing is left in it. */
  readonly free?: boolean;
}

export interface Passage {
  /** Null: the key is unknown, revoked or expired, or there was none. */
  readonly key: KeyAtTheGate | null;
  readonly allowance: Allowance;
  /** What they came to read; null: nothing of theirs was found, or it was not looked for. */
  readonly sight: Sight | null;
}

interface Waiting {
  readonly knock: Knock;
  readonly pass: (passage: Passage) => void;
  readonly fail: (error: unknown) => void;
}

/** Callers without an hour of their own: an address, or a publishable key at an address. */
interface Crowd {
  readonly subject: string;
  readonly members: { readonly key: KeyAtTheGate | null; readonly waiting: Waiting }[];
}

export type Gate = (knock: Knock) => Promise<Passage>;

/** So many look-ups are under way at once, each for at most so many keys. */
const MOST_UNDERWAY = 3;
const MOST_KEYS = 200;
/** Calls an hour for an address, and for a publishable key at an address. */
const FOR_AN_ADDRESS = 600;

export function makeGate(db: Queryable, clock: Clock): Gate {
  /** By key and effect; those without a key stand together. */
  const queue = new Map<string, Waiting[]>();
  /** Being looked up now: whoever comes meanwhile waits for the next, since both would only wait for the same row. */
  const busy = new Set<string>();
  let underway = 0;
  let scheduled = false;

  const schedule = (): void => {
    if (scheduled || queue.size === 0 || underway >= MOST_UNDERWAY) return;
    scheduled = true;
    // After this turn of the event loop: whoever else arrives in it shares the look-up.
    setImmediate(send);
  };

  const send = (): void => {
    scheduled = false;
    const groups = [...queue].filter(([name]) => !busy.has(name)).slice(0, MOST_KEYS);
    if (groups.length === 0) return;
    for (const [name] of groups) {
      queue.delete(name);
      busy.add(name);
    }
    underway++;
    void look(
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

  return (knock) =>
    new Promise<Passage>((pass, fail) => {
      const name = knock.hash === null ? '' : `${knock.effect} ${knock.hash}`;
      const group = queue.get(name);
      if (group === undefined) queue.set(name, [{ knock, pass, fail }]);
      else group.push({ knock, pass, fail });
      if (!busy.has(name)) schedule();
    });
}

/** Never rejects: whoever waits is told. */
async function look(db: Queryable, groups: readonly Waiting[][], now: number): Promise<void> {
  try {
    const crowds = new Map<string, Crowd>();
    const keyed = groups.filter(([first]) => first?.knock.hash !== null).flatMap(bySight);
    const admitted = keyed.length === 0 ? [] : await admitAll(db, keyed.map(knockingOf), now);
    for (const [index, group] of keyed.entries()) {
      const { key, callLimit, taken, sight } = admitted[index] ?? { key: null, callLimit: 0, taken: null, sight: null };
      if (taken !== null) letIn(group, callLimit, taken, key, sight);
      else for (const waiting of group) join(crowds, key, waiting);
    }
    for (const group of groups)
      if (group[0]?.knock.hash === null) for (const waiting of group) join(crowds, null, waiting);
    if (crowds.size > 0) await letCrowdsIn(db, [...crowds.values()]);
  } catch (error) {
    // Whoever has been let in already hears nothing of it: a promise is settled once.
    for (const group of groups) for (const { fail } of group) fail(error);
  }
}

/** Callers with one key, apart by what they came to read. */
function bySight(group: readonly Waiting[]): Waiting[][] {
  const first = group[0]?.knock.sight;
  if (group.every(({ knock }) => knock.sight === first)) return [[...group]];
  const parts = new Map<string | null, Waiting[]>();
  for (const waiting of group) {
    const sight = waiting.knock.sight ?? null;
    const part = parts.get(sight);
    if (part === undefined) parts.set(sight, [waiting]);
    else part.push(waiting);
  }
  return [...parts.values()];
}

function knockingOf(group: readonly Waiting[]): Knocking {
  const knock = group[0]?.knock;
  if (knock === undefined || knock.hash === null) throw new Error('a group has a key and somebody in it');
  const hash = Buffer.from(knock.hash, 'latin1');
  return { hash, effect: knock.effect, calls: group.filter(isCounted).length, sight: knock.sight ?? null };
}

const isCounted = ({ knock }: Waiting): boolean => knock.free !== true;

/** A publishable key is counted for its address and, where that is registered, its origin. */
function join(crowds: Map<string, Crowd>, key: KeyAtTheGate | null, waiting: Waiting): void {
  const { origin } = waiting.knock;
  const address = networkOf(waiting.knock.address);
  const at = key?.venue_origins.includes(origin) ? `${address} ${origin}` : address;
  const subject = key === null ? `address ${address}` : `publishable ${key.key_id} ${at}`;
  const crowd = crowds.get(subject);
  if (crowd === undefined) crowds.set(subject, { subject, members: [{ key, waiting }] });
  else crowd.members.push({ key, waiting });
}

async function letCrowdsIn(db: Queryable, crowds: readonly Crowd[]): Promise<void> {
  const taken = await takeAll(
    db,
    FOR_AN_ADDRESS,
    crowds.map(({ subject, members }) => ({ subject, calls: members.length })),
  );
  for (const [index, { members }] of crowds.entries()) {
    const calls = taken[index];
    if (calls === undefined) throw new Error('take_all() answers one row for each subject');
    const allowance = allowances(FOR_AN_ADDRESS, calls);
    for (const [turn, { key, waiting }] of members.entries()) {
      waiting.pass({ key, allowance: allowance(turn), sight: null });
    }
  }
}

function letIn(
  group: readonly Waiting[],
  limit: number,
  taken: TakenCalls,
  key: KeyAtTheGate | null,
  sight: Sight | null,
): void {
  const allowance = allowances(limit, taken);
  const counted = group.filter(isCounted);
  for (const [turn, waiting] of counted.entries()) waiting.pass({ key, allowance: allowance(turn), sight });
  // Whoever takes nothing sees what is left after the others.
  const after = { ...allowance(taken.granted), retryAfter: null };
  for (const waiting of group) if (!isCounted(waiting)) waiting.pass({ key, allowance: after, sight });
}

/** Of several calls that were counted together, by their turn: the first ones are let through, each seeing one fewer. */
export function allowances(limit: number, taken: TakenCalls): (turn: number) => Allowance {
  const now = Date.parse(taken.asked_at);
  const reset = taken.reset_at === null ? Math.floor(now / 1000) : secondAfter(taken.reset_at);
  const retryAt = taken.retry_at === null ? now : Date.parse(taken.retry_at) + 1;
  const wait = Math.max(1, Math.ceil((retryAt - now) / 1000));
  const { granted, remaining } = taken;
  return (turn) =>
    turn < granted
      ? { limit, remaining: remaining + granted - turn - 1, reset, retryAfter: null }
      : { limit, remaining, reset, retryAfter: wait };
}

/** The first whole second that is not before this time (microseconds count: Date.parse would cut them). */
function secondAfter(iso: string): number {
  const whole = Math.floor(Date.parse(iso) / 1000);
  return /\.0*Z$/.test(iso) ? whole : whole + 1;
}
