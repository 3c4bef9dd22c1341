// Decides which slots a delivery or a read writes, and with how many places. A read of all times of an offering and a
// delivery about one of them can overlap: the one that was received later counts. What a read began before a delivery
// was received leaves the slot of that delivery as it is, and the object is read again.

import type { Queryable } from '../../base/db.ts';
import type { OfferingContent } from '../offerings/offering.ts';
import type { Change, MappedObject } from './mapping/interpret.ts';
import type { MappedSlot, PricedSlot } from './mapping/read-fields.ts';
import { isSameSlot, knownSlot } from './merge.ts';
import { offeredCapacity, type SlotCapacity, statedCapacity } from './slot-capacity.ts';
import { readCapacity, storedSlots, writeCapacity } from './slot-store.ts';
import { isInWindow, type WindowSlots } from './slot-window.ts';
import type { HookContext } from './upsert-from-hook.ts';

/** Where a change is applied. */
export interface SlotTarget {
  readonly externalId: string;
  /** Null: the offering is new. */
  readonly before: OfferingContent | null;
  /** When the delivery was received, or the read began. */
  readonly receivedAt: string;
}

/**
 * A slot is written if the delivery states its capacity, or if it is known already: a booking alone does not prove that
 * the slot can be booked. A canceled slot stays full until an object of the same type restores it, even if a capacity
 * is stated meanwhile; a read that lists all times restores it too. Null: nothing is written.
 */
export async function slotToWrite(
  tx: Queryable,
  context: HookContext,
  { externalId, before, receivedAt }: SlotTarget,
  { slot, action, object, booking, window }: Change,
): Promise<MappedSlot | null> {
  if (slot === null) return null;
  const known = before?.availability === undefined ? null : knownSlot(before.availability, slot);
  if (known === null) {
    if (action === 'cancel' || slot.capacity === undefined) return null;
    // A read that began before must not change the new slot.
    const stated = statedCapacity(await readCapacity(tx, context, externalId, slot), slot.capacity);
    await writeCapacity(tx, context, externalId, slot, { ...stated, canceledBy: null }, receivedAt);
    return slot;
  }
  const isSingle = before?.availability?.slots?.includes(known) === true;
  if (booking !== null) return isSingle ? withoutCapacity(slot) : null;
  const capacity = await readCapacity(tx, context, externalId, known);
  const after = capacityAfterUpdate(capacity, action, object, slot, window !== null);
  const isCanceled = capacity.canceledBy !== null || after.canceledBy !== null;
  if (!isCanceled && slot.capacity === undefined) return isSingle ? slot : null;
  await writeCapacity(tx, context, externalId, known, after, receivedAt);
  return { ...slot, capacity: offeredCapacity(after) };
}

/** The slots of a window. A number of places of a counted slot is a statement also if it is the known one. */
export async function slotsToWrite(
  tx: Queryable,
  context: HookContext,
  target: SlotTarget,
  change: Change,
): Promise<WindowSlots> {
  const availability = target.before?.availability;
  const { slots = [], days = 0 } = change.window ?? {};
  const found = slots.map((priced) => {
    const known = availability === undefined ? null : knownSlot(availability, priced.slot);
    return { ...priced, known, named: known ?? priced.slot };
  });
  const unlisted = (availability?.slots ?? []).filter(
    (old) => isInWindow(old, days, context.now) && !found.some(({ slot }) => isSameSlot(old, slot)),
  );
  const names = [...found.map(({ named }) => named), ...unlisted];
  const stored = await storedSlots(tx, context, target.externalId, names, target.receivedAt);
  const written: PricedSlot[] = [];
  for (const { slot, tiers, known, named } of found) {
    if (stored.newer.has(named)) continue;
    const isPlain = known === null || (slot.capacity !== undefined && !stored.all.has(named));
    const next = isPlain ? slot : await slotToWrite(tx, context, target, { ...change, slot });
    if (next !== null) written.push({ slot: next, tiers });
  }
  const newer = [...unlisted, ...found.flatMap(({ known }) => (known === null ? [] : [known]))].filter((slot) =>
    stored.newer.has(slot),
  );
  return { written, newer, isOutdated: stored.newer.size > 0 };
}

/** The capacity of a known slot is left to applyBooking(), which also stores what the booking took of it. */
function withoutCapacity({ capacity: _, ...slot }: MappedSlot): MappedSlot {
  return slot;
}

function capacityAfterUpdate(
  capacity: SlotCapacity,
  action: Change['action'],
  { type }: MappedObject,
  slot: MappedSlot,
  isListed: boolean,
): SlotCapacity {
  if (action === 'cancel') return { ...capacity, canceledBy: capacity.canceledBy ?? type };
  const canceledBy = isListed || capacity.canceledBy === type ? null : capacity.canceledBy;
  return slot.capacity === undefined
    ? { ...capacity, canceledBy }
    : { ...statedCapacity(capacity, slot.capacity), canceledBy };
}
