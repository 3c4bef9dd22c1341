// Boats: single boats and fleets, statuses, deactivation, the hidden `extra`, and lists that never lose a row.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ servers: 2 });
});
afterAll(() => world.close());

const BOAT = {
  external_id: 'boat-17',
  name: 'Second Wind',
  type: 'catamaran',
  length_ft: 42,
  capacity: 12,
  captain: 'included',
  location: { city: 'Miami' },
  pricing: [{ duration_hours: 4, amount: 120000, currency: 'usd' }],
  photo_urls: ['https://cdn.fleet.example/1.jpg'],
};

async function openPartner(): Promise<{ key: string; venueId: string }> {
  const { venue } = await world.venue();
  return { key: (await world.key(venue.id, { writesPerHour: 100_000, readsPerHour: 100_000 })).key, venueId: venue.id };
}
const post = (key: string, body: unknown, server = 0): Promise<HttpResponse> =>
  world.call('POST', '/v1/boats', { key, body, server });
const status = async (key: string): Promise<string> =>
  (await world.call('GET', '/v1/boats/boat-17', { key })).json.data.status;

describe('one boat', () => {
  it('is created with 201, replayed and updated with 200, and the result says which', async () => {
    const { key } = await openPartner();
    const flags = ({ status: code, json }: HttpResponse) => [code, json.result, json.duplicate, json.updated];
    expect(flags(await post(key, BOAT))).toEqual([201, 'created', false, false]);
    expect(flags(await post(key, { ...BOAT, active: true }))).toEqual([200, 'unchanged', true, false]);
    expect(flags(await post(key, { ...BOAT, capacity: 10 }))).toEqual([200, 'updated', false, true]);
  });

  it('returns to pending after any change, extra included, and extra is never shown', async () => {
    const { key } = await openPartner();
    const { json } = await post(key, { ...BOAT, extra: { insurance: 'Harbor Mutual' } });
    expect(JSON.stringify(json)).not.toContain('Harbor Mutual');
    await world.call('POST', '/v1/test_helpers/review', { key, body: { id: json.data.id, status: 'approved' } });
    expect(await status(key)).toBe('approved');
    const changed = await post(key, { ...BOAT, extra: { insurance: 'Other' } });
    expect([changed.json.result, changed.json.data.status]).toEqual(['updated', 'pending']);
    for (const path of ['/v1/boats', '/v1/boats/boat-17'])
      expect((await world.call('GET', path, { key })).text).not.toContain('extra');
  });

  it.each([
    ['text', 'Insured by Harbor Mutual'],
    ['a number', 4.5],
    ['true', true],
    ['null', null],
    ['a list', [1, 'two', { three: null }]],
    ['an object of 201 members', Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`m${i}`, i]))],
  ])('takes %s as extra, replays it, and shows it to reviewers alone', async (_what, extra) => {
    const { key, venueId } = await openPartner();
    const created = await post(key, { ...BOAT, extra });
    expect([created.status, 'extra' in created.json.data]).toEqual([201, false]);
    expect((await post(key, { ...BOAT, extra })).json.result).toBe('unchanged');
    const rows = await world.db.query<{ extra: unknown }>('select extra from boats where venue_id = $1', [venueId]);
    expect(rows[0]?.extra).toEqual(extra);
  });

  it('is in a country of ISO 3166-1: another code is invalid_value at its pointer', async () => {
    const { key } = await openPartner();
    const inCountry = (country: string) => post(key, { ...BOAT, location: { city: 'Miami', country } });
    expect((await inCountry('US')).status).toBe(201);
    for (const [country, code] of [
      ['ZZ', 'invalid_value'],
      ['UK', 'invalid_value'],
      ['us', 'invalid_format'],
    ] as const) {
      const { status: found, json } = await inCountry(country);
      expect([found, json.error.code, json.error.field]).toEqual([422, code, '/location/country']);
      expect((await inCountry(json.errors[0].example_fix)).status).toBe(200);
    }
  });

  it('answers a block of time without a status as busy', async () => {
    const { key } = await openPartner();
    const times = { starts_at: '2027-06-12T09:00:00Z', ends_at: '2027-06-12T17:00:00Z' };
    const availability = { blocks: [times, { ...times, status: 'free' }] };
    const answered = {
      blocks: [
        { ...times, status: 'busy' },
        { ...times, status: 'free' },
      ],
    };
    expect((await post(key, { ...BOAT, availability })).json.data.availability).toEqual(answered);
    expect((await post(key, { ...BOAT, availability: answered })).json.result).toBe('unchanged');
    for (const path of ['/v1/boats/boat-17', '/v1/boats']) {
      const { data } = (await world.call('GET', path, { key })).json;
      expect((Array.isArray(data) ? data[0] : data).availability).toEqual(answered);
    }
  });

  it('is inactive when it is sent so or deactivated, and pending when it is sent again', async () => {
    const { key } = await openPartner();
    await post(key, { ...BOAT, active: false, extra: { a: 1 } });
    expect(await status(key)).toBe('inactive');
    await post(key, { ...BOAT, extra: { a: 1 } });
    expect(await status(key)).toBe('pending');
    const response = await world.call('POST', '/v1/boats/boat-17/deactivate', { key });
    expect([response.status, response.json.data.status, response.json.data.active]).toEqual([200, 'inactive', false]);
    expect((await world.call('POST', '/v1/boats/boat-17/deactivate', { key })).json.data.updated_at).toBe(
      response.json.data.updated_at,
    );
    expect((await post(key, { ...BOAT, active: false, extra: { a: 1 } })).json.result).toBe('unchanged');
    expect((await world.call('POST', '/v1/boats/nothing/deactivate', { key })).status).toBe(404);
    const { json } = await world.call('GET', '/v1/boats?status=inactive', { key });
    expect(json.data).toHaveLength(1);
    const review = await world.call('POST', '/v1/test_helpers/review', {
      key,
      body: { id: response.json.data.id, status: 'approved' },
    });
    expect([review.status, review.json.error.reason]).toEqual([409, 'not_pending']);
  });

  it('is shown as its published schema defines', async () => {
    const { key } = await openPartner();
    for (const example of world.context.registry.get('boat').examples as object[]) {
      const { json } = await post(key, example);
      expect(
        world.context.validator.problems('stored_boat', {
          value: json.data,
          text: JSON.stringify(json.data),
          badTexts: [],
        }),
      ).toEqual([]);
    }
  });
});

