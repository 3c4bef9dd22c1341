// Reads the fields of an object from a body, as its mapping says: texts, tiers, the slot, and the size of a booking.
// Pure. A field that the body does not have is left out; a value that cannot be converted throws a MappingError.

import type { Mapping, MappingField } from '../../../../schemas/types.gen.ts';
import { MAX_CAPACITY } from '../slot-capacity.ts';
import { type BodyScope, itemScopes, textOf, valueAt } from './body.ts';
import { areAllMet, fits } from './conditions.ts';
import {
  integerOf,
  MappingError,
  minorFromCents,
  minorFromDecimal,
  minorFromPrecision,
  shorten,
  timeFromDayAndNumber,
  timeFromDayAndTime,
  timeFromUnix,
  timeOf,
  timePlusDuration,
} from './convert.ts';

export type ObjectEntry = Mapping['objects'][number];

export interface MappedTier {
  readonly external_id?: string;
  readonly label?: string;
  readonly amount: number;
  readonly currency: string;
  /** What the amount is for. Undefined: the body does not state it. VENUE_UNIT: the default of the venue. */
  readonly unit?: string;
  readonly min_party?: number;
  readonly max_party?: number;
  /** The tax that the amount includes, in percent of the amount without it; 0: none. Undefined: not stated. */
  readonly includedTaxPercent?: number;
}

export interface MappedSlot {
  readonly external_id?: string;
  readonly starts_at: string;
  readonly ends_at?: string;
  /** Undefined: the slot has no capacity, and a known one is removed. */
  readonly capacity?: number | undefined;
  readonly tier_overrides?: readonly { readonly tier: string; readonly amount: number }[] | undefined;
}

/** The mapping's word for the unit that the venue has stated with `defaults.unit`. */
export const VENUE_UNIT = 'default';

export function readText(field: MappingField | undefined, scope: BodyScope): string | null {
  if (field?.source === 'fixed') return field.value ?? null;
  if (field?.source !== 'webhook' || field.path === undefined || !areAllMet(field.where, scope)) return null;
  if (field.as === 'localized') return localizedAt(field, scope);
  if (field.as === 'smallest' || field.as === 'largest') return extremeAt(field, scope);
  const value = textOf(valueAt(scope, field.path));
  return field.as === 'template' && value !== null ? (field.value ?? '{}').replace('{}', () => value) : value;
}

/** The text in the language that the body names, else the first text. */
function localizedAt({ path = '', with: language }: MappingField, scope: BodyScope): string | null {
  const texts = valueAt(scope, path);
  if (typeof texts !== 'object' || texts === null) return null;
  const wanted = language === undefined ? null : textOf(valueAt(scope, language));
  const inLanguage = Object.entries(texts).find(([name]) => name === wanted)?.[1];
  return (
    textOf(inLanguage) ??
    Object.values(texts)
      .map(textOf)
      .find((text) => text !== null) ??
    null
  );
}

/** The smallest or the largest number of a list. Null: the list is absent or empty. */
function extremeAt({ path = '', as }: MappingField, scope: BodyScope): string | null {
  const list = valueAt(scope, path);
  const numbers = (Array.isArray(list) ? list : []).flatMap((item) => wholeNumber(textOf(item)) ?? []);
  if (numbers.length === 0) return null;
  return String(as === 'smallest' ? Math.min(...numbers) : Math.max(...numbers));
}

/** Our value for the provider's value. Null: the mapping has none, and the venue's own value stays. */
export function choiceOf(field: MappingField | undefined, value: string | null): string | null {
  if (value === null || field?.choices === undefined) return value;
  return Object.entries(field.choices).find(([pattern]) => fits(value, pattern))?.[1] ?? null;
}

/** How many guests a booking has. Null: not stated. */
export function guestsAt({ fields }: ObjectEntry, scope: BodyScope): number | null {
  const party = fields['booking.party'];
  if (party?.as !== 'count') return wholeNumber(readText(party, scope));
  // A list that is absent is not an empty one: the number is not stated.
  if ((valueAt(scope, (party.path ?? '').replace(/\[\]$/, '')) ?? null) === null) return null;
  const items = itemScopes(scope, party.path ?? '').filter((item) => areAllMet(party.where, item));
  // A family ticket is one unit and several guests.
  const guestsOf = (item: BodyScope): number =>
    (party.with === undefined ? null : wholeNumber(textOf(valueAt(item, party.with)))) || 1;
  return items.reduce((sum, item) => sum + guestsOf(item), 0);
}

