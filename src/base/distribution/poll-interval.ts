// How often the worker's loops look for due work. Each look of a distributed database asks every shard of a table, so the
// more shards there are, the rarer a look is that finds nothing: what an idle worker costs does not grow with them.

import type { Queryable } from '../db.ts';

export interface PollInterval {
  /** So long after a few looks in vain, unless there may be work. */
  readonly idleSeconds: number;
  /** The shortest time between two looks of one loop, however often it is woken. */
  readonly wakeMs: number;
}

const IDLE_SECONDS_PER_SHARD = 0.15;
const MAX_IDLE_SECONDS = 30;
const WAKE_MS_PER_SHARD = 2;
const MAX_WAKE_MS = 250;

/** Null: one PostgreSQL has all tables, and the loops look as often as they would. */
export async function readPollInterval(db: Queryable): Promise<PollInterval | null> {
  const [found] = await db.query<{ isCitus: boolean }>(`select to_regclass('pg_dist_shard') is not null as "isCitus"`);
  if (found?.isCitus !== true) return null;
  const [counted] = await db.query<{ shards: number }>(
    'select coalesce(max(n), 0)::integer as shards from (select count(*) as n from pg_dist_shard group by logicalrelid) s',
  );
  return counted === undefined || counted.shards === 0 ? null : pollInterval(counted.shards);
}

export function pollInterval(shards: number): PollInterval {
  return {
    idleSeconds: Math.min(MAX_IDLE_SECONDS, shards * IDLE_SECONDS_PER_SHARD),
    wakeMs: Math.min(MAX_WAKE_MS, shards * WAKE_MS_PER_SHARD),
  };
}
