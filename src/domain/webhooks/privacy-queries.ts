// The SQL that takes a guest out of what is stored about the deliveries of an event: what a partner's server answered, and
// the copies in the inbox of test mode.

import type { Queryable } from '../../base/db.ts';

export interface DeliveryText {
  readonly venueId: string;
  readonly endpointId: string;
  readonly eventId: string;
  /** It was sent, the endpoint did not take it, and it will be sent again. */
  readonly isRetried: boolean;
  readonly createdAt: string;
  readonly lastResponse: string | null;
  readonly lastError: string | null;
  /** JSON. */
  readonly earlierAttempts: string | null;
}

/** Of endpoints that were deleted as well. A delivery has the time of its event. */
export async function deliveriesOf(
  tx: Queryable,
  venueId: string,
  events: readonly { readonly id: string; readonly createdAt: string }[],
): Promise<DeliveryText[]> {
  return tx.query<DeliveryText>(
    `select d.venue_id as "venueId", d.endpoint_id as "endpointId", d.event_id as "eventId", d.created_at as "createdAt",
       d.due_at is not null and d.attempts > 0 and w.endpoint_id is not null as "isRetried",
       d.last_response as "lastResponse", d.last_error as "lastError", d.earlier_attempts::text as "earlierAttempts"
     from deliveries d left join webhook_endpoints w on w.venue_id = d.venue_id and w.endpoint_id = d.endpoint_id
     where d.venue_id = $1 and d.event_id = any($2) and d.created_at = any($3::timestamptz[])
     order by d.endpoint_id, d.created_at`,
    [venueId, events.map(({ id }) => id), events.map(({ createdAt }) => createdAt)],
  );
}

export async function replaceDeliveryText(tx: Queryable, text: DeliveryText): Promise<void> {
  await tx.query(
    `update deliveries set last_response = $4, last_error = $5, earlier_attempts = $6::jsonb
     where venue_id = $1 and endpoint_id = $2 and created_at = $3::timestamptz`,
    [text.venueId, text.endpointId, text.createdAt, text.lastResponse, text.lastError, text.earlierAttempts],
  );
}

/** Deleted, not changed: a signature belongs to its bytes. */
export async function deleteInboxCopies(tx: Queryable, venueId: string, eventIds: readonly string[]): Promise<number> {
  const rows = await tx.query(
    'delete from test_inbox_messages where venue_id = $1 and event_id = any($2) returning 1',
    [venueId, eventIds],
  );
  return rows.length;
}
