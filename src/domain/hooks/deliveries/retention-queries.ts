// Deletes inbound deliveries, and what is known of objects, bookings and slots, when their time has passed.

import type { Queryable } from '../../../base/db.ts';

const DAY_MS = 24 * 3_600_000;
const DELIVERY_RETENTION_MS = 30 * DAY_MS;
/** Bodies of ignored deliveries are stored for a day: long enough to apply them again. */
const IGNORED_BODY_RETENTION_MS = DAY_MS;
/** A class is planned months ahead, and its next delivery may come only with a booking. */
const OBJECT_RETENTION_MS = 400 * DAY_MS;

async function deleteIgnoredBodies(db: Queryable, before: number, limit: number): Promise<number> {
  const deleted = await db.query(
    `update inbound_deliveries set body = null where ctid = any(array(
       select ctid from inbound_deliveries
       where status = 'ignored' and body is not null and received_at < to_timestamp($1 / 1000.0)
       limit $2 for update skip locked)) and status = 'ignored' returning 1`,
    [before, limit],
  );
  return deleted.length;
}

/** Deletes deliveries after 30 days, objects after 400 days, bookings and slots 30 days after the slot. */
export async function deleteOldInbound(db: Queryable, now: number, limit: number): Promise<number> {
  const deleteBefore = async (table: string, condition: string, before: number): Promise<number> => {
    const deleted = await db.query(
      `delete from ${table} where ctid = any(array(
         select ctid from ${table} where ${condition} < to_timestamp($1 / 1000.0) limit $2)) returning 1`,
      [before, limit],
    );
    return deleted.length;
  };
  const counts = [
    await deleteIgnoredBodies(db, now - IGNORED_BODY_RETENTION_MS, limit),
    await deleteBefore('inbound_deliveries', 'due_at is null and received_at', now - DELIVERY_RETENTION_MS),
    await deleteBefore('hook_objects', 'received_at', now - OBJECT_RETENTION_MS),
    await deleteBefore('hook_bookings', 'last_at', now - DELIVERY_RETENTION_MS),
    await deleteBefore('hook_slots', 'last_at', now - DELIVERY_RETENTION_MS),
  ];
  return Math.max(...counts);
}
