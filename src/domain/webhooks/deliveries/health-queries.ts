// Counts the deliveries of an endpoint by the hour of their event, for the console.

import type { Queryable } from '../../../base/db.ts';

interface HealthHour {
  /** Hours since the beginning of the window. */
  readonly hour: number;
  readonly firstTry: number;
  readonly late: number;
  readonly waiting: number;
  readonly failed: number;
}

interface HealthTotals {
  readonly counted: number;
  readonly retrying: number;
  readonly oldestRetryAt: string | null;
  readonly medianMs: number | null;
  readonly slowMs: number | null;
}

interface CommonFailure {
  readonly status: number | null;
  readonly error: string | null;
  readonly count: number;
}

interface HealthRow extends HealthTotals {
  readonly hours: readonly HealthHour[];
  readonly failure: CommonFailure | null;
}

/** A delivery counts for the hour of its event. More than `maxCounted`: the newest ones count. */
export async function readHealth(
  db: Queryable,
  { venueId, endpointId, from, maxCounted }: { venueId: string; endpointId: string; from: number; maxCounted: number },
): Promise<HealthRow> {
  const rows = await db.query<HealthRow>(
    `with counted as materialized (
       select status, attempts, created_at, last_duration_ms,
         case when status = 'delivered' then (earlier_attempts -> -1 ->> 'status')::integer else last_status end as bad_status,
         case when status = 'delivered' then earlier_attempts -> -1 ->> 'error' else coalesce(end_reason, last_error) end as bad_error,
         floor(extract(epoch from created_at - to_timestamp($3 / 1000.0)) / 3600)::integer as hour
       from deliveries
       where venue_id = $1 and endpoint_id = $2 and created_at >= to_timestamp($3 / 1000.0)
       order by created_at desc limit $4),
     by_hour as (
       select hour, count(*) filter (where status = 'delivered' and attempts <= 1)::integer as first_try,
         count(*) filter (where status = 'delivered' and attempts > 1)::integer as late,
         count(*) filter (where status = 'pending')::integer as waiting,
         count(*) filter (where status = 'failed')::integer as failed
       from counted group by hour),
     failures as (
       select bad_status, bad_error, count(*)::integer as times from counted
       where bad_error is not null group by bad_status, bad_error order by count(*) desc, bad_error limit 1)
     select count(*)::integer as counted,
       count(*) filter (where status = 'pending' and attempts > 0)::integer as retrying,
       min(created_at) filter (where status = 'pending' and attempts > 0) as "oldestRetryAt",
       percentile_cont(0.5) within group (order by last_duration_ms) filter (where status = 'delivered') as "medianMs",
       percentile_cont(0.95) within group (order by last_duration_ms) filter (where status = 'delivered') as "slowMs",
       coalesce((select jsonb_agg(jsonb_build_object('hour', hour, 'firstTry', first_try, 'late', late, 'waiting', waiting,
         'failed', failed)) from by_hour), '[]') as hours,
       (select jsonb_build_object('status', bad_status, 'error', bad_error, 'count', times) from failures) as failure
     from counted`,
    [venueId, endpointId, from, maxCounted],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate answered no row');
  return row;
}
