// The SQL that finds endpoints that fail.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';

export interface FailingEndpoint {
  readonly venueId: string;
  readonly id: string;
  readonly mode: Mode;
  readonly url: string;
  /** The UTC day of the last success, such as 2027-06-12; null: there was none. */
  readonly lastSuccessDay: string | null;
}

/**
 * A page of active endpoints, by venue and id, of which a delivery has been tried for an hour and none has succeeded in
 * that hour. A delivery's 72 hours begin again when it is redelivered, so its end says for how long it is tried.
 */
export async function endpointsToAnnounce(
  db: Queryable,
  after: Pick<FailingEndpoint, 'venueId' | 'id'> | null,
  now: number,
  limit: number,
): Promise<FailingEndpoint[]> {
  return db.query<FailingEndpoint>(
    `select w.venue_id as "venueId", w.endpoint_id as "id", w.mode, w.url,
       to_char(q.last_success_at at time zone 'UTC', 'YYYY-MM-DD') as "lastSuccessDay"
     from endpoint_queues q join webhook_endpoints w on w.venue_id = q.venue_id and w.endpoint_id = q.endpoint_id
     where q.due_at is not null and w.status = 'active'
       and coalesce(q.last_success_at, '-infinity') < to_timestamp($3 / 1000.0) - interval '1 hour'
       and ($1::uuid is null or (q.venue_id, q.endpoint_id) > ($1, $2))
       and exists (select 1 from deliveries d
         where d.venue_id = q.venue_id and d.endpoint_id = q.endpoint_id and least(d.attempts, 1) = 1
           and d.due_at is not null and d.tries > 0 and d.ends_at < to_timestamp($3 / 1000.0) + interval '71 hours')
     order by q.venue_id, q.endpoint_id limit $4`,
    [after?.venueId ?? null, after?.id ?? null, now, limit],
  );
}
