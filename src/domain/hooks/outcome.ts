// What one delivery does to the venue's offerings, and what is told of it. Each change is judged and written by itself, whole
// or not at all; an older one than was applied before changes nothing; what cannot be done is named, and done without.

import type { Queryable } from '../../base/db.ts';
import { invalid, Problem } from '../../base/errors.ts';
import { type JsonValue, parseStrictJson } from '../../base/json/parse.ts';
import type { OfferingContent } from '../offerings/offering.ts';
import { allocateTimestamps } from '../venues/page-timestamps.ts';
import { factsFor } from '../venues/venue.ts';
import { applyBooking } from './bookings.ts';
import {
  type DueDelivery,
  findBooking,
  findObject,
  findSlotCapacity,
  storeObject,
  storeSlotCapacity,
} from './deliveries/queries.ts';
import { hashOf, isOlder, orderingOf } from './delivery-order.ts';
import { readBody } from './mapping/body.ts';
import {
  type Change,
  interpret,
  type MappedObject,
  type MappedSlot,
  type UnreadableObject,
  type WholeObject,
} from './mapping/interpret.ts';
import { mappingOf } from './mapping/read-mappings.ts';
import { cancelOffering, knownSlot, type MergedOffering, mergeOffering, mergeSlots, slotKey } from './merge.ts';
import { currentCapacity, offeredCapacity, type SlotCapacity } from './slot-capacity.ts';
import {
  contentOf,
  isExternalId,
  MAX_REASON_LENGTH,
  type Outcome,
  outcome,
  ownedByOther,
  problemsOf,
  reasonOf,
  type Seller,
  upsertFromHook,
} from './upsert-from-hook.ts';

export async function applyDelivery(
  tx: Queryable,
  seller: Seller,
  delivery: DueDelivery,
  text: string,
): Promise<Outcome> {
  const reading = interpret(mappingOf(seller.mappings, delivery.provider), readBody(text), delivery.defaults);
  if (reading.does !== 'change' && reading.does !== 'whole')
    return { status: reading.does, reason: reading.reason, offering: null };
  // From here on this is the venue's only writer: what is known stays so until it is written.
  await allocateTimestamps(tx, seller.venue.id, seller.mode, seller.now, 1);
  if (reading.does === 'whole') return applyWholeObject(tx, seller, delivery, reading.whole, text);
  const readable = reading.changes.filter((one): one is Change => !('trouble' in one));
  const booking = readable.find((change) => change.booking !== null)?.booking?.object ?? null;
  const known = booking === null ? null : await findBooking(tx, delivery, hashOf(booking.name));
  if (booking !== null && known !== null && isOlder(delivery, booking, known))
    return outcome('superseded', NEWER_WAS_APPLIED, readable[0]?.externalId ?? null);
  const outcomes: Outcome[] = [];
  for (const one of reading.changes)
    outcomes.push('trouble' in one ? outcomeOfUnreadable(one) : await applyChange(tx, seller, delivery, one));
  if (booking === null) return combineOutcomes(outcomes);
  const isPart = readable.length < reading.changes.length;
  const touched = await applyBooking(tx, seller, delivery, known, {
    object: booking,
    changes: readable,
    isPartial: isPart,
  });
  return combineOutcomes(outcomes.map((one) => withBookingApplied(one, touched)));
}

function withBookingApplied(result: Outcome, touched: ReadonlyMap<string, readonly string[]>): Outcome {
  const notes = result.offering === null ? undefined : touched.get(result.offering);
  if (result.status !== 'ignored' || notes === undefined) return result;
  return withNotes(outcome('applied', null, result.offering), notes);
}

const outcomeOfUnreadable = ({ trouble, externalId }: UnreadableObject): Outcome =>
  outcome('unmapped', trouble, externalId !== null && isExternalId(externalId) ? externalId : null);

/** Applied where one of them was; what became of the others is told all the same, each by its name. */
function combineOutcomes(outcomes: readonly Outcome[]): Outcome {
  const first = outcomes.find(({ status }) => status === 'applied') ?? outcomes[0];
  if (first === undefined) throw new Error('a delivery that changes something has a change');
  const reasons = new Set(
    outcomes.flatMap(({ reason, offering }) =>
      reason === null ? [] : [outcomes.length > 1 && offering !== null ? `"${offering}": ${reason}` : reason],
    ),
  );
  return { ...first, reason: reasons.size === 0 ? null : [...reasons].join(' ').slice(0, MAX_REASON_LENGTH) };
}

