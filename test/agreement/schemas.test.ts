// Every schema compiles, every example in it is valid, every object in it is closed, and every bound of the
// specification and the decisions is exact. Rules between fields are tested in rules.test.ts.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { candidateFrom } from '../../src/base/schema/contract.ts';
import { readRegistry } from '../../src/base/schema/registry.ts';
import { makeValidator } from '../../src/base/schema/validate.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Schema = { [keyword: string]: Json };

const FOLDER = fileURLToPath(new URL('../../schemas/v1/', import.meta.url));
const BASE = 'https://everyshare.example/schemas/v1/';
const NAMED = [
  'offering',
  'price_tier',
  'availability',
  'policy',
  'event',
  'legacy_experience',
  'submission',
  'boat',
  'checkout_create',
  'checkout',
  'share',
  'webhook_event',
  'webhook_endpoint',
  'integration',
  'party',
  'me',
  'analytics',
  'error',
];
const ALLOWED = new Set(
  `$schema $id $ref $defs title description examples default type properties required additionalProperties enum const
   pattern format minLength maxLength minimum maximum exclusiveMinimum minItems maxItems uniqueItems maxProperties
   minProperties propertyNames items dependentRequired if then else oneOf`.split(/\s+/),
);
const FORMATS = new Set(['date-time', 'date', 'uuid', 'uri']);
/** Objects that accept any field: other code, or people, check their content. */
const OPEN = new Set([
  'audit_entry#/properties/detail',
  'boat#/properties/extra',
  'fleet#/properties/boats/items',
  'custom_hook#/properties/data',
  'passkey_add#/properties/credential/properties/clientExtensionResults',
  'passkey_answer#/properties/credential/properties/clientExtensionResults',
]);

const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
const names = files.map((file) => file.slice(0, -'.json'.length));
const schemas = new Map<string, Schema>(
  names.map((name) => [name, JSON.parse(readFileSync(`${FOLDER}${name}.json`, 'utf8')) as Schema]),
);

// Two checks of Ajv's strict mode are off. `strictRequired` refuses `required` beside a sibling's `properties`, which
// is how "exactly one of percent and amount" is written. `allowUnionTypes` lets a nullable field name both its types.
const ajv = new Ajv2020({ strict: true, allErrors: true, strictRequired: false, allowUnionTypes: true });
addFormats.default(ajv);
for (const schema of schemas.values()) ajv.addSchema(schema);

type Role = 'root' | 'definition' | 'property' | 'item' | 'map' | 'shape' | 'condition';
interface Place {
  readonly at: string;
  readonly name: string;
  readonly pointer: string;
  readonly role: Role;
  readonly schema: Schema;
}

const isObject = (value: Json | undefined): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** Every schema inside a schema. One under `if` or `oneOf`, or for property names, is a condition, not a shape. */
function* places(name: string, schema: Schema, pointer = '', role: Role = 'root'): Generator<Place> {
  yield { at: `${name}#${pointer}`, name, pointer, role, schema };
  const inside = (fallback: Role): Role => (role === 'condition' ? 'condition' : fallback);
  for (const [keyword, of] of [
    ['$defs', 'definition'],
    ['properties', 'property'],
  ] as const) {
    const members = schema[keyword];
    if (!isObject(members)) continue;
    for (const [key, member] of Object.entries(members)) {
      if (isObject(member)) yield* places(name, member, `${pointer}/${keyword}/${escaped(key)}`, inside(of));
    }
  }
  for (const [keyword, of] of [
    ['items', 'item'],
    ['additionalProperties', 'map'],
    ['propertyNames', 'condition'],
    ['if', 'condition'],
    ['then', 'shape'],
    ['else', 'shape'],
  ] as const) {
    const member = schema[keyword];
    if (isObject(member)) yield* places(name, member, `${pointer}/${keyword}`, inside(of));
  }
  if (Array.isArray(schema.oneOf)) {
    for (const [i, member] of schema.oneOf.entries()) {
      if (isObject(member)) yield* places(name, member, `${pointer}/oneOf/${i}`, 'condition');
    }
  }
}

const everyPlace = [...schemas].flatMap(([name, schema]) => [...places(name, schema)]);
const shapes = everyPlace.filter(({ role }) => role !== 'condition');

