// The SQL of the messages that test inboxes received.

import type { Queryable } from '../../../base/db.ts';
import { deleteBatch } from '../../../base/delete-batch.ts';

/** How many messages an inbox keeps, and for how long. */
export const MAX_MESSAGES = 50;
const RETENTION = `interval '24 hours'`;

export interface NewMessage {
  readonly venueId: string;
  readonly endpointId: string;
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly signature: string;
  readonly body: string;
  readonly now: number;
}

/** Keeps the newest MAX_MESSAGES. An endpoint that was deleted meanwhile gets none. */
export async function insertInboxMessage(db: Queryable, message: NewMessage): Promise<void> {
  const { venueId, endpointId } = message;
  await db.query(
    `insert into test_inbox_messages (venue_id, endpoint_id, message_id, event_id, type, signature, body, received_at)
     select w.venue_id, w.endpoint_id, $3, $4, $5, $6, $7, to_timestamp($8 / 1000.0)
     from webhook_endpoints w where w.venue_id = $1 and w.endpoint_id = $2`,
    [venueId, endpointId, message.id, message.eventId, message.type, message.signature, message.body, message.now],
  );
  await db.query(
    `delete from test_inbox_messages where venue_id = $1 and endpoint_id = $2 and message_id < (
       select message_id from test_inbox_messages where venue_id = $1 and endpoint_id = $2
       order by message_id desc offset ${MAX_MESSAGES - 1} limit 1)`,
    [venueId, endpointId],
  );
}

export interface InboxMessage {
  readonly eventId: string;
  readonly type: string;
  readonly signature: string;
  readonly body: string;
  readonly receivedAt: string;
}

/** Newest first. */
export async function listInboxMessages(
  db: Queryable,
  venueId: string,
  endpointId: string,
  limit: number,
  now: number,
): Promise<InboxMessage[]> {
  return db.query<InboxMessage>(
    `select event_id as "eventId", type, signature, body, utc_micros(received_at) as "receivedAt" from test_inbox_messages
     where venue_id = $1 and endpoint_id = $2 and received_at > to_timestamp($4 / 1000.0) - ${RETENTION}
     order by message_id desc limit $3`,
    [venueId, endpointId, limit, now],
  );
}

const OLD_MESSAGES = {
  table: 'test_inbox_messages',
  key: 'venue_id, endpoint_id, message_id',
  isOld: `received_at < to_timestamp($1 / 1000.0) - ${RETENTION}`,
};

export async function deleteOldInboxMessages(db: Queryable, now: number, limit: number): Promise<number> {
  const rows = await db.query(deleteBatch(OLD_MESSAGES, '$2'), [now, limit]);
  return rows.length;
}
