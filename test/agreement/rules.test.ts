// The rules between fields: each says its code at its pointer, suggests a value that would pass, and stays silent and
// whole whatever JSON it is given.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isZone } from '../../schemas/rules/iana-zone.ts';
import { readMoment } from '../../schemas/rules/moment.ts';
import { readRecurrence } from '../../schemas/rules/recurrence-rule.ts';
import type { Breach, Facts } from '../../schemas/rules/rule.ts';
import { clockRules, rules } from '../../schemas/rules/rules.ts';

const facts: Facts = {
  now: new Date('2027-03-01T12:00:00Z'),
  categories: ['golf', 'spa', 'boats'],
  origins: ['https://app.example.com', 'https://pay.example.com:8443'],
};

function run(map: typeof rules, name: string, value: unknown, at = '', given = facts): Breach[] {
  const breaches: Breach[] = [];
  const rule = map[name];
  if (rule === undefined) throw new Error(`no rule ${name}`);
  rule(value, at, (breach) => breaches.push(breach), given);
  return breaches;
}

/** A copy of `value` with `fix` at `pointer`; null means the member is left out. */
function mended(value: unknown, pointer: string, fix: unknown): unknown {
  const copy = structuredClone(value);
  const steps = pointer.split('/').slice(1);
  const last = steps.pop() ?? '';
  let place = copy;
  for (const step of steps) place = Reflect.get(Object(place), step);
  if (fix === null) Reflect.deleteProperty(Object(place), last);
  else Object.defineProperty(place, last, { value: fix, enumerable: true, configurable: true, writable: true });
  return copy;
}

const tier = (more: object = {}) => ({ amount: 5000, currency: 'usd', unit: 'per_person', ...more });
const offering = (more: object = {}) => ({ external_id: 'o1', kind: 'tee_time', title: 'T', tiers: [tier()], ...more });
const slots = (...list: object[]) =>
  offering({ tiers: [tier({ external_id: 'a' }), tier({ external_id: 'b' })], availability: { slots: list } });
const recurring = (rrule: string, more: object = {}) => ({
  recurring: [{ rrule, starts_at: '2027-06-02T01:00:00Z', ...more }],
});
const backwards = { starts_at: '2027-05-01T10:00:00+02:00', ends_at: '2027-05-01T09:00:00+02:00' };
const hooks = JSON.parse('{"metadata":{"constructor":"a","prototype":"b","__proto__":"c"}}');
const start = '2027-05-01T10:00:00Z';

type Row = [promise: string, schema: string, body: unknown, expected: [code: string, field: string][]];

