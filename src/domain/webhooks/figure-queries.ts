// The figures of endpoints and deliveries that monitoring shows.

import type { Queryable } from '../../base/db.ts';

export interface EndpointCounts {
  readonly active: number;
  /** Active, with something to send, and not one success in the last hour. */
  readonly failing: number;
  readonly disabled: number;
}

const MAX_ENDPOINTS = 100_000;
export const MAX_DELIVERIES = 100_000;

export async function countEndpoints(db: Queryable, now: number): Promise<EndpointCounts> {
  const [counts] = await db.query<EndpointCounts>(
    `select (count(*) filter (where w.status = 'active'))::integer as active,
       (count(*) filter (where w.status = 'disabled'))::integer as disabled,
       (count(*) filter (where w.status = 'active' and q.failures > 0 and q.due_at is not null
         and coalesce(q.last_success_at, '-infinity') < to_timestamp($1 / 1000.0) - interval '1 hour'))::integer as failing
     from (select venue_id, endpoint_id, status from webhook_endpoints limit ${MAX_ENDPOINTS}) w
     left join endpoint_queues q on q.venue_id = w.venue_id and q.endpoint_id = w.endpoint_id`,
    [now],
  );
  return counts ?? { active: 0, failing: 0, disabled: 0 };
}

export interface WaitingDeliveries {
  readonly count: number;
  /** When the oldest was created, in milliseconds; null: none waits. */
  readonly oldestAt: number | null;
}

/** Deliveries that are not delivered and not given up, those included that wait for their next try. At most 100,000. */
export async function countWaitingDeliveries(db: Queryable): Promise<WaitingDeliveries> {
  const [row] = await db.query<WaitingDeliveries>(
    `select count(*)::integer as count, extract(epoch from min(created_at))::float8 * 1000 as "oldestAt"
     from (select created_at from deliveries where due_at is not null limit ${MAX_DELIVERIES}) d`,
  );
  return row ?? { count: 0, oldestAt: null };
}
