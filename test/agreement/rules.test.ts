// The rules between fields: each reports its code at its pointer and suggests a valid value. No JSON makes a rule throw
// or change the body.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isZone } from '../../schemas/rules/iana-zone.ts';
import { readInstant } from '../../schemas/rules/instant.ts';
import { readRecurrence } from '../../schemas/rules/recurrence-rule.ts';
import type { Breach, Facts, Rule } from '../../schemas/rules/rule.ts';
import { rules, rulesWhenNew } from '../../schemas/rules/rules.ts';
import { withExample } from '../support/apply-example.ts';

const ORIGIN = 'https://app.example.com';

const facts: Facts = {
  now: new Date('2027-03-01T12:00:00Z'),
  categories: ['golf', 'spa', 'boats'],
  origins: [ORIGIN, 'https://pay.example.com:8443'],
};

type RuleMap = Readonly<Record<string, Rule>>;

function run(map: RuleMap, name: string, value: unknown, at = '', given = facts): Breach[] {
  const breaches: Breach[] = [];
  const rule = map[name];
  if (rule === undefined) throw new Error(`no rule ${name}`);
  rule(value, at, (breach) => breaches.push(breach), given);
  return breaches;
}

const short = (breach: Breach) => `${breach.code} ${breach.field}`;

/** Parses a table whose cells are separated by bars. */
function table(text: string): string[][] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').map((line) => line.split(' | '));
}

const START = '2027-05-01T10:00:00Z';
const BACKWARDS = `"starts_at": "2027-05-01T10:00:00+02:00", "ends_at": "2027-05-01T09:00:00+02:00"`;
const PROTO_BODY = `"metadata": {"constructor": "a", "prototype": "b", "__proto__": "c"}`;
const TIERS_A_B = `"tiers": [{"external_id": "a"}, {"external_id": "b"}]`;

