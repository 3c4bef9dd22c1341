// The one interpreter of the mapping files: from a body to the changes that it asks for, field by field, each from where the
// file says it comes. Pure. It invents nothing: what the body lacks is left out and named.

import type { Mapping, MappingField } from '../../../../schemas/types.gen.ts';
import type { Defaults } from '../integration.ts';
import { itemsAt, type Place, textOf, valueAt } from './body.ts';
import {
  integerOf,
  MappingTrouble,
  minorFromDecimal,
  minorFromPrecision,
  timeFromDayAndNumber,
  timeFromUnix,
  timeOf,
} from './convert.ts';
import { type EventEntry, eventSeen, within } from './event.ts';

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
  readonly capacity?: number;
}

/** Something that changes, and how an older delivery about it is told from a newer. */
export interface Thing {
  readonly name: string;
  /** A count, or a time in microseconds; null: the order of arrival decides. */
  readonly version: bigint | null;
  /** The name of the thing that knows which offering this one belongs to. */
  readonly partOf: string | null;
}

export interface Change {
  readonly action: 'upsert' | 'cancel';
  readonly thing: Thing;
  /** Null: the body names the thing, and not the offering. */
  readonly externalId: string | null;
  readonly kind: string | null;
  readonly timezone: string | null;
  /** Title, description, booking_url, category: what the body says of them. */
  readonly texts: Readonly<Record<string, string>>;
  readonly tiers: readonly MappedTier[];
  readonly replacesTiers: boolean;
  readonly slot: MappedSlot | null;
  /** It is about a slot, and not about the whole offering. */
  readonly isOfSlot: boolean;
  /** Fields that only the provider's API has. */
  readonly onlyByApi: readonly string[];
}

/** In our own words already: `schema` says what `data` is. */
export interface Whole {
  readonly schema: string;
  readonly thing: Thing;
}

export type Reading =
  | { readonly does: 'ignored' | 'needs_api_read' | 'unmapped'; readonly reason: string }
  | { readonly does: 'whole'; readonly whole: Whole }
  | { readonly does: 'change'; readonly changes: readonly Change[] };

export function interpret(mapping: Mapping, body: unknown, defaults: Defaults): Reading {
  const { entry } = eventSeen(mapping, body);
  if (entry === null) return { does: 'unmapped', reason: `This is no event of ${mapping.name} that we know.` };
  const why = entry.why ?? 'It changes nothing that is sold.';
  if (entry.action === 'ignore') return { does: 'ignored', reason: why };
  if (entry.action === 'refresh') return { does: 'needs_api_read', reason: why };
  const object = mapping.objects.find(({ name }) => name === entry.object);
  if (object === undefined) throw new Error(`the mapping of ${mapping.provider} has no object "${entry.object}"`);
  const place = within({ root: body, bound: [] }, entry);
  if (object.whole !== undefined) {
    return { does: 'whole', whole: { schema: object.whole, thing: thingOf(object, place, []) } };
  }
  const { each } = object;
  const places: readonly Place[] =
    each === undefined
      ? [place]
      : itemsAt(place, each).map((value) => ({ root: place.root, bound: [{ path: each, value }] }));
  if (places.length === 0) return { does: 'unmapped', reason: `There is nothing at ${each}.` };
  return { does: 'change', changes: places.map((one) => changeAt(object, entry, one, defaults)) };
}

function changeAt(object: ObjectEntry, entry: EventEntry, place: Place, defaults: Defaults): Change {
  const { fields } = object;
  const text = (name: string): string | null => readText(fields[name], place);
  const externalId = text('external_id');
  const kind = chosen(fields.kind, text('kind'));
  const timezone = text('timezone') ?? defaults.timezone ?? null;
  const currency = text('currency')?.toLowerCase() ?? defaults.currency ?? null;
  const texts: Record<string, string> = {};
  for (const name of ['title', 'description', 'booking_url', 'category']) {
    const value = text(name);
    if (value !== null) texts[name] = value;
  }
  const isByApi = (name: string): boolean => fields[name]?.source === 'api' || fields[name]?.otherwise === 'api';
  return {
    action: entry.action === 'cancel' ? 'cancel' : 'upsert',
    thing: thingOf(object, place, object.each === undefined ? [] : [externalId ?? '']),
    externalId,
    kind,
    timezone,
    texts,
    tiers: currency === null ? [] : tiersAt(object, place, currency),
    replacesTiers: object.tiers !== 'merge',
    slot: slotAt(object, place, timezone),
    isOfSlot: fields['slot.starts_at'] !== undefined,
    onlyByApi: ['external_id', 'title', 'tier.amount', 'currency'].filter(isByApi),
  };
}

