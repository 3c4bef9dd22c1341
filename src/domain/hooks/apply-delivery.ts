// Applies one delivery to the venue's offerings and returns its outcome. Each change is validated and written on its
// own, whole or not at all. A change that is older than one applied before changes nothing. The reason names every
// change that could not be applied.

import { isDeepStrictEqual } from 'node:util';
import type { Queryable } from '../../base/db.ts';
import type { OfferingContent } from '../offerings/offering.ts';
import { allocateTimestamps } from '../venues/page-timestamps.ts';
import { applyWholeObject } from './apply-custom.ts';
import { applyBooking, type BookingChange, type BookingEffect, isCancellation } from './bookings.ts';
import {
  type AppliedDelivery,
  findBooking,
  findObject,
  findSharedObject,
  type KnownBooking,
  storeObject,
} from './deliveries/queries.ts';
import { hashOf, isOlder, isSameVersion, isUndoneCancellation, orderingOf } from './delivery-order.ts';
import { readBody } from './mapping/body.ts';
import { MappingError } from './mapping/convert.ts';
import {
  type Change,
  type EmptiedBooking,
  interpret,
  type MappedObject,
  type UnreadableObject,
} from './mapping/interpret.ts';
import { type MappedSlot, type PricedSlot, placesOf } from './mapping/read-fields.ts';
import { mappingOf } from './mapping/read-mappings.ts';
import { cancelOffering, knownSlot, mergeOffering } from './merge.ts';
import { offeredCapacity, type SlotCapacity, statedCapacity } from './slot-capacity.ts';
import { countedSlots, readCapacity, writeCapacity } from './slot-store.ts';
import { mergeWindow } from './slot-window.ts';
import {
  contentOf,
  type HookContext,
  isExternalId,
  MAX_REASON_LENGTH,
  NEWER_WAS_APPLIED,
  type Outcome,
  outcome,
  ownershipConflict,
  unknownOffering,
  upsertFromHook,
  withNotes,
} from './upsert-from-hook.ts';

export async function applyDelivery(
  tx: Queryable,
  context: HookContext,
  delivery: AppliedDelivery,
  text: string,
): Promise<Outcome> {
  const interpretation = interpret(mappingOf(context.mappings, delivery.provider), readBody(text), delivery.defaults);
  const { result } = interpretation;
  if (result !== 'change' && result !== 'whole' && result !== 'emptied')
    return { status: interpretation.result, reason: interpretation.reason, offering: null };
  if (interpretation.result === 'change')
    return combineOutcomes(await applyChanges(tx, context, delivery, interpretation.changes));
  await lockOfferings(tx, context);
  if (interpretation.result === 'whole') return applyWholeObject(tx, context, delivery, interpretation.whole, text);
  return applyEmptiedBooking(tx, context, delivery, interpretation.emptied);
}

/** Until the commit no other writer changes the offerings of the venue that are read here. */
export async function lockOfferings(tx: Queryable, { venue, mode, now }: HookContext): Promise<void> {
  await allocateTimestamps(tx, venue.id, mode, now, 1);
}

/** Applies the changes of a delivery, or of what was read after one: one outcome for each change. */
export async function applyChanges(
  tx: Queryable,
  context: HookContext,
  delivery: AppliedDelivery,
  interpreted: readonly (Change | UnreadableObject)[],
): Promise<Outcome[]> {
  await lockOfferings(tx, context);
  const changes: (Change | UnreadableObject)[] = [];
  for (const change of interpreted)
    changes.push('problem' in change ? change : await withKnownSeats(tx, delivery, change));
  const readable = changes.filter((change): change is Change => !('problem' in change));
  const booked = readable.find((change) => change.booking !== null)?.booking ?? null;
  const booking = booked?.object ?? null;
  const isCanceled = readable.every(isCancellation);
  const known = booking === null ? null : await findBooking(tx, delivery, hashOf(booking.name));
  if (booked !== null && known !== null) {
    const isLate = !isCanceled && isUndoneCancellation(delivery, booked.object, booked.isCancelFinal, known);
    if (isLate || isOlder(delivery, booked.object, known))
      return [outcome('superseded', isLate ? CANCELED_BEFORE : NEWER_WAS_APPLIED, validId(readable[0]))];
  }
  const existing = new Set<string>();
  const results: { readonly change: Change | null; readonly outcome: Outcome }[] = [];
  for (const change of changes)
    results.push(
      'problem' in change
        ? { change: null, outcome: outcomeOfUnreadable(change) }
        : { change, outcome: await applyChange(tx, context, delivery, change, known, existing) },
    );
  if (booking === null) return results.map((result) => result.outcome);
  const effects = await applyBooking(tx, context, delivery, known, {
    object: booking,
    changes: results.filter((result): result is BookingChange => result.change !== null),
    isPartial: readable.length < results.length,
    isCanceled: isCanceled && readable.length === results.length,
  });
  return results.map(({ change, outcome: result }) =>
    change === null ? result : outcomeWithBooking({ change, outcome: result }, effects, existing),
  );
}

