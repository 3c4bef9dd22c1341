// Finds and stores how many places a slot has left. A slot is stored by its external id and by its start, so that one
// that gets or loses its id keeps what bookings have taken of it.

import type { Queryable } from '../../base/db.ts';
import { findSlotCapacity, findStoredSlots, storeSlotCapacity } from './deliveries/slot-queries.ts';
import { hashOf } from './delivery-order.ts';
import type { MappedSlot } from './mapping/read-fields.ts';
import { slotKeys } from './merge.ts';
import { currentCapacity, type SlotCapacity } from './slot-capacity.ts';
import type { HookContext } from './upsert-from-hook.ts';

type NamedSlot = Pick<MappedSlot, 'external_id' | 'starts_at' | 'capacity'>;

export async function readCapacity(
  tx: Queryable,
  { venue, mode }: HookContext,
  offering: string,
  slot: NamedSlot,
): Promise<SlotCapacity> {
  let stored: SlotCapacity | null = null;
  for (const key of slotKeys(slot)) stored ??= await findSlotCapacity(tx, venue.id, mode, hashOf(offering, key));
  return currentCapacity(stored, slot.capacity);
}

export interface StoredSlots<Named> {
  /** Those of the slots of which deliveries or reads have counted, stated or canceled something. */
  readonly all: ReadonlySet<Named>;
  /** Those that were changed by something received after the time. */
  readonly newer: ReadonlySet<Named>;
}

/** One statement, because a window has hundreds of slots. */
export async function storedSlots<Named extends NamedSlot>(
  tx: Queryable,
  { venue, mode }: HookContext,
  offering: string,
  slots: readonly Named[],
  since: string,
): Promise<StoredSlots<Named>> {
  const hashes = new Map(slots.map((slot) => [slot, slotKeys(slot).map((key) => hashOf(offering, key))]));
  const stored = await findStoredSlots(tx, venue.id, mode, [...hashes.values()].flat(), since);
  const found = (slot: Named) => (hashes.get(slot) ?? []).map((hash) => stored.get(hash.toString('hex')));
  return {
    all: new Set(slots.filter((slot) => found(slot).some((isNewer) => isNewer !== undefined))),
    newer: new Set(slots.filter((slot) => found(slot).includes(true))),
  };
}

/** `changedAt`: when the delivery or read that changes the slot was received. */
export async function writeCapacity(
  tx: Queryable,
  { venue, mode, now }: HookContext,
  offering: string,
  slot: NamedSlot,
  capacity: SlotCapacity,
  changedAt: string,
): Promise<void> {
  const lastAt = Math.max(now, Date.parse(slot.starts_at));
  for (const key of slotKeys(slot))
    await storeSlotCapacity(tx, venue.id, mode, { hash: hashOf(offering, key), capacity, changedAt, lastAt });
}
