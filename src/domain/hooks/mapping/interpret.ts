// Interprets a body by its provider's mapping file: returns the changes that the delivery makes, with each field read
// from the path in the file. Pure. It never guesses: a field that the body does not have is left out and named.

import type { Mapping, MappingField } from '../../../../schemas/types.gen.ts';
import type { Defaults } from '../integration.ts';
import { type BodyScope, itemsAt, textOf, valueAt } from './body.ts';
import {
  integerOf,
  MappingError,
  minorFromDecimal,
  minorFromPrecision,
  timeFromDayAndNumber,
  timeFromUnix,
  timeOf,
} from './convert.ts';
import { type EventEntry, eventScope, extractEvent } from './event.ts';

type ObjectEntry = Mapping['objects'][number];

export interface MappedTier {
  readonly external_id?: string;
  readonly label?: string;
  readonly amount: number;
  readonly currency: string;
  readonly unit: string;
  readonly min_party?: number;
  readonly max_party?: number;
}

export interface MappedSlot {
  readonly external_id?: string;
  readonly starts_at: string;
  readonly ends_at?: string;
  /** Undefined: the slot has no capacity, and a known one is removed. */
  readonly capacity?: number | undefined;
  readonly tier_overrides?: readonly { readonly tier: string; readonly amount: number }[] | undefined;
}