/** A booking without items gives back what it has taken, or does nothing. */
async function applyEmptiedBooking(
  tx: Queryable,
  context: HookContext,
  delivery: AppliedDelivery,
  { object, isCanceled, otherwise }: EmptiedBooking,
): Promise<Outcome> {
  const known = await findBooking(tx, delivery, hashOf(object.name));
  if (known !== null && isOlder(delivery, object, known)) return outcome('superseded', NEWER_WAS_APPLIED, null);
  const update = { object, changes: [], isPartial: false, isCanceled };
  const [changed] = await applyBooking(tx, context, delivery, known, update);
  if (changed === undefined) return outcome(otherwise.result, otherwise.reason, null);
  return withNotes(outcome('applied', null, changed[0]), changed[1].notes);
}

/** A booking that names only its options takes as many places as an earlier delivery about the product said. */
async function withKnownSeats(
  tx: Queryable,
  delivery: AppliedDelivery,
  change: Change,
): Promise<Change | UnreadableObject> {
  const { booking } = change;
  if (booking === null || booking.seatsFrom === null || booking.options.every(({ seats }) => seats !== null))
    return change;
  const product = await findSharedObject(tx, delivery, hashOf(booking.seatsFrom));
  try {
    const party = placesOf(booking.party, booking.options, product?.option_seats ?? {});
    return { ...change, booking: { ...booking, party } };
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    return { problem: error.message, externalId: change.externalId };
  }
}

/**
 * A change of a booking alone is `applied` if the booking changed the capacity of its offering. A change that failed
 * stays failed, and its reason also says that the capacity has changed. A booking that takes nothing of a known
 * offering says so.
 */
function outcomeWithBooking(
  { change, outcome: result }: BookingChange,
  effects: ReadonlyMap<string, BookingEffect>,
  existing: ReadonlySet<string>,
): Outcome {
  const { status, offering, reason } = result;
  const effect = offering === null ? undefined : effects.get(offering);
  const withReason = (more: string): Outcome => ({ ...result, reason: reason === null ? more : `${reason} ${more}` });
  if (status === 'applied') {
    const isStated = change.slot?.capacity !== undefined;
    const takesNothing = effect === undefined && !isStated && offering !== null && existing.has(offering);
    if (effect?.isCounted === false) return withReason(INCLUDED_BEFORE);
    return takesNothing ? withReason(NO_SLOT_WITH_CAPACITY) : result;
  }
  if (effect === undefined) return result;
  if (!effect.isCounted) return status === 'ignored' ? { ...result, reason: INCLUDED_BEFORE } : result;
  return status === 'ignored'
    ? withNotes(outcome('applied', null, offering), effect.notes)
    : withReason(COUNTED_ALL_THE_SAME);
}

/** The id of the offering, if PostgreSQL can store it. */
function validId(change: Pick<Change, 'externalId'> | undefined): string | null {
  const externalId = change?.externalId ?? null;
  return externalId !== null && isExternalId(externalId) ? externalId : null;
}

const outcomeOfUnreadable = (unreadable: UnreadableObject): Outcome =>
  outcome('unmapped', unreadable.problem, validId(unreadable));

/** The outcome is `applied` if one change was applied; the reason still names what happened to the others. */
export function combineOutcomes(outcomes: readonly Outcome[]): Outcome {
  const first = outcomes.find(({ status }) => status === 'applied') ?? outcomes[0];
  if (first === undefined) throw new Error('there are no outcomes to combine');
  const reasons = new Set(
    outcomes.flatMap(({ reason, offering }) =>
      reason === null ? [] : [outcomes.length > 1 && offering !== null ? `"${offering}": ${reason}` : reason],
    ),
  );
  return { ...first, reason: reasons.size === 0 ? null : [...reasons].join(' ').slice(0, MAX_REASON_LENGTH) };
}

const CANCELED_BEFORE = 'The booking was canceled by a delivery that came before: it takes no places.';
const NOTHING_TO_CLOSE = 'The offering has no slot at that time, so there is nothing to close.';
const NOTHING_CHANGED = 'The offering has a slot at that time, and the delivery changes nothing of it.';
const NO_CAPACITY_STATED =
  'The offering has no slot at that time, and the delivery does not say how many places it has: send the slot with POST /v1/offerings.';
const NO_SLOT_WITH_CAPACITY = 'The booking takes no places: the offering has no slot with a capacity at that time.';
const INCLUDED_BEFORE =
  'The booking takes no places: it was made before the offering was sent, so the places left include it.';
