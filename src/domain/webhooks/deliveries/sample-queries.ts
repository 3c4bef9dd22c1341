// The samples that were sent to endpoints, for the delivery log. A sample is recorded after its one attempt and never
// changes.

import type { Queryable } from '../../../base/db.ts';
import { deleteBatch, type OldRows } from '../../../base/delete-batch.ts';
import type { PageQuery } from '../../../base/page.ts';
import { DAY_MS } from '../../../base/retention.ts';
import type { Attempt } from './attempt.ts';
import type { DeliveryRow } from './queries.ts';

export interface SentSample {
  readonly venueId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: string;
  readonly attempt: Attempt;
}

const MAX_TIMES = 10;

/**
 * The log pages by time. Events are at whole milliseconds, or few microseconds after: a sample is half a millisecond
 * later, so that both have a time of their own.
 */
export async function recordSample(tx: Queryable, sample: SentSample): Promise<void> {
  const { delivered, status, error, response, durationMs, at } = sample.attempt;
  for (let round = 0; round < MAX_TIMES; round++) {
    const rows = await tx.query(
      `insert into sample_deliveries
         (venue_id, endpoint_id, created_at, event_id, type, is_delivered, status, error, response, duration_ms)
       values ($1, $2, to_timestamp($3 / 1000.0) + interval '1 microsecond' * $4, $5, $6, $7, $8, $9, $10, $11)
       on conflict do nothing returning 1`,
      [
        sample.venueId,
        sample.endpointId,
        at,
        500 + round,
        sample.eventId,
        sample.type,
        delivered,
        status,
        error,
        response,
        durationMs,
      ],
    );
    if (rows.length > 0) return;
  }
  throw new Error(`the sample ${sample.eventId} found no free time in the log`);
}

/** Newest first, in the shape of the other deliveries, one row more than the page holds. */
export async function listSampleRows(
  db: Queryable,
  venueId: string,
  endpointId: string,
  page: PageQuery,
): Promise<DeliveryRow[]> {
  return db.query<DeliveryRow>(
    `select event_id, endpoint_id, type, case when is_delivered then 'delivered' else 'failed' end as status, 1 as attempts,
       status as last_status, error as last_error, response as last_response, duration_ms as last_duration_ms,
       created_at as last_attempt_at, null as earlier_attempts, null as end_reason, null as next_attempt_at,
       case when is_delivered then created_at end as delivered_at, created_at, true as sample
     from sample_deliveries
     where venue_id = $1 and endpoint_id = $2 and created_at < coalesce($3::timestamptz, 'infinity')
       and ($5::text is null or $5 = case when is_delivered then 'delivered' else 'failed' end)
     order by created_at desc limit $4`,
    [venueId, endpointId, page.before, page.limit + 1, page.status],
  );
}

const OLD_SAMPLES: OldRows = {
  table: 'sample_deliveries',
  key: 'venue_id, endpoint_id, created_at',
  isOld: 'created_at < to_timestamp($1 / 1000.0)',
};

export async function deleteOldSamples(db: Queryable, now: number, days: number, limit: number): Promise<number> {
  const rows = await db.query(deleteBatch(OLD_SAMPLES, '$2'), [now - days * DAY_MS, limit]);
  return rows.length;
}