const broken: Row[] = [
  [
    'a tier whose max_party is under its min_party',
    'price_tier',
    tier({ min_party: 4, max_party: 2 }),
    [['not_allowed', '/max_party']],
  ],
  [
    'a tier whose window ends when it begins',
    'price_tier',
    tier({ time_window: { from: '23:30', to: '23:30' } }),
    [['not_allowed', '/time_window/to']],
  ],
  ['a currency ISO 4217 does not list', 'price_tier', tier({ currency: 'zzz' }), [['invalid_value', '/currency']]],
  ['a currency ISO 4217 withdrew', 'price_tier', tier({ currency: 'hrk' }), [['invalid_value', '/currency']]],
  ['a zone that does not exist', 'availability', { timezone: 'Mars/Olympus' }, [['invalid_value', '/timezone']]],
  ['an offset in place of a zone', 'availability', { timezone: '+02:00' }, [['invalid_value', '/timezone']]],
  ['an abbreviation in place of a zone', 'availability', { timezone: 'PST' }, [['invalid_value', '/timezone']]],
  ['a zone in other letter case', 'availability', { timezone: 'america/new_york' }, [['invalid_value', '/timezone']]],
  ['a link in other letter case', 'availability', { timezone: 'us/eastern' }, [['invalid_value', '/timezone']]],
  [
    'a slot that ends before it starts',
    'availability',
    { slots: [{ starts_at: start }, backwards] },
    [['not_allowed', '/slots/1/ends_at']],
  ],
  [
    'a slot without length',
    'availability',
    { slots: [{ starts_at: start, ends_at: '2027-05-01T12:00:00+02:00' }] },
    [['not_allowed', '/slots/0/ends_at']],
  ],
  [
    'two slots with one external_id',
    'availability',
    { slots: [{ starts_at: start, external_id: 's' }, { starts_at: start }, { starts_at: start, external_id: 's' }] },
    [['not_unique', '/slots/2/external_id']],
  ],
  [
    'an until before its start',
    'availability',
    recurring('FREQ=DAILY', { until: '2027-06-01' }),
    [['not_allowed', '/recurring/0/until']],
  ],
  [
    'a recurrence rule that cannot be read',
    'availability',
    recurring('every friday'),
    [['invalid_format', '/recurring/0/rrule']],
  ],
  ['a recurrence within a day', 'availability', recurring('FREQ=HOURLY'), [['invalid_value', '/recurring/0/rrule']]],
  [
    'two cancellation rules for the same hours',
    'policy',
    {
      cancellation: [
        { hours_before: 48, refund_pct: 50 },
        { hours_before: 24, refund_pct: 9 },
        { hours_before: 48, refund_pct: 1 },
      ],
    },
    [['not_unique', '/cancellation/2/hours_before']],
  ],
  ['an unknown category', 'offering', offering({ category: 'tennis' }), [['invalid_value', '/category']]],
  [
    'two currencies in an offering',
    'offering',
    offering({ tiers: [tier({ currency: 'eur' }), tier(), tier({ currency: 'eur' })] }),
    [['not_allowed', '/tiers/1/currency']],
  ],
  [
    'an unlisted currency beside a listed one',
    'offering',
    offering({ tiers: [tier({ currency: 'zzz' }), tier({ currency: 'eur' })] }),
    [['invalid_value', '/tiers/0/currency']],
  ],
  [
    'two tiers with one external_id',
    'offering',
    offering({ tiers: [tier({ external_id: 'a' }), tier({ external_id: 'a' })] }),
    [['not_unique', '/tiers/1/external_id']],
  ],
  [
    'an override of an unknown tier',
    'offering',
    slots({
      starts_at: start,
      tier_overrides: [
        { tier: 'a', amount: 1 },
        { tier: 'c', amount: 1 },
      ],
    }),
    [['invalid_value', '/availability/slots/0/tier_overrides/1/tier']],
  ],
  [
    'a tier overridden twice in one slot',
    'offering',
    slots(
      { starts_at: start },
      {
        starts_at: start,
        tier_overrides: [
          { tier: 'a', amount: 1 },
          { tier: 'a', amount: 2 },
        ],
      },
    ),
    [['not_unique', '/availability/slots/1/tier_overrides/1/tier']],
  ],
  [
    'an override where no tier has an id',
    'offering',
    offering({ availability: { slots: [{ starts_at: start, tier_overrides: [{ tier: 'a', amount: 1 }] }] } }),
    [['invalid_value', '/availability/slots/0/tier_overrides/0/tier']],
  ],
  [
    'what an offering nests',
    'offering',
    offering({
      policy: { cancellation: [{ hours_before: 0 }, { hours_before: 0 }] },
      availability: { timezone: 'x' },
      tiers: [tier({ min_party: 2, max_party: 1 })],
    }),
    [
      ['not_allowed', '/tiers/0/max_party'],
      ['invalid_value', '/availability/timezone'],
      ['not_unique', '/policy/cancellation/1/hours_before'],
    ],
  ],
  ['the metadata key __proto__ of an offering', 'offering', offering(hooks), [['not_allowed', '/metadata/__proto__']]],
  [
    'what an offering in a batch breaks',
    'offering_batch',
    { offerings: [offering(), offering({ external_id: 'o2', category: 'x' })] },
    [['invalid_value', '/offerings/1/category']],
  ],
  [
    'one external_id twice in a batch',
    'offering_batch',
    { offerings: [offering(), offering()] },
    [['not_unique', '/offerings/1/external_id']],
  ],
  ['an event that ends before it starts', 'event', { title: 'E', ...backwards }, [['not_allowed', '/ends_at']]],
  [
    'a sale that ends before it starts',
    'event',
    { title: 'E', starts_at: start, on_sale: backwards },
    [['not_allowed', '/on_sale/ends_at']],
  ],
  [
    'what an event nests',
    'event',
    {
      starts_at: start,
      category: 'x',
      tiers: [tier(), tier({ currency: 'gbp' })],
      policy: { cancellation: [{ hours_before: 5 }, { hours_before: 5 }] },
      ...hooks,
    },
    [
      ['invalid_value', '/category'],
      ['not_allowed', '/tiers/1/currency'],
      ['not_unique', '/policy/cancellation/1/hours_before'],
      ['not_allowed', '/metadata/__proto__'],
    ],
  ],
  [
    'a legacy experience that ends before it starts',
    'legacy_experience',
    { title: 'L', category: 'x', ...backwards },
    [
      ['not_allowed', '/ends_at'],
      ['invalid_value', '/category'],
    ],
  ],
  [
    'two currencies in a boat',
    'boat',
    { pricing: [{ currency: 'usd' }, { currency: 'eur' }] },
    [['not_allowed', '/pricing/1/currency']],
  ],
  [
    'what a boat nests',
    'boat',
    { pricing: [{ currency: 'zzz' }], availability: { timezone: 'Nowhere', blocks: [backwards] }, ...hooks },
    [
      ['invalid_value', '/pricing/0/currency'],
      ['invalid_value', '/availability/timezone'],
      ['not_allowed', '/availability/blocks/0/ends_at'],
      ['not_allowed', '/metadata/__proto__'],
    ],
  ],
  [
    'a return to a foreign origin',
    'checkout_create',
    { return_url: 'https://app.example.com.evil.test/done', cancel_url: 'https://app.example.com@evil.test/' },
    [
      ['not_allowed', '/return_url'],
      ['not_allowed', '/cancel_url'],
    ],
  ],
  [
    'a return by another scheme or port',
    'checkout_create',
    { return_url: 'http://app.example.com/', cancel_url: 'https://pay.example.com/' },
    [
      ['not_allowed', '/return_url'],
      ['not_allowed', '/cancel_url'],
    ],
  ],
  ['the metadata key __proto__ of a checkout', 'checkout_create', hooks, [['not_allowed', '/metadata/__proto__']]],
  [
    'a signing provider without its secret',
    'integration',
    { provider: 'square' },
    [['missing_field', '/signing_secret']],
  ],
  [
    'a secret for a provider that does not sign',
    'integration',
    { provider: 'mews', signing_secret: 's' },
    [['not_allowed', '/signing_secret']],
  ],
  [
    'a secret for custom',
    'integration',
    { provider: 'custom', signing_secret: 's' },
    [['not_allowed', '/signing_secret']],
  ],
  [
    'wrong defaults of an integration',
    'integration',
    { provider: 'custom', defaults: { timezone: 'EDT', currency: 'xts', category: 'x' } },
    [
      ['invalid_value', '/defaults/timezone'],
      ['invalid_value', '/defaults/currency'],
      ['invalid_value', '/defaults/category'],
    ],
  ],
];

