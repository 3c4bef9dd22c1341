// The console's catalogue: offerings, events and boats in one list with the state of their review, and the version that
// members see beside the one that waits, with the fields in which they differ.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { differencesBetween } from '../../src/domain/review/differences.ts';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import { DAY, inFuture, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
let token: string;
beforeAll(async () => {
  world = await openTestWorld();
  venue = await openTestVenue(world);
  const account = await createAccount(world.context, 'catalogue@harbor.example', [[venue.venueId, 'viewer']]);
  ({ token } = await createSession(world.context, account));
});
afterAll(() => world.close());

async function read(path: string): Promise<Json> {
  const { status, json, text } = await callConsole(world, 'GET', path, { token, venue: venue.venueId });
  expect(status, text).toBe(200);
  return json;
}

const cabana = (overrides: object = {}): object => ({
  external_id: 'cabana-day',
  kind: 'cabana',
  title: 'Poolside cabana',
  description: 'Towels, fruit and a bottle of water.',
  tiers: [{ amount: 48_000, currency: 'usd', unit: 'per_group' }],
  availability: { timezone: 'America/New_York', slots: [{ starts_at: inFuture(2 * DAY), capacity: 8 }] },
  ...overrides,
});

async function send(path: string, body: unknown): Promise<string> {
  const { status, json, text } = await venue.post(path, body);
  expect([200, 201, 202], text).toContain(status);
  return json.data.id;
}
async function review(id: string, status: string, note?: string): Promise<void> {
  const body = { id, status, ...(note === undefined ? {} : { review_note: note }) };
  const response = await venue.post('/v1/test_helpers/review', body);
  expect(response.status, response.text).toBe(200);
}

describe('the catalogue', () => {
  it('lists offerings, events and boats with review state, price and next slot, and counts them', async () => {
    const offering = await send('/v1/offerings', cabana());
    await review(offering, 'approved');
    const event = await send('/v1/experiences', {
      external_id: 'moon',
      title: 'Full-moon dinner',
      starts_at: inFuture(5 * DAY),
    });
    await review(event, 'rejected', 'Say where it takes place.');
    const boat = await send('/v1/boats', {
      external_id: 'wind',
      name: 'Second Wind',
      type: 'catamaran',
      length_ft: 42,
      capacity: 12,
      captain: 'included',
      location: { city: 'Miami' },
      pricing: [{ duration_hours: 4, amount: 120_000, currency: 'usd' }],
      photo_urls: ['https://cdn.fleet.example/1.jpg'],
    });
    const { data, counts, next_before } = await read('/console/api/catalogue');
    expect(next_before).toBeNull();
    expect(data.map(({ id }: Json) => id).sort()).toEqual([offering, event, boat].sort());
    const of = (id: string): Json => data.find((item: Json) => item.id === id);
    expect(of(offering)).toMatchObject({
      kind: 'offering',
      title: 'Poolside cabana',
      status: 'approved',
      is_visible: true,
      is_change_waiting: false,
      price: { amount: 48_000, currency: 'usd', unit: 'per_group' },
    });
    expect(Math.abs(Date.parse(of(offering).next_slot) - Date.now() - 2 * DAY)).toBeLessThan(60_000);
    expect(of(event)).toMatchObject({
      kind: 'event',
      status: 'rejected',
      review_note: 'Say where it takes place.',
      is_visible: false,
    });
    expect(of(boat)).toMatchObject({ kind: 'boat', title: 'Second Wind', status: 'pending', is_visible: false });
    expect(counts).toMatchObject({ offering: { all: 1, approved: 1 }, event: { rejected: 1 }, boat: { pending: 1 } });

    const ids = async (query: string): Promise<string[]> =>
      (await read(`/console/api/catalogue?${query}`)).data.map((item: Json) => item.id);
    expect(await ids('kind=boat')).toEqual([boat]);
    expect(await ids('status=rejected')).toEqual([event]);
    expect(await ids('q=CABANA')).toEqual([offering]);
    expect(await ids('q=%25')).toEqual([]);
    const seen: string[] = [];
    let before: string | null = '';
    while (before !== null) {
      const page: Json = await read(`/console/api/catalogue?limit=1${before === '' ? '' : `&before=${before}`}`);
      seen.push(...page.data.map(({ id }: Json) => id));
      before = seen.length > 5 ? null : page.next_before;
    }
    expect(seen).toEqual(data.map(({ id }: Json) => id));
  });

  it('shows the visible version beside the one that waits, with the fields that differ', async () => {
    await send('/v1/offerings', cabana({ title: 'Poolside cabana for six', description: 'Towels and fruit.' }));
    const { item, visible, waiting, differences } = await read('/console/api/catalogue/offering/cabana-day');
    expect(item).toMatchObject({ status: 'pending', is_visible: true, is_change_waiting: true });
    expect([visible.title, waiting.title]).toEqual(['Poolside cabana', 'Poolside cabana for six']);
    expect(differences.map(({ field }: Json) => field)).toEqual(expect.arrayContaining(['/title', '/description']));
    await review(item.id, 'approved');
    const approved = await read(`/console/api/catalogue/offering/${item.id}`);
    expect([approved.visible.title, approved.waiting, approved.differences]).toEqual([
      'Poolside cabana for six',
      null,
      [],
    ]);
    expect(await read('/console/api/catalogue/boat/wind')).toMatchObject({
      visible: null,
      waiting: { name: 'Second Wind' },
    });
  });

  it('does not find another kind, an unknown id or an object of the other mode', async () => {
    const status = async (path: string, mode: 'test' | 'live' = 'test'): Promise<number> =>
      (await callConsole(world, 'GET', path, { token, venue: venue.venueId, mode })).status;
    expect(await status('/console/api/catalogue/boat/cabana-day')).toBe(404);
    expect(await status('/console/api/catalogue/yacht/wind')).toBe(404);
    expect(await status('/console/api/catalogue/offering/unknown')).toBe(404);
    expect(await status('/console/api/catalogue/offering/cabana-day', 'live')).toBe(404);
  });
});

describe('the differences between two versions', () => {
  it('are named by JSON pointer, through objects and lists, up to a limit', () => {
    const one = { a: 1, b: { c: [1, 2], 'd/e~': 'x' }, f: null };
    const other = { a: 1, b: { c: [1, 3, 4], 'd/e~': 'y' }, g: [] };
    expect(differencesBetween(one, other, 10)).toEqual([
      { field: '/b/c/1', change: 'changed' },
      { field: '/b/c/2', change: 'added' },
      { field: '/b/d~1e~0', change: 'changed' },
      { field: '/f', change: 'removed' },
      { field: '/g', change: 'added' },
    ]);
    expect(differencesBetween(one, other, 2)).toHaveLength(2);
    expect(differencesBetween(one, structuredClone(one), 10)).toEqual([]);
    expect(differencesBetween({ a: [] }, { a: {} }, 10)).toEqual([{ field: '/a', change: 'changed' }]);
  });
});
