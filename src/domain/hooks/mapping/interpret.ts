// Interprets a body by its provider's mapping file: returns the changes that the delivery makes, with each field read
// from the path in the file. Pure. It never guesses: a field that the body does not have is left out and named.

import { isZone } from '../../../../schemas/rules/iana-zone.ts';
import type { Mapping } from '../../../../schemas/types.gen.ts';
import type { Defaults } from '../integration.ts';
import { type BodyScope, itemScopes, textOf, valueAt } from './body.ts';
import { areAllMet, isMetForAny } from './conditions.ts';
import { MappingError } from './convert.ts';
import { eventScope, extractEvent } from './event.ts';
import {
  type BookedOption,
  bookedOptionsAt,
  choiceOf,
  guestsAt,
  instantAt,
  type MappedSlot,
  type MappedTier,
  type ObjectEntry,
  optionSeatsAt,
  type PricedSlot,
  placesOf,
  readText,
  slotAt,
  slotsAt,
  tiersAt,
} from './read-fields.ts';

/** A booking or its cancellation. */
export interface Booking {
  /** The identity of the whole booking; a change may be one item of it. */
  readonly object: MappedObject;
  /** The places that it takes. Null: the body does not state the number of guests. */
  readonly party: number | null;
  readonly options: readonly BookedOption[];
  /** The name of the object that knows how many places the options take. Null: there is none. */
  readonly seatsFrom: string | null;
  /** When the booking was made, in milliseconds. Null: the body does not say it. */
  readonly madeAt: number | null;
  /** This item of the booking takes no places. */
  readonly isCanceled: boolean;
  /** The change is ordered by another object than the booking, which states the capacity of the slot. */
  readonly isOrderedBySlot: boolean;
  /** A canceled booking never becomes active again, so an active state that comes after it is older. */
  readonly isCancelFinal: boolean;
}

/** A booking of which no item is left: it gives back what it took. */
export interface EmptiedBooking {
  readonly object: MappedObject;
  readonly isCanceled: boolean;
  /** The outcome if it has taken nothing. */
  readonly otherwise: { readonly result: 'ignored' | 'unmapped'; readonly reason: string };
}

/** The identity of an object of the provider, and its version, which orders deliveries about it. */
export interface MappedObject {
  readonly type: string;
  readonly name: string;
  /** A counter, or a time in microseconds; null: the order of arrival decides. */
  readonly version: bigint | null;
  /** The name of the parent object, whose deliveries name the offering. */
  readonly partOf: string | null;
}

export interface Change {
  readonly action: 'upsert' | 'cancel';
  readonly object: MappedObject;
  /** Null: the body names the object but not the offering. */
  readonly externalId: string | null;
  readonly kind: string | null;
  readonly timezone: string | null;
  /** Title, description, booking_url and category, as far as the body has them. */
  readonly texts: Readonly<Record<string, string>>;
  /** The names of texts that were too long. */
  readonly truncated: readonly string[];
  /** The names of texts that cannot be used and are left out. */
  readonly unusable: readonly string[];
  readonly tiers: readonly MappedTier[];
  /** Why the prices cannot be read. A booking still takes its places. Null: they can, or there are none. */
  readonly tiersProblem: string | null;
  readonly tierMerge: NonNullable<ObjectEntry['tiers']>;
  /** The unit of tiers for which the body states none. Null: the venue’s default. */
  readonly fixedUnit: string | null;
  readonly slot: MappedSlot | null;
  /** All slots of a time from now on. Null: the change is not about all of them. */
  readonly window: SlotWindow | null;
  /** The change is about one slot, not about the whole offering. */
  readonly isAboutSlot: boolean;
  /** The slot's time is local, and no time zone is known. */
  readonly isWithoutTimezone: boolean;
  /** Null: the change is not about a booking. */
  readonly booking: Booking | null;
  /** The places that one unit of each option takes, for bookings that name only the option. */
  readonly optionSeats: Readonly<Record<string, number>> | null;
  /** Fields that only the provider's API has. */
  readonly apiOnlyFields: readonly string[];
}

export interface SlotWindow {
  readonly slots: readonly PricedSlot[];
  readonly days: number;
}

/** An object of a delivery that cannot be read. The other objects still can. */
export interface UnreadableObject {
  readonly problem: string;
  readonly externalId: string | null;
}

/** A custom delivery, which already uses our schemas: `schema` names the schema of its `data`. */
export interface WholeObject {
  readonly schema: string;
  readonly object: MappedObject;
}

export type Interpretation =
  | { readonly result: 'ignored' | 'needs_api_read' | 'unmapped'; readonly reason: string }
  | { readonly result: 'whole'; readonly whole: WholeObject }
  | { readonly result: 'emptied'; readonly emptied: EmptiedBooking }
  | { readonly result: 'change'; readonly changes: readonly (Change | UnreadableObject)[] };

/** One body is applied in one transaction, which blocks other writers of the venue. */
const MAX_OBJECTS = 100;