const late: Row[] = [
  ['an event in the past', 'event', { starts_at: '2027-03-01T12:00:00Z' }, [['out_of_range', '/starts_at']]],
  [
    'an event more than two years ahead',
    'event',
    { starts_at: '2029-03-01T12:00:01Z' },
    [['out_of_range', '/starts_at']],
  ],
  [
    'a legacy experience in the past',
    'legacy_experience',
    { starts_at: '2027-03-01T13:00:00+02:00' },
    [['out_of_range', '/starts_at']],
  ],
  ['a pay_by that is now', 'checkout_create', { pay_by: '2027-03-01T12:00:00Z' }, [['out_of_range', '/pay_by']]],
];

function checkBreaches(map: typeof rules, [, schema, body, expected]: Row): void {
  const found = run(map, schema, body);
  expect(found.map((breach) => [breach.code, breach.field])).toEqual(expected);
  for (const breach of found) {
    expect(breach.message).toMatch(/^\S.{10,300}\.$/);
    expect(breach.expected).toMatch(/^\S.{0,120}$/);
    const left = run(map, schema, mended(body, breach.field, breach.example_fix));
    expect(
      left.map((other) => other.field),
      breach.field,
    ).not.toContain(breach.field);
    expect(left).toHaveLength(found.length - 1);
  }
}

