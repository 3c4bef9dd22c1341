// Bodies that cost a server the most work for their size: many problems, near misses, escapes, deep and wide nesting,
// numbers of many digits, and valid objects with as much of everything as the contract allows. Pure.

const KB = 1024;
/** A body with more than 40,000 is refused before it is built. */
const MAX_MEMBERS = 39_900;
/** So is one with more than 50,000 arrays and objects. */
const MAX_CONTAINERS = 49_900;

export interface HostileBody {
  readonly name: string;
  readonly text: string;
}

/** Repeats `part` (by its number) until the body has almost `bytes` bytes. */
function fill(
  bytes: number,
  before: string,
  part: (n: number) => string,
  after: string,
  maxParts = Number.POSITIVE_INFINITY,
): string {
  const parts: string[] = [];
  let length = before.length + after.length;
  for (let n = 0; n < maxParts; n++) {
    const next = part(n);
    length += next.length + 1;
    if (length > bytes) break;
    parts.push(next);
  }
  return `${before}${parts.join(',')}${after}`;
}

/** Bodies for any route that reads JSON, of up to `bytes` bytes. */
export function generalBodies(bytes: number): HostileBody[] {
  const deep = (inner: string): string => `${'{"a":'.repeat(30)}${inner}${'}'.repeat(30)}`;
  const longName = 'x'.repeat(Math.floor(bytes / 2));
  return [
    { name: 'unknown members', text: fill(bytes, '{', (n) => `"x${n}":1`, '}', MAX_MEMBERS) },
    {
      name: 'unknown members of 50 letters',
      text: fill(bytes, '{', (n) => `"${String(n).padStart(50, 'amount_')}":1`, '}'),
    },
    { name: 'names with slashes and tildes', text: fill(bytes, '{', (n) => `"~/~/${n}":1`, '}', MAX_MEMBERS) },
    { name: 'escaped names', text: fill(bytes, '{', (n) => `"\\u0061${n}":1`, '}', MAX_MEMBERS) },
    { name: 'names that are NUL', text: fill(bytes, '{', (n) => `"\\u0000${n}":1`, '}', MAX_MEMBERS) },
    { name: 'a list of NUL', text: fill(bytes, '{"a":[', () => '"\\u0000"', ']}') },
    { name: 'NUL below a long name', text: fill(bytes, `{"${longName}":[`, () => '"\\u0000"', ']}') },
    { name: 'half surrogates', text: fill(bytes, '{"a":"', () => '\\ud800', '"}') },
    { name: 'empty lists', text: fill(bytes, '[', () => '[]', ']', MAX_CONTAINERS) },
    { name: 'empty objects', text: fill(bytes, '{"a":[', () => '{}', ']}', MAX_CONTAINERS) },
    { name: 'more empty objects than allowed', text: fill(bytes, '{"a":[', () => '{}', ']}') },
    {
      name: 'a wide list at the greatest depth',
      text: fill(bytes - 400, deep('[').slice(0, 151), () => '1', `]${'}'.repeat(30)}`),
    },
    { name: 'one long number', text: `{"amount":${'1'.repeat(bytes - 20)}}` },
    { name: 'numbers that overflow', text: fill(bytes, '{"a":[', () => '1e999', ']}', 1_000) },
    { name: 'one long string', text: `{"description":"${'x'.repeat(bytes - 30)}"}` },
    { name: 'one long string of escapes', text: `{"description":"${'\\n'.repeat((bytes - 40) / 2)}"}` },
    { name: 'one long name', text: `{"${'x'.repeat(bytes - 20)}":1}` },
    { name: 'more members than allowed', text: fill(bytes, '{', (n) => `"x${n}":1`, '}') },
    { name: 'no end', text: `{"a":[${'1,'.repeat((bytes - 20) / 2)}` },
    { name: 'a duplicate name at the end', text: fill(bytes - 20, '{', (n) => `"x${n}":1`, ',"x0":1}', MAX_MEMBERS) },
  ];
}

const BOAT = {
  external_id: 'boat-1',
  name: 'Second Wind',
  type: 'catamaran',
  length_ft: 42,
  capacity: 12,
  captain: 'included',
  location: { city: 'Miami' },
  pricing: [{ duration_hours: 4, amount: 120000, currency: 'usd' }],
  photo_urls: ['https://cdn.fleet.example/1.jpg'],
};