export function interpret(mapping: Mapping, body: unknown, defaults: Defaults): Interpretation {
  const { entry } = extractEvent(mapping, body);
  if (entry === null) return { result: 'unmapped', reason: unknownEvent(mapping) };
  const reason = entry.why ?? 'This event does not change an offering.';
  const scope = eventScope({ root: body, bound: [] }, entry);
  if (entry.some !== undefined && !isMetForAny(entry.some, scope))
    return { result: 'ignored', reason: 'No part of this event changes an offering.' };
  if (entry.action === 'ignore') return { result: 'ignored', reason };
  if (entry.action === 'refresh') return { result: 'needs_api_read', reason };
  const object = mapping.objects.find(({ name }) => name === entry.object);
  if (object === undefined) throw new Error(`the mapping of ${mapping.provider} has no object "${entry.object}"`);
  if (object.whole !== undefined) {
    return { result: 'whole', whole: { schema: object.whole, object: objectIdentity(object.order, scope, []) } };
  }
  return interpretObject(object, entry.action, scope, defaults, MAX_OBJECTS);
}

/** The changes of the object in a body, or of each item of its list. */
export function interpretObject(
  object: ObjectEntry,
  action: Change['action'],
  scope: BodyScope,
  defaults: Defaults,
  maxObjects: number,
): Interpretation {
  const { each } = object;
  const all = each === undefined ? [scope] : itemScopes(scope, each);
  const scopes = all.filter((item) => areAllMet(object.each_where, item));
  if (scopes.length === 0) return interpretEmpty(object, action, scope, all.length);
  if (scopes.length > maxObjects)
    return { result: 'unmapped', reason: `There are ${scopes.length} objects at ${each}; the most is ${maxObjects}.` };
  return { result: 'change', changes: scopes.map((item) => readObject(object, action, item, defaults)) };
}

/** A list without an item that counts. An absent list says nothing of a booking, unless the booking is canceled. */
function interpretEmpty(
  object: ObjectEntry,
  action: Change['action'],
  scope: BodyScope,
  itemCount: number,
): Interpretation {
  const { each = '', each_why } = object;
  const otherwise =
    itemCount === 0
      ? ({ result: 'unmapped', reason: `There is nothing at ${each}.` } as const)
      : ({ result: 'ignored', reason: each_why ?? `No item at ${each} is one that is sold here.` } as const);
  const isCanceled = action === 'cancel';
  const isStated = (valueAt(scope, each.slice(0, -2)) ?? null) !== null;
  if (object.fields['booking.party'] === undefined || !(isCanceled || isStated)) return otherwise;
  const identity = objectIdentity(object.booking ?? object.order, scope, []);
  return { result: 'emptied', emptied: { object: identity, isCanceled, otherwise } };
}

function unknownEvent({ name, provider, events }: Mapping): string {
  if (provider !== 'custom') return `The mapping of ${name} has no entry for this event.`;
  return `The type of a custom delivery must be one of these: ${events.map((event) => event.name).join(', ')}.`;
}

/** Reads an object completely or not at all; an error in one object does not affect the others. */
function readObject(
  object: ObjectEntry,
  action: Change['action'],
  scope: BodyScope,
  defaults: Defaults,
): Change | UnreadableObject {
  try {
    return changeAt(object, action, scope, defaults);
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    return { problem: error.message, externalId: readText(object.fields.external_id, scope) };
  }
}

const MAX_LENGTHS: Readonly<Record<string, number>> = { title: 120, description: 4_000 };

/** A text that is too long ends in an ellipsis. */
function truncate(text: string, maxLength: number | undefined): string {
  const characters = [...text];
  return maxLength === undefined || characters.length <= maxLength
    ? text
    : `${characters.slice(0, maxLength - 1).join('')}…`;
}

