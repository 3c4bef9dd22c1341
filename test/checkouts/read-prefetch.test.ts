// A read of a checkout is one statement: the key, its rate limit and the checkout together. A read after a change shows
// it, however many reads are concurrent. No caller sees another venue's checkout, or one beyond its rate limit.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOfKey } from '../../src/domain/keys/key.ts';
import { admitKeys } from '../../src/domain/keys/queries.ts';
import { CARDS, type Json, openTestVenue, type TestVenue, withNewKey } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ servers: 2 });
});
afterAll(() => world.close());

async function callsCounted(): Promise<number> {
  const [row] = await world.db.query<{ total: number }>('select sum(total)::bigint as total from limit_windows');
  return row?.total ?? 0;
}

describe('a read', () => {
  it('is one statement, and so are fifty concurrent reads of one checkout', async () => {
    const venue = await openTestVenue(world);
    const { id } = await venue.collecting();
    world.statements.length = 0;
    await venue.read(id);
    expect(world.statements).toHaveLength(1);
    const fifty = await Promise.all(Array.from({ length: 50 }, () => venue.get(`/v1/checkouts/${id}`)));
    expect(new Set(fifty.map(({ text }) => text)).size).toBe(1);
    expect(world.statements.filter((text) => !text.startsWith('select * from admit('))).toEqual([]);
  });

  it('of many checkouts at once with one key returns each its own, and each counts against the limit', async () => {
    const venue = await openTestVenue(world);
    const other = await openTestVenue(world);
    const live = await withNewKey(venue, 'live');
    const ownIds = await Promise.all(Array.from({ length: 5 }, () => venue.create()));
    const [others, real] = [await other.create(), await live.create()];
    const none = [others.id, real.id, 'chk_none', 'chk_%00', '%F0%9F%8E%89', 'x'.repeat(300)];
    const before = await callsCounted();
    const requested = [...ownIds.map(({ id }) => id), ...none, ...ownIds.map(({ id }) => id)];
    const response = await Promise.all(requested.map((id) => venue.get(`/v1/checkouts/${id}`)));
    expect(response.map(({ status, json }) => [status, json.id ?? json.error.code])).toEqual([
      ...ownIds.map(({ id }) => [200, id]),
      ...none.map(() => [404, 'not_found']),
      ...ownIds.map(({ id }) => [200, id]),
    ]);
    expect((await callsCounted()) - before).toBe(requested.length);
  });

  it('succeeds as often as the rate limit allows, over two servers, and is refused after that', async () => {
    const venue = await openTestVenue(world);
    const created = [await venue.create(), await venue.create()];
    const { key } = await world.key(venue.venueId, { readsPerHour: 20 });
    const response = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        world.call('GET', `/v1/checkouts/${created[i % 2].id}`, { key, server: i % 3 === 0 ? 1 : 0 }),
      ),
    );
    const shown = response.filter(({ status }) => status === 200);
    expect(shown).toHaveLength(20);
    const left = shown.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    for (const refused of response.filter(({ status }) => status !== 200)) {
      expect([refused.status, refused.json.error.code, refused.json.id]).toEqual([429, 'rate_limited', undefined]);
    }
  });

  it('of many checkouts at once with one key is one count for the rate limit, which grants exactly what is left', async () => {
    const venue = await openTestVenue(world);
    const ids = (await Promise.all(Array.from({ length: 6 }, () => venue.create()))).map(({ id }) => id);
    const { id: keyId, key } = await world.key(venue.venueId, { readsPerHour: 9 });
    const lookUp = (checkoutId: string, calls: number) =>
      ({ hash: hashOfKey(key), effect: 'read', calls, checkoutId }) as const;
    const first = await admitKeys(
      world.db,
      ids.map((id) => lookUp(id, 1)),
      Date.now(),
    );
    expect(first.map(({ counted }) => [counted?.granted, counted?.remaining])).toEqual(
      [8, 7, 6, 5, 4, 3].map((remaining) => [1, remaining]),
    );
    expect(first.map(({ prefetched }) => JSON.parse(prefetched?.json ?? '{}').id)).toEqual(ids);
    const counts = () =>
      world.db.query('select calls from limit_calls where subject = $1 order by at', [`key ${keyId} read`]);
    expect(await counts()).toEqual([{ calls: 6 }]);
    const next = await admitKeys(
      world.db,
      ids.map((id) => lookUp(id, 1)),
      Date.now(),
    );
    expect(next.map(({ counted }) => counted?.granted)).toEqual([1, 1, 1, 0, 0, 0]);
    expect(next.map(({ counted }) => counted?.retry_at === null)).toEqual([true, true, true, false, false, false]);
    expect(next.map(({ prefetched }) => prefetched !== null)).toEqual([true, true, true, false, false, false]);
    expect(await counts()).toEqual([{ calls: 6 }, { calls: 3 }]);
  });

  it('is refused to a key of another kind, without the scope, or revoked', async () => {
    const venue = await openTestVenue(world);
    const live = await withNewKey(venue, 'live');
    const { id } = await live.create();
    const path = `/v1/checkouts/${id}`;
    const narrow = await world.key(venue.venueId, { mode: 'live', scopes: ['offerings:read'] });
    expect((await world.call('GET', path, { key: narrow.key })).status).toBe(403);
    const page = await world.key(venue.venueId, { mode: 'live', kind: 'publishable' });
    expect((await world.call('GET', path, { key: page.key })).json.error.code).toBe('wrong_key_kind');
    const revoked = await world.key(venue.venueId, { mode: 'live', scopes: ['checkouts:read'] });
    expect((await world.call('GET', path, { key: revoked.key })).status).toBe(200);
    await world.revoke(revoked.id);
    expect((await world.call('GET', path, { key: revoked.key })).status).toBe(401);
  });
});

