// Applies bookings and cancellations to the capacity of the venue's slots. A booking counts once, however often it is
// sent: the places that it took are stored, and only the difference is applied. Only known slots with a capacity
// change, and a cancellation returns only places that were taken here. If the body of a booking states how many places
// are left, that number counts, and the booking is one of those that it includes.

import type { Queryable } from '../../base/db.ts';
import type { OfferingContent } from '../offerings/offering.ts';
import { type AppliedDelivery, type KnownBooking, storeBooking } from './deliveries/queries.ts';
import { hashOf, orderingOf } from './delivery-order.ts';
import type { Change, MappedObject } from './mapping/interpret.ts';
import type { MappedSlot } from './mapping/read-fields.ts';
import { type BoundedSlots, dropEarliestSlots, knownSlot, type Slot, slotKey, slotKeys } from './merge.ts';
import { type BookedPlaces, capacityAfterBooking, offeredCapacity, type SlotCapacity } from './slot-capacity.ts';
import { readCapacity, writeCapacity } from './slot-store.ts';
import {
  type HookContext,
  isExternalId,
  type Outcome,
  offeringOf,
  ownershipConflict,
  upsertFromHook,
} from './upsert-from-hook.ts';

/**
 * How a booking counts: by its party, by the number that its body states, or in a newer number that is known already.
 * `before`: it keeps the places that it had.
 */
type Counting = { readonly by: 'party' | 'newer' | 'before' } | { readonly by: 'stated'; readonly left: number };

interface RequestedPlaces {
  readonly offering: string;
  /** When the booking was made; null: not stated. */
  readonly madeAt: number | null;
  readonly slot: MappedSlot;
  readonly party: number;
  readonly counting: Counting;
}

/** A change, and what became of its offering. */
export interface BookingChange {
  readonly change: Change;
  readonly outcome: Outcome;
}

/** The changes that a delivery makes to one booking. */
export interface BookingUpdate {
  readonly object: MappedObject;
  readonly changes: readonly BookingChange[];
  /** Some items could not be read, so the places that the booking took before on other slots stay taken. */
  readonly isPartial: boolean;
  /** The delivery cancels all of the booking. */
  readonly isCanceled: boolean;
}

/** What a booking did to an offering. */
export interface BookingEffect {
  /** False: the places left include the booking already, because it was made before the offering was sent. */
  readonly isCounted: boolean;
  /** Content that was left out. */
  readonly notes: readonly string[];
}

/** Returns the offerings whose capacity the booking changes, or that include it already. */
export async function applyBooking(
  tx: Queryable,
  context: HookContext,
  delivery: AppliedDelivery,
  known: KnownBooking | null,
  update: BookingUpdate,
): Promise<ReadonlyMap<string, BookingEffect>> {
  const before = known?.slots_taken ?? [];
  const requested = update.changes.flatMap(requestedPlaces);
  const isPartial = update.isPartial || update.changes.some(isIncomplete);
  const effects = new Map<string, BookingEffect>();
  const booked: BookedPlaces[] = [];
  for (const offering of new Set([...before, ...requested].map((places) => places.offering))) {
    const result = await applyToOffering(tx, context, offering, {
      receivedAt: delivery.received_at,
      before: before.filter((places) => places.offering === offering),
      requested: requested.filter((places) => places.offering === offering),
      isPartial,
    });
    booked.push(...result.booked);
    if (result.isChanged || result.isIncluded)
      effects.set(offering, { isCounted: result.isChanged, notes: result.notes });
  }
  const lastAt = Math.max(
    context.now,
    ...update.changes.map(({ change }) => Date.parse(change.slot?.starts_at ?? '') || 0),
  );
  // What was given back stays named, with no places: a second cancellation knows that the booking was counted.
  const returned = before.filter(({ statement }) => statement !== null).map((places) => ({ ...places, party: 0 }));
  await storeBooking(tx, delivery, hashOf(update.object.name), {
    ...orderingOf(delivery, update.object),
    slotsTaken: booked.length === 0 ? returned : booked,
    isCanceled: update.isCanceled,
    lastAt,
  });
  return effects;
}

function requestedPlaces({ change, outcome }: BookingChange): RequestedPlaces[] {
  const { booking, slot } = change;
  const offering = change.externalId ?? outcome.offering;
  // The outcome of the change itself reports an invalid id.
  if (booking === null || slot === null || offering === null || !isExternalId(offering)) return [];
  const party = isCancellation(change) ? 0 : booking.party;
  const isSuperseded = outcome.status === 'superseded';
  if (slot.capacity !== undefined) {
    const counting: Counting = isSuperseded ? { by: 'newer' } : { by: 'stated', left: slot.capacity };
    return [{ offering, madeAt: null, slot, party: party ?? 0, counting }];
  }
  if (party === null || party <= 0 || isSuperseded) return [];
  return [{ offering, madeAt: booking.madeAt, slot, party, counting: { by: 'party' } }];
}

export function isCancellation({ action, booking }: Change): boolean {
  return action === 'cancel' || booking?.isCanceled === true;
}

/** The booking is active, but the body does not say for which slot or for how many guests, or is older than what is known. */
function isIncomplete({ change, outcome }: BookingChange): boolean {
  const { booking, slot } = change;
  if (booking === null) return false;
  if (outcome.status === 'superseded') return slot?.capacity === undefined;
  if (isCancellation(change)) return false;
  return (change.externalId ?? outcome.offering) === null || slot === null || booking.party === null;
}