function changeAt(object: ObjectEntry, action: Change['action'], scope: BodyScope, defaults: Defaults): Change {
  const { fields } = object;
  const text = (name: string): string | null => readText(fields[name], scope);
  const externalId = text('external_id');
  const kind = choiceOf(fields.kind, text('kind'));
  const timezone = knownZone(text('timezone')) ?? defaults.timezone ?? text('timezone');
  const currency = currencyAt(object, scope)?.toLowerCase() ?? defaults.currency ?? null;
  const texts: Record<string, string> = {};
  const tooLong: string[] = [];
  const unusable: string[] = [];
  for (const name of ['title', 'description', 'booking_url', 'category']) {
    const value = text(name);
    if (value === null) continue;
    if (name === 'booking_url' && !isHttpsUrl(value)) {
      unusable.push(name);
      continue;
    }
    texts[name] = truncate(value, MAX_LENGTHS[name]);
    if (texts[name] !== value) tooLong.push(name);
  }
  const isCancel = action === 'cancel';
  const priceCurrency = isCancel ? null : currency;
  const listed = object.each_slot === undefined ? null : slotsAt(object, scope, timezone, priceCurrency);
  const slot = listed === null ? slotAt(object, scope, timezone) : null;
  const { tiers, tiersProblem } =
    listed === null
      ? readTiers(object, scope, priceCurrency)
      : { tiers: firstOfEachTier(listed.list), tiersProblem: null };
  const isApiOnly = (name: string): boolean => fields[name]?.source === 'api' || fields[name]?.otherwise === 'api';
  return {
    action,
    object: objectIdentity(object.order, scope, object.each === undefined ? [] : [externalId ?? '']),
    externalId,
    kind,
    timezone,
    texts,
    truncated: tooLong,
    unusable,
    tiers,
    tiersProblem,
    tierMerge: object.tiers ?? 'replace',
    fixedUnit: fields['tier.unit']?.source === 'fixed' ? text('tier.unit') : null,
    slot,
    window: listed === null ? null : { slots: listed.list, days: object.each_slot_days ?? 1 },
    isAboutSlot: object.whole_offering !== true && fields['slot.starts_at']?.source === 'webhook',
    isWithoutTimezone:
      listed?.isWithoutTimezone ?? (slot === null && timezone === null && text('slot.starts_at') !== null),
    booking: bookingAt(object, scope, externalId),
    optionSeats: optionSeatsAt(object, scope),
    apiOnlyFields: ['external_id', 'title', 'tier.amount', 'currency'].filter(isApiOnly),
  };
}

/** A name that is not one of IANA, such as `Pacific Standard Time`, counts only if the venue has stated none. */
const knownZone = (name: string | null): string | null => (name !== null && isZone(name) ? name : null);

/** The currency of the first slot that states one, where the prices of slots do; else that of the object. */
function currencyAt({ fields, each_slot }: ObjectEntry, scope: BodyScope): string | null {
  const [path = ''] = fields.currency?.path?.split('|') ?? [];
  const slots = each_slot !== undefined && path.startsWith(each_slot) ? itemScopes(scope, each_slot) : [];
  const stated = slots.map((slot) => textOf(valueAt(slot, path))).find((text) => text !== null);
  return stated ?? readText(fields.currency, scope);
}

/** The tiers of all slots, each with the price of the first slot that has it. */
function firstOfEachTier(slots: readonly PricedSlot[]): MappedTier[] {
  const found = new Map<string, MappedTier>();
  for (const tier of slots.flatMap(({ tiers }) => tiers)) {
    const name = tier.external_id ?? tier.label ?? '';
    if (!found.has(name)) found.set(name, tier);
  }
  return [...found.values()];
}

function readTiers(
  object: ObjectEntry,
  scope: BodyScope,
  currency: string | null,
): Pick<Change, 'tiers' | 'tiersProblem'> {
  try {
    return { tiers: currency === null ? [] : tiersAt(object, scope, currency), tiersProblem: null };
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    return { tiers: [], tiersProblem: error.message };
  }
}

/** The same rule as in the schema of an offering. */
function isHttpsUrl(text: string): boolean {
  return /^https:\/\/[\x21-\x7e]{1,1990}$/.test(text) && URL.canParse(text);
}

function bookingAt(object: ObjectEntry, scope: BodyScope, externalId: string | null): Booking | null {
  const { 'booking.party': party, 'booking.status': status } = object.fields;
  if (party === undefined) return null;
  const options = bookedOptionsAt(object, scope);
  return {
    object: objectIdentity(object.booking ?? object.order, scope, []),
    party: placesOf(guestsAt(object, scope), options, {}),
    options,
    seatsFrom:
      object.seats_from === undefined || externalId === null ? null : JSON.stringify([object.seats_from, externalId]),
    madeAt: instantAt(object.fields['booking.made_at'], scope),
    isCanceled: choiceOf(status, readText(status, scope)) === 'off',
    isOrderedBySlot: object.booking !== undefined,
    isCancelFinal: object.cancel_is_final === true,
  };
}

/** `suffix` keeps several offerings in one body apart: each is an object of its own. */
function objectIdentity(order: ObjectEntry['order'], scope: BodyScope, suffix: readonly string[]): MappedObject {
  const ids = order.id.map((path) => textOf(valueAt(scope, path)) ?? '');
  const text = order.version === undefined ? null : textOf(valueAt(scope, order.version));
  return {
    type: order.thing,
    name: JSON.stringify([order.thing, ...ids, ...suffix]),
    version: versionOf(text, order.version_as),
    partOf: order.part_of === undefined ? null : JSON.stringify([order.part_of, ...ids]),
  };
}

export function versionOf(text: string | null, as: 'number' | 'time' | undefined): bigint | null {
  if (text === null) return null;
  // A time without an offset is read as UTC, so that every machine gets the same version.
  const time = as === 'time' ? Date.parse(/(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`) : Number.NaN;
  if (!Number.isNaN(time)) return BigInt(time) * 1000n;
  return /^\d{1,18}$/.test(text) ? BigInt(text) : null;
}