/** An option that was booked. */
export interface BookedOption {
  readonly id: string | null;
  readonly label: string | null;
  /** Null: not stated. */
  readonly quantity: number | null;
  /** The places that one unit takes; null: the body does not say. */
  readonly seats: number | null;
}

export function bookedOptionsAt({ fields }: ObjectEntry, scope: BodyScope): BookedOption[] {
  const { 'booking.seats': field, 'tier.external_id': id, 'tier.label': label } = fields;
  if (field?.path === undefined) return [];
  const { path, with: seatsPath } = field;
  const numberAt = (item: BodyScope, at: string | undefined): number | null =>
    at === undefined ? null : wholeNumber(textOf(valueAt(item, at)));
  return itemScopes(scope, path.slice(0, path.lastIndexOf('[]') + 2)).map((item) => ({
    id: readText(id, item),
    label: readText(label, item),
    quantity: numberAt(item, path),
    seats: numberAt(item, seatsPath),
  }));
}

/** The key of an option's id among the places of options, which are also stored by label. */
const optionIdKey = (id: string): string => `id:${id}`;

/** The places that one unit of each option takes, by the option's id and by its label. Null: the body does not say it. */
export function optionSeatsAt(object: ObjectEntry, scope: BodyScope): Readonly<Record<string, number>> | null {
  const { fields, each_tier } = object;
  if (fields['tier.seats'] === undefined || each_tier === undefined) return null;
  const seats = itemScopes(scope, each_tier).flatMap((item): [string, number][] => {
    const [id, label] = [readText(fields['tier.external_id'], item), readText(fields['tier.label'], item)];
    const places = wholeNumber(readText(fields['tier.seats'], item));
    if (places === null) return [];
    return [[label ?? '', places], ...(id === null ? [] : [[optionIdKey(id), places] as [string, number]])];
  });
  return Object.fromEntries(seats);
}

/**
 * The places that a booking takes: the seats of its options if all are known, else its guests or one seat for each
 * unit, the larger number. Null: the body states neither.
 */
export function placesOf(
  guests: number | null,
  options: readonly BookedOption[],
  known: Readonly<Record<string, number>>,
): number | null {
  const knownAt = (key: string | null): number | undefined =>
    key !== null && Object.hasOwn(known, key) ? known[key] : undefined;
  const counted = options.flatMap(({ id, label, quantity, seats }) =>
    quantity === null ? [] : [{ quantity, seats: seats ?? knownAt(id && optionIdKey(id)) ?? knownAt(label) }],
  );
  if (guests === null && counted.length === 0) return null;
  const sum = counted.reduce((total, { quantity, seats }) => total + quantity * (seats ?? 1), 0);
  const isComplete =
    counted.length > 0 && counted.length === options.length && counted.every(({ seats }) => seats !== undefined);
  const places = isComplete ? sum : Math.max(guests ?? 0, sum);
  if (places > MAX_CAPACITY) throw new MappingError(`${places} are more than a slot has places for.`);
  return places;
}

export function tiersAt(object: ObjectEntry, scope: BodyScope, currency: string): MappedTier[] {
  const { fields, each_tier, each_tier_where } = object;
  const scopes =
    each_tier === undefined ? [scope] : itemScopes(scope, each_tier).filter((item) => areAllMet(each_tier_where, item));
  const found = new Map<string, MappedTier>();
  for (const item of scopes) {
    const amount = amountAt(fields['tier.amount'], item, currency);
    if (amount === null) continue;
    const stated = readText(fields.currency, item)?.toLowerCase() ?? currency;
    if (stated !== currency) throw new MappingError(mixedCurrencies(currency, stated));
    const text = (name: string): string | null => readText(fields[`tier.${name}`], item);
    // A limit of 0 is no limit.
    const limit = (name: string): number | null => wholeNumber(text(name)) || null;
    const unit = fields['tier.unit']?.source === 'webhook' ? choiceOf(fields['tier.unit'], text('unit')) : null;
    const tier = {
      amount,
      currency,
      ...optionalField('external_id', text('external_id')),
      ...optionalField('label', text('label')),
      ...optionalField('unit', unit),
      ...optionalField('min_party', limit('min_party')),
      ...optionalField('max_party', limit('max_party')),
      ...optionalField('includedTaxPercent', includedTaxAt(fields['tier.fees'], item)),
    };
    // Two adults are two units of the same tier, so a repeated tier is stored once.
    found.set(tier.external_id ?? tier.label ?? '', tier);
  }
  return [...found.values()];
}

