// Offerings: upsert, replay, batch, later edits, lists, review.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { review } from '../../src/domain/review/review.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ servers: 2 });
});
afterAll(() => world.close());

const OFFERING = {
  external_id: 'cabana-7',
  kind: 'cabana',
  title: 'Poolside cabana',
  tiers: [{ amount: 25000, currency: 'usd', unit: 'per_group' }],
};

async function openPartner(): Promise<{ key: string; venueId: string }> {
  const { venue } = await world.venue();
  return { key: (await world.key(venue.id, { writesPerHour: 100_000, readsPerHour: 100_000 })).key, venueId: venue.id };
}

const post = (key: string, body: unknown, server = 0): Promise<HttpResponse> =>
  world.call('POST', '/v1/offerings', { key, body, server });
const get = (key: string, id: string): Promise<HttpResponse> =>
  world.call('GET', `/v1/offerings/${encodeURIComponent(id)}`, { key });
const postReview = (key: string, id: string, status: string, review_note?: string): Promise<HttpResponse> =>
  world.call('POST', '/v1/test_helpers/review', {
    key,
    body: { id, status, ...(review_note === undefined ? {} : { review_note }) },
  });

describe('POST /v1/offerings', () => {
  it('creates with 201, replays with 200 and duplicate, updates with 200 and updated', async () => {
    const { key } = await openPartner();
    const created = await post(key, OFFERING);
    expect([created.status, created.json.duplicate, created.json.updated]).toEqual([201, false, false]);
    expect(created.json.data).toMatchObject({
      ...OFFERING,
      object: 'offering',
      mode: 'test',
      status: 'pending',
      review_note: null,
      reviewed_at: null,
    });
    const repeated = await post(key, OFFERING);
    expect([repeated.status, repeated.json.duplicate, repeated.json.updated]).toEqual([200, true, false]);
    expect(repeated.json.data).toEqual(created.json.data);
    const changed = await post(key, { ...OFFERING, title: 'Garden cabana' });
    expect([changed.status, changed.json.duplicate, changed.json.updated]).toEqual([200, false, true]);
    expect(changed.json.data.id).toBe(created.json.data.id);
    expect(changed.json.data.updated_at > created.json.data.updated_at).toBe(true);
    expect(changed.json.data.created_at).toBe(created.json.data.created_at);
  });

  it('compares content as JSON values: member order, explicit defaults and the offset of a time do not matter', async () => {
    const { key } = await openPartner();
    const media = [{ url: 'https://cdn.example/1.jpg' }];
    const slots = [{ starts_at: '2027-06-12T09:30:00-04:00' }];
    await post(key, { ...OFFERING, media, availability: { slots } });
    const other = {
      availability: { slots: [{ starts_at: '2027-06-12T13:30:00.000Z' }] },
      media: [{ type: 'image', url: 'https://cdn.example/1.jpg' }],
      tiers: OFFERING.tiers,
      title: OFFERING.title,
      kind: OFFERING.kind,
      external_id: OFFERING.external_id,
    };
    const repeated = await post(key, other);
    expect([repeated.json.duplicate, repeated.json.updated]).toEqual([true, false]);
    expect(repeated.json.data.availability.slots[0].starts_at).toBe('2027-06-12T13:30:00Z');
  });

  it('answers a medium without a type as an image: after the post, on a read, in a list and for a submission', async () => {
    const { key } = await openPartner();
    const url = 'https://cdn.example/1.jpg';
    const media = [{ url }, { url, type: 'video' }];
    const answered = [
      { url, type: 'image' },
      { url, type: 'video' },
    ];
    expect((await post(key, { ...OFFERING, media })).json.data.media).toEqual(answered);
    const path = `/v1/offerings/${OFFERING.external_id}`;
    expect((await world.call('GET', path, { key })).json.data.media).toEqual(answered);
    expect((await world.call('GET', '/v1/offerings', { key })).json.data[0].media).toEqual(answered);
    const starts_at = new Date(Date.now() + 86_400_000).toISOString();
    const event = await world.call('POST', '/v1/experiences', { key, body: { title: 'Night', starts_at, media } });
    expect([event.status, event.json.data.media]).toEqual([201, answered]);
  });

  it('writes nothing for a replay', async () => {
    const { key, venueId } = await openPartner();
    await post(key, OFFERING);
    const state = () =>
      world.db.query(
        'select xmin::text, changed_at from offerings where venue_id = $1 union all select xmin::text, last_at from venue_timestamps where venue_id = $1',
        [venueId],
      );
    const before = await state();
    await post(key, OFFERING);
    expect(await state()).toEqual(before);
  });

  it('creates one object and gives exactly one 201 for 50 parallel posts of one external_id on two servers', async () => {
    const { key, venueId } = await openPartner();
    const responses = await Promise.all(Array.from({ length: 50 }, (_, i) => post(key, OFFERING, i % 2)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(49);
    expect(new Set(responses.map(({ json }) => json.data.id)).size).toBe(1);
    expect(await world.db.query('select count(*) as n from offerings where venue_id = $1', [venueId])).toEqual([
      { n: 1 },
    ]);
  });

  it('responds as its published schemas define', async () => {
    const { key } = await openPartner();
    const examples = world.context.registry.get('offering').examples as object[];
    for (const example of examples) {
      const { json, status } = await post(key, example);
      expect([200, 201]).toContain(status);
      expect(
        world.context.validator.problems('stored_offering', {
          value: json.data,
          text: JSON.stringify(json.data),
          badTexts: [],
        }),
      ).toEqual([]);
    }
    const batch = await post(key, { offerings: [OFFERING] });
    expect(
      world.context.validator.problems('offering_batch_result', {
        value: batch.json,
        text: batch.text,
        badTexts: [],
      }),
    ).toEqual([]);
  });
});

describe('a batch of offerings', () => {
  it('of 25 has a result for each in order, and a summary', async () => {
    const { key } = await openPartner();
    await post(key, { ...OFFERING, external_id: 'o-0' });
    await post(key, { ...OFFERING, external_id: 'o-1', title: 'Old' });
    const offerings = Array.from({ length: 25 }, (_, i) => ({ ...OFFERING, external_id: `o-${i}` }));
    const { status, json } = await post(key, { offerings });
    expect(status).toBe(200);
    expect(json.summary).toEqual({ total: 25, created: 23, updated: 1, unchanged: 1 });
    expect(json.results.map((r: { external_id: string }) => r.external_id)).toEqual(
      offerings.map((o) => o.external_id),
    );
    expect(json.results.slice(0, 3).map((r: { result: string }) => r.result)).toEqual([
      'unchanged',
      'updated',
      'created',
    ]);
  });

  it('with an invalid item, a repeated id, no item or 26 items stores nothing and names the item', async () => {
    const { key, venueId } = await openPartner();
    const good = { ...OFFERING, external_id: 'good' };
    const bad = { ...OFFERING, external_id: 'bad', tiers: [{ amount: 1.5, currency: 'usd', unit: 'per_group' }] };
    const table = [
      [[good, good], 'not_unique', '/offerings/1/external_id'],
      [[good, { ...OFFERING, external_id: 'other' }, bad], 'invalid_type', '/offerings/2/tiers/0/amount'],
      [[], 'too_few_items', '/offerings'],
      [Array.from({ length: 26 }, (_, i) => ({ ...OFFERING, external_id: `x${i}` })), 'too_many_items', '/offerings'],
    ] as const;
    for (const [offerings, code, field] of table) {
      const { status, json } = await post(key, { offerings });
      expect([status, json.error.code, json.error.field]).toEqual([422, code, field]);
    }
    expect(await world.db.query('select 1 from offerings where venue_id = $1', [venueId])).toEqual([]);
  });
});

describe('reading offerings', () => {
  it('accepts the id or the external id, and a match of the id wins', async () => {
    const { key } = await openPartner();
    const first = (await post(key, OFFERING)).json.data;
    const lookalike = (await post(key, { ...OFFERING, external_id: first.id })).json.data;
    expect((await get(key, first.id)).json.data.external_id).toBe('cabana-7');
    expect((await get(key, 'cabana-7')).json.data.id).toBe(first.id);
    expect((await get(key, lookalike.id)).json.data.external_id).toBe(first.id);
  });

  it('gives the same 404 for an offering of another venue, of another mode and an unknown one', async () => {
    const [mine, theirs] = [await openPartner(), await openPartner()];
    const live = await world.key(mine.venueId, { mode: 'live', scopes: ['offerings:read'] });
    const { id } = (await post(mine.key, OFFERING)).json.data;
    const bodies = new Set<string>();
    for (const [key, reference] of [
      [theirs.key, id],
      [live.key, id],
      [theirs.key, 'cabana-7'],
      [mine.key, 'nothing'],
    ] as const) {
      const response = await get(key, reference);
      expect(response.status).toBe(404);
      bodies.add(response.text.replaceAll(response.headers.get('x-request-id') ?? '?', ''));
    }
    expect(bodies.size).toBe(1);
  });

  it('lists most recently changed first, filters by status, and pages without a gap', async () => {
    const { key } = await openPartner();
    await post(key, { offerings: Array.from({ length: 25 }, (_, i) => ({ ...OFFERING, external_id: `p-${i}` })) });
    await post(key, { ...OFFERING, external_id: 'p-3', title: 'Changed' });
    const ids: string[] = [];
    let before: string | null = null;
    do {
      const { json } = await world.call(
        'GET',
        `/v1/offerings?limit=7${before === null ? '' : `&before=${encodeURIComponent(before)}`}`,
        { key },
      );
      ids.push(...json.data.map((o: { external_id: string }) => o.external_id));
      before = json.next_before;
    } while (before !== null && ids.length <= 25);
    expect(ids[0]).toBe('p-3');
    expect(new Set(ids).size).toBe(25);
    expect(ids).toHaveLength(25);
    expect((await world.call('GET', '/v1/offerings?status=approved', { key })).json).toEqual({
      data: [],
      next_before: null,
    });
    for (const offset of ['%2B23:59', '-23:59', 'Z']) {
      expect((await world.call('GET', `/v1/offerings?before=2099-01-01T00:00:00${offset}`, { key })).status).toBe(200);
    }
    const exact = await world.call('GET', '/v1/offerings?limit=25', { key });
    expect([exact.json.data.length, exact.json.next_before]).toEqual([25, null]);
  });
});

describe('a later edit', () => {
  it('of a field that members read returns to pending, while members see the last approved version', async () => {
    const { key, venueId } = await openPartner();
    const { id } = (await post(key, OFFERING)).json.data;
    await postReview(key, id, 'approved');
    const edited = await post(key, { ...OFFERING, title: 'Renamed' });
    expect([edited.json.data.status, edited.json.data.title]).toEqual(['pending', 'Renamed']);
    const visible = async () =>
      (
        await world.db.query<{ title: string }>(
          "select approved ->> 'title' as title from offerings where venue_id = $1",
          [venueId],
        )
      )[0]?.title;
    expect(await visible()).toBe('Poolside cabana');
    await postReview(key, id, 'approved');
    expect(await visible()).toBe('Renamed');
  });

  it('of only tiers, availability or metadata keeps the status', async () => {
    const { key } = await openPartner();
    const { id } = (await post(key, OFFERING)).json.data;
    await postReview(key, id, 'approved');
    const edits = [
      { tiers: [{ amount: 30000, currency: 'usd', unit: 'per_group' }] },
      { availability: { timezone: 'America/New_York', blackout_dates: ['2027-07-04'] } },
      { metadata: { room: '7' } },
    ];
    for (const edit of edits) {
      const { json, text } = await post(key, { ...OFFERING, ...edit });
      expect(json.error, text).toBeUndefined();
      expect([json.updated, json.data.status]).toEqual([true, 'approved']);
    }
  });

  it('of prices and times reaches the version that members see at once, also while a title is pending', async () => {
    const { key, venueId } = await openPartner();
    const { id } = (await post(key, { ...OFFERING, description: 'By the pool.' })).json.data;
    await postReview(key, id, 'approved');
    const newPrice = { tiers: [{ amount: 30000, currency: 'usd', unit: 'per_group' }] };
    await post(key, { ...OFFERING, title: 'Renamed', ...newPrice });
    const [row] = await world.db.query<{ approved: Record<string, unknown>; status: string }>(
      'select approved, status from offerings where venue_id = $1',
      [venueId],
    );
    expect(row?.status).toBe('pending');
    expect(row?.approved).toEqual({ ...OFFERING, description: 'By the pool.', ...newPrice });
  });

  it('back to the version that members see needs no review', async () => {
    const { key } = await openPartner();
    const { id } = (await post(key, OFFERING)).json.data;
    await postReview(key, id, 'approved');
    expect((await post(key, { ...OFFERING, title: 'Other' })).json.data.status).toBe('pending');
    expect((await post(key, OFFERING)).json.data.status).toBe('approved');
  });

  it('of a rejected offering asks for a new review, whichever field changed', async () => {
    const { key } = await openPartner();
    const { id } = (await post(key, OFFERING)).json.data;
    await postReview(key, id, 'rejected', 'No photo.');
    const unrelated = await post(key, { ...OFFERING, metadata: { a: 'b' } });
    expect([unrelated.json.data.status, unrelated.json.data.review_note]).toEqual(['pending', null]);
    await postReview(key, id, 'rejected', 'Still no photo.');
    const again = await post(key, { ...OFFERING, metadata: { a: 'b' } });
    expect([again.json.duplicate, again.json.data.status]).toEqual([true, 'rejected']);
    const corrected = await post(key, { ...OFFERING, media: [{ url: 'https://cdn.example/1.jpg' }] });
    expect([corrected.json.data.status, corrected.json.data.review_note]).toEqual(['pending', null]);
  });
});

describe('review in test mode', () => {
  it('approves, or rejects with a note, once, with an audit entry and an event', async () => {
    const { key, venueId } = await openPartner();
    const { id } = (await post(key, OFFERING)).json.data;
    const rejected = await postReview(key, id, 'rejected', 'No photo.');
    expect(rejected.json.data).toMatchObject({ status: 'rejected', review_note: 'No photo.' });
    expect(rejected.json.data.reviewed_at).not.toBeNull();
    const twice = await postReview(key, id, 'approved');
    expect([twice.status, twice.json.error.reason]).toEqual([409, 'not_pending']);
    await post(key, { ...OFFERING, title: 'Better' });
    const approved = await postReview(key, id, 'approved');
    expect(approved.json.data).toMatchObject({ status: 'approved', review_note: null });
    const events = await world.db.query<{ type: string; sequence: number; object: { id: string; status: string } }>(
      "select type, sequence, data -> 'object' as object from events where venue_id = $1 order by created_at",
      [venueId],
    );
    expect(events.map(({ type, sequence, object }) => [type, sequence, object.id, object.status])).toEqual([
      ['offering.rejected', 1, id, 'rejected'],
      ['offering.approved', 2, id, 'approved'],
    ]);
    const audits = await world.db.query(
      'select action, subject from audit_log where venue_id = $1 and subject = $2 order by audit_id',
      [venueId, id],
    );
    expect(audits).toEqual([
      { action: 'review.reject', subject: id },
      { action: 'review.approve', subject: id },
    ]);
  });

  it('records the id in lower case in events and audit, and refuses a version that the reviewer has not seen', async () => {
    const { key, venueId } = await openPartner();
    const { id, updated_at } = (await post(key, OFFERING)).json.data;
    await post(key, { ...OFFERING, title: 'Changed since' });
    const command = world.command();
    const staleReview = world.db.transaction((tx) =>
      review(tx, command, id, { status: 'approved', note: null, seen: updated_at }, null),
    );
    await expect(staleReview).rejects.toMatchObject({ code: 'conflict', detail: { reason: 'changed_since' } });
    expect((await postReview(key, id.toUpperCase(), 'approved')).status).toBe(200);
    expect(await world.db.query('select subject from events where venue_id = $1', [venueId])).toEqual([
      { subject: id },
    ]);
    expect(
      await world.db.query("select subject from audit_log where venue_id = $1 and action = 'review.approve'", [
        venueId,
      ]),
    ).toEqual([{ subject: id }]);
  });

  it('requires a note with a rejection, refuses one with an approval, and finds only the caller’s own objects', async () => {
    const [mine, theirs] = [await openPartner(), await openPartner()];
    const { id } = (await post(mine.key, OFFERING)).json.data;
    const codes = async (key: string, status: string, note?: string) => {
      const response = await postReview(key, id, status, note);
      return [response.status, response.json.error.code, response.json.error.field];
    };
    expect(await codes(mine.key, 'rejected')).toEqual([422, 'missing_field', '/review_note']);
    expect(await codes(mine.key, 'approved', 'x')).toEqual([422, 'not_allowed', '/review_note']);
    expect(await codes(theirs.key, 'approved')).toEqual([404, 'not_found', undefined]);
  });
});