// Case | schema | body | the breaches
const BREAKS_RULE = table(`
  max_party under min_party | price_tier | {"min_party": 4, "max_party": 2} | not_allowed /max_party
  a window that ends when it begins | price_tier | {"time_window": {"from": "23:30", "to": "23:30"}} | not_allowed /time_window/to
  an unlisted currency | price_tier | {"currency": "zzz"} | invalid_value /currency
  a withdrawn currency | price_tier | {"currency": "hrk"} | invalid_value /currency
  an unknown zone | availability | {"timezone": "Mars/Olympus"} | invalid_value /timezone
  an offset for a zone | availability | {"timezone": "+02:00"} | invalid_value /timezone
  an abbreviation for a zone | availability | {"timezone": "PST"} | invalid_value /timezone
  a zone in other letter case | availability | {"timezone": "america/new_york"} | invalid_value /timezone
  a link in other letter case | availability | {"timezone": "us/eastern"} | invalid_value /timezone
  a slot that ends before it starts | availability | {"slots": [{}, {${BACKWARDS}}]} | not_allowed /slots/1/ends_at
  a slot without length | availability | {"slots": [{"starts_at": "${START}", "ends_at": "2027-05-01T12:00:00+02:00"}]} | not_allowed /slots/0/ends_at
  one id for two slots | availability | {"slots": [{"external_id": "s"}, {}, {"external_id": "s"}]} | not_unique /slots/2/external_id
  an until before the start | availability | {"recurring": [{"starts_at": "${START}", "until": "2027-04-30"}]} | not_allowed /recurring/0/until
  a rule that cannot be read | availability | {"recurring": [{"rrule": "every friday"}]} | invalid_format /recurring/0/rrule
  a recurrence within a day | availability | {"recurring": [{"rrule": "FREQ=HOURLY"}]} | invalid_value /recurring/0/rrule
  one notice twice | policy | {"cancellation": [{"hours_before": 48}, {"hours_before": 24}, {"hours_before": 48}]} | not_unique /cancellation/2/hours_before
  an unknown category | offering | {"category": "tennis"} | invalid_value /category
  two currencies | offering | {"tiers": [{"currency": "eur"}, {"currency": "usd"}, {"currency": "eur"}]} | not_allowed /tiers/1/currency
  an unlisted currency before eur | offering | {"tiers": [{"currency": "zzz"}, {"currency": "eur"}]} | invalid_value /tiers/0/currency
  one id for two tiers | offering | {"tiers": [{"external_id": "a"}, {"external_id": "a"}]} | not_unique /tiers/1/external_id
  an override of an unknown tier | offering | {${TIERS_A_B}, "availability": {"slots": [{"tier_overrides": [{"tier": "a"}, {"tier": "c"}]}]}} | invalid_value /availability/slots/0/tier_overrides/1/tier
  a tier overridden twice | offering | {${TIERS_A_B}, "availability": {"slots": [{}, {"tier_overrides": [{"tier": "a"}, {"tier": "a"}]}]}} | not_unique /availability/slots/1/tier_overrides/1/tier
  an override where no tier has an id | offering | {"tiers": [{}], "availability": {"slots": [{"tier_overrides": [{"tier": "a"}]}]}} | invalid_value /availability/slots/0/tier_overrides/0/tier
  what a tier of an offering breaks | offering | {"tiers": [{}, {"min_party": 2, "max_party": 1}]} | not_allowed /tiers/1/max_party
  what an offering's availability breaks | offering | {"availability": {"timezone": "x"}} | invalid_value /availability/timezone
  what an offering's policy breaks | offering | {"policy": {"cancellation": [{"hours_before": 0}, {"hours_before": 0}]}} | not_unique /policy/cancellation/1/hours_before
  the metadata key __proto__ | offering | {${PROTO_BODY}} | not_allowed /metadata/__proto__
  what an offering in a batch breaks | offering_batch | {"offerings": [{}, {"category": "x"}]} | invalid_value /offerings/1/category
  one id twice in a batch | offering_batch | {"offerings": [{"external_id": "o"}, {"external_id": "o"}]} | not_unique /offerings/1/external_id
  an event that ends before it starts | event | {${BACKWARDS}} | not_allowed /ends_at
  a sale that ends before it starts | event | {"on_sale": {${BACKWARDS}}} | not_allowed /on_sale/ends_at
  what an event nests | event | {"category": "x", "policy": {"cancellation": [{"hours_before": 5}, {"hours_before": 5}]}, ${PROTO_BODY}} | invalid_value /category | not_unique /policy/cancellation/1/hours_before | not_allowed /metadata/__proto__
  what an event's tiers break | event | {"tiers": [{"currency": "usd", "external_id": "a"}, {"currency": "gbp", "external_id": "a"}]} | not_allowed /tiers/1/currency | not_unique /tiers/1/external_id
  a legacy experience that ends before it starts | legacy_experience | {"category": "x", ${BACKWARDS}} | not_allowed /ends_at | invalid_value /category
  two currencies of a boat | boat | {"pricing": [{"currency": "usd"}, {"currency": "eur"}]} | not_allowed /pricing/1/currency
  an unlisted currency of a boat | boat | {"pricing": [{"currency": "zzz"}], ${PROTO_BODY}} | invalid_value /pricing/0/currency | not_allowed /metadata/__proto__
  a country that does not exist | boat | {"location": {"city": "Miami", "country": "ZZ"}} | invalid_value /location/country
  a country code that is reserved only | boat | {"location": {"city": "London", "country": "UK"}} | invalid_value /location/country
  what a boat's availability breaks | boat | {"availability": {"timezone": "Nowhere", "blocks": [{${BACKWARDS}}]}} | invalid_value /availability/timezone | not_allowed /availability/blocks/0/ends_at
  the metadata key __proto__ | checkout_create | {${PROTO_BODY}} | not_allowed /metadata/__proto__
  a signing provider without its secret | integration | {"provider": "square"} | missing_field /signing_secret
  a secret for a provider that does not sign | integration | {"provider": "mews", "signing_secret": "s"} | not_allowed /signing_secret
  a secret for custom | integration | {"provider": "custom", "signing_secret": "s"} | not_allowed /signing_secret
  a view of nothing | activity | {"events": [{"type": "venue_page_view", "venue_id": "v"}, {"type": "view"}]} | missing_field /events/1/experience_id
  a page of no venue | activity | {"events": [{"type": "venue_page_view"}]} | missing_field /events/0/venue_id
  both kinds of refund | refund | {"amount": 500, "starts_at": "2027-05-01T10:00:00Z"} | not_allowed /starts_at
  both kinds of refund, the amount later | refund | {"starts_at": "2027-05-01T10:00:00Z", "amount": 500} | not_allowed /amount
  a period without a later end | event | {"starts_at": "9998-12-31T23:59:59.999Z", "ends_at": "2027-05-01T10:00:00Z"} | not_allowed /ends_at
  a save of an experience and a venue | activity | {"events": [{"type": "save", "venue_id": "v", "experience_id": "e"}]} | not_allowed /events/0/venue_id
  wrong defaults | integration | {"defaults": {"timezone": "EDT", "currency": "xts", "category": "x"}} | invalid_value /defaults/timezone | invalid_value /defaults/currency | invalid_value /defaults/category
`);

