// Experiences: submission of dated events in both forms, duplicates, the review queue, lists, review.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ servers: 2 });
});
afterAll(() => world.close());

const daysFromNow = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().replace('.000Z', 'Z');
const EVENT = { title: 'Sunset sail', starts_at: daysFromNow(30), external_id: 'sail-1' };

async function openPartner(): Promise<{ key: string; venueId: string }> {
  const { venue } = await world.venue();
  return { key: (await world.key(venue.id, { writesPerHour: 100_000, readsPerHour: 100_000 })).key, venueId: venue.id };
}
const post = (key: string, body: unknown, server = 0): Promise<HttpResponse> =>
  world.call('POST', '/v1/experiences', { key, body, server });

describe('POST /v1/experiences', () => {
  it('submits an Event with 201, and returns the original with 200 for the same external_id, even with other content', async () => {
    const { key } = await openPartner();
    const first = await post(key, {
      ...EVENT,
      tiers: [{ amount: 9900, currency: 'usd', unit: 'per_person', label: 'VIP' }],
      starts_at: '2027-11-20T18:00:00-05:00',
    });
    expect([first.status, first.json.duplicate]).toEqual([201, false]);
    expect(first.json.data).toMatchObject({
      object: 'submission',
      status: 'pending',
      title: 'Sunset sail',
      starts_at: '2027-11-20T23:00:00Z',
      price_per_person: null,
      capacity: null,
      experience_id: null,
      review_note: null,
      reviewed_at: null,
    });
    const repeated = await post(key, { ...EVENT, title: 'Something else' });
    expect([repeated.status, repeated.json.duplicate]).toEqual([200, true]);
    expect(repeated.json.data).toEqual(first.json.data);
  });

  it('accepts the older body with its price in dollars', async () => {
    const { key } = await openPartner();
    const { status, json } = await post(key, {
      title: 'Tasting',
      starts_at: daysFromNow(3),
      price_per_person: 65.5,
      capacity: 12,
      photo_urls: ['https://cdn.example/1.jpg'],
    });
    expect([status, json.data.price_per_person, json.data.capacity, json.data.external_id]).toEqual([
      201,
      65.5,
      12,
      null,
    ]);
  });

  it('responds as its published schema defines', async () => {
    const { key } = await openPartner();
    for (const body of [
      { ...EVENT, policy: { min_age: 21 } },
      { title: 'Old', starts_at: daysFromNow(3), price_per_person: 0 },
    ]) {
      const { json } = await post(key, body);
      expect(
        world.context.validator.problems('submission', {
          value: json.data,
          text: JSON.stringify(json.data),
          badTexts: [],
        }),
      ).toEqual([]);
    }
  });

  it('requires of a new submission a start in the future and within two years; a replay stays a duplicate', async () => {
    const { key, venueId } = await openPartner();
    for (const starts_at of [daysFromNow(-1), daysFromNow(800)]) {
      const { status, json } = await post(key, { ...EVENT, starts_at });
      expect([status, json.error.code, json.error.field]).toEqual([422, 'out_of_range', '/starts_at']);
    }
    const body = { ...EVENT, starts_at: daysFromNow(1) };
    await post(key, body);
    const past = { ...body, starts_at: daysFromNow(-1) };
    expect((await post(key, past)).json.duplicate).toBe(true);
    expect((await world.db.query('select 1 from experiences where venue_id = $1', [venueId])).length).toBe(1);
  });

  it('refuses an offering that the venue does not have', async () => {
    const { key } = await openPartner();
    const unknown = await post(key, { ...EVENT, offering_external_id: 'nothing' });
    expect([unknown.status, unknown.json.error.code, unknown.json.error.field]).toEqual([
      422,
      'invalid_value',
      '/offering_external_id',
    ]);
    const both = await post(key, { ...EVENT, starts_at: daysFromNow(-1), offering_external_id: 'nothing' });
    expect(both.json.errors.map((e: { field: string }) => e.field)).toEqual(['/starts_at', '/offering_external_id']);
    const first = await post(key, { offering_external_id: 'nothing', ...EVENT, starts_at: daysFromNow(-1) });
    expect(first.json.errors.map((e: { field: string }) => e.field)).toEqual(['/offering_external_id', '/starts_at']);
    await world.call('POST', '/v1/offerings', {
      key,
      body: {
        external_id: 'boat-day',
        kind: 'boat_day',
        title: 'x',
        tiers: [{ amount: 1, currency: 'usd', unit: 'per_group' }],
      },
    });
    expect((await post(key, { ...EVENT, offering_external_id: 'boat-day' })).status).toBe(201);
  });

  it('creates one submission for 50 parallel posts of one external_id', async () => {
    const { key } = await openPartner();
    const responses = await Promise.all(Array.from({ length: 50 }, (_, i) => post(key, EVENT, i % 2)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(responses.map(({ json }) => json.data.id)).size).toBe(1);
  });

  it('accepts exactly 500 pending submissions, also with 40 parallel posts, and one more after a review', async () => {
    const { key, venueId } = await openPartner();
    const { json } = await post(key, EVENT);
    await world.db.query(
      `insert into experiences (venue_id, mode, submission_id, form, status, content, created_at)
       select venue_id, mode, gen_random_uuid(), form, status, content, created_at - i * interval '1 second'
       from experiences, generate_series(1, 479) i where venue_id = $1`,
      [venueId],
    );
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, i) => post(key, { ...EVENT, external_id: `n-${i}` }, i % 2)),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(20);
    const refused = responses.find(({ status }) => status === 422);
    expect([refused?.json.error.code, refused?.json.errors.length]).toEqual(['review_queue_full', 1]);
    await world.call('POST', '/v1/test_helpers/review', { key, body: { id: json.data.id, status: 'approved' } });
    expect((await post(key, { ...EVENT, external_id: 'one-more' })).status).toBe(201);
    expect((await post(key, { ...EVENT, external_id: 'too-many' })).status).toBe(422);
    expect((await post(key, { ...EVENT, external_id: 'n-0' })).status).not.toBe(500);
  });
});

