// Reading checkouts: one and lists, newest first, page by page without a gap, and never payable after pay_by, whether
// or not the sweep has run.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  checkoutBody,
  expectInvalid,
  type Json,
  openTestVenue,
  type TestVenue,
  withNewKey,
} from '../support/test-venue.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openSharedWorld();
});
afterAll(() => world.close());

async function pagesOf(venue: TestVenue, query: string, limit: number): Promise<Json[]> {
  const current: Json[] = [];
  let before = '';
  for (let page = 0; page < 200; page++) {
    const { status, json, text } = await venue.get(`/v1/checkouts?limit=${limit}${query}${before}`);
    expect(status, text).toBe(200);
    expect(json.data.length).toBeLessThanOrEqual(limit);
    current.push(...json.data);
    if (json.next_before === null) return current;
    before = `&before=${encodeURIComponent(json.next_before)}`;
  }
  throw new Error('the pages have no end');
}

async function manyOf(venue: TestVenue, count: number): Promise<string[]> {
  const created: string[] = [];
  for (let first = 0; first < count; first += 20) {
    const some = await Promise.all(Array.from({ length: Math.min(20, count - first) }, () => venue.create()));
    created.push(...some.map(({ id }) => id));
  }
  return created;
}

const letTimePass = (ids: readonly string[]): Promise<unknown> =>
  world.db.query(`update checkouts set expires_at = now() - interval '1 second' where checkout_id = any($1)`, [ids]);

describe('pages', () => {
  it('never skip or repeat one of 120 checkouts, newest first, for any page size', { tags: ['slow'] }, async () => {
    const venue = await openTestVenue(world);
    const created = await manyOf(venue, 120);
    for (const limit of [7, 50, 100]) {
      const ids = (await pagesOf(venue, '', limit)).map(({ id }) => id);
      expect(ids).toHaveLength(120);
      expect(new Set(ids)).toEqual(new Set(created));
    }
    const times = (await pagesOf(venue, '', 100)).map(({ created_at }) => created_at as string);
    const inOrder = [...times].sort((a, b) => (a.padEnd(27, '0') < b.padEnd(27, '0') ? 1 : -1));
    expect(times.map((time) => Date.parse(time))).toEqual(inOrder.map((time) => Date.parse(time)));
  });

  it('have 50 checkouts by default, and limits from 1 to 100', async () => {
    const venue = await openTestVenue(world);
    await manyOf(venue, 52);
    expect((await venue.get('/v1/checkouts')).json.data).toHaveLength(50);
    expect((await venue.get('/v1/checkouts?limit=1')).json.data).toHaveLength(1);
    expectInvalid(await venue.get('/v1/checkouts?limit=0'), 'out_of_range', '/query/limit');
    expectInvalid(await venue.get('/v1/checkouts?limit=101'), 'out_of_range', '/query/limit');
    expectInvalid(await venue.get('/v1/checkouts?limit=x'), 'invalid_type', '/query/limit');
    expectInvalid(await venue.get('/v1/checkouts?status=paid'), 'invalid_value', '/query/status');
    expectInvalid(await venue.get('/v1/checkouts?before=yesterday'), 'invalid_format', '/query/before');
  });

  it('have only checkouts older than `before`, and accept a created_at of a response as `before`', async () => {
    const venue = await openTestVenue(world);
    const first = await venue.create();
    const second = await venue.create();
    const { json } = await venue.get(`/v1/checkouts?before=${encodeURIComponent(second.created_at)}`);
    expect(json.data.map(({ id }: Json) => id)).toEqual([first.id]);
    expect(json.next_before).toBeNull();
  });

  it('show only the checkouts of the key’s venue and mode', async () => {
    const venue = await openTestVenue(world);
    const created = await venue.create();
    const live = await withNewKey(venue, 'live');
    const real = await live.create();
    expect((await pagesOf(venue, '', 50)).map(({ id }) => id)).toEqual([created.id]);
    expect((await pagesOf(live, '', 50)).map(({ id }) => id)).toEqual([real.id]);
    expect(await pagesOf(await openTestVenue(world), '', 50)).toEqual([]);
  });

  it('filter by status, each checkout under its own status alone', async () => {
    const venue = await openTestVenue(world);
    const open = await venue.create();
    const collecting = await venue.collecting();
    const completed = await venue.completed();
    const expired = await venue.runTestHelper((await venue.create()).id, 'expire');
    const canceled = (await venue.post(`/v1/checkouts/${(await venue.create()).id}/cancel`)).json;
    for (const checkout of [open, collecting, completed, expired, canceled]) {
      const current = await pagesOf(venue, `&status=${checkout.status}`, 50);
      expect(current).toEqual([await venue.read(checkout.id)]);
    }
    expect(await pagesOf(venue, '&status=funded', 50)).toEqual([]);
  });
});