const BREAKS_RULE_WHEN_NEW = table(`
  an event that starts now | event | {"starts_at": "2027-03-01T12:00:00Z"} | out_of_range /starts_at
  an event over two years ahead | event | {"starts_at": "2029-03-01T12:00:01Z"} | out_of_range /starts_at
  a legacy experience in the past | legacy_experience | {"starts_at": "2027-03-01T13:00:00+02:00"} | out_of_range /starts_at
  a return to a look-alike origin | checkout_create | {"return_url": "https://app.example.com.evil.test/", "cancel_url": "https://app.example.com@evil.test/"} | not_allowed /return_url | not_allowed /cancel_url
  a return by another scheme or port | checkout_create | {"return_url": "http://app.example.com/", "cancel_url": "https://pay.example.com/"} | not_allowed /return_url | not_allowed /cancel_url
  a pay_by that is now | checkout_create | {"pay_by": "2027-03-01T12:00:00Z"} | out_of_range /pay_by
`);

function checkBreaches(map: RuleMap, schema: string, body: unknown, expected: readonly string[]): void {
  const found = run(map, schema, body);
  expect(found.map(short)).toEqual(expected);
  for (const breach of found) {
    expect(breach.message).toMatch(/^\S.{10,300}\.$/);
    expect(breach.expected).toMatch(/^\S.{0,120}$/);
    const left = run(map, schema, withExample(body, breach));
    expect(left.map(short)).toEqual(expected.filter((line) => line !== short(breach)));
  }
}

describe('a body that breaks a rule is reported by code and pointer, and its example_fix is valid', () => {
  it.each(BREAKS_RULE)('%s (%s)', (_what, schema = '', body = '', ...expected) => {
    checkBreaches(rules, schema, JSON.parse(body), expected);
  });
});

describe('a body that breaks a rule for new objects is reported apart, and its example_fix is valid', () => {
  it.each(BREAKS_RULE_WHEN_NEW)('%s (%s)', (_what, schema = '', body = '', ...expected) => {
    checkBreaches(rulesWhenNew, schema, JSON.parse(body), expected);
    expect(run(rules, schema, JSON.parse(body))).toEqual([]);
  });
});

// Case | schema | body
const KEEPS_RULES = table(`
  equal party bounds | price_tier | {"min_party": 4, "max_party": 4}
  a window over midnight | price_tier | {"time_window": {"from": "22:00", "to": "02:00"}}
  a currency in capitals, left to the schema | price_tier | {"currency": "USD"}
  overrides in an availability alone | availability | {"slots": [{"tier_overrides": [{"tier": "x"}, {"tier": "x"}]}]}
  an until on the day as written | availability | {"recurring": [{"starts_at": "2027-06-01T23:00:00-04:00", "until": "2027-06-01"}]}
  an until on the day in the zone | availability | {"timezone": "America/New_York", "recurring": [{"starts_at": "2027-06-02T01:00:00Z", "until": "2027-06-01"}]}
  overrides that name tiers, in each slot anew | offering | {${TIERS_A_B}, "availability": {"slots": [{"tier_overrides": [{"tier": "a"}, {"tier": "b"}]}, {"tier_overrides": [{"tier": "a"}]}]}}
  tiers without ids | offering | {"tiers": [{}, {}], "category": "spa"}
  overrides beside tiers that are no list | offering | {"tiers": "x", "availability": {"slots": [{"tier_overrides": [{"tier": "a"}]}]}}
  metadata keys constructor and prototype | offering | {"metadata": {"constructor": "a", "prototype": "b", "toString": "c"}}
  any value of extra | boat | {"extra": {${PROTO_BODY}, ${BACKWARDS}}, "pricing": [{"currency": "eur"}, {"currency": "eur"}]}
  a start in the past, outside the clock | event | {"starts_at": "1999-01-01T00:00:00Z", "ends_at": "1999-01-02T00:00:00Z"}
  a signing provider with its secret | integration | {"provider": "toast", "signing_secret": "s", "defaults": {"timezone": "UTC", "currency": "jpy", "category": "golf"}}
  a provider left to the schema | integration | {"provider": "nobody", "signing_secret": "s"}
`);