describe('what breaks a rule is named by code and pointer, and its example_fix put in place mends it', () => {
  it.each(broken)('%s', (...row) => checkBreaches(rules, row));
});

describe('what breaks a rule of the clock is named apart from the others, and its example_fix mends it', () => {
  it.each(late)('%s', (...row) => {
    checkBreaches(clockRules, row);
    expect(run(rules, row[1], row[2])).toEqual([]);
  });
});

const fine: [promise: string, schema: string, body: unknown][] = [
  ['equal party bounds', 'price_tier', tier({ min_party: 4, max_party: 4 })],
  ['a window over midnight', 'price_tier', tier({ time_window: { from: '22:00', to: '02:00' } })],
  ['a currency in capitals, which the schema refuses', 'price_tier', tier({ currency: 'USD' })],
  [
    'an availability alone with overrides',
    'availability',
    { slots: [{ starts_at: start, tier_overrides: [{ tier: 'x' }, { tier: 'x' }] }] },
  ],
  [
    'an until on the day as written',
    'availability',
    recurring('FREQ=DAILY', { starts_at: '2027-06-01T23:00:00-04:00', until: '2027-06-01' }),
  ],
  [
    'an until on the day in the zone',
    'availability',
    { timezone: 'America/New_York', ...recurring('FREQ=DAILY', { until: '2027-06-01' }) },
  ],
  [
    'overrides that name tiers of the offering',
    'offering',
    slots(
      { starts_at: start, tier_overrides: [{ tier: 'a' }, { tier: 'b' }] },
      { starts_at: start, tier_overrides: [{ tier: 'a' }] },
    ),
  ],
  ['tiers without external ids', 'offering', offering({ tiers: [tier(), tier()], category: 'spa' })],
  [
    'overrides when tiers is no list, which the schema refuses',
    'offering',
    offering({ tiers: 'x', availability: { slots: [{ tier_overrides: [{ tier: 'a' }] }] } }),
  ],
  [
    'metadata keys constructor and prototype',
    'offering',
    offering({ metadata: { constructor: 'a', prototype: 'b', toString: 'c' } }),
  ],
  [
    'what extra of a boat holds',
    'boat',
    { extra: { starts_at: 1, metadata: hooks }, pricing: [{ currency: 'eur' }, { currency: 'eur' }] },
  ],
  [
    'a start in the past, outside the clock',
    'event',
    { starts_at: '1999-01-01T00:00:00Z', ends_at: '1999-01-02T00:00:00Z' },
  ],
  [
    'registered origins however written',
    'checkout_create',
    { return_url: 'https://APP.example.com:443/x?y#z', cancel_url: 'https://pay.example.com:8443' },
  ],
  ['an address that cannot be parsed', 'checkout_create', { return_url: 'https://', cancel_url: 7 }],
  [
    'a signing provider with its secret',
    'integration',
    { provider: 'toast', signing_secret: 's', defaults: { timezone: 'UTC', currency: 'jpy', category: 'golf' } },
  ],
  ['a provider the schema refuses', 'integration', { provider: 'nobody', signing_secret: 's' }],
];

