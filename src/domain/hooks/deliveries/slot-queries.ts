// Reads and writes how many places slots have left, as deliveries and reads have changed them (hook_slots).

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';
import type { SlotCapacity } from '../slot-capacity.ts';

export async function findSlotCapacity(
  tx: Queryable,
  venueId: string,
  mode: Mode,
  hash: Buffer,
): Promise<SlotCapacity | null> {
  const rows = await tx.query<SlotCapacity>(
    `select places_left as "placesLeft", canceled_by as "canceledBy", capacity_version as "capacityVersion" from hook_slots
     where venue_id = $1 and mode = $2 and slot_hash = $3`,
    [venueId, mode, hash],
  );
  return rows[0] ?? null;
}

/** Those of the slots that have a stored capacity, by their hashes as hex: true if it was changed after the time. */
export async function findStoredSlots(
  tx: Queryable,
  venueId: string,
  mode: Mode,
  hashes: readonly Buffer[],
  since: string,
): Promise<ReadonlyMap<string, boolean>> {
  const rows = await tx.query<{ hash: string; is_newer: boolean }>(
    `select encode(slot_hash, 'hex') as hash, coalesce(changed_at > $4::timestamptz, false) as is_newer
     from hook_slots where venue_id = $1 and mode = $2 and slot_hash = any($3)`,
    [venueId, mode, hashes, since],
  );
  return new Map(rows.map(({ hash, is_newer }) => [hash, is_newer]));
}

export interface StoredSlot {
  readonly hash: Buffer;
  readonly capacity: SlotCapacity;
  /** When the delivery or read that states it was received. */
  readonly changedAt: string;
  readonly lastAt: number;
}

export async function storeSlotCapacity(
  tx: Queryable,
  venueId: string,
  mode: Mode,
  { hash, capacity, changedAt, lastAt }: StoredSlot,
): Promise<void> {
  await tx.query(
    `insert into hook_slots as s (venue_id, mode, slot_hash, places_left, canceled_by, capacity_version, last_at, changed_at)
     values ($1, $2, $3, $4, $5, $6, to_timestamp($7 / 1000.0), $8)
     on conflict (venue_id, mode, slot_hash) do update
       set places_left = excluded.places_left, canceled_by = excluded.canceled_by, capacity_version = excluded.capacity_version,
         last_at = excluded.last_at, changed_at = greatest(s.changed_at, excluded.changed_at)`,
    [venueId, mode, hash, capacity.placesLeft, capacity.canceledBy, capacity.capacityVersion, lastAt, changedAt],
  );
}
