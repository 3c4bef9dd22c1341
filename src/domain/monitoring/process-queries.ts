// The SQL of the processes that run: each writes its row while it lives. All times are those of the database's clock, so that
// a machine whose clock is wrong is neither taken for dead nor kept after its death.

import type { Queryable } from '../../base/db.ts';

export type ProcessRole = 'start' | 'serve' | 'worker';

/** When calls last succeeded and failed, in milliseconds; null: not yet. */
export interface Outcome {
  readonly succeededAt: number | null;
  readonly failedAt: number | null;
  readonly failure: string | null;
}

export interface ProcessRow {
  readonly id: string;
  readonly role: ProcessRole;
  readonly version: string;
  readonly schemaVersion: number;
  readonly host: string;
  readonly startedAt: number;
  readonly seenAt: number;
  /** Of calls to the card processor, by mode. */
  readonly outcomes: Readonly<Record<string, Outcome>>;
}

const MAX_LISTED = 500;
const COLUMNS = `process_id as id, role, version, schema_version as "schemaVersion", host,
  (extract(epoch from started_at at time zone 'UTC') * 1000)::float8 as "startedAt",
  (extract(epoch from seen_at at time zone 'UTC') * 1000)::float8 as "seenAt", outcomes`;

/** Also deletes the rows of processes that were not seen for a day. */
export async function recordProcess(db: Queryable, row: Omit<ProcessRow, 'startedAt' | 'seenAt'>): Promise<void> {
  await db.query(
    `with gone as (delete from processes where seen_at < now() - interval '1 day')
     insert into processes (process_id, role, version, schema_version, host, started_at, seen_at, outcomes)
     values ($1, $2, $3, $4, $5, now(), now(), $6)
     on conflict (process_id) do update set seen_at = excluded.seen_at, outcomes = excluded.outcomes`,
    [row.id, row.role, row.version, row.schemaVersion, row.host, JSON.stringify(row.outcomes)],
  );
}

/** The process has stopped. Its row stays for a day: it says when the processor answered last. */
export async function endProcess(db: Queryable, id: string): Promise<void> {
  await db.query(`update processes set seen_at = now() - interval '1 minute' where process_id = $1`, [id]);
}

/** Those seen in the last minute, newest first. `limit` null: all of them. */
export async function runningProcesses(db: Queryable, limit: number | null = MAX_LISTED): Promise<ProcessRow[]> {
  return db.query<ProcessRow>(
    `select ${COLUMNS} from processes where seen_at > now() - interval '1 minute'
     order by started_at desc, process_id limit $1`,
    [limit],
  );
}

/** Until the transaction ends, a process that says that it lives waits. */
export async function lockProcesses(tx: Queryable): Promise<void> {
  await tx.query('lock table processes in share mode');
}

/** Those seen in the last day. */
export async function recentProcesses(db: Queryable): Promise<ProcessRow[]> {
  return db.query<ProcessRow>(
    `select ${COLUMNS} from processes where seen_at > now() - interval '1 day'
     order by seen_at desc limit ${MAX_LISTED}`,
  );
}

/** False before the first migration that made it. */
export async function hasProcessTable(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ exists: boolean }>(`select to_regclass('processes') is not null as exists`);
  return row?.exists === true;
}