describe('what keeps the rules is passed in silence', () => {
  it.each(fine)('%s', (_promise, schema, body) => {
    expect(run(rules, schema, body)).toEqual([]);
  });
  it('exactly two years ahead and one second from now both count as ahead', () => {
    expect(run(clockRules, 'event', { starts_at: '2029-03-01T12:00:00Z' })).toEqual([]);
    expect(run(clockRules, 'event', { starts_at: '2027-03-01T12:00:01Z' })).toEqual([]);
    expect(run(clockRules, 'checkout_create', { pay_by: '2027-03-01T12:00:01Z' })).toEqual([]);
  });
});

describe('a time zone is a name of the IANA database in its own letter case', () => {
  it.each([
    'UTC',
    'Etc/GMT+5',
    'US/Eastern',
    'Asia/Kolkata',
    'Asia/Calcutta',
    'Europe/Kyiv',
    'America/Argentina/Ushuaia',
    'GMT',
    'America/Coyhaique',
  ])('%s is one', (name) => {
    expect(isZone(name)).toBe(true);
  });
  it.each([
    '',
    'utc',
    'IST',
    'SystemV/PST8',
    'UTC+2',
    '-05:00',
    'Etc/Unknown',
    'Europe/paris',
    'Europe/Atlantis',
    ' UTC',
    '__proto__',
    'Europe/\u212ayiv',
  ])('%j is none', (name) => {
    expect(isZone(name)).toBe(false);
  });
  it('all that the runtime lists are ones', () => {
    expect(Intl.supportedValuesOf('timeZone').filter((name) => !isZone(name))).toEqual([]);
  });
  it('a name in other letter case is mended to that very zone', () => {
    expect(run(rules, 'availability', { timezone: 'asia/kolkata' })[0]?.example_fix).toBe('Asia/Kolkata');
  });
});