/** A booking or its cancellation. */
export interface Booking {
  /** The identity of the whole booking; a change may be one item of it. */
  readonly object: MappedObject;
  /** Null: the body does not state the number of guests. */
  readonly party: number | null;
  /** This item of the booking takes no places. */
  readonly isCanceled: boolean;
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
  readonly tiers: readonly MappedTier[];
  readonly tierMerge: NonNullable<ObjectEntry['tiers']>;
  /** The unit of the tiers is fixed by the mapping; the body does not state it. */
  readonly isFixedUnit: boolean;
  readonly slot: MappedSlot | null;
  /** The change is about one slot, not about the whole offering. */
  readonly isAboutSlot: boolean;
  /** The slot's time is local, and no time zone is known. */
  readonly isWithoutTimezone: boolean;
  /** Null: the change is not about a booking. */
  readonly booking: Booking | null;
  /** Fields that only the provider's API has. */
  readonly apiOnlyFields: readonly string[];
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
  | { readonly result: 'change'; readonly changes: readonly (Change | UnreadableObject)[] };

/** One body is applied in one transaction, which blocks other writers of the venue. */
const MAX_OBJECTS = 100;

export function interpret(mapping: Mapping, body: unknown, defaults: Defaults): Interpretation {
  const { entry } = extractEvent(mapping, body);
  if (entry === null) return { result: 'unmapped', reason: unknownEvent(mapping) };
  const reason = entry.why ?? 'This event does not change an offering.';
  if (entry.action === 'ignore') return { result: 'ignored', reason };
  if (entry.action === 'refresh') return { result: 'needs_api_read', reason };
  const object = mapping.objects.find(({ name }) => name === entry.object);
  if (object === undefined) throw new Error(`the mapping of ${mapping.provider} has no object "${entry.object}"`);
  const scope = eventScope({ root: body, bound: [] }, entry);
  if (object.whole !== undefined) {
    return { result: 'whole', whole: { schema: object.whole, object: objectIdentity(object, scope, []) } };
  }
  const { each } = object;
  const scopes: readonly BodyScope[] =
    each === undefined
      ? [scope]
      : itemsAt(scope, each).map((value) => ({ root: scope.root, bound: [{ path: each, value }] }));
  if (scopes.length === 0) return { result: 'unmapped', reason: `There is nothing at ${each}.` };
  if (scopes.length > MAX_OBJECTS)
    return { result: 'unmapped', reason: `There are ${scopes.length} objects at ${each}; the most is ${MAX_OBJECTS}.` };
  return { result: 'change', changes: scopes.map((item) => readObject(object, entry, item, defaults)) };
}

function unknownEvent({ name, provider, events }: Mapping): string {
  if (provider !== 'custom') return `The mapping of ${name} has no entry for this event.`;
  return `The type of a custom delivery must be one of these: ${events.map((event) => event.name).join(', ')}.`;
}

/** Reads an object completely or not at all; an error in one object does not affect the others. */
function readObject(
  object: ObjectEntry,
  entry: EventEntry,
  scope: BodyScope,
  defaults: Defaults,
): Change | UnreadableObject {
  try {
    return changeAt(object, entry, scope, defaults);
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

function changeAt(object: ObjectEntry, entry: EventEntry, scope: BodyScope, defaults: Defaults): Change {
  const { fields } = object;
  const text = (name: string): string | null => readText(fields[name], scope);
  const externalId = text('external_id');
  const kind = choiceOf(fields.kind, text('kind'));
  const timezone = text('timezone') ?? defaults.timezone ?? null;
  const currency = text('currency')?.toLowerCase() ?? defaults.currency ?? null;
  const texts: Record<string, string> = {};
  const tooLong: string[] = [];
  for (const name of ['title', 'description', 'booking_url', 'category']) {
    const value = text(name);
    if (value === null) continue;
    texts[name] = truncate(value, MAX_LENGTHS[name]);
    if (texts[name] !== value) tooLong.push(name);
  }
  const isCancel = entry.action === 'cancel';
  const slot = slotAt(object, scope, timezone);
  const isApiOnly = (name: string): boolean => fields[name]?.source === 'api' || fields[name]?.otherwise === 'api';
  return {
    action: isCancel ? 'cancel' : 'upsert',
    object: objectIdentity(object, scope, object.each === undefined ? [] : [externalId ?? '']),
    externalId,
    kind,
    timezone,
    texts,
    truncated: tooLong,
    tiers: currency === null || isCancel ? [] : tiersAt(object, scope, currency),
    tierMerge: object.tiers ?? 'replace',
    isFixedUnit: fields['tier.unit']?.source === 'fixed',
    slot,
    isAboutSlot: fields['slot.starts_at']?.source === 'webhook',
    isWithoutTimezone: slot === null && timezone === null && text('slot.starts_at') !== null,
    booking: bookingAt(object, scope),
    apiOnlyFields: ['external_id', 'title', 'tier.amount', 'currency'].filter(isApiOnly),
  };
}

/** The largest capacity of a slot. */
const MAX_CAPACITY = 100_000;

function partyOf(text: string | null): number | null {
  const party = wholeNumber(text);
  if (party !== null && party > MAX_CAPACITY) throw new MappingError(`${party} are more than a slot has places for.`);
  return party;
}

function bookingAt(object: ObjectEntry, scope: BodyScope): Booking | null {
  const { 'booking.party': party, 'booking.status': status } = object.fields;
  if (party === undefined) return null;
  return {
    object: objectIdentity(object, scope, []),
    party: party.as === 'count' ? itemsAt(scope, party.path ?? '').length : partyOf(readText(party, scope)),
    isCanceled: choiceOf(status, readText(status, scope)) === 'off',
  };
}

/** `suffix` keeps several offerings in one body apart: each is an object of its own. */
function objectIdentity({ order }: ObjectEntry, scope: BodyScope, suffix: readonly string[]): MappedObject {
  const ids = order.id.map((path) => textOf(valueAt(scope, path)) ?? '');
  const text = order.version === undefined ? null : textOf(valueAt(scope, order.version));
  return {
    type: order.thing,
    name: JSON.stringify([order.thing, ...ids, ...suffix]),
    version: versionOf(text, order.version_as),
    partOf: order.part_of === undefined ? null : JSON.stringify([order.part_of, ...ids]),
  };
}

function versionOf(text: string | null, as: 'number' | 'time' | undefined): bigint | null {
  if (text === null) return null;
  // A time without an offset is read as UTC, so that every machine gets the same version.
  const time = as === 'time' ? Date.parse(/(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`) : Number.NaN;
  if (!Number.isNaN(time)) return BigInt(time) * 1000n;
  return /^\d{1,18}$/.test(text) ? BigInt(text) : null;
}

function readText(field: MappingField | undefined, scope: BodyScope): string | null {
  if (field?.source === 'fixed') return field.value ?? null;
  if (field?.source !== 'webhook' || field.path === undefined) return null;
  const value = textOf(valueAt(scope, field.path));
  return field.as === 'template' && value !== null ? (field.value ?? '{}').replace('{}', () => value) : value;
}

/** Our value for the provider's value. Null: the mapping has none, and the venue's own value stays. */
function choiceOf(field: MappingField | undefined, value: string | null): string | null {
  if (value === null || field?.choices === undefined) return value;
  const choice = Object.entries(field.choices).find(([name]) =>
    name.endsWith('*') ? value.startsWith(name.slice(0, -1)) : value === name,
  );
  return choice?.[1] ?? null;
}

function tiersAt(object: ObjectEntry, scope: BodyScope, currency: string): MappedTier[] {
  const { fields, each_tier } = object;
  const scopes: readonly BodyScope[] =
    each_tier === undefined
      ? [scope]
      : itemsAt(scope, each_tier).map((value) => ({
          root: scope.root,
          bound: [...scope.bound, { path: each_tier, value }],
        }));
  const found = new Map<string, MappedTier>();
  for (const item of scopes) {
    const amount = amountAt(fields['tier.amount'], item, currency);
    if (amount === null) continue;
    const text = (name: string): string | null => readText(fields[`tier.${name}`], item);
    const whole = (name: string): number | null => wholeNumber(text(name));
    const tier = {
      amount,
      currency,
      unit: text('unit') ?? 'per_person',
      ...optionalField('external_id', text('external_id')),
      ...optionalField('label', text('label')),
      ...optionalField('min_party', whole('min_party')),
      ...optionalField('max_party', whole('max_party')),
    };
    // Two adults are two units of the same tier, so a repeated tier is stored once.
    found.set(tier.external_id ?? tier.label ?? '', tier);
  }
  return [...found.values()];
}

function optionalField<Name extends string, Value>(name: Name, value: Value | null): { readonly [N in Name]?: Value } {
  return (value === null ? {} : { [name]: value }) as { readonly [N in Name]?: Value };
}

const wholeNumber = (text: string | null): number | null => (text === null ? null : integerOf(text));

function amountAt(field: MappingField | undefined, scope: BodyScope, currency: string): number | null {
  const text = readText(field, scope);
  if (text === null || field === undefined) return null;
  if (field.as === 'decimal_number' || field.as === 'decimal_string') return minorFromDecimal(text, currency);
  if (field.as !== 'minor_int_with_precision') return integerOf(text);
  const precision = field.with === undefined ? null : textOf(valueAt(scope, field.with));
  if (precision === null) throw new MappingError(`${field.path} has no precision.`);
  return minorFromPrecision(text, precision, currency);
}

function slotAt({ fields }: ObjectEntry, scope: BodyScope, zone: string | null): MappedSlot | null {
  const startsAt = timeAt(fields['slot.starts_at'], scope, zone);
  if (startsAt === null) return null;
  return {
    starts_at: startsAt,
    ...optionalField('external_id', readText(fields['slot.external_id'], scope)),
    ...optionalField('ends_at', timeAt(fields['slot.ends_at'], scope, zone)),
    ...optionalField('capacity', capacityAt(fields['slot.capacity'], scope)),
  };
}

/** Never negative: an overbooked slot has capacity 0. */
function capacityAt(field: MappingField | undefined, scope: BodyScope): number | null {
  const capacity = wholeNumber(readText(field, scope));
  const booked = field?.as === 'remaining' ? wholeNumber(textOf(valueAt(scope, field.with ?? ''))) : 0;
  if (capacity === null || booked === null) return null;
  return Math.min(MAX_CAPACITY, Math.max(0, capacity - booked));
}

function timeAt(field: MappingField | undefined, scope: BodyScope, zone: string | null): string | null {
  const text = readText(field, scope);
  if (text === null) return null;
  if (field?.as === 'unix_seconds_string') return timeFromUnix(text, 1);
  if (field?.as === 'unix_ms_string') return timeFromUnix(text, 1000);
  if (field?.as !== 'hhmm_int') return timeOf(text, zone);
  const clock = field.with === undefined ? null : textOf(valueAt(scope, field.with));
  return clock === null ? null : timeFromDayAndNumber(text, clock, zone);
}