interface OfferingUpdate {
  readonly receivedAt: string;
  readonly before: readonly BookedPlaces[];
  readonly requested: readonly RequestedPlaces[];
  readonly isPartial: boolean;
}

interface OfferingResult {
  readonly booked: readonly BookedPlaces[];
  readonly isChanged: boolean;
  readonly isIncluded: boolean;
  readonly notes: readonly string[];
}

interface SlotUpdate {
  readonly madeAt: number | null;
  readonly key: string;
  readonly start: string;
  readonly slot: Slot | null;
  readonly before: BookedPlaces | null;
  readonly party: number;
  readonly counting: Counting;
}

async function applyToOffering(
  tx: Queryable,
  context: HookContext,
  offering: string,
  offeringUpdate: OfferingUpdate,
): Promise<OfferingResult> {
  const unchanged = { isChanged: false, isIncluded: false, notes: [] };
  if ((await ownershipConflict(tx, context, offering)) !== null) return { booked: offeringUpdate.before, ...unchanged };
  const row = await offeringOf(tx, context, offering);
  const content = row?.content ?? null;
  const updates = slotUpdatesOf(content, offeringUpdate);
  const booked: BookedPlaces[] = [];
  const capacities: { readonly slot: Slot; readonly capacity: SlotCapacity }[] = [];
  const slots = new Map<string, Slot>();
  let isChanged = false;
  let isIncluded = false;
  for (const update of updates) {
    const { key, start, slot, before, party, counting } = update;
    if (counting.by === 'before') {
      if (before !== null) booked.push(before);
      continue;
    }
    const capacity = slot === null ? null : await readCapacity(tx, context, offering, slot);
    if (slot === null || capacity === null || (capacity.placesLeft === null && counting.by !== 'stated')) {
      if (party > 0) booked.push({ offering, slot: key, start, party, statement: null });
      continue;
    }
    // Every number of places was stated after the offering was sent, so it includes a booking that was made before.
    if (before === null && row !== null && (update.madeAt ?? Number.POSITIVE_INFINITY) < Date.parse(row.created_at)) {
      isIncluded = true;
      booked.push({ offering, slot: key, start, party, statement: null });
      continue;
    }
    const after = capacityAfter(capacity, counting, before, party);
    isChanged ||= after.placesLeft !== capacity.placesLeft || (counting.by === 'party' && party > 0);
    capacities.push({ slot, capacity: after });
    slots.set(key, { ...slot, capacity: offeredCapacity(after) ?? 0 });
    if (party > 0) booked.push({ offering, slot: key, start, party, statement: after.capacityVersion });
  }
  if (content === null || slots.size === 0) return { booked, ...unchanged, isIncluded };
  const { slots: all, notes } = replaceSlots(content, slots);
  const outcome = await upsertFromHook(tx, context, {
    ...content,
    availability: { ...content.availability, slots: all },
  });
  if (outcome.status !== 'applied') return { booked: offeringUpdate.before, ...unchanged };
  for (const { slot, capacity } of capacities)
    await writeCapacity(tx, context, offering, slot, capacity, offeringUpdate.receivedAt);
  return { booked, isChanged, isIncluded, notes };
}

function capacityAfter(
  capacity: SlotCapacity,
  counting: Counting,
  before: BookedPlaces | null,
  party: number,
): SlotCapacity {
  if (counting.by === 'stated') return { ...capacity, placesLeft: counting.left };
  return counting.by === 'newer' ? capacity : capacityAfterBooking(capacity, before, party);
}

/** One update for each slot on which the booking takes places now or took places before. */
function slotUpdatesOf(
  content: OfferingContent | null,
  { before, requested, isPartial }: OfferingUpdate,
): SlotUpdate[] {
  const availability = content?.availability;
  const updates = new Map<string, SlotUpdate>();
  for (const { madeAt, slot, party, counting } of requested) {
    const known = availability === undefined ? null : knownSlot(availability, slot);
    const named = known ?? slot;
    const key = slotKey(named);
    updates.set(key, {
      key,
      madeAt,
      start: new Date(named.starts_at).toISOString(),
      slot: known,
      before: before.find((places) => isOnSlot(places, named)) ?? null,
      party: party + (updates.get(key)?.party ?? 0),
      counting,
    });
  }
  const counted = new Set([...updates.values()].map((update) => update.before));
  for (const places of before) {
    if (counted.has(places)) continue;
    const slot = availability?.slots?.find((candidate) => isOnSlot(places, candidate)) ?? null;
    const key = slot === null ? places.slot : slotKey(slot);
    const counting: Counting = { by: isPartial ? 'before' : 'party' };
    const start = places.start ?? places.slot;
    updates.set(key, { key, madeAt: null, start, slot, before: places, party: 0, counting });
  }
  return [...updates.values()];
}

/** The places were taken on this slot, which may have got or lost its id since. */
function isOnSlot(places: BookedPlaces, slot: Pick<Slot, 'external_id' | 'starts_at'>): boolean {
  const keys = slotKeys(slot);
  return keys.includes(places.slot) || (slot.external_id === undefined && keys.includes(places.start ?? ''));
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
