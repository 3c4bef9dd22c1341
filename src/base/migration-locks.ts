// The locks of a migration: the row that only one server holds, and transactions that wait for tables in use.

import { setTimeout as pause } from 'node:timers/promises';
import { sqlState } from './db.ts';

const DEADLOCK_DETECTED = '40P01';
const LOCK_NOT_AVAILABLE = '55P03';
export const LOCK_CONFLICTS = [DEADLOCK_DETECTED, LOCK_NOT_AVAILABLE];
/** A server waits up to 30 minutes for the migration of another one. */
const MIGRATION_LOCK_POLL_MS = 100;
const MAX_LOCK_POLLS = 18_000;
/** A waiting ACCESS EXCLUSIVE lock stops every later query on its table: the wait is short, and repeated after a pause. */
const LOCK_WAIT = '1s';
const MAX_LOCK_WAITS = 120;
const MAX_PAUSE_MS = 5_000;

/** One connection of its own. */
interface LockingClient {
  query(text: string): Promise<{ readonly rowCount: number | null }>;
}

/**
 * Begins a transaction that holds the lock row. It ends with `commit`, or with the connection. A server whose statement
 * waits for the row would have a snapshot, for which the build of an index waits: so it looks again after a pause.
 */
export async function lockMigrations(client: LockingClient, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; attempt <= MAX_LOCK_POLLS; attempt++) {
    await client.query('begin; set local idle_in_transaction_session_timeout = 0');
    const { rowCount } = await client.query('select 1 from migration_lock for update skip locked');
    if (rowCount === 1) return;
    await client.query('rollback');
    await pause(MIGRATION_LOCK_POLL_MS, undefined, { signal });
  }
  throw new Error('another server has been migrating the database for 30 minutes: see its log, then start again');
}

/** Running servers may hold a table, or lock tables in another order than the file does: then it is repeated, for minutes. */
export async function inTransaction<T>(client: LockingClient, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`begin; set local lock_timeout = '${LOCK_WAIT}'`);
      const done = await work();
      await client.query('commit');
      return done;
    } catch (error) {
      await client.query('rollback').catch(() => undefined); // A lost connection is reported by the first error.
      if (!LOCK_CONFLICTS.includes(sqlState(error))) throw error;
      if (attempt >= MAX_LOCK_WAITS) throw withRemedy(error);
      await pause(Math.min(attempt * 100, MAX_PAUSE_MS), undefined, { signal });
    }
  }
}

function withRemedy(error: unknown): unknown {
  if (error instanceof Error) {
    error.message +=
      '. Another connection keeps this table locked: end its transaction (select from pg_stat_activity), and start again';
  }
  return error;
}
