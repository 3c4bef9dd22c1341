// A read is one question: the key, its hour and the checkout together. Whoever asks after a change is shown it, however many
// ask at the same moment, and nobody is shown what is not theirs or what their hour has no room for.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestWorld, type TestWorld } from '../world.ts';
import { anotherKey, CARDS, openShop, type Seen, type Shop } from './shop.ts';

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
  it('is one statement, and so are fifty at once of one checkout', async () => {
    const shop = await openShop(world);
    const { id } = await shop.collecting();
    world.statements.length = 0;
    await shop.read(id);
    expect(world.statements).toHaveLength(1);
    const fifty = await Promise.all(Array.from({ length: 50 }, () => shop.get(`/v1/checkouts/${id}`)));
    expect(new Set(fifty.map(({ text }) => text)).size).toBe(1);
    expect(world.statements.filter((text) => !text.startsWith('select * from admit('))).toEqual([]);
  });

  it('of many checkouts with one key at once gives each its own, and each is counted', async () => {
    const shop = await openShop(world);
    const other = await openShop(world);
    const live = await anotherKey(shop, 'live');
    const mine = await Promise.all(Array.from({ length: 5 }, () => shop.create()));
    const [others, real] = [await other.create(), await live.create()];
    const none = [others.id, real.id, 'chk_none', 'chk_%00', '%F0%9F%8E%89', 'x'.repeat(300)];
    const before = await callsCounted();
    const wanted = [...mine.map(({ id }) => id), ...none, ...mine.map(({ id }) => id)];
    const told = await Promise.all(wanted.map((id) => shop.get(`/v1/checkouts/${id}`)));
    expect(told.map(({ status, json }) => [status, json.id ?? json.error.code])).toEqual([
      ...mine.map(({ id }) => [200, id]),
      ...none.map(() => [404, 'not_found']),
      ...mine.map(({ id }) => [200, id]),
    ]);
    expect((await callsCounted()) - before).toBe(wanted.length);
  });

  it('is shown to as many as the hour has room for, on two servers, and nothing to the others', async () => {
    const shop = await openShop(world);
    const made = [await shop.create(), await shop.create()];
    const { key } = await world.key(shop.venueId, { readsPerHour: 20 });
    const told = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        world.call('GET', `/v1/checkouts/${made[i % 2].id}`, { key, server: i % 3 === 0 ? 1 : 0 }),
      ),
    );
    const shown = told.filter(({ status }) => status === 200);
    expect(shown).toHaveLength(20);
    const left = shown.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    for (const refused of told.filter(({ status }) => status !== 200)) {
      expect([refused.status, refused.json.error.code, refused.json.id]).toEqual([429, 'rate_limited', undefined]);
    }
  });

  it('is refused to a key of another kind, without its scope, or revoked', async () => {
    const shop = await openShop(world);
    const live = await anotherKey(shop, 'live');
    const { id } = await live.create();
    const path = `/v1/checkouts/${id}`;
    const narrow = await world.key(shop.venueId, { mode: 'live', scopes: ['offerings:read'] });
    expect((await world.call('GET', path, { key: narrow.key })).status).toBe(403);
    const page = await world.key(shop.venueId, { mode: 'live', kind: 'publishable' });
    expect((await world.call('GET', path, { key: page.key })).json.error.code).toBe('wrong_key_kind');
    const gone = await world.key(shop.venueId, { mode: 'live', scopes: ['checkouts:read'] });
    expect((await world.call('GET', path, { key: gone.key })).status).toBe(200);
    await world.revoke(gone.id);
    expect((await world.call('GET', path, { key: gone.key })).status).toBe(401);
  });
});

