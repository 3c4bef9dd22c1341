// Finds and stores how many places a slot has left. A slot is stored by its external id and by its start, so that one
// that gets or loses its id keeps what bookings have taken of it.

import type { Queryable } from '../../base/db.ts';
import { findSlotCapacity, findStoredSlots, storeSlotCapacity } from './deliveries/queries.ts';
import { hashOf } from './delivery-order.ts';
import { type Slot, slotKeys } from './merge.ts';
import { currentCapacity, type SlotCapacity } from './slot-capacity.ts';
import type { HookContext } from './upsert-from-hook.ts';

export async function readCapacity(
  tx: Queryable,
  { venue, mode }: HookContext,
  offering: string,
  slot: Slot,
): Promise<SlotCapacity> {
  let stored: SlotCapacity | null = null;
  for (const key of slotKeys(slot)) stored ??= await findSlotCapacity(tx, venue.id, mode, hashOf(offering, key));
  return currentCapacity(stored, slot.capacity);
}

/** Those of the slots of which deliveries have counted or canceled something. One statement, because a window has hundreds. */
export async function countedSlots(
  tx: Queryable,
  { venue, mode }: HookContext,
  offering: string,
  slots: readonly Slot[],
): Promise<ReadonlySet<Slot>> {
  if (slots.length === 0) return new Set();
  const hashes = new Map(slots.map((slot) => [slot, slotKeys(slot).map((key) => hashOf(offering, key))]));
  const stored = await findStoredSlots(tx, venue.id, mode, [...hashes.values()].flat());
  return new Set(slots.filter((slot) => hashes.get(slot)?.some((hash) => stored.has(hash.toString('hex')))));
}

export async function writeCapacity(
  tx: Queryable,
  { venue, mode, now }: HookContext,
  offering: string,
  slot: Slot,
  capacity: SlotCapacity,
): Promise<void> {
  const lastAt = Math.max(now, Date.parse(slot.starts_at));
  for (const key of slotKeys(slot))
    await storeSlotCapacity(tx, venue.id, mode, hashOf(offering, key), capacity, lastAt);
}