/** The value of a keyword at a place, or at the schema that the place refers to. */
function inherited(schema: Schema, keyword: string): Json | undefined {
  if (schema[keyword] !== undefined || typeof schema.$ref !== 'string') return schema[keyword];
  const [file = '', pointer = ''] = schema.$ref.split('#');
  let target: Json | undefined = schemas.get(file.slice(0, -'.json'.length));
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    target = isObject(target) ? target[key] : undefined;
  }
  return isObject(target) ? inherited(target, keyword) : undefined;
}

const typesOf = (schema: Schema): Json[] => [inherited(schema, 'type') ?? []].flat();

function compile(name: string, pointer = '') {
  const validate = ajv.compile({ $ref: `${BASE}${name}.json${pointer === '' ? '' : `#${encodeURI(pointer)}`}` });
  return (value: unknown) => {
    validate(value);
    return (validate.errors ?? []).map(({ instancePath, keyword, params }) => ({ instancePath, keyword, params }));
  };
}

describe('the files', () => {
  test.each(NAMED)('the contract publishes %s', (name) => {
    expect(names).toContain(name);
  });

  test.each(names)('%s has its own address, a title and a description', (name) => {
    const schema = schemas.get(name);
    expect(schema?.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(schema?.$id).toBe(`${BASE}${name}.json`);
    expect(schema?.title).toMatch(/^[A-Z][A-Za-z]+$/);
    expect(schema?.description).toMatch(/\.$/);
  });

  test('no two schemas have the same title, because types are named after them', () => {
    const titles = [...schemas.values()].map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
  });

  test('every reference is relative and begins with a file of this folder', () => {
    const foreign = everyPlace
      .filter(({ schema }) => typeof schema.$ref === 'string')
      .filter(({ schema }) => !files.includes(String(schema.$ref).split('#')[0] ?? ''))
      .map(({ at, schema }) => `${at}: ${String(schema.$ref)}`);
    expect(foreign).toEqual([]);
  });

  test('every shared field is used', () => {
    const all = JSON.stringify([...schemas.values()]);
    const query = new Set(['page_limit', 'next_before']);
    const unused = Object.keys((schemas.get('fields')?.$defs ?? {}) as Schema)
      .filter((key) => !query.has(key))
      .filter((key) => !all.includes(`"fields.json#/$defs/${key}"`));
    expect(unused).toEqual([]);
  });

  test.each(names)('%s compiles in strict mode, with every reference found', (name) => {
    expect(ajv.getSchema(`${BASE}${name}.json`)).toBeTypeOf('function');
  });
});

describe('the vocabulary', () => {
  test('only keywords occur that the error mapper, the type generator and the bundler support', () => {
    const unknown = everyPlace.flatMap(({ at, schema }) =>
      Object.keys(schema)
        .filter((keyword) => !ALLOWED.has(keyword))
        .map((keyword) => `${at}: ${keyword}`),
    );
    expect(unknown).toEqual([]);
  });

  test('only four formats occur', () => {
    const unknown = everyPlace.filter(({ schema }) => 'format' in schema && !FORMATS.has(String(schema.format)));
    expect(unknown.map(({ at }) => at)).toEqual([]);
  });

  test('oneOf is used only for "exactly one of percent and amount"', () => {
    const found = everyPlace.filter(({ schema }) => 'oneOf' in schema);
    expect(found.map(({ at }) => at)).toEqual(['price_tier#/properties/fees/items', 'price_tier#/properties/deposit']);
    for (const { schema } of found) {
      expect(schema.oneOf).toEqual([{ required: ['percent'] }, { required: ['amount'] }]);
    }
  });

  test('if always has then and else, so that it chooses one of two shapes', () => {
    const found = everyPlace.filter(({ schema }) => 'if' in schema || 'then' in schema || 'else' in schema);
    expect(found.length).toBeGreaterThan(0);
    for (const { at, schema } of found) {
      expect(Object.keys(schema), at).toEqual(expect.arrayContaining(['if', 'then', 'else']));
    }
  });
});

describe('the shapes', () => {
  test('every object refuses unknown fields, except maps and the six open ones', () => {
    const lax = shapes
      .filter(({ schema }) => typesOf({ type: schema.type ?? [] }).includes('object') || 'properties' in schema)
      .filter(({ at }) => !OPEN.has(at))
      .filter(({ schema }) =>
        'properties' in schema ? schema.additionalProperties !== false : !isObject(schema.additionalProperties),
      );
    expect(lax.map(({ at }) => at)).toEqual([]);
  });

  test('every map has a limit', () => {
    const unbounded = shapes.filter(
      ({ schema }) => isObject(schema.additionalProperties) && inherited(schema, 'maxProperties') === undefined,
    );
    expect(unbounded.map(({ at }) => at)).toEqual([]);
  });

  test('every required field has a schema', () => {
    const missing = shapes.flatMap(({ at, schema }) =>
      ((schema.required ?? []) as string[])
        .filter((key) => !isObject(schema.properties) || !(key in schema.properties))
        .map((key) => `${at}: ${key}`),
    );
    expect(missing).toEqual([]);
  });

  test('every property and every shared field has a description, a sentence', () => {
    const undescribed = shapes
      .filter(({ role }) => role === 'property' || role === 'definition')
      .filter(({ schema }) => !/^[A-Z0-9].*\.$/.test(String(inherited(schema, 'description'))));
    expect(undescribed.map(({ at }) => at)).toEqual([]);
  });

  test('every scalar has an example, because error messages show one', () => {
    const withoutExample = shapes
      .filter(({ role }) => role !== 'root' && role !== 'shape')
      .filter(({ schema }) => {
        const types = typesOf(schema);
        return types.length > 0 && !types.includes('object') && !types.includes('array');
      })
      .filter(({ schema }) => !Array.isArray(inherited(schema, 'examples')));
    expect(withoutExample.map(({ at }) => at)).toEqual([]);
  });

  test('every list and every text of a request has a limit', () => {
    const requests = new Set(
      `offering price_tier availability policy event legacy_experience boat checkout_create party webhook_endpoint
       integration offering_batch fleet refund sign_in sign_in_verify review_decision test_hold test_advance activity
       seat custom_hook custom_offering_cancel custom_slots_update set_price_tiers set_availability`.split(/\s+/),
    );
    const bounded = ['maxLength', 'pattern', 'enum', 'const', 'format'];
    const unbounded = shapes
      .filter(({ name }) => requests.has(name))
      .filter(({ schema }) => {
        const types = typesOf(schema);
        if (types.includes('array')) return inherited(schema, 'maxItems') === undefined;
        return types.includes('string') && bounded.every((keyword) => inherited(schema, keyword) === undefined);
      });
    expect(unbounded.map(({ at }) => at)).toEqual([]);
  });
});

describe('the examples', () => {
  test.each(names.filter((name) => name !== 'fields'))(
    '%s shows at least one whole object, and each is valid',
    (name) => {
      const examples = schemas.get(name)?.examples as Json[];
      expect(examples.length).toBeGreaterThan(0);
      const check = compile(name);
      for (const example of examples) expect(check(example)).toEqual([]);
    },
  );

  test.each(names)('%s: the examples and defaults of every part are valid there', (name) => {
    const parts = shapes.filter((place) => place.name === name && place.pointer !== '');
    for (const { at, pointer, schema } of parts) {
      const values = [...((schema.examples ?? []) as Json[]), ...('default' in schema ? [schema.default] : [])];
      if (values.length === 0) continue;
      const check = compile(name, pointer);
      for (const value of values) expect(check(value), `${at} ${JSON.stringify(value)}`).toEqual([]);
    }
  });
});

// ---------------------------------------------------------------------------------------------------- the bounds

const text = (length: number): string => 'x'.repeat(length);
const many = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));
const keys = (count: number, value: Json): Schema => Object.fromEntries(many(count, (i) => [`k${i}`, value]));
const url = (length: number): string => `https://a.example/${text(length - 'https://a.example/'.length)}`;
const day = (i: number): string => new Date(Date.UTC(2027, 0, 1 + i)).toISOString().slice(0, 10);
const tier = { amount: 100, currency: 'usd', unit: 'per_person' };
const fee = { type: 'tax', percent: 5, included: false };
const slot = { starts_at: '2027-06-12T09:30:00-04:00' };
const rule = { rrule: 'FREQ=DAILY', starts_at: '2027-06-12T09:30:00-04:00' };
const media = { url: 'https://a.example/1.jpg' };
const block = { starts_at: '2027-06-12T09:00:00Z', ends_at: '2027-06-12T10:00:00Z' };
const rate = { duration_hours: 4, amount: 100, currency: 'usd' };
const person = (i: number): Schema => ({ phone: `+1555010${String(i).padStart(4, '0')}` });
const happening = (i: number): Schema => ({
  id: `act-${i}`,
  type: 'view',
  member_id: 'm',
  at: '2027-06-12T09:00:00Z',
  mode: 'live',
});
const GONE = Symbol('the member is left out');

type Row = [schema: string, pointer: string, inside: unknown, outside: unknown, keyword: string];

/** Each row changes one place of the schema's last and most complete example. */
const BOUNDS: Row[] = [
  // External ids.
  ['offering', '/external_id', text(128), text(129), 'maxLength'],
  ['offering', '/external_id', 'a', '', 'minLength'],
  ['offering', '/external_id', 'a/..%20é', 'a b', 'pattern'],
  ['offering', '/external_id', 'a', 'a\u00a0b', 'pattern'],
  ['offering', '/external_id', 'a', GONE, 'required'],
  // Offering.
  ['offering', '/kind', 'dining', 'yacht', 'enum'],
  ['offering', '/kind', 'tee_time', GONE, 'required'],
  ['offering', '/title', text(120), text(121), 'maxLength'],
  ['offering', '/title', '🏌'.repeat(120), '🏌'.repeat(121), 'maxLength'],
  ['offering', '/title', 'x', '', 'minLength'],
  ['offering', '/title', 'x', GONE, 'required'],
  ['offering', '/tiers', many(20, () => tier), many(21, () => tier), 'maxItems'],
  ['offering', '/tiers', [tier], [], 'minItems'],
  ['offering', '/tiers', [tier], GONE, 'required'],
  ['offering', '/description', text(4000), text(4001), 'maxLength'],
  ['offering', '/category', text(60), text(61), 'maxLength'],
  ['offering', '/category', 'a', '', 'minLength'],
  ['offering', '/category', 'a_b-9', 'Golf', 'pattern'],
  ['offering', '/media', many(10, () => media), many(11, () => media), 'maxItems'],
  ['offering', '/media/0/url', url(2000), url(2001), 'maxLength'],
  ['offering', '/media/0/url', 'https://a.example/', 'http://a.example/', 'pattern'],
  ['offering', '/media/0/url', 'https://a.example/', 'https://a b', 'format'],
  ['offering', '/media/0/type', 'video', 'audio', 'enum'],
  ['offering', '/media/0/alt', text(300), text(301), 'maxLength'],
  ['offering', '/booking_url', url(2000), url(2001), 'maxLength'],
  ['offering', '/metadata', keys(20, 'v'), keys(21, 'v'), 'maxProperties'],
  ['offering', '/metadata', { [text(40)]: '' }, { [text(41)]: '' }, 'pattern'],
  ['offering', '/metadata', { 'a_B.9-': '' }, { 'a b': '' }, 'pattern'],
  ['offering', '/metadata', { a: '' }, { '': '' }, 'pattern'],
  ['offering', '/metadata/pms_item', text(500), text(501), 'maxLength'],
  ['offering', '/metadata/pms_item', '1', 1, 'type'],
  // PriceTier.
  ['price_tier', '/amount', 0, -1, 'minimum'],
  ['price_tier', '/amount', 99_999_999, 100_000_000, 'maximum'],
  ['price_tier', '/amount', 100, 100.5, 'type'],
  ['price_tier', '/amount', 100, '100', 'type'],
  ['price_tier', '/currency', 'eur', 'EUR', 'pattern'],
  ['price_tier', '/currency', 'usd', 'usdt', 'pattern'],
  ['price_tier', '/unit', 'per_unit', 'per_day', 'enum'],
  ['price_tier', '/unit', 'per_unit', GONE, 'required'],
  ['price_tier', '/label', text(80), text(81), 'maxLength'],
  ['price_tier', '/label', 'x', '', 'minLength'],
  ['price_tier', '/min_party', 1, 0, 'minimum'],
  ['price_tier', '/min_party', 500, 501, 'maximum'],
  ['price_tier', '/max_party', 1, 0, 'minimum'],
  ['price_tier', '/max_party', 500, 501, 'maximum'],
  ['price_tier', '/days/0', 'mon', 'monday', 'enum'],
  ['price_tier', '/days', ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], ['mon', 'mon'], 'uniqueItems'],
  ['price_tier', '/days', ['mon'], [], 'minItems'],
  ['price_tier', '/time_window/from', '00:00', '24:00', 'pattern'],
  ['price_tier', '/time_window/to', '23:59', '9:30', 'pattern'],
  ['price_tier', '/time_window/to', '23:59', GONE, 'required'],
  ['price_tier', '/fees', many(10, () => fee), many(11, () => fee), 'maxItems'],
  ['price_tier', '/fees/0/type', 'gratuity', 'tip', 'enum'],
  ['price_tier', '/fees/0/percent', 100, 100.01, 'maximum'],
  ['price_tier', '/fees/0/percent', 0, -0.01, 'minimum'],
  ['price_tier', '/fees/0/included', true, GONE, 'required'],
  ['price_tier', '/fees/0', fee, { ...fee, amount: 5 }, 'oneOf'],
  ['price_tier', '/fees/0', { type: 'tax', amount: 5, included: true }, { type: 'tax', included: true }, 'oneOf'],
  ['price_tier', '/deposit', { amount: 0 }, { amount: 5, percent: 5 }, 'oneOf'],
  ['price_tier', '/deposit', { percent: 100 }, {}, 'oneOf'],
  ['price_tier', '/deposit/percent', 100, 101, 'maximum'],
  ['price_tier', '/minimum_spend', 99_999_999, 100_000_000, 'maximum'],
  // Availability.
  ['availability', '/slots', many(1000, () => slot), many(1001, () => slot), 'maxItems'],
  ['availability', '/slots/0/starts_at', '2027-06-12T09:30:00Z', '2027-06-12T09:30:00', 'format'],
  ['availability', '/slots/0/starts_at', '2027-06-12T09:30:00+05:30', GONE, 'required'],
  ['availability', '/slots/0/capacity', 0, -1, 'minimum'],
  ['availability', '/slots/0/capacity', 100_000, 100_001, 'maximum'],
  ['availability', '/slots/0/tier_overrides/0/amount', 0, -1, 'minimum'],
  ['availability', '/slots/0/tier_overrides/0/tier', 'a', GONE, 'required'],
  ['availability', '/recurring', many(20, () => rule), many(21, () => rule), 'maxItems'],
  ['availability', '/recurring/0/rrule', text(500), text(501), 'maxLength'],
  ['availability', '/recurring/0/rrule', 'FREQ=DAILY', GONE, 'required'],
  ['availability', '/recurring/0/starts_at', '2027-06-12T09:30:00Z', GONE, 'required'],
  ['availability', '/recurring/0/until', '2027-02-28', '2027-02-30', 'format'],
  ['availability', '/recurring/0/duration_minutes', 1, 0, 'minimum'],
  ['availability', '/recurring/0/duration_minutes', 44_640, 44_641, 'maximum'],
  ['availability', '/recurring/0/capacity', 100_000, 100_001, 'maximum'],
  ['availability', '/blackout_dates', many(1000, day), many(1001, day), 'maxItems'],
  ['availability', '/blackout_dates', [day(0)], [day(0), day(0)], 'uniqueItems'],
  ['availability', '/lead_time_minutes', 525_600, 525_601, 'maximum'],
  ['availability', '/lead_time_minutes', 0, -1, 'minimum'],
  ['availability', '/cutoff_minutes', 525_600, 525_601, 'maximum'],
  ['availability', '/cutoff_minutes', 0, -1, 'minimum'],
  // Policy.
  [
    'policy',
    '/cancellation',
    many(10, (i) => ({ hours_before: i, refund_pct: 0 })),
    many(11, (i) => ({ hours_before: i, refund_pct: 0 })),
    'maxItems',
  ],
  ['policy', '/cancellation/0/hours_before', 8760, 8761, 'maximum'],
  ['policy', '/cancellation/0/hours_before', 0, -1, 'minimum'],
  ['policy', '/cancellation/0/refund_pct', 100, 101, 'maximum'],
  ['policy', '/cancellation/0/refund_pct', 0, -1, 'minimum'],
  ['policy', '/min_age', 0, 16, 'enum'],
  ['policy', '/min_age', 21, 20, 'enum'],
  ['policy', '/dress_code', text(200), text(201), 'maxLength'],
  ['policy', '/arrival_window_minutes', 1440, 1441, 'maximum'],
  ['policy', '/arrival_window_minutes', 0, -1, 'minimum'],
  ['policy', '/notes', text(2000), text(2001), 'maxLength'],
  // Event and legacy experience.
  ['event', '/title', text(120), text(121), 'maxLength'],
  ['event', '/title', 'x', '', 'minLength'],
  ['event', '/starts_at', '2027-06-12T09:30:00Z', GONE, 'required'],
  ['event', '/description', text(4000), text(4001), 'maxLength'],
  ['event', '/capacity', 1, 0, 'minimum'],
  ['event', '/capacity', 5000, 5001, 'maximum'],
  ['event', '/tiers', many(20, () => tier), many(21, () => tier), 'maxItems'],
  ['event', '/on_sale/ends_at', '2027-06-12T09:30:00Z', '2027-06-12', 'format'],
  ['legacy_experience', '/title', text(120), text(121), 'maxLength'],
  ['legacy_experience', '/external_id', text(128), text(129), 'maxLength'],
  ['legacy_experience', '/description', text(4000), text(4001), 'maxLength'],
  ['legacy_experience', '/price_per_person', 0, -0.01, 'minimum'],
  ['legacy_experience', '/price_per_person', 100_000, 100_000.01, 'maximum'],
  ['legacy_experience', '/price_per_person', 49.5, '49.50', 'type'],
  ['legacy_experience', '/capacity', 1, 0, 'minimum'],
  ['legacy_experience', '/capacity', 5000, 5001, 'maximum'],
  ['legacy_experience', '/photo_urls', many(10, () => media.url), many(11, () => media.url), 'maxItems'],
  ['legacy_experience', '/photo_urls/0', 'https://a.example/', 'ftp://a.example/', 'pattern'],
  // Boat.
  ['boat', '/name', text(120), text(121), 'maxLength'],
  ['boat', '/type', 'jet_ski', 'kayak', 'enum'],
  ['boat', '/length_ft', 5, 4.99, 'minimum'],
  ['boat', '/length_ft', 600, 600.01, 'maximum'],
  ['boat', '/capacity', 1, 0, 'minimum'],
  ['boat', '/capacity', 500, 501, 'maximum'],
  ['boat', '/captain', 'bareboat', 'none', 'enum'],
  ['boat', '/location/city', 'x', GONE, 'required'],
  ['boat', '/location/country', 'US', 'us', 'pattern'],
  ['boat', '/location/lat', 90, 90.01, 'maximum'],
  ['boat', '/location/lng', -180, -180.01, 'minimum'],
  ['boat', '/location', { city: 'Miami' }, { city: 'Miami', lat: 25 }, 'dependentRequired'],
  ['boat', '/location', { city: 'Miami', lat: 25, lng: -80 }, { city: 'Miami', lng: -80 }, 'dependentRequired'],
  ['boat', '/pricing', many(20, () => rate), many(21, () => rate), 'maxItems'],
  ['boat', '/pricing', [rate], [], 'minItems'],
  ['boat', '/pricing/0/duration_hours', 0.5, 0, 'exclusiveMinimum'],
  ['boat', '/pricing/0/duration_hours', 720, 720.5, 'maximum'],
  ['boat', '/pricing/0/amount', 0, GONE, 'required'],
  ['boat', '/pricing/0/days/0', 'mon', 'Monday', 'enum'],
  ['boat', '/photo_urls', many(20, () => media.url), many(21, () => media.url), 'maxItems'],
  ['boat', '/photo_urls', [media.url], [], 'minItems'],
  ['boat', '/make', text(80), text(81), 'maxLength'],
  ['boat', '/year', 1900, 1899, 'minimum'],
  ['boat', '/year', 2100, 2101, 'maximum'],
  ['boat', '/cabins', 0, -1, 'minimum'],
  ['boat', '/cabins', 100, 101, 'maximum'],
  ['boat', '/deposit_amount', 99_999_999, 100_000_000, 'maximum'],
  ['boat', '/amenities', many(40, () => 'x'), many(41, () => 'x'), 'maxItems'],
  ['boat', '/amenities/0', text(80), text(81), 'maxLength'],
  ['boat', '/availability/ical_url', 'https://a.example/x.ics', 'webcal://a.example/x.ics', 'pattern'],
  ['boat', '/availability/blocks', many(1000, () => block), many(1001, () => block), 'maxItems'],
  ['boat', '/availability/blocks/0/status', 'tentative', 'booked', 'enum'],
  ['boat', '/source_platform', 'own', 'Own', 'pattern'],
  ['boat', '/source_url', 'http://a.example/', 'javascript:alert(1)', 'pattern'],
  ['boat', '/active', false, 'false', 'type'],
  ['boat', '/metadata', keys(20, 'v'), keys(21, 'v'), 'maxProperties'],
  // CheckoutCreate.
  ['checkout_create', '/amount', 100, 99, 'minimum'],
  ['checkout_create', '/amount', 99_999_999, 100_000_000, 'maximum'],
  ['checkout_create', '/amount', 24_000, '24000', 'type'],
  ['checkout_create', '/amount', 24_000, 240.5, 'type'],
  ['checkout_create', '/currency', 'usd', 'USD', 'pattern'],
  ['checkout_create', '/currency', 'usd', 'eur', 'enum'],
  ['checkout_create', '/party_size', 2, 1, 'minimum'],
  ['checkout_create', '/party_size', 50, 51, 'maximum'],
  ['checkout_create', '/pay_by', '2027-06-12T09:30:00Z', '2027-06-12 09:30', 'format'],
  ['checkout_create', '/description', text(200), text(201), 'maxLength'],
  ['checkout_create', '/return_url', 'https://a.example', 'http://a.example', 'pattern'],
  ['checkout_create', '/external_booking_id', text(128), text(129), 'maxLength'],
  ['checkout_create', '/external_booking_id', 'a', 'a b', 'pattern'],
  ['checkout_create', '/cancel_url', url(2000), url(2001), 'maxLength'],
  ['checkout_create', '/metadata', keys(20, 'v'), keys(21, 'v'), 'maxProperties'],
  // Webhook endpoints, integrations, parties.
  ['webhook_endpoint', '/url', 'https://a.example/', 'http://a.example/', 'pattern'],
  ['webhook_endpoint', '/events', ['share.held'], [], 'minItems'],
  ['webhook_endpoint', '/events/0', 'checkout.created', 'refund.created', 'enum'],
  ['webhook_endpoint', '/events', ['share.held'], ['share.held', 'share.held'], 'uniqueItems'],
  ['integration', '/provider', 'mews', 'opera', 'enum'],
  ['integration', '/signing_secret', text(500), text(501), 'maxLength'],
  ['party', '/members', many(50, person), many(51, person), 'maxItems'],
  ['party', '/members/0/phone', '+15550100042', '5550100042', 'pattern'],
  ['party', '/members/0/name', text(80), text(81), 'maxLength'],
  ['party', '/members/1/user_id', '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10', 'sam', 'format'],
  ['party', '/split', 'equal', 'even', 'const'],
  ['party', '/split/custom/organizer', 0, -1, 'minimum'],
  ['party', '/split/custom/organizer', 1, 1.5, 'type'],
  // Batches, and the rest.
  ['offering_batch', '/offerings', many(25, minimal('offering')), many(26, minimal('offering')), 'maxItems'],
  ['offering_batch', '/offerings', many(1, minimal('offering')), [], 'minItems'],
  ['fleet', '/boats', many(100, () => ({})), many(101, () => ({})), 'maxItems'],
  ['fleet', '/boats', [{ anything: 1 }], [], 'minItems'],
  ['refund', '/reason', text(500), text(501), 'maxLength'],
  ['sign_in', '/phone', '+15550100', '+155501', 'pattern'],
  ['sign_in', '/phone', '+123456789012345', '+1234567890123456', 'pattern'],
  ['sign_in_verify', '/code', '000000', '00000', 'pattern'],
  ['review_decision', '/status', 'rejected', 'pending', 'enum'],
  ['test_hold', '/share_id', 'shr_1', 'chk_1', 'pattern'],
  ['seat', '/share_id', 'shr_1', 'chk_1', 'pattern'],
  ['activity', '/events', many(1000, happening), many(1001, happening), 'maxItems'],
  ['activity', '/events', many(1, happening), [], 'minItems'],
  ['activity', '/events/0/type', 'check_in', 'like', 'enum'],
  ['error', '/errors', many(100, () => problem()), many(101, () => problem()), 'maxItems'],
  ['error', '/error/code', 'not_found', 'NotFound', 'pattern'],
];

