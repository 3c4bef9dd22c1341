// Reads from a standby (DATABASE_READ_URL). A read goes there only if the standby has replayed everything that the primary
// had committed when the read began: so no caller reads less than was written before, by itself or by others, on this server
// or on another. A standby that is behind, or down, costs a read a short wait, and then the primary answers.

import { setTimeout as pause, setImmediate as yieldToIo } from 'node:timers/promises';
import type { MonotonicClock } from './clock.ts';
import { type Db, isTemporary, isUnavailable, sqlState } from './db.ts';
import type { Log } from './log.ts';

/** How long a read waits for the standby to catch up, and twice that for its answer. */
const MAX_WAIT_MS = 50;
const POLL_MS = 3;
/** Reads go to the primary for this long after the standby was behind, or did not answer: they do not wait again. */
const BEHIND_PAUSE_MS = 250;
const DOWN_PAUSE_MS = 5_000;

export interface Reads {
  /** Runs `work` with a database to read from. It may run twice: the second time with the primary. */
  read<T>(work: (db: Db) => Promise<T>): Promise<T>;
}

export interface StandbyOptions {
  readonly primary: Db;
  readonly standby: Db;
  readonly elapsed: MonotonicClock;
  readonly log: Log;
  /** Instead of 50 ms. */
  readonly maxWaitMs?: number;
}

export function readFromPrimary(primary: Db): Reads {
  return { read: (work) => work(primary) };
}

/** Everything that was acknowledged is flushed: a position of the log that includes all of it. */
const POSITION = 'select pg_current_wal_flush_lsn()::text as position';
/** A server that was promoted is no standby any more, and may have another history. */
const HAS_REPLAYED = 'select pg_is_in_recovery() and pg_last_wal_replay_lsn() >= $1::pg_lsn as replayed';

const READ_ONLY = '25006';

/** An answer that has arrived while this process was busy is in time: it is read before this resolves. */
async function late(afterMs: number): Promise<'late'> {
  await pause(afterMs, undefined, { ref: false });
  await yieldToIo();
  return 'late';
}

type State = 'current' | 'behind' | 'down';

export function readFromStandby(options: StandbyOptions): Reads {
  const { primary, standby, elapsed, log, maxWaitMs = MAX_WAIT_MS } = options;
  let pausedUntil = 0;
  let state: State = 'current';

  const setState = (next: State, error?: unknown): void => {
    if (next !== 'current') pausedUntil = elapsed.now() + (next === 'down' ? DOWN_PAUSE_MS : BEHIND_PAUSE_MS);
    if (next === state) return;
    state = next;
    if (next === 'current') log.info('the standby is read again');
    else if (next === 'down') log.warn({ err: error }, 'the standby does not answer; the primary is read');
    else log.info('the standby is behind; the primary is read');
  };

  const hasReplayed = async (position: string, until: number): Promise<boolean> => {
    for (let isFirst = true; isFirst || elapsed.now() < until; isFirst = false) {
      const [row] = await standby.priority.query<{ replayed: boolean | null }>(HAS_REPLAYED, [position]);
      if (row?.replayed === true) return true;
      await pause(POLL_MS);
    }
    return false;
  };

  const isCurrent = async (): Promise<boolean> => {
    if (elapsed.now() < pausedUntil) return false;
    const [row] = await primary.priority.query<{ position: string }>(POSITION);
    const until = elapsed.now() + maxWaitMs;
    const asked = hasReplayed(row?.position ?? '', until);
    asked.catch(() => undefined); // Awaited below, unless it takes too long.
    try {
      const answer = await Promise.race([asked, late(2 * maxWaitMs)]);
      if (answer === 'late') setState('down', new Error('it did not answer in time'));
      else setState(answer ? 'current' : 'behind');
      return answer === true;
    } catch (error) {
      setState('down', error);
      return false;
    }
  };

  return {
    async read(work) {
      if (!(await isCurrent())) return work(primary);
      try {
        return await work(standby);
      } catch (error) {
        if (!isUnavailable(error)) throw error; // A refusal is an answer.
        // Replay had to cancel the statement, or it writes after all: the standby itself is well.
        if (!isTemporary(error) && sqlState(error) !== READ_ONLY) setState('down', error);
        return work(primary);
      }
    },
  };
}