describe('a recurrence rule is read as RFC 5545 has it', () => {
  it.each([
    'FREQ=DAILY',
    'RRULE:FREQ=WEEKLY;BYDAY=MO,WE;WKST=SU',
    'freq=weekly;byday=fr',
    'INTERVAL=2;FREQ=MONTHLY;BYDAY=1MO,-1FR;COUNT=10000',
    'FREQ=YEARLY;BYMONTH=1,12;BYMONTHDAY=-1,+15;UNTIL=20281231',
    'FREQ=YEARLY;BYWEEKNO=-53;BYDAY=MO',
    'FREQ=YEARLY;BYDAY=-53SU;BYYEARDAY=366,-366;BYSETPOS=-1',
    'FREQ=DAILY;BYHOUR=0,23;BYMINUTE=0,59;BYSECOND=0,60;UNTIL=20280229T235959Z',
    'FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1;UNTIL=99991231T000000',
  ])('%s can be read', (text) => {
    expect(readRecurrence(text)).not.toHaveProperty('problem');
  });
  it.each([
    ...[
      '',
      'RRULE:',
      'DAILY',
      'FREQ',
      'FREQ=',
      'FREQ=DAILY;',
      ';FREQ=DAILY',
      'FREQ=DAILY=1',
      ' FREQ=DAILY',
      'FREQ=DAILY\n',
    ],
    ...[
      'INTERVAL=2',
      'FREQ=FORTNIGHTLY',
      'FREQ=DAILY;FREQ=DAILY',
      'FREQ=DAILY;X-A=1',
      'FREQ=DAILY;__PROTO__=1',
      'FREQ=DAıLY',
    ],
    ...[
      'FREQ=DAILY;INTERVAL=0',
      'FREQ=DAILY;INTERVAL=-1',
      'FREQ=DAILY;INTERVAL=1.5',
      'FREQ=DAILY;COUNT=0',
      'FREQ=DAILY;COUNT=10001',
    ],
    ...[
      'FREQ=DAILY;COUNT=2;UNTIL=20280101',
      'FREQ=DAILY;UNTIL=20270229',
      'FREQ=DAILY;UNTIL=2028-01-01',
      'FREQ=DAILY;UNTIL=20280101T240000Z',
    ],
    ...[
      'FREQ=DAILY;BYDAY=1MO',
      'FREQ=WEEKLY;BYDAY=-1FR',
      'FREQ=WEEKLY;BYDAY=XX',
      'FREQ=WEEKLY;BYDAY=',
      'FREQ=MONTHLY;BYDAY=0MO',
      'FREQ=MONTHLY;BYDAY=54MO',
    ],
    ...[
      'FREQ=WEEKLY;BYMONTHDAY=1',
      'FREQ=MONTHLY;BYYEARDAY=1',
      'FREQ=MONTHLY;BYWEEKNO=1',
      'FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO',
      'FREQ=DAILY;BYSETPOS=1',
    ],
    ...[
      'FREQ=DAILY;BYHOUR=24',
      'FREQ=DAILY;BYMINUTE=60',
      'FREQ=DAILY;BYSECOND=61',
      'FREQ=DAILY;BYMONTH=0',
      'FREQ=DAILY;BYMONTH=-1',
      'FREQ=DAILY;BYMONTH=1,,2',
    ],
    ...[
      'FREQ=MONTHLY;BYMONTHDAY=0',
      'FREQ=MONTHLY;BYMONTHDAY=32',
      'FREQ=YEARLY;BYYEARDAY=367',
      'FREQ=YEARLY;BYWEEKNO=54',
      'FREQ=DAILY;WKST=1MO',
    ],
    `FREQ=DAILY;BYHOUR=${'1,'.repeat(600)}1`,
  ])('%j cannot be', (text) => {
    expect(readRecurrence(text)).toMatchObject({
      code: 'invalid_format',
      problem: expect.stringMatching(/^.{5,200}$/),
    });
  });
  it.each(['SECONDLY', 'MINUTELY', 'HOURLY'])(
    '%s is refused with the word that bookings repeat daily or slower',
    (often) => {
      const [breach] = run(rules, 'availability', recurring(`FREQ=${often};COUNT=2`));
      expect(breach).toMatchObject({ code: 'invalid_value', message: expect.stringContaining('daily or slower') });
    },
  );
  it('every part is given as it was sent', () => {
    expect(readRecurrence('RRULE:FREQ=MONTHLY;INTERVAL=3;COUNT=4;BYDAY=-1FR,MO;BYMONTH=6,7;WKST=SU')).toEqual({
      ...{ frequency: 'MONTHLY', interval: 3, count: 4, until: undefined, weekStart: 'SU', lists: { BYMONTH: [6, 7] } },
      days: [
        { day: 'FR', ordinal: -1 },
        { day: 'MO', ordinal: undefined },
      ],
    });
  });
});

describe('a moment is read to the millisecond or not at all', () => {
  it('it agrees with the runtime on every time the API takes', () => {
    const day = {
      min: new Date('1970-01-01T00:00:00Z'),
      max: new Date('9998-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    };
    fc.assert(fc.property(fc.date(day), (date) => readMoment(date.toISOString()) === date.getTime()));
  });
  it.each([
    '2027-01-01',
    '2027-01-01T00:00:00',
    '2027-02-29T00:00:00Z',
    '2027-01-01T24:00:00Z',
    '2016-12-31T23:59:60Z',
    '1970-01-01T00:00:00+00:01',
    '9999-01-01T00:00:00Z',
    5,
    null,
  ])('%j is none', (value) => {
    expect(readMoment(value)).toBeUndefined();
  });
});

const NAMES = [
  ...['tiers', 'availability', 'policy', 'metadata', 'category', 'external_id', 'currency', 'min_party', 'max_party'],
  ...['time_window', 'from', 'to', 'slots', 'recurring', 'timezone', 'starts_at', 'ends_at', 'until', 'rrule', 'tier'],
  ...['tier_overrides', 'cancellation', 'hours_before', 'on_sale', 'pricing', 'blocks', 'return_url', 'cancel_url'],
  ...['pay_by', 'provider', 'signing_secret', 'defaults', 'offerings', '__proto__', 'constructor', 'length', 'a/b~c'],
];
const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -0,
    1,
    3,
    2.5,
    1e300,
    '',
    'a',
    'zzz',
    'usd',
    'eur',
    'square',
    'custom',
    'UTC',
    'utc',
    '09:00',
  ),
  fc.constantFrom<unknown>(
    start,
    '2020-01-01T00:00:00Z',
    '9998-12-31T23:59:59.999Z',
    '2027-01-01',
    'FREQ=DAILY',
    'FREQ=HOURLY',
    'https://a.test',
  ),
  fc.string(),
  fc.jsonValue(),
);
/** JSON that has the API's member names in it, own `__proto__` too, with anything anywhere. */
const shaped = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    leaf,
    fc.array(tie('node'), { maxLength: 5 }),
    fc
      .array(fc.tuple(fc.constantFrom(...NAMES), tie('node')), { maxLength: 12 })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).node;