function minimal(name: string): () => Json {
  return () => ((schemas.get(name)?.examples ?? []) as Json[])[0] ?? null;
}

function problem(): Json {
  const full = ((schemas.get('error')?.examples ?? []) as Schema[]).at(-1);
  return ((full?.errors ?? []) as Json[])[0] ?? null;
}

/** The schema's last example, with one place changed. */
function changed(name: string, pointer: string, value: unknown): unknown {
  const body = structuredClone(((schemas.get(name)?.examples ?? []) as Json[]).at(-1));
  const path = pointer.split('/').slice(1);
  const last = path.pop() ?? '';
  let parent = body as unknown as Record<string, unknown>;
  for (const part of path) parent = parent[part] as Record<string, unknown>;
  if (value === GONE) delete parent[last];
  else parent[last] = value;
  return body;
}

const validator = makeValidator(readRegistry(FOLDER));
const CODE: Readonly<Record<string, string>> = {
  required: 'missing_field',
  dependentRequired: 'missing_field',
  additionalProperties: 'unknown_field',
  type: 'invalid_type',
  enum: 'invalid_value',
  const: 'invalid_value',
  pattern: 'invalid_format',
  format: 'invalid_format',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  exclusiveMinimum: 'out_of_range',
  maxLength: 'too_long',
  minLength: 'too_short',
  maxItems: 'too_many_items',
  maxProperties: 'too_many_items',
  minItems: 'too_few_items',
  uniqueItems: 'not_unique',
  oneOf: 'not_allowed',
};