const mixedCurrencies = (one: string, other: string): string =>
  `The prices are in ${one.toUpperCase()} and in ${shorten(other.toUpperCase())}, and an offering has one currency: send the offering with POST /v1/offerings.`;

const MAX_PERCENT_DECIMALS = 6;

/**
 * The tax that the price with tax (`path`) has more than the price without it (`with`), as the percentage with the
 * fewest decimals that gives this tax for one unit. An amount would be wrong for a party or another price. Null: not
 * stated, or no percentage that a fee may have.
 */
function includedTaxAt(field: MappingField | undefined, scope: BodyScope): number | null {
  const whole = wholeNumber(readText(field, scope));
  const beforeTax = field?.with === undefined ? null : wholeNumber(textOf(valueAt(scope, field.with)));
  if (field?.as !== 'included_tax' || whole === null || beforeTax === null) return null;
  const tax = whole - beforeTax;
  if (tax <= 0) return 0;
  if (tax > beforeTax) return null;
  const exact = (100 * tax) / beforeTax;
  for (let decimals = 0; decimals < MAX_PERCENT_DECIMALS; decimals++) {
    const percent = Number(exact.toFixed(decimals));
    if (Math.round((whole * percent) / (100 + percent)) === tax) return percent;
  }
  return Number(exact.toFixed(MAX_PERCENT_DECIMALS));
}

function optionalField<Name extends string, Value>(name: Name, value: Value | null): { readonly [N in Name]?: Value } {
  return (value === null ? {} : { [name]: value }) as { readonly [N in Name]?: Value };
}

const wholeNumber = (text: string | null): number | null => (text === null ? null : integerOf(text));

/** The amount, with the second amount that is always paid with it. */
function amountAt(field: MappingField | undefined, scope: BodyScope, currency: string): number | null {
  const amount = singleAmountAt(field, scope, currency);
  if (amount === null || field?.plus === undefined || !areAllMet(field.plus.where, scope)) return amount;
  return amount + (singleAmountAt({ ...field, path: field.plus.path }, scope, currency) ?? 0);
}

function singleAmountAt(field: MappingField | undefined, scope: BodyScope, currency: string): number | null {
  const text = readText(field, scope);
  if (text === null || field === undefined) return null;
  if (field.as === 'decimal_number' || field.as === 'decimal_string') return minorFromDecimal(text, currency);
  if (field.as === 'cents') return minorFromCents(text, currency);
  if (field.as !== 'minor_int_with_precision') return integerOf(text);
  const precision = field.with === undefined ? null : textOf(valueAt(scope, field.with));
  if (precision === null) throw new MappingError(`${field.path} has no precision.`);
  return minorFromPrecision(text, precision, currency);
}

export function slotAt({ fields }: ObjectEntry, scope: BodyScope, zone: string | null): MappedSlot | null {
  const startsAt = timeAt(fields['slot.starts_at'], scope, zone);
  if (startsAt === null) return null;
  const endsAt = timeAt(fields['slot.ends_at'], scope, zone);
  return {
    starts_at: startsAt,
    ...optionalField('external_id', readText(fields['slot.external_id'], scope)),
    // Some systems send the start as the end of a whole day: that is no end.
    ...optionalField('ends_at', endsAt !== null && Date.parse(endsAt) > Date.parse(startsAt) ? endsAt : null),
    ...optionalField('capacity', capacityAt(fields['slot.capacity'], scope)),
  };
}

/** A slot with the prices that it has. */
export interface PricedSlot {
  readonly slot: MappedSlot;
  readonly tiers: readonly MappedTier[];
}