describe('whoever asks after a change', () => {
  /** Reads all the time, from both servers, while `changes` are made. */
  async function whileOthersRead(shop: Shop, id: string, changes: () => Promise<void>): Promise<void> {
    let over = false;
    const lane = async (server: number): Promise<void> => {
      while (!over) await world.call('GET', `/v1/checkouts/${id}`, { key: shop.key, server });
    };
    const reading = Promise.all([0, 0, 0, 1, 1].map(lane));
    try {
      await changes();
    } finally {
      over = true;
      await reading;
    }
  }

  /** What the servers show, which must be the same. */
  async function seenBy(shop: Shop, id: string): Promise<Seen> {
    const [here, there] = await Promise.all(
      [0, 1].map((server) => world.call('GET', `/v1/checkouts/${id}`, { key: shop.key, server })),
    );
    expect(there?.text).toBe(here?.text);
    return here?.json;
  }

  /** Every dispute that the bank has, as it tells us of them. */
  async function tellOfDisputes(shop: Shop): Promise<void> {
    const { data } = await shop.stripe.events.list({ limit: 100, type: 'charge.dispute.created' });
    for (const event of data) {
      const body = JSON.stringify(event);
      const signature = world.processor.api.webhooks.sign({ mode: 'test', body }, Date.now());
      const told = await world.call('POST', '/processor/notices/test', {
        body,
        headers: { 'stripe-signature': signature },
      });
      expect(told.status, told.text).toBe(200);
    }
    await world.work();
  }

  it('is shown it: the party, each hold, the end, a refund, a dispute, the venue’s name and link', async () => {
    const shop = await openShop(world);
    await shop.fee(500, 0);
    const { id } = await shop.create({ party_size: 2, amount: 20_000 });
    await whileOthersRead(shop, id, async () => {
      expect((await seenBy(shop, id)).status).toBe('open');
      await shop.drive(id, 'collect');
      const collecting = await seenBy(shop, id);
      expect([collecting.status, collecting.shares.length]).toEqual(['collecting', 2]);
      await shop.pay(id, collecting.shares[0].id, CARDS.declined);
      expect((await seenBy(shop, id)).shares[0].status).toBe('failed');
      await shop.pay(id, collecting.shares[0].id, CARDS.good);
      const half = await seenBy(shop, id);
      expect([half.shares[0].status, half.funded_amount]).toEqual(['held', 10_000]);
      await shop.pay(id, collecting.shares[1].id, CARDS.disputed);
      expect(await seenBy(shop, id)).toMatchObject({ status: 'completed', funded_amount: 20_000, fee_amount: 1_000 });
      expect((await shop.post(`/v1/checkouts/${id}/refund`, { amount: 3_000 })).status).toBe(200);
      const refunded = await seenBy(shop, id);
      expect([refunded.refunded_amount, refunded.shares[1].refunded_amount]).toEqual([3_000, 1_500]);
      await tellOfDisputes(shop);
      expect((await seenBy(shop, id)).disputes).toMatchObject([{ share_id: collecting.shares[1].id, amount: 10_000 }]);
      await world.db.query(`update venues set name = 'The Pier' where venue_id = $1`, [shop.venueId]);
      expect((await seenBy(shop, id)).venue).toEqual({ id: shop.venueId, name: 'The Pier' });
      await world.db.query('update venues set linked_at = null where venue_id = $1', [shop.venueId]);
      expect((await seenBy(shop, id)).venue).toEqual({ id: null, name: 'The Pier' });
    });
  });

  it('is shown a cancel, and a time that is up', async () => {
    const shop = await openShop(world);
    const { id } = await shop.collecting();
    await whileOthersRead(shop, id, async () => {
      expect((await shop.post(`/v1/checkouts/${id}/cancel`)).status).toBe(200);
      expect((await seenBy(shop, id)).status).toBe('canceled');
    });
    const { id: late } = await shop.collecting();
    await whileOthersRead(shop, late, async () => {
      await world.db.query(`update checkouts set expires_at = now() where checkout_id = $1`, [late]);
      expect((await seenBy(shop, late)).status).toBe('expired');
    });
  });
});
