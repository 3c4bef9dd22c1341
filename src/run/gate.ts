// The gate: one look-up for keys, their venues and their rolling hours. Calls that arrive in the same moment share one
// round trip, and calls of one key share one row lock, so that load makes a call cheaper, not dearer. A call never joins a
// look-up that was sent before it came: a revoked key fails on the very next request.

import type { Queryable } from '../base/db.ts';
import { type AdmitRow, admitAll } from '../domain/keys/queries.ts';

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
  readonly hash: Buffer | null;
  readonly effect: 'read' | 'write';
  readonly address: string;
  readonly origin: string;
}

export interface Passage {
  readonly row: AdmitRow;
  readonly allowance: Allowance;
}

interface Waiting {
  readonly pass: (passage: Passage) => void;
  readonly fail: (error: unknown) => void;
}

/** Callers that look alike to the database: same key, effect, address and origin. */
interface Group {
  readonly knock: Knock;
  readonly waiting: Waiting[];
}

export type Gate = (knock: Knock) => Promise<Passage>;

/** So many look-ups are under way at once, each for at most so many groups. */
const MOST_UNDERWAY = 3;
const MOST_GROUPS = 200;

export function makeGate(db: Queryable): Gate {
  const queue = new Map<string, Group>();
  let underway = 0;
  let scheduled = false;

  const schedule = (): void => {
    if (scheduled || queue.size === 0 || underway >= MOST_UNDERWAY) return;
    scheduled = true;
    // After this turn of the event loop: whoever else arrives in it shares the look-up.
    setImmediate(() => {
      scheduled = false;
      const groups = [...queue].slice(0, MOST_GROUPS);
      for (const [name] of groups) queue.delete(name);
      void look(groups.map(([, group]) => group));
      schedule();
    });
  };

  const look = async (groups: readonly Group[]): Promise<void> => {
    underway++;
    try {
      const rows = await admitAll(
        db,
        groups.map(({ knock, waiting }) => ({ ...knock, calls: waiting.length })),
      );
      groups.forEach(({ waiting }, index) => {
        const row = rows[index];
        if (row === undefined) throw new Error('admit() answers one row for each caller');
        waiting.forEach(({ pass }, place) => {
          pass({ row, allowance: allowanceOf(row, place) });
        });
      });
    } catch (error) {
      for (const { waiting } of groups) for (const { fail } of waiting) fail(error);
    } finally {
      underway--;
      schedule();
    }
  };

  return (knock) =>
    new Promise<Passage>((pass, fail) => {
      const name = `${knock.hash?.toString('latin1') ?? ''} ${knock.effect} ${knock.address} ${knock.origin}`;
      const group = queue.get(name);
      if (group === undefined) queue.set(name, { knock, waiting: [{ pass, fail }] });
      else group.waiting.push({ pass, fail });
      schedule();
    });
}

/** The share of one call in a look-up for several: the first ones are let through, each seeing one fewer left. */
export function allowanceOf(row: AdmitRow, place: number): Allowance {
  const now = Date.parse(row.asked_at);
  const turn = row.earlier + place;
  const passed = turn < row.granted;
  const reset = row.reset_at === null ? Math.floor(now / 1000) : secondAfter(row.reset_at);
  const retryAt = row.retry_at === null ? now : Date.parse(row.retry_at) + 1;
  return {
    limit: row.call_limit,
    remaining: passed ? row.remaining + row.granted - turn - 1 : row.remaining,
    reset,
    retryAfter: passed ? null : Math.max(1, Math.ceil((retryAt - now) / 1000)),
  };
}

/** The first whole second that is not before this time (microseconds count: Date.parse would cut them). */
function secondAfter(iso: string): number {
  const whole = Math.floor(Date.parse(iso) / 1000);
  return /\.0*Z$/.test(iso) ? whole : whole + 1;
}