describe('a body that keeps the rules has no breach', () => {
  it.each(KEEPS_RULES)('%s (%s)', (_what, schema = '', body = '') => {
    expect(run(rules, schema, JSON.parse(body))).toEqual([]);
  });
  it.each([
    { return_url: 'https://APP.example.com:443/x?y#z', cancel_url: 'https://pay.example.com:8443' },
    { return_url: 'https://', cancel_url: 7 },
  ])('registered origins however written, and addresses that cannot be parsed: %j', (body) => {
    expect(run(rulesWhenNew, 'checkout_create', body)).toEqual([]);
  });
  it('exactly two years ahead and one second from now are both valid', () => {
    expect(run(rulesWhenNew, 'event', { starts_at: '2029-03-01T12:00:00Z' })).toEqual([]);
    expect(run(rulesWhenNew, 'event', { starts_at: '2027-03-01T12:00:01Z' })).toEqual([]);
    expect(run(rulesWhenNew, 'checkout_create', { pay_by: '2027-03-01T12:00:01Z' })).toEqual([]);
  });
});

const ZONES =
  'UTC GMT Etc/GMT+5 US/Eastern Asia/Kolkata Asia/Calcutta Europe/Kyiv America/Argentina/Ushuaia Pacific/Apia';
const NO_ZONES =
  'utc IST SystemV/PST8 UTC+2 -05:00 Etc/Unknown Europe/paris Europe/Atlantis __proto__ Europe/\u212ayiv Factory';

describe('a time zone is a name of the IANA database in its exact case', () => {
  it.each(ZONES.split(' '))('%s is valid', (name) => {
    expect(isZone(name)).toBe(true);
  });
  it.each(['', ' UTC', ...NO_ZONES.split(' ')])('%j is invalid', (name) => {
    expect(isZone(name)).toBe(false);
  });
  it('every name that the runtime lists is valid', () => {
    expect(Intl.supportedValuesOf('timeZone').filter((name) => !isZone(name))).toEqual([]);
  });
  it('the example_fix of a name in another case is that zone', () => {
    expect(run(rules, 'availability', { timezone: 'asia/kolkata' })[0]?.example_fix).toBe('Asia/Kolkata');
  });
});

const READABLE = `FREQ=DAILY RRULE:FREQ=WEEKLY;BYDAY=MO,WE;WKST=SU freq=weekly;byday=fr FREQ=YEARLY;BYWEEKNO=-53;BYDAY=MO
  INTERVAL=2;FREQ=MONTHLY;BYDAY=1MO,-1FR;COUNT=10000 FREQ=YEARLY;BYMONTH=1,12;BYMONTHDAY=-1,+15;UNTIL=20281231
  FREQ=YEARLY;BYDAY=-53SU;BYYEARDAY=366,-366;BYSETPOS=-1 FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1;UNTIL=99991231T000000
  FREQ=DAILY;BYHOUR=0,23;BYMINUTE=0,59;BYSECOND=0,60;UNTIL=20280229T235959Z`;
