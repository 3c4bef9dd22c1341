// Deletes inbound deliveries, and what is known of objects, bookings and slots, when their time has passed.

import type { Queryable } from '../../../base/db.ts';
import { deleteBatch, type OldRows } from '../../../base/delete-batch.ts';

const DAY_MS = 24 * 3_600_000;
const DELIVERY_RETENTION_MS = 30 * DAY_MS;
/** Bodies of ignored deliveries are stored for a day: long enough to apply them again. */
const IGNORED_BODY_RETENTION_MS = DAY_MS;
/** A class is planned months ahead, and its next delivery may come only with a booking. */
const OBJECT_RETENTION_MS = 400 * DAY_MS;

async function deleteIgnoredBodies(db: Queryable, before: number, limit: number): Promise<number> {
  const isOld = "status = 'ignored' and body is not null and received_at < to_timestamp($1 / 1000.0)";
  const deleted = await db.query(
    `update inbound_deliveries set body = null where (venue_id, delivery_id) in (
       select venue_id, delivery_id from inbound_deliveries where ${isOld} limit $2) and ${isOld} returning 1`,
    [before, limit],
  );
  return deleted.length;
}

const isBefore = (column: string): string => `${column} < to_timestamp($1 / 1000.0)`;
const OLD_DELIVERIES: OldRows = {
  table: 'inbound_deliveries',
  key: 'venue_id, delivery_id',
  isOld: `due_at is null and ${isBefore('received_at')}`,
};
const OLD_OBJECTS: OldRows = {
  table: 'hook_objects',
  key: 'venue_id, integration_id, object_hash',
  isOld: isBefore('received_at'),
};
const OLD_BOOKINGS: OldRows = {
  table: 'hook_bookings',
  key: 'venue_id, integration_id, booking_hash',
  isOld: isBefore('last_at'),
};
const OLD_SLOTS: OldRows = { table: 'hook_slots', key: 'venue_id, mode, slot_hash', isOld: isBefore('last_at') };

/** Deletes deliveries after 30 days, objects after 400 days, bookings and slots 30 days after the slot. */
export async function deleteOldInbound(db: Queryable, now: number, limit: number): Promise<number> {
  const deleteBefore = async (rows: OldRows, before: number): Promise<number> =>
    (await db.query(deleteBatch(rows, '$2'), [before, limit])).length;
  const counts = [
    await deleteIgnoredBodies(db, now - IGNORED_BODY_RETENTION_MS, limit),
    await deleteBefore(OLD_DELIVERIES, now - DELIVERY_RETENTION_MS),
    await deleteBefore(OLD_OBJECTS, now - OBJECT_RETENTION_MS),
    await deleteBefore(OLD_BOOKINGS, now - DELIVERY_RETENTION_MS),
    await deleteBefore(OLD_SLOTS, now - DELIVERY_RETENTION_MS),
  ];
  return Math.max(...counts);
}
