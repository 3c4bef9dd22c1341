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
  type SlotWindow,
  type UnreadableObject,
} from './mapping/interpret.ts';
import { placesOf } from './mapping/read-fields.ts';
import { mappingOf } from './mapping/read-mappings.ts';
import { cancelOffering, knownSlot, type MergedOffering, mergeOffering } from './merge.ts';
import { findListing, recordListing } from './queries.ts';
import { mergeWindow, windowEnd } from './slot-window.ts';
import { type SlotTarget, slotsToWrite, slotToWrite } from './slots-to-write.ts';
import {
  contentOf,
  type HookContext,
  isExternalId,
  MAX_REASON_LENGTH,
  NEWER_WAS_APPLIED,
  type Outcome,
  outcome,
  ownerOf,
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
const LISTED_SINCE = 'The times of the offering were read after the delivery came: the places that were read count.';
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
  if (externalId !== null && (await isListedSince(tx, context, delivery, externalId, change)))
    return outcome('superseded', LISTED_SINCE, externalId);
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
  const target = { externalId, before, receivedAt: delivery.received_at };
  const slot = await slotToWrite(tx, context, target, change);
  const merged = mergeOffering(before, externalId, change, slot, delivery.defaults);
  if ('missing' in merged) return { ...outcomeOfMissing(merged.missing, change), offering: externalId };
  if (change.booking !== null && before !== null && slot === null && hasSameContent(merged.content, before))
    return outcome('ignored', NO_SLOT_WITH_CAPACITY, externalId);
  if (change.booking === null && change.isAboutSlot && before !== null && slot === null && !change.isWithoutTimezone)
    if (hasSameContent(merged.content, before)) return outcomeWithoutSlot(before, change, externalId);
  const notes = [...merged.notes, ...(change.isWithoutTimezone ? [NO_TIMEZONE] : [])];
  if (change.window !== null)
    return applyWindow(tx, context, target, change, change.window, { content: merged.content, notes });
  return withNotes(await upsertFromHook(tx, context, merged.content), notes);
}

/** Writes the offering with all slots of the window. */
async function applyWindow(
  tx: Queryable,
  context: HookContext,
  target: SlotTarget,
  change: Change,
  window: SlotWindow,
  merged: MergedOffering,
): Promise<Outcome> {
  const listed = await slotsToWrite(tx, context, target, change);
  const { content, notes } = mergeWindow(merged, window, listed, context.now);
  const result = withNotes(await upsertFromHook(tx, context, content), notes);
  if (result.status !== 'applied') return result;
  const until = windowEnd(window.days, context.now);
  await recordListing(tx, ownerOf(context, target.externalId), { at: target.receivedAt, until });
  return listed.isOutdated ? { ...result, isOutdated: true } : result;
}

/**
 * The delivery states or closes a slot, and a read that began after the delivery was received has listed its time: the
 * read is newer, also if the delivery waited or is replayed.
 */
async function isListedSince(
  tx: Queryable,
  context: HookContext,
  { received_at }: AppliedDelivery,
  externalId: string,
  { slot, window, action, booking }: Change,
): Promise<boolean> {
  if (slot === null || window !== null) return false;
  if (slot.capacity === undefined && (action !== 'cancel' || booking !== null)) return false;
  return findListing(tx, ownerOf(context, externalId), received_at, slot.starts_at);
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