describe('after pay_by, before the sweep', () => {
  it('a read expires the checkout, with one event, and its holds are released at the processor', async () => {
    const venue = await openTestVenue(world);
    const checkout = await venue.collecting({ party_size: 2 });
    await venue.runTestHelper(checkout.id, 'hold', { share_id: checkout.shares[1].id });
    expect(await venue.heldAtProcessor(checkout.id)).toBe(checkout.shares[1].amount);
    await letTimePass([checkout.id]);
    const current = await Promise.all(Array.from({ length: 5 }, () => venue.read(checkout.id)));
    expect(current.map(({ status }) => status)).toEqual(Array(5).fill('expired'));
    expect(current[0].shares.map(({ status }: Json) => status)).toEqual(['invited', 'released']);
    expect(current[0].funded_amount).toBe(0);
    expect((await venue.eventTypes(checkout.id)).filter((type) => type === 'checkout.expired')).toHaveLength(1);
    await world.work();
    expect(await venue.heldAtProcessor(checkout.id)).toBe(0);
  });

  it('a checkout whose row another transaction has locked is not shown as payable', async () => {
    const venue = await openTestVenue(world);
    const created = await venue.create();
    await letTimePass([created.id]);
    const { reading } = await world.db.transaction(async (tx) => {
      await tx.query('select 1 from checkouts where venue_id = $1 and checkout_id = $2 for no key update', [
        venue.venueId,
        created.id,
      ]);
      const reading = venue.get(`/v1/checkouts/${created.id}`);
      await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, 400))]);
      return { reading };
    });
    expect((await reading).json.status).toBe('expired');
  });

  it('a list shows none as open, however many there are and however small the pages', async () => {
    const venue = await openTestVenue(world);
    const overdue = await manyOf(venue, 30);
    const early = await manyOf(venue, 3);
    await letTimePass(overdue);
    const open = await pagesOf(venue, '&status=open', 5);
    expect(open.map(({ id }) => id).sort()).toEqual([...early].sort());
    expect((await pagesOf(venue, '', 5)).filter(({ status }) => status === 'open')).toHaveLength(3);
  });

  it('the list of expired checkouts includes those that the sweep has not reached', async () => {
    const venue = await openTestVenue(world);
    const overdue = await manyOf(venue, 3);
    await letTimePass(overdue);
    expect((await pagesOf(venue, '&status=expired', 2)).map(({ id }) => id).sort()).toEqual([...overdue].sort());
  });

  it('the sweep expires hundreds of checkouts of many venues, each with one event', async () => {
    const venues = [await openTestVenue(world), await openTestVenue(world)];
    const ids: string[] = [];
    for (const venue of venues) ids.push(...(await manyOf(venue, 20)));
    await letTimePass(ids);
    await Promise.all([world.work(), world.work()]);
    const rows = await world.db.query<{ status: string; events: number }>(
      `select c.status, count(e.event_id)::integer as events from checkouts c left join events e
         on e.venue_id = c.venue_id and e.subject = c.checkout_id and e.type = 'checkout.expired'
       where c.checkout_id = any($1) group by c.checkout_id, c.status`,
      [ids],
    );
    expect(rows).toHaveLength(40);
    for (const row of rows) expect(row).toEqual({ status: 'expired', events: 1 });
  });

  it('a checkout that completed in time stays completed', async () => {
    const venue = await openTestVenue(world);
    const completed = await venue.completed();
    await letTimePass([completed.id]);
    await world.work();
    expect((await venue.read(completed.id)).status).toBe('completed');
  });
});

describe('an invalid id', () => {
  it.each(['chk_', 'x', 'chk_00000000000000000000000000', '%00', "chk_'", '..%2f..'])('%s is 404', async (id) => {
    const venue = await openTestVenue(world);
    const response = await venue.get(`/v1/checkouts/${id}`);
    expect([404, 422, 400]).toContain(response.status);
    expect(response.status).not.toBe(500);
    expect((await venue.post('/v1/checkouts', checkoutBody())).status).toBe(201);
  });
});
