// The event log: one row for each change, numbered without a gap, with the partner's view at that time.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expireDue } from '../../src/domain/checkouts/expire.ts';
import { type Json, openTestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

describe('the event log', () => {
  it('records every change of a checkout once, in order, numbered without a gap, with the checkout as it was', async () => {
    const venue = await openTestVenue(world);
    const { id } = await venue.completed({ metadata: { table: '7' } });
    await venue.post(`/v1/checkouts/${id}/refund`, { amount: 6_000, reason: 'Rained out' });
    const { json } = await venue.get(`/v1/events?checkout=${id}`);
    const events = json.data.reverse();
    expect(events.map((event: Json) => event.sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(events.map((event: Json) => [event.type, event.data.object.status])).toEqual([
      ['checkout.created', 'open'],
      ['checkout.collecting', 'collecting'],
      ['share.held', 'collecting'],
      ['share.held', 'collecting'],
      ['share.held', 'collecting'],
      ['checkout.funded', 'funded'],
      ['checkout.completed', 'completed'],
      ['refund.created', 'completed'],
    ]);
    expect(events[7].data.refund).toEqual({ amount: 6_000, reason: 'Rained out' });
    for (const event of events) {
      expect(event).toMatchObject({
        object: 'event',
        mode: 'test',
        data: { object: { id, metadata: { table: '7' } } },
      });
      const whole = { value: event as never, text: JSON.stringify(event), badTexts: [] };
      expect(world.context.validator.problems('webhook_event', whole)).toEqual([]);
      expect((await venue.get(`/v1/events/${event.id}`)).json).toEqual(event);
    }
    expect(events[6].data.object).toEqual({ ...(await venue.read(id)), refunded_amount: 0, shares: expect.any(Array) });
  });

  it('records nothing twice for a replay, and separates test from live mode and venues from each other', async () => {
    const venue = await openTestVenue(world);
    const body = { external_booking_id: 'replayed-1', pay_by: new Date(Date.now() + 86_400_000).toISOString() };
    const first = await venue.create(body);
    await venue.create(body);
    const { json } = await venue.get('/v1/events');
    expect(json.data.map((event: Json) => event.data.object.id)).toEqual([first.id]);
    const live = await world.key(venue.venueId, { mode: 'live', scopes: ['webhooks:write'] });
    expect((await world.call('GET', '/v1/events', { key: live.key })).json).toEqual({ data: [], next_before: null });
    expect((await world.call('GET', `/v1/events/${json.data[0].id}`, { key: live.key })).status).toBe(404);
  });

  it('pages newest first, without skipping or repeating, by type and by checkout', async () => {
    const venue = await openTestVenue(world);
    for (let n = 0; n < 3; n++) await venue.runTestHelper((await venue.create()).id, 'expire');
    const seen: Json[] = [];
    for (let query: string | null = '?limit=2'; query !== null; ) {
      const { json } = await venue.get(`/v1/events${query}`);
      seen.push(...json.data);
      query = json.next_before === null ? null : `?limit=2&before=${encodeURIComponent(json.next_before)}`;
    }
    expect(seen).toHaveLength(6);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(6);
    const times = seen.map(({ created_at }) => created_at);
    expect(times).toEqual([...times].sort().reverse());
    const { json: expired } = await venue.get('/v1/events?type=checkout.expired');
    expect(expired.data.map(({ type }: Json) => type)).toEqual(Array(3).fill('checkout.expired'));
    expect((await venue.get('/v1/events?type=nonsense')).json.errors[0]).toMatchObject({
      code: 'invalid_value',
      field: '/query/type',
    });
    expect((await venue.get('/v1/events?checkout=x')).status).toBe(422);
    const { $defs } = world.context.registry.get('fields') as Json;
    for (const type of $defs.event_type.enum) expect((await venue.get(`/v1/events?type=${type}`)).status).toBe(200);
  });

  it('has no gap under parallel holds, cancels and expiries: each checkout is numbered 1, 2, 3 …', {
    tags: ['slow'],
  }, async () => {
    const venue = await openTestVenue(world);
    const made = await Promise.all(Array.from({ length: 12 }, () => venue.collecting()));
    await Promise.all(
      made.flatMap(({ id }, n) => [
        venue.post(`/v1/test_helpers/checkouts/${id}/hold`, {}),
        n % 3 === 0
          ? venue.post(`/v1/checkouts/${id}/cancel`)
          : venue.post(`/v1/test_helpers/checkouts/${id}/complete`),
        n % 4 === 0 ? venue.post(`/v1/test_helpers/checkouts/${id}/expire`) : Promise.resolve(),
      ]),
    );
    await world.work();
    const gaps = await world.db.query(
      `select subject from events where venue_id = $1 group by subject
       having max(sequence) <> count(*) or min(sequence) <> 1 or count(distinct sequence) <> count(*)`,
      [venue.venueId],
    );
    expect(gaps).toEqual([]);
    const ends = await world.db.query<{ ends: number }>(
      `select count(*) as ends from events
       where venue_id = $1 and type in ('checkout.completed', 'checkout.expired', 'checkout.canceled') group by subject`,
      [venue.venueId],
    );
    expect(ends.every(({ ends: count }) => count === 1)).toBe(true);
  });

  it('has the time of each sweep of a venue, however long the worker took for the venues before', async () => {
    const venues = [await openTestVenue(world), await openTestVenue(world), await openTestVenue(world)];
    for (const venue of venues) await venue.create();
    const venueIds = venues.map(({ venueId }) => venueId);
    await world.db.query(`update checkouts set expires_at = now() - interval '1 second' where venue_id = any($1)`, [
      venueIds,
    ]);
    let calls = 0;
    const clock = { now: () => Date.now() + 30_000 * calls++ };
    expect(await expireDue({ ...world.context.services, clock }, 100)).toBeGreaterThanOrEqual(3);
    const rows = await world.db.query<{ at: string }>(
      `select created_at as "at" from events where venue_id = any($1) and type = 'checkout.expired' order by 1`,
      [venueIds],
    );
    const [first = 0, second = 0, third = 0] = rows.map(({ at }) => Date.parse(at));
    expect([second - first >= 30_000, third - second >= 30_000]).toEqual([true, true]);
  });
});