/** Bodies whose outer shape is right, so that the rules inside are reached. */
const likely = fc.record(
  {
    tiers: fc.array(
      fc.record({ external_id: leaf, currency: leaf, min_party: leaf, max_party: leaf, time_window: shaped }),
    ),
    pricing: fc.array(fc.record({ currency: leaf })),
    availability: fc.record({
      timezone: leaf,
      slots: fc.array(
        fc.record({
          starts_at: leaf,
          ends_at: leaf,
          external_id: leaf,
          tier_overrides: fc.array(fc.record({ tier: leaf })),
        }),
      ),
      recurring: fc.array(fc.record({ rrule: leaf, starts_at: leaf, until: leaf })),
      blocks: fc.array(fc.record({ starts_at: leaf, ends_at: leaf })),
    }),
    policy: fc.record({ cancellation: fc.array(fc.record({ hours_before: leaf })) }),
    ...{
      starts_at: leaf,
      ends_at: leaf,
      pay_by: leaf,
      return_url: leaf,
      provider: leaf,
      signing_secret: leaf,
      category: leaf,
    },
    ...{ metadata: shaped, defaults: shaped, on_sale: shaped, offerings: shaped },
  },
  { requiredKeys: [] },
);

describe('whatever JSON comes', () => {
  const places = fc.constantFrom('', '/offerings/3', '/boats/0');
  const worlds = fc.constantFrom(
    facts,
    { ...facts, categories: [], origins: [] },
    { ...facts, origins: ['not a url', 'mailto:x'] },
  );
  it('no rule throws, and every breach lies below the place it was given and can be mended or left out', () => {
    fc.assert(
      fc.property(fc.oneof(shaped, likely, fc.jsonValue()), places, worlds, (value, at, world) => {
        for (const map of [rules, clockRules]) {
          for (const name of Object.keys(map)) {
            for (const breach of run(map, name, value, at, world)) {
              expect(breach.field.startsWith(`${at}/`)).toBe(true);
              const left = run(map, name, mended(value, breach.field.slice(at.length), breach.example_fix), at, world);
              expect(left.map((other) => `${other.code} ${other.field}`)).not.toContain(
                `${breach.code} ${breach.field}`,
              );
            }
          }
        }
      }),
      { numRuns: 1500 },
    );
  });
  it('a body is left as it was', () => {
    fc.assert(
      fc.property(likely, (value) => {
        const before = JSON.stringify(value);
        for (const name of Object.keys(rules)) run(rules, name, value);
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
  });
  it('a large body is judged in time that grows with its size', () => {
    const many = (count: number, item: (index: number) => object) =>
      Array.from({ length: count }, (_, index) => item(index));
    const body = {
      tiers: many(5000, () => tier({ external_id: 'a' })),
      availability: {
        slots: many(5000, () => ({ external_id: 's', tier_overrides: [{ tier: 'x' }] })),
        recurring: many(5000, () => ({ rrule: 'x', starts_at: start, until: '2020-01-01' })),
      },
      policy: { cancellation: many(5000, () => ({ hours_before: 24 })) },
    };
    expect(run(rules, 'offering', body).length).toBe(4999 + 4999 + 5000 + 10000 + 4999);
  });
});