const NOTHING_TO_RETURN =
  'Nothing is given back: the booking has taken no places since the capacity of its slot was last stated.';
const UNKNOWN_BOOKING =
  'The cancellation has only ids, and no earlier delivery says from which slot the booking took places: nothing is given back.';
const COUNTED_ALL_THE_SAME = 'The booking itself was counted: the places left at its time have changed.';
const NO_TIMEZONE = 'The time has no offset and no time zone is known: connect with defaults.timezone.';
const INVALID_EXTERNAL_ID = 'The id of the offering cannot be an external_id: 1 to 128 characters without white space.';

async function applyChange(
  tx: Queryable,
  context: HookContext,
  delivery: AppliedDelivery,
  change: Change,
  knownBooking: KnownBooking | null,
  existing: Set<string>,
): Promise<Outcome> {
  if (change.externalId !== null && !isExternalId(change.externalId))
    return outcome('failed', INVALID_EXTERNAL_ID, null);
  const hash = hashOf(change.object.name);
  const known = await findObject(tx, delivery, hash);
  const externalId =
    change.externalId ??
    knownBooking?.slots_taken[0]?.offering ??
    (await offeringOfParent(tx, delivery, change.object));
  const isStated = change.slot?.capacity !== undefined;
  const isCountedOnly = change.booking?.isOrderedBySlot === true && !isStated;
  // A number that was stated at the same time or later already includes what a counted booking changes.
  if (
    known !== null &&
    (isOlder(delivery, change.object, known) || (isCountedOnly && isSameVersion(change.object, known)))
  )
    return outcome('superseded', NEWER_WAS_APPLIED, externalId);
  const hasOnlyIds = change.slot === null && !change.isWithoutTimezone;
  if (isCountedOnly && change.action === 'cancel' && hasOnlyIds && !hasCountedPlaces(knownBooking))
    return outcome('needs_api_read', UNKNOWN_BOOKING, externalId);
  if (externalId === null)
    return outcome('needs_api_read', 'The delivery does not say which offering it is about.', null);
  const refusal = await ownershipConflict(tx, context, externalId);
  if (refusal !== null) return outcome('failed', refusal, externalId);
  const before = await contentOf(tx, context, externalId);
  if (before !== null) existing.add(externalId);
  if (change.action === 'cancel' && before === null)
    return outcome(change.booking === null ? 'unmapped' : 'ignored', unknownOffering(externalId), externalId);
  // Stored even if the change cannot be applied yet: later deliveries need to know the offering of this object. Only a
  // stated number is ordered by the slot: after a counted booking, an older statement still has to be applied.
  if (!isCountedOnly)
    await storeObject(tx, delivery, hash, {
      ...orderingOf(delivery, change.object),
      offering: externalId,
      optionSeats: change.optionSeats,
      readHash: delivery.readHash,
    });
  if (change.booking !== null && !isStated && (change.action === 'cancel' || change.booking.isCanceled))
    return outcome('ignored', NOTHING_TO_RETURN, externalId);
  if (change.action === 'cancel' && !change.isAboutSlot && before !== null)
    return upsertFromHook(tx, context, cancelOffering(before));
  if (change.tiersProblem !== null) return outcome('unmapped', change.tiersProblem, externalId);
  const isBookingOnly = change.tiers.length === 0 && Object.keys(change.texts).length === 0;
  if (change.isWithoutTimezone && before !== null && isBookingOnly) return outcome('unmapped', NO_TIMEZONE, externalId);
  if (change.booking !== null && !isStated && before !== null && isBookingOnly)
    return outcome('ignored', NO_SLOT_WITH_CAPACITY, externalId);
  const slot = await slotToWrite(tx, context, externalId, before, change);
  const merged = mergeOffering(before, externalId, change, slot, delivery.defaults);
  if ('missing' in merged) return { ...outcomeOfMissing(merged.missing, change), offering: externalId };
  if (change.booking !== null && before !== null && slot === null && hasSameContent(merged.content, before))
    return outcome('ignored', NO_SLOT_WITH_CAPACITY, externalId);
  if (change.booking === null && change.isAboutSlot && before !== null && slot === null && !change.isWithoutTimezone)
    if (hasSameContent(merged.content, before)) return outcomeWithoutSlot(before, change, externalId);
  const { window } = change;
  const whole =
    window === null
      ? merged
      : mergeWindow(merged, window, await slotsToWrite(tx, context, externalId, before, change), context.now);
  const notes = [...whole.notes, ...(change.isWithoutTimezone ? [NO_TIMEZONE] : [])];
  return withNotes(await upsertFromHook(tx, context, whole.content), notes);
}

/** Compares what is sold; when it is sold is left out. */
function hasSameContent(one: OfferingContent, other: OfferingContent): boolean {
  return isDeepStrictEqual({ ...one, availability: null }, { ...other, availability: null });
}