const NEWER_WAS_APPLIED = 'A newer delivery about the same thing was applied before.';
const NO_SLOT_WITH_CAPACITY = 'Nothing is taken off: the offering has no slot with a capacity at that time.';
const NOTHING_TO_RETURN =
  'Nothing is given back: this booking had taken nothing off a slot since its capacity was last stated.';
const NO_TIMEZONE = 'Its time has no offset, and nobody has said where it is: connect with defaults.timezone.';
const INVALID_EXTERNAL_ID =
  'What it calls the offering cannot be an external_id: 1 to 128 characters, none of them white space.';

async function applyChange(tx: Queryable, seller: Seller, delivery: DueDelivery, change: Change): Promise<Outcome> {
  if (change.externalId !== null && !isExternalId(change.externalId))
    return outcome('failed', INVALID_EXTERNAL_ID, null);
  const hash = hashOf(change.object.name);
  const known = await findObject(tx, delivery, hash);
  if (known !== null && isOlder(delivery, change.object, known))
    return outcome('superseded', NEWER_WAS_APPLIED, change.externalId);
  const externalId = change.externalId ?? (await offeringOfParent(tx, delivery, change.object));
  if (externalId === null)
    return outcome('needs_api_read', 'The delivery does not say which offering it is about.', null);
  const held = await ownedByOther(tx, seller, externalId);
  if (held !== null) return outcome('failed', held, externalId);
  const before = await contentOf(tx, seller, externalId);
  if (change.action === 'cancel' && before === null)
    return outcome(change.booking === null ? 'unmapped' : 'ignored', unknownOffering(externalId), externalId);
  // Which offering the thing belongs to is worth knowing, also where nothing can be made of it yet.
  await storeObject(tx, delivery, hash, { ...orderingOf(delivery, change.object), offering: externalId });
  if (change.booking !== null && (change.action === 'cancel' || change.booking.isCanceled))
    return outcome('ignored', NOTHING_TO_RETURN, externalId);
  if (change.action === 'cancel' && !change.isAboutSlot && before !== null)
    return upsertFromHook(tx, seller, cancelOffering(before));
  const isOfBookingAlone = change.tiers.length === 0 && Object.keys(change.texts).length === 0;
  if (change.isWithoutTimezone && before !== null && isOfBookingAlone)
    return outcome('unmapped', NO_TIMEZONE, externalId);
  if (change.booking !== null && before !== null && isOfBookingAlone)
    return outcome('ignored', NO_SLOT_WITH_CAPACITY, externalId);
  const slot = await slotToWrite(tx, seller, externalId, before, change);
  const merged = mergeOffering(before, externalId, change, slot, delivery.defaults);
  if ('missing' in merged) return { ...outcomeOfMissing(merged.missing, change), offering: externalId };
  const notes = [...merged.notes, ...(change.isWithoutTimezone ? [NO_TIMEZONE] : [])];
  return withNotes(await upsertFromHook(tx, seller, merged.content), notes);
}

const withNotes = (outcome: Outcome, notes: readonly string[]): Outcome =>
  outcome.status === 'applied' && notes.length > 0 ? { ...outcome, reason: notes.join(' ') } : outcome;

/**
 * A slot is written where the delivery says how many places are left, or where it is one that we know already: that
 * somebody has booked a time does not mean that the time can be booked. One that was called off stays full until the same
 * sort of thing says otherwise, whatever is heard of its places meanwhile. Null: nothing is written.
 */
async function slotToWrite(
  tx: Queryable,
  seller: Seller,
  externalId: string,
  before: OfferingContent | null,
  { slot, action, object: thing, booking }: Change,
): Promise<MappedSlot | null> {
  if (slot === null) return null;
  const known = before?.availability === undefined ? null : knownSlot(before.availability, slot);
  if (known === null) return action === 'cancel' || slot.capacity === undefined ? null : slot;
  const isSingle = before?.availability?.slots?.includes(known) === true;
  if (booking !== null) return isSingle ? slot : null;
  const hash = hashOf(externalId, slotKey(known));
  const kept = await findSlotCapacity(tx, seller.venue.id, seller.mode, hash);
  const room = currentCapacity(kept, known.capacity);
  const after = capacityAfterStatement(room, action, thing, slot);
  const isOff = room.canceledBy !== null || after.canceledBy !== null;
  if (!isOff) return isSingle || slot.capacity !== undefined ? slot : null;
  await storeSlotCapacity(
    tx,
    seller.venue.id,
    seller.mode,
    hash,
    after,
    Math.max(seller.now, Date.parse(known.starts_at)),
  );
  return { ...slot, capacity: offeredCapacity(after) };
}

