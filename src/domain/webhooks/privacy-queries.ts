// The SQL that takes a guest out of what is stored about the deliveries of an event: what a partner's server answered, and
// the copies in the inbox of test mode.

import type { Queryable } from '../../base/db.ts';

export interface DeliveryText {
  readonly venueId: string;
  readonly endpointId: string;
  readonly createdAt: string;
  readonly lastResponse: string | null;
  readonly lastError: string | null;
  /** JSON. */
  readonly earlierAttempts: string | null;
}

/** A delivery has the time of its event, which is in its key. */
export async function deliveriesOf(
  tx: Queryable,
  event: { readonly venueId: string; readonly id: string; readonly createdAt: string },
): Promise<DeliveryText[]> {
  return tx.query<DeliveryText>(
    `select d.venue_id as "venueId", d.endpoint_id as "endpointId", d.created_at as "createdAt",
       d.last_response as "lastResponse", d.last_error as "lastError", d.earlier_attempts::text as "earlierAttempts"
     from webhook_endpoints w
     join deliveries d on d.venue_id = w.venue_id and d.endpoint_id = w.endpoint_id and d.created_at = $3::timestamptz
     where w.venue_id = $1 and d.event_id = $2`,
    [event.venueId, event.id, event.createdAt],
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
