// The gate: one look-up for keys, their venues and their rolling hours. Calls that arrive in the same moment share one
// round trip, and calls of one key share one row lock, so that load makes a call cheaper, not dearer. A call never joins a
// look-up that was sent before it came: a revoked key fails on the very next request.

import type { Queryable } from '../base/db.ts';
import { networkOf } from '../base/network.ts';
import { admitAll, type KeyAtTheGate, type TakenCalls, takeAll } from '../domain/keys/queries.ts';

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
  /** Null: no key. */
  readonly hash: Buffer | null;
  readonly effect: 'read' | 'write';
  readonly address: string;
  readonly origin: string;
}

export interface Passage {
  /** Null: the key is unknown, revoked or expired, or there was none. */
  readonly key: KeyAtTheGate | null;
  readonly allowance: Allowance;
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

export function makeGate(db: Queryable): Gate {
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
    ).finally(() => {
      underway--;
      for (const [name] of groups) busy.delete(name);
      schedule();
    });
    if ([...queue.keys()].some((name) => !busy.has(name))) schedule();
  };

  return (knock) =>
    new Promise<Passage>((pass, fail) => {
      const name = knock.hash === null ? '' : `${knock.effect} ${knock.hash.toString('latin1')}`;
      const group = queue.get(name);
      if (group === undefined) queue.set(name, [{ knock, pass, fail }]);
      else group.push({ knock, pass, fail });
      if (!busy.has(name)) schedule();
    });
}

/** Never rejects: whoever waits is told. */
async function look(db: Queryable, groups: readonly Waiting[][]): Promise<void> {
  try {
    const crowds = new Map<string, Crowd>();
    const keyed = groups.filter(([first]) => first?.knock.hash !== null);
    const admitted = keyed.length === 0 ? [] : await admitAll(db, keyed.map(knockingOf));
    for (const [index, group] of keyed.entries()) {
      const { key, callLimit, taken } = admitted[index] ?? { key: null, callLimit: 0, taken: null };
      for (const [turn, waiting] of group.entries()) {
        if (taken !== null) waiting.pass({ key, allowance: allowanceOf(callLimit, taken, turn) });
        else join(crowds, key, waiting);
      }
    }
    for (const group of groups)
      if (group[0]?.knock.hash === null) for (const waiting of group) join(crowds, null, waiting);
    if (crowds.size > 0) await letCrowdsIn(db, [...crowds.values()]);
  } catch (error) {
    // Whoever has been let in already hears nothing of it: a promise is settled once.
    for (const group of groups) for (const { fail } of group) fail(error);
  }
}

function knockingOf(group: readonly Waiting[]): { hash: Buffer; effect: 'read' | 'write'; calls: number } {
  const knock = group[0]?.knock;
  if (knock === undefined || knock.hash === null) throw new Error('a group has a key and somebody in it');
  return { hash: knock.hash, effect: knock.effect, calls: group.length };
}

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
    for (const [turn, { key, waiting }] of members.entries()) {
      waiting.pass({ key, allowance: allowanceOf(FOR_AN_ADDRESS, calls, turn) });
    }
  }
}

/** The share of one call among several that were counted together: the first ones are let through, each seeing one fewer. */
export function allowanceOf(limit: number, taken: TakenCalls, turn: number): Allowance {
  const now = Date.parse(taken.asked_at);
  const passed = turn < taken.granted;
  const reset = taken.reset_at === null ? Math.floor(now / 1000) : secondAfter(taken.reset_at);
  const retryAt = taken.retry_at === null ? now : Date.parse(taken.retry_at) + 1;
  return {
    limit,
    remaining: passed ? taken.remaining + taken.granted - turn - 1 : taken.remaining,
    reset,
    retryAfter: passed ? null : Math.max(1, Math.ceil((retryAt - now) / 1000)),
  };
}

/** The first whole second that is not before this time (microseconds count: Date.parse would cut them). */
function secondAfter(iso: string): number {
  const whole = Math.floor(Date.parse(iso) / 1000);
  return /\.0*Z$/.test(iso) ? whole : whole + 1;
}
