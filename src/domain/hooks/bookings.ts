// What bookings take off the slots of the venue's offerings, and what cancellations give back. A booking counts once,
// whatever is sent of it and how often: what it took is kept, and only the difference is taken. Only a slot that is known,
// with a capacity, is touched; nothing is given back that was not taken here.

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
import { contentOf, isExternalId, ownedByOther, type Seller, upsertFromHook } from './upsert-from-hook.ts';

interface RequestedPlaces {
  readonly offering: string;
  readonly slot: MappedSlot;
  readonly party: number;
}

/** What a delivery says of one booking. */
export interface BookingUpdate {
  readonly object: MappedObject;
  readonly changes: readonly Change[];
  /** Some of it could not be read: what the booking took elsewhere stays taken. */
  readonly isPartial: boolean;
}

/** The offerings of which something is, or was, taken, with what was left out of each. */
export async function applyBooking(
  tx: Queryable,
  seller: Seller,
  delivery: DueDelivery,
  known: KnownBooking | null,
  news: BookingUpdate,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const before = known?.takes ?? [];
  const wanted = news.changes.flatMap(requestedPlaces);
  const isPart = news.isPartial || news.changes.some(isIncomplete);
  const touched = new Map<string, readonly string[]>();
  const takes: BookedPlaces[] = [];
  for (const offering of new Set([...before, ...wanted].map((one) => one.offering))) {
    const settled = await applyToOffering(tx, seller, offering, {
      before: before.filter((one) => one.offering === offering),
      requested: wanted.filter((one) => one.offering === offering),
      isPartial: isPart,
    });
    takes.push(...settled.takes);
    if (settled.isTouched) touched.set(offering, settled.notes);
  }
  const last = Math.max(seller.now, ...news.changes.map(({ slot }) => Date.parse(slot?.starts_at ?? '') || 0));
  await storeBooking(tx, delivery, hashOf(news.object.name), {
    ...orderingOf(delivery, news.object),
    takes,
    lastAt: last,
  });
  return touched;
}

function requestedPlaces({ action, booking, externalId, slot }: Change): RequestedPlaces[] {
  if (action === 'cancel' || booking === null || booking.isCanceled) return [];
  if (externalId === null || slot === null || booking.party === null || booking.party <= 0) return [];
  // That it is none is told of the change itself.
  if (!isExternalId(externalId)) return [];
  return [{ offering: externalId, slot, party: booking.party }];
}

/** It is on, and the body does not say for when or for how many. */
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
  readonly takes: readonly BookedPlaces[];
  readonly isTouched: boolean;
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
  seller: Seller,
  offering: string,
  settling: OfferingUpdate,
): Promise<OfferingResult> {
  const untouched = { isTouched: false, notes: [] };
  if ((await ownedByOther(tx, seller, offering)) !== null) return { takes: settling.before, ...untouched };
  const content = await contentOf(tx, seller, offering);
  const lines = slotUpdatesOf(content, settling);
  const takes: BookedPlaces[] = [];
  const rooms: { readonly hash: Buffer; readonly room: SlotCapacity; readonly startsAt: string }[] = [];
  const slots = new Map<string, Slot>();
  let isTouched = false;
  for (const { key, slot, before, party } of lines) {
    const hash = hashOf(offering, key);
    const room =
      slot === null
        ? null
        : currentCapacity(await findSlotCapacity(tx, seller.venue.id, seller.mode, hash), slot.capacity);
    if (slot === null || room === null || room.placesLeft === null) {
      if (party > 0) takes.push({ offering, slot: key, party, statement: null });
      continue;
    }
    const after = capacityAfterBooking(room, before, party);
    isTouched ||= party > 0 || before?.statement === room.statement;
    rooms.push({ hash, room: after, startsAt: slot.starts_at });
    slots.set(key, { ...slot, capacity: offeredCapacity(after) ?? 0 });
    if (party > 0) takes.push({ offering, slot: key, party, statement: after.statement });
  }
  if (content === null || slots.size === 0) return { takes, ...untouched };
  const { slots: all, notes } = replaceSlots(content, slots);
  const outcome = await upsertFromHook(tx, seller, {
    ...content,
    availability: { ...content.availability, slots: all },
  });
  if (outcome.status !== 'applied') return { takes: settling.before, ...untouched };
  for (const { hash, room, startsAt } of rooms)
    await storeSlotCapacity(tx, seller.venue.id, seller.mode, hash, room, Math.max(seller.now, Date.parse(startsAt)));
  return { takes, isTouched, notes };
}

/** One for each slot that the booking takes from now, or took from before. */
function slotUpdatesOf(
  content: OfferingContent | null,
  { before, requested: wanted, isPartial: isPart }: OfferingUpdate,
): SlotUpdate[] {
  const availability = content?.availability;
  const parties = new Map<string, { slot: Slot | null; party: number }>();
  for (const { slot, party } of wanted) {
    const known = availability === undefined ? null : knownSlot(availability, slot);
    const key = slotKey(known ?? slot);
    parties.set(key, { slot: known, party: party + (parties.get(key)?.party ?? 0) });
  }
  for (const { slot: key, party } of before) {
    if (parties.has(key)) continue;
    const slot = availability?.slots?.find((one) => slotKey(one) === key) ?? null;
    parties.set(key, { slot, party: isPart ? party : 0 });
  }
  return [...parties].map(([key, { slot, party }]) => ({
    key,
    slot,
    before: before.find((one) => one.slot === key) ?? null,
    party,
  }));
}

/** A slot that a rule gave becomes one of its own: those take the rule's place. */
function replaceSlots(content: OfferingContent, changed: ReadonlyMap<string, Slot>): BoundedSlots {
  const left = new Map(changed);
  const slots = (content.availability?.slots ?? []).map((slot) => {
    const next = left.get(slotKey(slot));
    left.delete(slotKey(slot));
    return next ?? slot;
  });
  return dropEarliestSlots([...slots, ...left.values()]);
}
