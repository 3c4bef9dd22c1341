// The SQL of the processes that run: each writes its row while it lives.

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
  (extract(epoch from started_at) * 1000)::float8 as "startedAt",
  (extract(epoch from seen_at) * 1000)::float8 as "seenAt", outcomes`;

/** Also deletes the rows of processes that were not seen for a day. */
export async function recordProcess(db: Queryable, row: ProcessRow): Promise<void> {
  await db.query(
    `with gone as (delete from processes where seen_at < to_timestamp($7 / 1000.0) - interval '1 day')
     insert into processes (process_id, role, version, schema_version, host, started_at, seen_at, outcomes)
     values ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0), to_timestamp($7 / 1000.0), $8)
     on conflict (process_id) do update set seen_at = excluded.seen_at, outcomes = excluded.outcomes`,
    [
      row.id,
      row.role,
      row.version,
      row.schemaVersion,
      row.host,
      row.startedAt,
      row.seenAt,
      JSON.stringify(row.outcomes),
    ],
  );
}

/** The process has stopped. Its row stays for a day: it says when the processor answered last. */
export async function endProcess(db: Queryable, id: string, now: number): Promise<void> {
  await db.query(
    `update processes set seen_at = to_timestamp($2 / 1000.0) - interval '1 minute' where process_id = $1`,
    [id, now],
  );
}

/** Those seen in the last minute, newest first. */
export async function livingProcesses(db: Queryable, now: number): Promise<ProcessRow[]> {
  return db.query<ProcessRow>(
    `select ${COLUMNS} from processes where seen_at > to_timestamp($1 / 1000.0) - interval '1 minute'
     order by started_at desc, process_id limit ${MAX_LISTED}`,
    [now],
  );
}

/** Those seen in the last day. */
export async function recentProcesses(db: Queryable, now: number): Promise<ProcessRow[]> {
  return db.query<ProcessRow>(
    `select ${COLUMNS} from processes where seen_at > to_timestamp($1 / 1000.0) - interval '1 day'
     order by seen_at desc limit ${MAX_LISTED}`,
    [now],
  );
}

/** False before the first migration that made it. */
export async function hasProcessTable(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ exists: boolean }>(`select to_regclass('processes') is not null as exists`);
  return row?.exists === true;
}