/** The slots of the object's list. `currency` null: no price can be read. */
export function slotsAt(
  object: ObjectEntry,
  scope: BodyScope,
  zone: string | null,
  currency: string | null,
): { readonly list: readonly PricedSlot[]; readonly isWithoutTimezone: boolean } {
  const items = itemScopes(scope, object.each_slot ?? '').filter((item) => areAllMet(object.each_slot_where, item));
  const read = items.flatMap((item): PricedSlot[] => {
    const slot = slotAt(object, item, zone);
    return slot === null ? [] : [{ slot, tiers: currency === null ? [] : tiersAt(object, item, currency) }];
  });
  const priced = read.filter(({ tiers }) => tiers.length > 0);
  return {
    list: priced.length > 0 ? withWidestLimits(priced) : read,
    isWithoutTimezone: zone === null && read.length < items.length,
  };
}

/**
 * The limits of a party belong to a tier, not to a slot. Each tier gets those of the slot that allows most sizes, and a
 * slot that allows less is left out, because a party that it refuses could book it.
 */
function withWidestLimits(slots: readonly PricedSlot[]): PricedSlot[] {
  const limitsOf = ({ min_party = 1, max_party = MAX_CAPACITY }: MappedTier) => ({ min: min_party, max: max_party });
  const nameOf = ({ external_id, label }: MappedTier): string => external_id ?? label ?? '';
  const widest = new Map<string, ReturnType<typeof limitsOf>>();
  for (const tier of slots.flatMap(({ tiers }) => tiers)) {
    const [limits, known] = [limitsOf(tier), widest.get(nameOf(tier))];
    if (known === undefined || limits.max - limits.min > known.max - known.min) widest.set(nameOf(tier), limits);
  }
  const isWide = (tier: MappedTier): boolean => {
    const [limits, wanted] = [limitsOf(tier), widest.get(nameOf(tier))];
    return wanted === undefined || (limits.min <= wanted.min && limits.max >= wanted.max);
  };
  return slots.filter(({ tiers }) => tiers.every(isWide));
}

/** Never negative: an overbooked slot has capacity 0. */
function capacityAt(field: MappingField | undefined, scope: BodyScope): number | null {
  if (field?.zero_where !== undefined && areAllMet(field.zero_where, scope)) return 0;
  const capacity = wholeNumber(readText(field, scope));
  const booked = field?.as === 'remaining' ? wholeNumber(textOf(valueAt(scope, field.with ?? ''))) : 0;
  if (capacity === null || booked === null) return null;
  if (field?.as === 'times') {
    const each = wholeNumber(textOf(valueAt(scope, field.with ?? '')));
    return each === null ? null : Math.max(0, Math.min(MAX_CAPACITY, capacity * each));
  }
  return Math.max(0, Math.min(MAX_CAPACITY, capacity - booked, limitAt(field, scope)));
}

/** What remains of the field's second number. Infinity: there is none. */
function limitAt(field: MappingField | undefined, scope: BodyScope): number {
  const numberAt = (path: string): number | null => wholeNumber(textOf(valueAt(scope, path)));
  const most = field?.limit === undefined ? null : numberAt(field.limit.path);
  const used = field?.limit === undefined ? null : numberAt(field.limit.with);
  return most === null || used === null ? Number.POSITIVE_INFINITY : most - used;
}

/** A time in milliseconds. Null: the body has none, or one that cannot be read; nothing else depends on it. */
export function instantAt(field: MappingField | undefined, scope: BodyScope): number | null {
  try {
    const time = timeAt(field, scope, 'UTC');
    return time === null ? null : Date.parse(time);
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    return null;
  }
}

function timeAt(field: MappingField | undefined, scope: BodyScope, zone: string | null): string | null {
  const text = readText(field, scope);
  if (text === null) return null;
  if (field?.as === 'unix_seconds_string') return timeFromUnix(text, 1);
  if (field?.as === 'unix_ms_string') return timeFromUnix(text, 1000);
  const clock = field?.with === undefined ? null : textOf(valueAt(scope, field.with));
  if (field?.as === 'day_and_time') return timeFromDayAndTime(text, clock, zone);
  if (field?.as === 'plus_duration') return clock === null ? null : timePlusDuration(text, clock, zone);
  if (field?.as !== 'hhmm_int') return timeOf(text, zone);
  return clock === null ? null : timeFromDayAndNumber(text, clock, zone);
}