const repeat = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const hour = (n: number): string => new Date(Date.UTC(2030, 0, 1) + n * 3_600_000).toISOString();

/** Fleets of up to 1 MB. */
export function fleetBodies(): HostileBody[] {
  const fleet = (name: string, make: (n: number) => object): HostileBody => ({
    name: `fleet: ${name}`,
    text: JSON.stringify({ boats: repeat(100, make) }),
  });
  const members = (count: number, name: (n: number) => string): object =>
    Object.fromEntries(repeat(count, (n) => [name(n), 1]));
  return [
    fleet('100 boats with 300 unknown members', () => members(300, (n) => `pricing_${n}`)),
    fleet('100 boats with 150 near misses of 50 letters', () =>
      members(150, (n) => `${'external_id_location_'.repeat(2)}${n}`),
    ),
    fleet('everything has the wrong type', (n) => Object.fromEntries(Object.keys(BOAT).map((name) => [name, n]))),
    fleet('20 wrong prices and 20 wrong photos', (n) => ({
      ...BOAT,
      external_id: `boat-${n}`,
      pricing: repeat(20, () => ({ duration_hours: -1, amount: -1, currency: 'USD', x: 1 })),
      photo_urls: repeat(20, () => 'http:x'),
    })),
    fleet('lists of NUL', () => ({ a: repeat(900, () => '\0') })),
    fleet('the same boat 100 times', () => BOAT),
    fleet('extra of 9 KB', (n) => ({ ...BOAT, external_id: `boat-${n}`, extra: { list: repeat(4_000, () => 1) } })),
    fleet('80 blocks', (n) => ({
      ...BOAT,
      external_id: `boat-${n}`,
      availability: { blocks: repeat(80, (at) => ({ starts_at: hour(at), ends_at: hour(at + 1) })) },
    })),
    {
      name: 'boat: a megabyte of blocks in the wrong order',
      text: JSON.stringify({
        ...BOAT,
        availability: { blocks: repeat(12_000, (at) => ({ starts_at: hour(at + 1), ends_at: hour(at) })) },
      }),
    },
    { name: 'boat: a megabyte of extra', text: JSON.stringify({ ...BOAT, extra: repeat(500_000, () => 1) }) },
    {
      name: 'boat: extra of many objects',
      text: JSON.stringify({ ...BOAT, extra: repeat(120_000, () => ({ a: 1 })) }),
    },
    {
      name: 'boat: extra of 39,800 names',
      text: JSON.stringify({ ...BOAT, extra: members(MAX_MEMBERS - 100, (n) => `x${n}`) }),
    },
  ];
}

const RULES = [
  'FREQ=MINUTELY;INTERVAL=1',
  'FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23;BYMINUTE=0,15,30,45',
  'FREQ=YEARLY;BYDAY=1MO,2TU,3WE,4TH,-1FR;BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12;BYSETPOS=1,2,3,-1',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO',
  'FREQ=MONTHLY;BYMONTHDAY=31;INTERVAL=11',
];

/** An offering whose slots take long to find and to price. */
export function costlyOffering(id: string): object {
  return {
    external_id: id,
    kind: 'class',
    title: 'x',
    tiers: repeat(20, (n) => ({
      external_id: `t${n}`,
      amount: 100,
      currency: 'usd',
      unit: 'per_person',
      days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
      time_window: { from: '00:00', to: '23:59' },
      fees: repeat(10, () => ({ type: 'tax', label: 'x'.repeat(80), percent: 1.5, included: false })),
    })),
    availability: {
      timezone: 'America/New_York',
      recurring: repeat(20, (n) => ({
        rrule: 'FREQ=DAILY;BYHOUR=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23',
        starts_at: hour(n),
      })),
    },
  };
}