describe('a read after a change', () => {
  /** Reads continuously from both servers while `changes` are made. */
  async function whileOthersRead(venue: TestVenue, id: string, changes: () => Promise<void>): Promise<void> {
    let over = false;
    const readUntilDone = async (server: number): Promise<void> => {
      while (!over) await world.call('GET', `/v1/checkouts/${id}`, { key: venue.key, server });
    };
    const reading = Promise.all([0, 0, 0, 1, 1].map(readUntilDone));
    try {
      await changes();
    } finally {
      over = true;
      await reading;
    }
  }

  /** The response of both servers, which must be equal. */
  async function readFromBoth(venue: TestVenue, id: string): Promise<Json> {
    const [first, second] = await Promise.all(
      [0, 1].map((server) => world.call('GET', `/v1/checkouts/${id}`, { key: venue.key, server })),
    );
    expect(second?.text).toBe(first?.text);
    return first?.json;
  }

  /** The processor's notices of all its disputes. */
  async function deliverDisputes(venue: TestVenue): Promise<void> {
    const { data } = await venue.stripe.events.list({ limit: 100, type: 'charge.dispute.created' });
    for (const event of data) {
      const body = JSON.stringify(event);
      const signature = world.processor.api.webhooks.sign({ mode: 'test', body }, Date.now());
      const response = await world.call('POST', '/processor/notices/test', {
        body,
        headers: { 'stripe-signature': signature },
      });
      expect(response.status, response.text).toBe(200);
    }
    await world.work();
  }

  it('shows the party, each hold, the end, a refund, a dispute, the venue’s name and link', async () => {
    const venue = await openTestVenue(world);
    await venue.setFee(500, 0);
    const { id } = await venue.create({ party_size: 2, amount: 20_000 });
    await whileOthersRead(venue, id, async () => {
      expect((await readFromBoth(venue, id)).status).toBe('open');
      await venue.runTestHelper(id, 'collect');
      const collecting = await readFromBoth(venue, id);
      expect([collecting.status, collecting.shares.length]).toEqual(['collecting', 2]);
      await venue.pay(id, collecting.shares[0].id, CARDS.declined);
      expect((await readFromBoth(venue, id)).shares[0].status).toBe('failed');
      await venue.pay(id, collecting.shares[0].id, CARDS.good);
      const half = await readFromBoth(venue, id);
      expect([half.shares[0].status, half.funded_amount]).toEqual(['held', 10_000]);
      await venue.pay(id, collecting.shares[1].id, CARDS.disputed);
      expect(await readFromBoth(venue, id)).toMatchObject({
        status: 'completed',
        funded_amount: 20_000,
        fee_amount: 1_000,
      });
      expect((await venue.post(`/v1/checkouts/${id}/refund`, { amount: 3_000 })).status).toBe(200);
      const refunded = await readFromBoth(venue, id);
      expect([refunded.refunded_amount, refunded.shares[1].refunded_amount]).toEqual([3_000, 1_500]);
      await deliverDisputes(venue);
      expect((await readFromBoth(venue, id)).disputes).toMatchObject([
        { share_id: collecting.shares[1].id, amount: 10_000 },
      ]);
      await world.db.query(`update venues set name = 'The Pier' where venue_id = $1`, [venue.venueId]);
      expect((await readFromBoth(venue, id)).venue).toEqual({ id: venue.venueId, name: 'The Pier' });
      await world.db.query('update venues set linked_at = null where venue_id = $1', [venue.venueId]);
      expect((await readFromBoth(venue, id)).venue).toEqual({ id: null, name: 'The Pier' });
    });
  });

  it('shows a cancel and an expiry', async () => {
    const venue = await openTestVenue(world);
    const { id } = await venue.collecting();
    await whileOthersRead(venue, id, async () => {
      expect((await venue.post(`/v1/checkouts/${id}/cancel`)).status).toBe(200);
      expect((await readFromBoth(venue, id)).status).toBe('canceled');
    });
    const { id: late } = await venue.collecting();
    await whileOthersRead(venue, late, async () => {
      await world.db.query(`update checkouts set expires_at = now() where checkout_id = $1`, [late]);
      expect((await readFromBoth(venue, late)).status).toBe('expired');
    });
  });
});
