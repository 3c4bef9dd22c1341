// The gate: one look-up for the key, its venue and its rolling hour. Calls of one key that arrive while one look-up is
// under way wait for the next and share it, so a hot key costs fewer round trips, not more, and its row is locked once
// for many calls. A call never joins a look-up that began before it came: a revoked key fails on the very next request.

import type { Queryable } from '../base/db.ts';
import { type AdmitRow, admitCalls } from '../domain/keys/queries.ts';

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

export type Gate = (knock: Knock) => Promise<Passage>;

/** More than this many at once go in several look-ups. */
const MOST_TOGETHER = 500;

export function makeGate(db: Queryable): Gate {
  const queues = new Map<string, Waiting[]>();

  const serve = async (name: string, knock: Knock, queue: Waiting[]): Promise<void> => {
    while (queue.length > 0) {
      const together = queue.splice(0, MOST_TOGETHER);
      try {
        const row = await admitCalls(db, knock.hash, knock.effect, together.length, knock.address, knock.origin);
        together.forEach((waiting, place) => {
          waiting.pass({ row, allowance: allowanceOf(row, together.length, place) });
        });
      } catch (error) {
        for (const waiting of together) waiting.fail(error);
      }
    }
    queues.delete(name);
  };

  return (knock) =>
    new Promise<Passage>((pass, fail) => {
      const name = `${knock.hash?.toString('latin1') ?? ''} ${knock.effect} ${knock.address} ${knock.origin}`;
      const queue = queues.get(name);
      if (queue !== undefined) {
        queue.push({ pass, fail });
        return;
      }
      const fresh: Waiting[] = [{ pass, fail }];
      queues.set(name, fresh);
      void serve(name, knock, fresh);
    });
}

/** The share of one call in a look-up for several: the first ones are let through, each seeing one fewer left. */
export function allowanceOf(row: AdmitRow, wanted: number, place: number): Allowance {
  const now = Date.parse(row.counted_at);
  const passed = place < row.granted;
  const reset = row.reset_at === null ? Math.floor(now / 1000) : secondAfter(row.reset_at);
  const retryAt = row.retry_at === null ? now : Date.parse(row.retry_at) + 1;
  return {
    limit: row.call_limit,
    remaining: passed ? row.remaining + Math.min(row.granted, wanted) - place - 1 : row.remaining,
    reset,
    retryAfter: passed ? null : Math.max(1, Math.ceil((retryAt - now) / 1000)),
  };
}

/** The first whole second that is not before this time (microseconds count: Date.parse would cut them). */
function secondAfter(iso: string): number {
  const whole = Math.floor(Date.parse(iso) / 1000);
  return /\.0*Z$/.test(iso) ? whole : whole + 1;
}