/** Offerings of up to 64 KB. */
export function offeringBodies(): HostileBody[] {
  const tier = { amount: 5000, currency: 'usd', unit: 'per_group' };
  const offering = (n: number, more: object): object => ({
    external_id: `o-${n}`,
    kind: 'class',
    title: 'x',
    tiers: [tier],
    ...more,
  });
  const rules = (n: number): object => ({
    timezone: 'America/New_York',
    recurring: repeat(20, (at) => ({ rrule: RULES[(n + at) % RULES.length], starts_at: '1970-01-01T00:00:00Z' })),
  });
  const json = (name: string, value: unknown): HostileBody => ({
    name: `offering: ${name}`,
    text: JSON.stringify(value),
  });
  return [
    json('25 with 20 rules each', { offerings: repeat(25, (n) => offering(n, { availability: rules(n) })) }),
    json('one with every kind of rule', offering(0, { availability: rules(0) })),
    json('1,000 slots', offering(1, { availability: { slots: repeat(1_000, (n) => ({ starts_at: hour(n) })) } })),
    json(
      '1,000 slots in wrong times',
      offering(1, { availability: { slots: repeat(1_000, () => ({ starts_at: 'x' })) } }),
    ),
    json(
      '1,000 blackout dates that repeat',
      offering(2, { availability: { blackout_dates: repeat(1_000, () => '2030-01-01') } }),
    ),
    json('25 with 200 unknown members', {
      offerings: repeat(25, () => Object.fromEntries(repeat(200, (n) => [`tier_${n}`, 1]))),
    }),
    json(
      '20 tiers with 10 wrong fees',
      offering(3, { tiers: repeat(20, () => ({ ...tier, fees: repeat(10, () => ({ x: 1 })) })) }),
    ),
    json(
      'overrides of unknown tiers',
      offering(4, {
        availability: {
          slots: repeat(90, (n) => ({
            starts_at: hour(n),
            tier_overrides: repeat(15, (at) => ({ tier: `x${at}`, amount: 1 })),
          })),
        },
      }),
    ),
  ];
}

/** Reports of the members' app, of up to 1 MB. */
export function activityBodies(): HostileBody[] {
  const event = (n: number, more: object = {}): object => ({
    id: `hostile-${n}`,
    type: 'view',
    experience_id: '01970c3e-5f5e-7a3b-8c1d-2e3f4a5b6c7d',
    member_id: 'm',
    at: '2025-01-01T00:00:00Z',
    mode: 'live',
    ...more,
  });
  const json = (name: string, events: readonly unknown[]): HostileBody => ({
    name: `activity: ${name}`,
    text: JSON.stringify({ events }),
  });
  return [
    json('1,000 of an unknown experience', repeat(1_000, event)),
    json(
      '1,000 with 60 unknown members',
      repeat(1_000, (n) => Object.fromEntries(repeat(60, (at) => [`member_${n}_${at}`, 1]))),
    ),
    json(
      '1,000 with the wrong type everywhere',
      repeat(1_000, (n) => event(n, { at: 'x', mode: 1, type: [], member_id: null, guests: -1 })),
    ),
    json(
      '300,000 numbers',
      repeat(300_000, () => 1),
    ),
    json(
      '1,000 with ids of 128 characters',
      repeat(1_000, (n) => event(n, { id: String(n).padStart(128, 'x'), member_id: String(n).padStart(128, 'y') })),
    ),
  ];
}

/** Forms of up to 32 KB. */
export function formBodies(): HostileBody[] {
  return [
    { name: 'form: 8,000 fields', text: 'a=&'.repeat(10_000) },
    { name: 'form: 2,000 phones', text: repeat(2_000, () => 'phone=%2B1555').join('&') },
    { name: 'form: percent signs', text: `name=${'%'.repeat(30 * KB)}` },
    { name: 'form: one long phone', text: `phone=${'9'.repeat(30 * KB)}` },
    { name: 'form: one long name', text: `name=${'%F0%9F%98%80'.repeat(2_500)}` },
    { name: 'form: spaces', text: `name=x${'+'.repeat(30 * KB)}x&phone=x${'+'.repeat(1_000)}x` },
  ];
}

/** Parties of up to 64 KB. */
export function partyBodies(): HostileBody[] {
  const phone = (n: number): string => `+1212555${String(1_000 + n).slice(-4)}`;
  const json = (name: string, value: object): HostileBody => ({ name: `party: ${name}`, text: JSON.stringify(value) });
  return [
    json('1,200 phones', { members: repeat(1_200, (n) => ({ phone: phone(n) })), split: 'equal' }),
    json('50 phones and their amounts', {
      members: repeat(50, (n) => ({ phone: phone(n) })),
      split: { custom: Object.fromEntries(repeat(50, (n) => [phone(n), 1])) },
    }),
    json('4,000 amounts', { members: [], split: { custom: Object.fromEntries(repeat(4_000, (n) => [`x${n}`, -1])) } }),
    json('50 long names', {
      members: repeat(50, (n) => ({ phone: phone(n), name: 'x\u0301'.repeat(500) })),
      split: 'equal',
    }),
  ];
}