const UNREADABLE = `RRULE: DAILY FREQ FREQ= FREQ=DAILY; ;FREQ=DAILY FREQ=DAILY=1 INTERVAL=2 FREQ=FORTNIGHTLY FREQ=DA\u0131LY
  FREQ=DAILY;FREQ=DAILY FREQ=DAILY;X-A=1 FREQ=DAILY;__PROTO__=1 FREQ=DAILY;INTERVAL=0 FREQ=DAILY;INTERVAL=-1
  FREQ=DAILY;INTERVAL=1.5 FREQ=DAILY;COUNT=0 FREQ=DAILY;COUNT=10001 FREQ=DAILY;COUNT=2;UNTIL=20280101
  FREQ=DAILY;UNTIL=20270229 FREQ=DAILY;UNTIL=2028-01-01 FREQ=DAILY;UNTIL=20280101T240000Z FREQ=DAILY;BYDAY=1MO
  FREQ=WEEKLY;BYDAY=-1FR FREQ=WEEKLY;BYDAY=XX FREQ=WEEKLY;BYDAY= FREQ=MONTHLY;BYDAY=0MO FREQ=MONTHLY;BYDAY=54MO
  FREQ=WEEKLY;BYMONTHDAY=1 FREQ=MONTHLY;BYYEARDAY=1 FREQ=MONTHLY;BYWEEKNO=1 FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO
  FREQ=DAILY;BYSETPOS=1 FREQ=DAILY;BYHOUR=24 FREQ=DAILY;BYMINUTE=60 FREQ=DAILY;BYSECOND=61 FREQ=DAILY;BYMONTH=0
  FREQ=DAILY;BYMONTH=-1 FREQ=DAILY;BYMONTH=1,,2 FREQ=MONTHLY;BYMONTHDAY=0 FREQ=MONTHLY;BYMONTHDAY=32
  FREQ=YEARLY;BYYEARDAY=367 FREQ=YEARLY;BYWEEKNO=54 FREQ=DAILY;WKST=1MO`;

describe('a recurrence rule is parsed as RFC 5545 defines', () => {
  const unreadable = { code: 'invalid_format', problem: expect.stringMatching(/^.{5,200}$/) };
  it.each(READABLE.split(/\s+/))('%s is valid', (text) => {
    expect(readRecurrence(text)).not.toHaveProperty('problem');
  });
  it.each(['', ' FREQ=DAILY', 'FREQ=DAILY\n', ...UNREADABLE.split(/\s+/)])('%j is invalid', (text) => {
    expect(readRecurrence(text)).toMatchObject(unreadable);
  });
  it('a rule of more than 1000 characters is invalid', () => {
    expect(readRecurrence(`FREQ=DAILY;BYHOUR=${'1,'.repeat(600)}1`)).toMatchObject(unreadable);
  });
  it.each(['SECONDLY', 'MINUTELY', 'HOURLY'])('the error for %s says that bookings repeat daily or slower', (often) => {
    const [breach] = run(rules, 'availability', { recurring: [{ rrule: `FREQ=${often};COUNT=2` }] });
    expect(breach).toMatchObject({ code: 'invalid_value', message: expect.stringContaining('daily or slower') });
  });
  it('the result has every part of the rule', () => {
    expect(readRecurrence('RRULE:FREQ=MONTHLY;INTERVAL=3;COUNT=4;BYDAY=-1FR;BYMONTH=6,7;WKST=SU')).toEqual({
      ...{ frequency: 'MONTHLY', interval: 3, count: 4, until: undefined, weekStart: 'SU' },
      ...{ days: [{ day: 'FR', ordinal: -1 }], lists: { BYMONTH: [6, 7] } },
    });
  });
});

describe('a time is parsed to the millisecond or refused', () => {
  it('the parser agrees with the runtime on every time that the API accepts', () => {
    const [min, max] = [new Date('1970-01-01T00:00:00Z'), new Date('9998-12-31T23:59:59.999Z')];
    const dates = fc.date({ min, max, noInvalidDate: true });
    fc.assert(fc.property(dates, (date) => readInstant(date.toISOString()) === date.getTime()));
  });
  const none = `2027-01-01 2027-01-01T00:00:00 2027-02-29T00:00:00Z 2027-01-01T24:00:00Z 2016-12-31T23:59:60Z
    1970-01-01T00:00:00+00:01 9999-01-01T00:00:00Z 2027-01-01T00:00:00+24:00`;
  it.each([5, null, ...none.split(/\s+/)])('%j is refused', (value) => {
    expect(readInstant(value)).toBeUndefined();
  });
});

const NAMES =
  `tiers availability policy metadata category external_id currency min_party max_party time_window from to slots
  recurring timezone starts_at ends_at until rrule tier tier_overrides cancellation hours_before on_sale pricing blocks
  return_url cancel_url pay_by provider signing_secret defaults offerings __proto__ constructor length a/b~c`.split(
    /\s+/,
  );
const WORDS =
  `a zzz usd eur square custom UTC utc 09:00 ${START} 2020-01-01T00:00:00Z 9998-12-31T23:59:59.999Z 2027-01-01
  FREQ=DAILY FREQ=HOURLY https://a.test`.split(/\s+/);