/** Of several offerings in one body each is a thing of its own. */
function thingOf({ order }: ObjectEntry, place: Place, more: readonly string[]): Thing {
  const ids = order.id.map((path) => textOf(valueAt(place, path)) ?? '');
  const text = order.version === undefined ? null : textOf(valueAt(place, order.version));
  return {
    name: JSON.stringify([order.thing, ...ids, ...more]),
    version: versionOf(text, order.version_as),
    partOf: order.part_of === undefined ? null : JSON.stringify([order.part_of, ...ids]),
  };
}

function versionOf(text: string | null, as: 'number' | 'time' | undefined): bigint | null {
  if (text === null) return null;
  const time = as === 'time' ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return BigInt(time) * 1000n;
  return /^\d{1,18}$/.test(text) ? BigInt(text) : null;
}

function readText(field: MappingField | undefined, place: Place): string | null {
  if (field?.source === 'fixed') return field.value ?? null;
  if (field?.source !== 'webhook' || field.path === undefined) return null;
  const value = textOf(valueAt(place, field.path));
  return field.as === 'template' && value !== null ? (field.value ?? '{}').replace('{}', () => value) : value;
}

/** A value without a meaning of ours leaves the field to the venue. */
function chosen(field: MappingField | undefined, value: string | null): string | null {
  if (value === null || field?.choices === undefined) return value;
  return Object.hasOwn(field.choices, value) ? (field.choices[value] ?? null) : null;
}

function tiersAt(object: ObjectEntry, place: Place, currency: string): MappedTier[] {
  const { fields, each_tier } = object;
  const places: readonly Place[] =
    each_tier === undefined
      ? [place]
      : itemsAt(place, each_tier).map((value) => ({
          root: place.root,
          bound: [...place.bound, { path: each_tier, value }],
        }));
  const found = new Map<string, MappedTier>();
  for (const one of places) {
    const amount = amountAt(fields['tier.amount'], one, currency);
    if (amount === null) continue;
    const text = (name: string): string | null => readText(fields[`tier.${name}`], one);
    const whole = (name: string): number | null => wholeNumber(text(name));
    const tier = {
      amount,
      currency,
      unit: text('unit') ?? 'per_person',
      ...given('external_id', text('external_id')),
      ...given('label', text('label')),
      ...given('min_party', whole('min_party')),
      ...given('max_party', whole('max_party')),
    };
    // Two adults are two units of one tier.
    found.set(tier.external_id ?? tier.label ?? '', tier);
  }
  return [...found.values()];
}

function given<Name extends string, Value>(name: Name, value: Value | null): { readonly [N in Name]?: Value } {
  return (value === null ? {} : { [name]: value }) as { readonly [N in Name]?: Value };
}

const wholeNumber = (text: string | null): number | null => (text === null ? null : integerOf(text));

function amountAt(field: MappingField | undefined, place: Place, currency: string): number | null {
  const text = readText(field, place);
  if (text === null || field === undefined) return null;
  if (field.as === 'decimal_number' || field.as === 'decimal_string') return minorFromDecimal(text, currency);
  if (field.as !== 'minor_int_with_precision') return integerOf(text);
  const precision = field.with === undefined ? null : textOf(valueAt(place, field.with));
  if (precision === null) throw new MappingTrouble(`${field.path} has no precision beside it.`);
  return minorFromPrecision(text, precision, currency);
}

function slotAt({ fields }: ObjectEntry, place: Place, zone: string | null): MappedSlot | null {
  const startsAt = timeAt(fields['slot.starts_at'], place, zone);
  if (startsAt === null) return null;
  return {
    starts_at: startsAt,
    ...given('external_id', readText(fields['slot.external_id'], place)),
    ...given('ends_at', timeAt(fields['slot.ends_at'], place, zone)),
    ...given('capacity', capacityAt(fields['slot.capacity'], place)),
  };
}

/** Never below none: an overbooked slot is full. */
function capacityAt(field: MappingField | undefined, place: Place): number | null {
  const capacity = wholeNumber(readText(field, place));
  if (capacity === null || field?.as !== 'remaining') return capacity;
  const taken = field.with === undefined ? null : wholeNumber(textOf(valueAt(place, field.with)));
  return taken === null ? null : Math.max(0, capacity - taken);
}

function timeAt(field: MappingField | undefined, place: Place, zone: string | null): string | null {
  const text = readText(field, place);
  if (text === null) return null;
  if (field?.as === 'unix_seconds_string') return timeFromUnix(text, 1);
  if (field?.as === 'unix_ms_string') return timeFromUnix(text, 1000);
  if (field?.as !== 'hhmm_int') return timeOf(text, zone);
  const clock = field.with === undefined ? null : textOf(valueAt(place, field.with));
  return clock === null ? null : timeFromDayAndNumber(text, clock, zone);
}