describe('the bounds', () => {
  const shown = (value: unknown): string => {
    if (value === GONE) return 'nothing';
    const json = JSON.stringify(value);
    return json.length > 40 ? `${json.slice(0, 30)}… (${json.length})` : json;
  };
  const table = BOUNDS.map((row): [string, Row] => [
    `${row[0]}${row[1]} takes ${shown(row[2])} and refuses ${shown(row[3])} by ${row[4]}`,
    row,
  ]);

  test.each(table)('%s', (_, [name, pointer, inside, outside, keyword]) => {
    const check = compile(name);
    expect(check(changed(name, pointer, inside))).toEqual([]);
    const errors = check(changed(name, pointer, outside));
    const where = outside === GONE ? pointer.slice(0, pointer.lastIndexOf('/')) : pointer;
    expect(errors.map((error) => `${error.instancePath} ${error.keyword}`)).toContain(`${where} ${keyword}`);
    // The service reports the right code at the right pointer.
    const response = validator.problems(name, candidateFrom(changed(name, pointer, outside) as never));
    // (A bad field name and a missing companion are reported at the field itself, inside the object of the row.)
    const fits = response.filter(
      ({ code, field }) => code === CODE[keyword] && (field === pointer || field.startsWith(`${pointer}/`)),
    );
    expect(fits, JSON.stringify(response)).toHaveLength(1);
    expect(validator.problems(name, candidateFrom(changed(name, pointer, inside) as never))).toEqual([]);
  });

  test('a currency in capitals breaks the format first, an unknown currency only the list', () => {
    const check = compile('checkout_create');
    expect(check(changed('checkout_create', '/currency', 'USD'))[0]?.keyword).toBe('pattern');
    expect(check(changed('checkout_create', '/currency', 'eur')).map(({ keyword }) => keyword)).toEqual(['enum']);
  });

  test('a party member is a user, a channel or a phone, and never two of them', () => {
    const check = compile('party');
    const id = '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10';
    const member = (value: Json) => check({ members: [value], split: 'equal' });
    expect(member({ user_id: id })).toEqual([]);
    expect(member({ channel_id: id })).toEqual([]);
    expect(member({ phone: '+15550100042', name: 'Sam' })).toEqual([]);
    expect(member({ user_id: id, phone: '+15550100042' }).map(({ keyword }) => keyword)).toContain(
      'additionalProperties',
    );
    expect(member({ name: 'Sam' }).map(({ keyword }) => keyword)).toContain('required');
    expect(member('Sam').map(({ keyword }) => keyword)).toContain('type');
  });

  test('a guest never sees the fee, the metadata, the booking id or a phone', () => {
    const guest = schemas.get('guest_checkout')?.properties as Schema;
    const share = schemas.get('guest_share')?.properties as Schema;
    for (const secret of ['fee_amount', 'net_amount', 'metadata', 'external_booking_id', 'phone', 'email']) {
      expect(guest).not.toHaveProperty(secret);
      expect(share).not.toHaveProperty(secret);
    }
  });

  test('a field for reviewers only is never in a response', () => {
    expect(schemas.get('stored_boat')?.properties).not.toHaveProperty('extra');
  });

  test.each([
    ['stored_offering', 'offering', []],
    ['stored_boat', 'boat', ['extra']],
    ['submission', 'event', []],
    ['submission', 'legacy_experience', []],
    ['checkout', 'checkout_create', []],
  ])('%s has every field that %s can submit', (answer, request, hidden) => {
    const sent = Object.keys((schemas.get(request)?.properties ?? {}) as Schema);
    const read = Object.keys((schemas.get(answer)?.properties ?? {}) as Schema);
    expect(sent.filter((key) => !read.includes(key))).toEqual(hidden);
  });
});