/** A delivery about a slot wrote no slot and changed nothing else. */
function outcomeWithoutSlot(before: OfferingContent, { action, slot }: Change, externalId: string): Outcome {
  const known = slot === null || before.availability === undefined ? null : knownSlot(before.availability, slot);
  if (known !== null) return outcome('ignored', NOTHING_CHANGED, externalId);
  return action === 'cancel'
    ? outcome('ignored', NOTHING_TO_CLOSE, externalId)
    : outcome('needs_api_read', NO_CAPACITY_STATED, externalId);
}

/**
 * An earlier delivery has taken places for the booking, or a cancellation has given them back already. A booking that
 * came before its offering was known has taken none.
 */
function hasCountedPlaces(booking: KnownBooking | null): boolean {
  const places = booking?.slots_taken ?? [];
  return places.length > 0 && places.every(({ statement }) => statement !== null);
}

/**
 * A slot is written if the delivery states its capacity, or if it is known already: a booking alone does not prove that
 * the slot can be booked. A canceled slot stays full until an object of the same type restores it, even if a capacity
 * is stated meanwhile. Null: nothing is written.
 */
async function slotToWrite(
  tx: Queryable,
  context: HookContext,
  externalId: string,
  before: OfferingContent | null,
  { slot, action, object, booking }: Change,
): Promise<MappedSlot | null> {
  if (slot === null) return null;
  const known = before?.availability === undefined ? null : knownSlot(before.availability, slot);
  if (known === null) return action === 'cancel' || slot.capacity === undefined ? null : slot;
  const isSingle = before?.availability?.slots?.includes(known) === true;
  if (booking !== null) return isSingle ? withoutCapacity(slot) : null;
  const capacity = await readCapacity(tx, context, externalId, known);
  const after = capacityAfterUpdate(capacity, action, object, slot);
  const isCanceled = capacity.canceledBy !== null || after.canceledBy !== null;
  if (!isCanceled && slot.capacity === undefined) return isSingle ? slot : null;
  await writeCapacity(tx, context, externalId, known, after);
  return { ...slot, capacity: offeredCapacity(after) };
}

/** The slots of a window. One whose number of places is the known one stays as it is, with what bookings took of it. */
async function slotsToWrite(
  tx: Queryable,
  context: HookContext,
  externalId: string,
  before: OfferingContent | null,
  change: Change,
): Promise<PricedSlot[]> {
  const found = (change.window?.slots ?? []).map((priced) => {
    const known = before?.availability === undefined ? null : knownSlot(before.availability, priced.slot);
    return { ...priced, known: known?.capacity === priced.slot.capacity ? null : known };
  });
  const other = found.flatMap(({ known }) => (known === null ? [] : [known]));
  const counted = await countedSlots(tx, context, externalId, other);
  const written: PricedSlot[] = [];
  for (const { slot, tiers, known } of found) {
    const isPlain = known === null || (slot.capacity !== undefined && !counted.has(known));
    const next = isPlain ? slot : await slotToWrite(tx, context, externalId, before, { ...change, slot });
    if (next !== null) written.push({ slot: next, tiers });
  }
  return written;
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
): SlotCapacity {
  if (action === 'cancel') return { ...capacity, canceledBy: capacity.canceledBy ?? type };
  const canceledBy = capacity.canceledBy === type ? null : capacity.canceledBy;
  return slot.capacity === undefined
    ? { ...capacity, canceledBy }
    : { ...statedCapacity(capacity, slot.capacity), canceledBy };
}

function outcomeOfMissing(missing: readonly string[], { apiOnlyFields }: Change): Omit<Outcome, 'offering'> {
  const fromApi = missing.filter((name) => apiOnlyFields.includes(name === 'tiers' ? 'tier.amount' : name));
  if (fromApi.length > 0) {
    const fields = fromApi.join(' and ');
    return {
      status: 'needs_api_read',
      reason: `The delivery has no ${fields}: send the offering once with POST /v1/offerings, and deliveries will keep it up to date.`,
    };
  }
  const kind = missing.includes('kind') ? ' Connect with defaults.kind to say what is sold.' : '';
  const tiers = missing.includes('tiers')
    ? ' Prices need a currency: connect with defaults.currency, if it has none.'
    : '';
  return { status: 'unmapped', reason: `There is no ${missing.join(' and no ')} for a new offering.${kind}${tiers}` };
}

/** If the body does not name the offering, an earlier delivery may have: a class belongs to its class description. */
async function offeringOfParent(
  tx: Queryable,
  delivery: AppliedDelivery,
  { partOf }: MappedObject,
): Promise<string | null> {
  const parent = partOf === null ? null : await findSharedObject(tx, delivery, hashOf(partOf));
  return parent?.offering_external_id ?? null;
}