describe('reading experiences', () => {
  it('lists newest first, filters by status, and pages without a gap or a repeat', async () => {
    const { key } = await openPartner();
    for (let i = 0; i < 9; i++) await post(key, { ...EVENT, external_id: `e-${i}` });
    const one = (await world.call('GET', '/v1/experiences/e-4', { key })).json.data;
    await world.call('POST', '/v1/test_helpers/review', {
      key,
      body: { id: one.id, status: 'rejected', review_note: 'No.' },
    });
    const ids: string[] = [];
    let path = '/v1/experiences?limit=4';
    for (let pages = 0; pages < 100; pages++) {
      const { json } = await world.call('GET', path, { key });
      ids.push(...json.data.map((e: { external_id: string }) => e.external_id));
      if (json.next_before === null) break;
      path = `/v1/experiences?limit=4&before=${encodeURIComponent(json.next_before)}`;
    }
    expect(ids).toEqual(Array.from({ length: 9 }, (_, i) => `e-${8 - i}`));
    expect(
      (await world.call('GET', '/v1/experiences?status=rejected', { key })).json.data.map((e: { id: string }) => e.id),
    ).toEqual([one.id]);
  });

  it('shows experience_id after the approval', async () => {
    const { key } = await openPartner();
    const { id } = (await post(key, EVENT)).json.data;
    await world.call('POST', '/v1/test_helpers/review', { key, body: { id, status: 'approved' } });
    const { data } = (await world.call('GET', `/v1/experiences/${id}`, { key })).json;
    expect([data.status, data.review_note]).toEqual(['approved', null]);
    expect(data.experience_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(data.experience_id).not.toBe(id);
  });
});