function capacityAfterStatement(
  room: SlotCapacity,
  action: Change['action'],
  { type: sort }: MappedObject,
  slot: MappedSlot,
): SlotCapacity {
  if (action === 'cancel') return { ...room, canceledBy: room.canceledBy ?? sort };
  const offBy = room.canceledBy === sort ? null : room.canceledBy;
  return slot.capacity === undefined
    ? { ...room, canceledBy: offBy }
    : { ...room, canceledBy: offBy, placesLeft: slot.capacity };
}

const unknownOffering = (externalId: string): string => `This venue has no offering "${externalId}".`;

function outcomeOfMissing(missing: readonly string[], { apiOnlyFields: onlyByApi }: Change): Omit<Outcome, 'offering'> {
  const byApi = missing.filter((name) => onlyByApi.includes(name === 'tiers' ? 'tier.amount' : name));
  if (byApi.length > 0) {
    const what = byApi.join(' and ');
    return {
      status: 'needs_api_read',
      reason: `The delivery has no ${what}: send the offering once with POST /v1/offerings, and deliveries will keep it up to date.`,
    };
  }
  const kind = missing.includes('kind') ? ' Connect with defaults.kind to say what is sold.' : '';
  const tiers = missing.includes('tiers')
    ? ' Prices need a currency: connect with defaults.currency, if it has none.'
    : '';
  return { status: 'unmapped', reason: `There is no ${missing.join(' and no ')} for a new offering.${kind}${tiers}` };
}

/** What the body does not say, an earlier delivery may have: a class belongs to its description. */
async function offeringOfParent(
  tx: Queryable,
  delivery: DueDelivery,
  { partOf }: MappedObject,
): Promise<string | null> {
  const whole = partOf === null ? null : await findObject(tx, delivery, hashOf(partOf));
  return whole?.offering_external_id ?? null;
}

interface CustomData {
  readonly external_id: string;
  readonly slots?: readonly { readonly starts_at: string }[];
}

/** A delivery in our own words: the body, then its data, as their schemas say. */
async function applyWholeObject(
  tx: Queryable,
  seller: Seller,
  delivery: DueDelivery,
  { schema, object: thing }: WholeObject,
  text: string,
): Promise<Outcome> {
  const data = readCustomData(seller, schema, text);
  const hash = hashOf(thing.name);
  const known = await findObject(tx, delivery, hash);
  const { external_id } = data;
  if (known !== null && isOlder(delivery, thing, known)) return outcome('superseded', NEWER_WAS_APPLIED, external_id);
  const before = await contentOf(tx, seller, external_id);
  const after = mergeCustomData(before, schema, data);
  if (after === null) return outcome('failed', unknownOffering(external_id), external_id);
  const result = withNotes(await upsertFromHook(tx, seller, after.content), after.notes);
  if (result.status === 'applied')
    await storeObject(tx, delivery, hash, { ...orderingOf(delivery, thing), offering: external_id });
  return result;
}

/** Null: there is no such offering. */
function mergeCustomData(before: OfferingContent | null, schema: string, data: CustomData): MergedOffering | null {
  if (schema === 'offering') return { content: data as unknown as OfferingContent, notes: [] };
  if (before === null) return null;
  if (data.slots === undefined) return { content: cancelOffering(before), notes: [] };
  const { availability } = before;
  const { slots, notes } = mergeSlots(availability?.slots ?? [], data.slots, 'replace');
  return { content: { ...before, availability: { ...availability, slots } } as OfferingContent, notes };
}

function readCustomData(seller: Seller, schema: string, text: string): CustomData {
  const parsed = parseStrictJson(Buffer.from(text));
  if (!parsed.ok) throw new Error('what is stored was JSON when it came');
  const facts = factsFor(seller.now, seller.venue);
  const whole = seller.contract.validate('custom_hook', parsed, facts).problems;
  if (whole.length > 0) throw invalid(whole);
  const { data } = parsed.value as { data: JsonValue };
  const problems = problemsOf(seller, schema, data);
  if (problems.length > 0) throw invalid(problems.map((one) => ({ ...one, field: `/data${one.field}` })));
  return data as unknown as CustomData;
}

/** What was wrong with a body, before anything was written. Null: it is no fault of the body's. */
export function outcomeOfInvalidBody(error: unknown): Outcome | null {
  const problems = error instanceof Problem ? (error.detail.problems ?? []) : [];
  return problems.length === 0 ? null : outcome('failed', reasonOf(problems), null);
}