describe('concurrent calls', () => {
  it('a deactivation never undoes a concurrent change', { tags: ['slow'] }, async () => {
    const { key } = await openPartner();
    for (let round = 0; round < 20; round++) {
      await post(key, { ...BOAT, name: `old ${round}` });
      const [changed] = await Promise.all([
        post(key, { ...BOAT, name: `new ${round}`, extra: { round } }, 0),
        world.call('POST', '/v1/boats/boat-17/deactivate', { key, server: 1 }),
      ]);
      expect(changed.json.updated).toBe(true);
      expect((await world.call('GET', '/v1/boats/boat-17', { key })).json.data.name).toBe(`new ${round}`);
    }
  });
});

describe('a fleet', () => {
  it('is validated boat by boat: valid boats are written, invalid ones are named, with a summary', async () => {
    const { key } = await openPartner();
    await post(key, { ...BOAT, external_id: 'known' });
    const boats = [
      { ...BOAT, external_id: 'a' },
      { ...BOAT, external_id: 'b', pricing: [{ duration_hours: 4, amount: '5', currency: 'usd' }] },
      { ...BOAT, external_id: 'known' },
      { ...BOAT, external_id: 'a' },
      { name: 'nameless' },
      { ...BOAT, external_id: 'c', location: { city: 'Miami', lat: 25 } },
    ];
    const response = await post(key, { boats });
    expect(response.status).toBe(200);
    expect(response.json.summary).toEqual({ total: 6, created: 1, updated: 0, unchanged: 1, errors: 4 });
    const results = response.json.results.map((r: { result: string; errors?: { code: string; field: string }[] }) => [
      r.result,
      ...(r.errors ?? []).slice(0, 1).map((e) => `${e.code} ${e.field}`),
    ]);
    expect(results).toEqual([
      ['created'],
      ['error', 'invalid_type /boats/1/pricing/0/amount'],
      ['unchanged'],
      ['error', 'not_unique /boats/3/external_id'],
      ['error', 'missing_field /boats/4/external_id'],
      ['error', 'missing_field /boats/5/location/lng'],
    ]);
    expect(response.json.results[1].error.request_id).toBe(response.headers.get('x-request-id'));
    expect(response.json.results[1].errors[0].doc_url).toMatch(/\/docs\/errors\/invalid_type$/);
    expect(
      world.context.validator.problems('fleet_result', { value: response.json, text: response.text, badTexts: [] }),
    ).toEqual([]);
  });

  it('stores valid boats beside items that are not boats or hold text that cannot be stored', async () => {
    const { key } = await openPartner();
    const bad = JSON.stringify({ ...BOAT, external_id: 'b', name: 'NAME' }).replace('NAME', 'a\\u0000b');
    const body = `{"boats":[${JSON.stringify({ ...BOAT, external_id: 'a' })},null,${bad},7]}`;
    const { status: httpStatus, json } = await post(key, body);
    expect([httpStatus, json.summary]).toEqual([200, { total: 4, created: 1, updated: 0, unchanged: 0, errors: 3 }]);
    expect(
      json.results.slice(1).map((r: { error: { code: string; field: string } }) => [r.error.code, r.error.field]),
    ).toEqual([
      ['invalid_type', '/boats/1'],
      ['invalid_format', '/boats/2/name'],
      ['invalid_type', '/boats/3'],
    ]);
  });

  it('refuses each boat with text that cannot be stored, also after a hundred such texts', async () => {
    const { key } = await openPartner();
    const many = JSON.stringify({ ...BOAT, external_id: 'many', amenities: Array(100).fill('NUL') });
    const named = JSON.stringify({ ...BOAT, external_id: 'named', name: 'aNULb' });
    const halved = JSON.stringify({ ...BOAT, external_id: 'halved', description: 'aHALFb' });
    const ided = JSON.stringify({ ...BOAT, external_id: 'iNULd' });
    const good = JSON.stringify({ ...BOAT, external_id: 'good' });
    const body = `{"boats":[${[many, named, halved, ided, good].join(',')}]}`
      .replaceAll('NUL', '\\u0000')
      .replaceAll('HALF', '\\ud83d');
    const { status: httpStatus, json } = await post(key, body);
    expect([httpStatus, json.summary]).toEqual([200, { total: 5, created: 1, updated: 0, unchanged: 0, errors: 4 }]);
    expect(json.results.map((r: { result: string }) => r.result)).toEqual([
      'error',
      'error',
      'error',
      'error',
      'created',
    ]);
    // Problems beyond the hundred that an answer lists are counted; none of these boats is written.
    const { data } = (await world.call('GET', '/v1/boats?limit=100', { key })).json;
    expect(data.map((boat: { external_id: string }) => boat.external_id)).toEqual(['good']);
  });

  it('of 101 boats, of none, or that is not a list is refused as a whole', async () => {
    const { key } = await openPartner();
    const table = [
      [Array.from({ length: 101 }, () => BOAT), 'too_many_items', '/boats'],
      [[], 'too_few_items', '/boats'],
      ['x', 'invalid_type', '/boats'],
    ] as const;
    for (const [boats, code, field] of table) {
      const { status: httpStatus, json } = await post(key, { boats });
      expect([httpStatus, json.error.code, json.error.field]).toEqual([422, code, field]);
    }
  });

  it('never loses a row: 1,000 boats of 10 parallel fleets are each listed exactly once', {
    tags: ['slow'],
  }, async () => {
    const { key } = await openPartner();
    const fleets = Array.from({ length: 10 }, (_, f) =>
      Array.from({ length: 100 }, (_, b) => ({ ...BOAT, external_id: `f${f}-${b}` })),
    );
    const responses = await Promise.all(fleets.map((boats, i) => post(key, { boats }, i % 2)));
    for (const { json } of responses) expect(json.summary).toMatchObject({ created: 100, errors: 0 });
    const results: string[] = [];
    let before = '';
    do {
      const { json } = await world.call(
        'GET',
        `/v1/boats?limit=37${before === '' ? '' : `&before=${encodeURIComponent(before)}`}`,
        { key },
      );
      results.push(...json.data.map((b: { external_id: string }) => b.external_id));
      before = json.next_before ?? '';
    } while (before !== '' && results.length <= 1000);
    expect(results).toHaveLength(1000);
    expect(new Set(results).size).toBe(1000);
  });
});