const leaf = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<unknown>(...WORDS, null, true, -0, 1, 3, 24, 2.5, 1e300, '') },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);
const objects = (...names: string[]) =>
  fc.array(fc.record(Object.fromEntries(names.map((name) => [name, leaf]))), { maxLength: 4 });

/** Random JSON with the field names of the API and `__proto__`. */
const shaped = fc.letrec<{ node: unknown }>((tie) => {
  const entry = fc.tuple(fc.constantFrom(...NAMES), tie('node'));
  const object = fc.array(entry, { maxLength: 8 }).map((entries) => Object.fromEntries(entries));
  return { node: fc.oneof({ maxDepth: 4 }, leaf, object, fc.array(tie('node'), { maxLength: 3 })) };
}).node;

/** Bodies with a valid outer shape, so that the rules inside are reached. */
const likely = fc.record(
  {
    tiers: objects('external_id', 'currency', 'min_party', 'max_party'),
    pricing: objects('currency'),
    availability: fc.record({
      timezone: leaf,
      slots: fc.array(
        fc.record({ starts_at: leaf, ends_at: leaf, external_id: leaf, tier_overrides: objects('tier') }),
      ),
      recurring: objects('rrule', 'starts_at', 'until'),
      blocks: objects('starts_at', 'ends_at'),
    }),
    policy: fc.record({ cancellation: objects('hours_before') }),
    offerings: objects('external_id', 'category'),
    ...{ starts_at: leaf, ends_at: leaf, pay_by: leaf, return_url: leaf, provider: leaf, signing_secret: leaf },
    ...{ category: leaf, metadata: shaped, defaults: shaped, on_sale: shaped },
  },
  { requiredKeys: [] },
);

/** Breaches outside the value, and breaches that their example_fix does not remove. */
function invalidBreaches(map: RuleMap, name: string, value: unknown, at: string, world: Facts): string[] {
  return run(map, name, value, at, world).flatMap((breach) => {
    if (!breach.field.startsWith(`${at}/`)) return [`${name}: ${short(breach)} is not below ${at}`];
    // Without a registered origin the value is right as it was sent, once its origin is registered.
    if (!world.origins.includes(ORIGIN) && /\/(return|cancel)_url$/.test(breach.field)) return [];
    const left = run(map, name, withExample(value, breach, at), at, world);
    return left.map(short).includes(short(breach)) ? [`${name}: ${short(breach)} remains after its example_fix`] : [];
  });
}

describe('for any JSON', () => {
  const places = fc.constantFrom('', '/offerings/3', '/boats/0');
  const worlds = fc.constantFrom(facts, { ...facts, origins: [] }, { ...facts, origins: ['not a url', 'mailto:x'] });
  it('no rule throws, every breach is below the given pointer, and its example_fix removes it', {
    tags: ['slow'],
  }, () => {
    const body = fc.oneof(shaped, likely, fc.jsonValue());
    const found = (map: RuleMap, value: unknown, at: string, world: Facts) =>
      Object.keys(map).flatMap((name) => invalidBreaches(map, name, value, at, world));
    const promise = fc.property(body, places, worlds, (value, at, world) => {
      expect([...found(rules, value, at, world), ...found(rulesWhenNew, value, at, world)]).toEqual([]);
    });
    fc.assert(promise, { numRuns: 500 });
  });
  it('no rule changes the body', () => {
    const promise = fc.property(likely, (value) => {
      const before = structuredClone(value);
      for (const name of Object.keys(rules)) run(rules, name, value);
      expect(value).toEqual(before);
    });
    fc.assert(promise, { numRuns: 50 });
  });
  it('a list is checked to its end, and not at all if its schema refuses it as too long', { tags: ['slow'] }, () => {
    const problemsOf = (length: number): number => {
      const many = (item: object) => Array.from({ length }, () => item);
      const slots = many({ external_id: 's', tier_overrides: [{ tier: 'x' }] });
      const recurring = many({ rrule: 'x', starts_at: START, until: '2020-01-01' });
      const policy = { cancellation: many({ hours_before: 24 }) };
      const body = { tiers: many({ external_id: 'a' }), availability: { slots, recurring }, policy };
      return run(rules, 'offering', body).length;
    };
    expect(problemsOf(1_000)).toBe(999 + 999 + 1_000 + 2_000 + 999);
    expect(problemsOf(1_001)).toBe(0);
  });
});
