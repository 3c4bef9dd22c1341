// The SQL of deliveries that were made in the past, for demo data.

import type { Queryable } from '../../../base/db.ts';
import { RETRY_WINDOW_MS } from './schedule.ts';

export interface PastDelivery {
  readonly eventId: string;
  readonly type: string;
  /** The event's time, as text. */
  readonly createdAt: string;
  readonly status: 'delivered' | 'failed';
  /** When and how each attempt ended, oldest first. */
  readonly attempts: readonly { readonly at: string; readonly status: number; readonly duration_ms: number }[];
}

const ERROR_ANSWER = 'upstream unavailable';

/** Inserts ended deliveries, and marks the last success of their endpoint's queue. */
export async function insertPastDeliveries(
  tx: Queryable,
  venueId: string,
  endpointId: string,
  deliveries: readonly PastDelivery[],
): Promise<void> {
  const rows = deliveries.map(({ attempts, ...delivery }) => ({
    ...delivery,
    last: attempts.at(-1),
    earlier: attempts.length > 1 ? attempts.slice(0, -1).map((attempt) => ({ ...attempt, error: null })) : null,
    count: attempts.length,
  }));
  await tx.query(
    `insert into deliveries (venue_id, endpoint_id, event_id, type, status, attempts, tries, ends_at, last_status, last_response,
       last_duration_ms, last_attempt_at, delivered_at, created_at, earlier_attempts)
     select $1, $2, d."eventId", d.type, d.status, d.count, d.count, d."createdAt" + $4 * interval '1 millisecond',
       (d.last ->> 'status')::smallint, case d.status when 'delivered' then 'ok' else $5 end,
       (d.last ->> 'duration_ms')::integer, (d.last ->> 'at')::timestamptz,
       case d.status when 'delivered' then (d.last ->> 'at')::timestamptz end, d."createdAt", d.earlier
     from json_to_recordset($3::json) as d("eventId" text, type text, status text, "createdAt" timestamptz, last jsonb,
       earlier jsonb, count integer)
     on conflict do nothing`,
    [venueId, endpointId, JSON.stringify(rows), RETRY_WINDOW_MS, ERROR_ANSWER],
  );
  await tx.query(
    `update endpoint_queues q set last_success_at = (
       select max(d.delivered_at) from deliveries d where d.venue_id = $1 and d.endpoint_id = $2)
     where q.venue_id = $1 and q.endpoint_id = $2`,
    [venueId, endpointId],
  );
}
