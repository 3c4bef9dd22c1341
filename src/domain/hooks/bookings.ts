// Applies bookings and cancellations to the capacity of the venue's slots. A booking counts once, however often it is
// sent: the places that it took are stored, and only the difference is applied. Only known slots with a capacity
// change, and a cancellation returns only places that were taken here.

import type { Queryable } from '../../base/db.ts';
import type { OfferingContent } from '../offerings/offering.ts';
import {
  type DueDelivery,
  findSlotCapacity,
  type KnownBooking,
  storeBooking,
  storeSlotCapacity,
} from './deliveries/queries.ts';
import { hashOf, orderingOf } from './delivery-order.ts';
import type { Change, MappedObject, MappedSlot } from './mapping/interpret.ts';
import { type BoundedSlots, dropEarliestSlots, knownSlot, type Slot, slotKey } from './merge.ts';
import {
  type BookedPlaces,
  capacityAfterBooking,
  currentCapacity,
  offeredCapacity,
  type SlotCapacity,
} from './slot-capacity.ts';
import { contentOf, type HookContext, isExternalId, ownershipConflict, upsertFromHook } from './upsert-from-hook.ts';

interface RequestedPlaces {
  readonly offering: string;
  readonly slot: MappedSlot;
  readonly party: number;
}

/** The changes that a delivery makes to one booking. */
export interface BookingUpdate {
  readonly object: MappedObject;
  readonly changes: readonly Change[];
  /** Some items could not be read, so the places that the booking took before on other slots stay taken. */
  readonly isPartial: boolean;
}

/** Returns the offerings whose capacity the booking changes, each with notes about content that was left out. */
export async function applyBooking(
  tx: Queryable,
  context: HookContext,
  delivery: DueDelivery,
  known: KnownBooking | null,
  update: BookingUpdate,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const before = known?.slots_taken ?? [];
  const requested = update.changes.flatMap(requestedPlaces);
  const isPartial = update.isPartial || update.changes.some(isIncomplete);
  const changedOfferings = new Map<string, readonly string[]>();
  const booked: BookedPlaces[] = [];
  for (const offering of new Set([...before, ...requested].map((places) => places.offering))) {
    const result = await applyToOffering(tx, context, offering, {
      before: before.filter((places) => places.offering === offering),
      requested: requested.filter((places) => places.offering === offering),
      isPartial,
    });
    booked.push(...result.booked);
    if (result.isChanged) changedOfferings.set(offering, result.notes);
  }
  const lastAt = Math.max(context.now, ...update.changes.map(({ slot }) => Date.parse(slot?.starts_at ?? '') || 0));
  await storeBooking(tx, delivery, hashOf(update.object.name), {
    ...orderingOf(delivery, update.object),
    slotsTaken: booked,
    lastAt,
  });
  return changedOfferings;
}

function requestedPlaces({ action, booking, externalId, slot }: Change): RequestedPlaces[] {
  if (action === 'cancel' || booking === null || booking.isCanceled) return [];
  if (externalId === null || slot === null || booking.party === null || booking.party <= 0) return [];
  // The outcome of the change itself reports an invalid id.
  if (!isExternalId(externalId)) return [];
  return [{ offering: externalId, slot, party: booking.party }];
}

/** The booking is active, but the body does not say for which slot or for how many guests. */
function isIncomplete({ action, booking, externalId, slot }: Change): boolean {
  if (action === 'cancel' || booking === null || booking.isCanceled) return false;
  return externalId === null || slot === null || booking.party === null;
}

interface OfferingUpdate {
  readonly before: readonly BookedPlaces[];
  readonly requested: readonly RequestedPlaces[];
  readonly isPartial: boolean;
}

interface OfferingResult {
  readonly booked: readonly BookedPlaces[];
  readonly isChanged: boolean;
  readonly notes: readonly string[];
}

interface SlotUpdate {
  readonly key: string;
  readonly slot: Slot | null;
  readonly before: BookedPlaces | null;
  readonly party: number;
}

async function applyToOffering(
  tx: Queryable,
  context: HookContext,
  offering: string,
  offeringUpdate: OfferingUpdate,
): Promise<OfferingResult> {
  const unchanged = { isChanged: false, notes: [] };
  if ((await ownershipConflict(tx, context, offering)) !== null) return { booked: offeringUpdate.before, ...unchanged };
  const content = await contentOf(tx, context, offering);
  const updates = slotUpdatesOf(content, offeringUpdate);
  const booked: BookedPlaces[] = [];
  const capacities: { readonly hash: Buffer; readonly capacity: SlotCapacity; readonly startsAt: string }[] = [];
  const slots = new Map<string, Slot>();
  let isChanged = false;
  for (const { key, slot, before, party } of updates) {
    const hash = hashOf(offering, key);
    const capacity =
      slot === null
        ? null
        : currentCapacity(await findSlotCapacity(tx, context.venue.id, context.mode, hash), slot.capacity);
    if (slot === null || capacity === null || capacity.placesLeft === null) {
      if (party > 0) booked.push({ offering, slot: key, party, statement: null });
      continue;
    }
    const after = capacityAfterBooking(capacity, before, party);
    isChanged ||= party > 0 || before?.statement === capacity.capacityVersion;
    capacities.push({ hash, capacity: after, startsAt: slot.starts_at });
    slots.set(key, { ...slot, capacity: offeredCapacity(after) ?? 0 });
    if (party > 0) booked.push({ offering, slot: key, party, statement: after.capacityVersion });
  }
  if (content === null || slots.size === 0) return { booked, ...unchanged };
  const { slots: all, notes } = replaceSlots(content, slots);
  const outcome = await upsertFromHook(tx, context, {
    ...content,
    availability: { ...content.availability, slots: all },
  });
  if (outcome.status !== 'applied') return { booked: offeringUpdate.before, ...unchanged };
  for (const { hash, capacity, startsAt } of capacities)
    await storeSlotCapacity(
      tx,
      context.venue.id,
      context.mode,
      hash,
      capacity,
      Math.max(context.now, Date.parse(startsAt)),
    );
  return { booked, isChanged, notes };
}

/** One update for each slot on which the booking takes places now or took places before. */
function slotUpdatesOf(
  content: OfferingContent | null,
  { before, requested, isPartial }: OfferingUpdate,
): SlotUpdate[] {
  const availability = content?.availability;
  const parties = new Map<string, { slot: Slot | null; party: number }>();
  for (const { slot, party } of requested) {
    const known = availability === undefined ? null : knownSlot(availability, slot);
    const key = slotKey(known ?? slot);
    parties.set(key, { slot: known, party: party + (parties.get(key)?.party ?? 0) });
  }
  for (const { slot: key, party } of before) {
    if (parties.has(key)) continue;
    const slot = availability?.slots?.find((candidate) => slotKey(candidate) === key) ?? null;
    parties.set(key, { slot, party: isPartial ? party : 0 });
  }
  return [...parties].map(([key, { slot, party }]) => ({
    key,
    slot,
    before: before.find((places) => places.slot === key) ?? null,
    party,
  }));
}

/**
 * Replaces changed slots; a slot that came from a recurrence rule is added as a single slot, which overrides the rule.
 */
function replaceSlots(content: OfferingContent, changed: ReadonlyMap<string, Slot>): BoundedSlots {
  const remaining = new Map(changed);
  const slots = (content.availability?.slots ?? []).map((slot) => {
    const next = remaining.get(slotKey(slot));
    remaining.delete(slotKey(slot));
    return next ?? slot;
  });
  return dropEarliestSlots([...slots, ...remaining.values()]);
}
