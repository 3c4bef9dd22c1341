// The oldest event that a partner has not received yet.

import type { Queryable } from '../../../base/db.ts';

export interface OldestUndelivered {
  /** Of the oldest event that waits for dispatch. */
  readonly eventId: string | null;
  /** The time of the oldest event from before the given time that waits for an attempt, in milliseconds. */
  readonly deliveryAt: number | null;
}

/** Deliveries from before `before` are few: they are deleted earlier than events. */
export async function oldestUndelivered(db: Queryable, before: number): Promise<OldestUndelivered> {
  const [event] = await db.query<{ id: string | null }>('select min(event_id) as id from undispatched_events');
  const [delivery] = await db.query<{ at: number | null }>(
    `select floor(extract(epoch from min(created_at)) * 1000)::float8 as at from deliveries
     where due_at is not null and created_at < to_timestamp($1 / 1000.0)`,
    [before],
  );
  return { eventId: event?.id ?? null, deliveryAt: delivery?.at ?? null };
}
