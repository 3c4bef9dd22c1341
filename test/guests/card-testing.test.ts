// Whoever tries stolen cards here is stopped after five on a share or ten from an address, for an hour; everybody else can pay.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { networkOf } from '../../src/base/network.ts';
import { deleteOldDeclines } from '../../src/domain/payments/decline-queries.ts';
import { PROCESSOR_KEYS } from '../world.ts';
import { DECLINED, openTown, type Person, shown, type Town } from './town.ts';

let town: Town;
beforeAll(async () => {
  town = await openTown({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => town.world.close());

let addresses = 0;
const newAddress = (): string => `203.0.113.${++addresses}`;
const from = (address: string) => ({ 'x-forwarded-for': address });

async function shares(count: number): Promise<{ ada: Person; id: string; ids: string[] }> {
  const ada = await town.person('Ada');
  const others = await Promise.all(Array.from({ length: count - 1 }, () => town.person()));
  const id = await town.checkout({ party_size: Math.max(2, count) });
  const told = await town.party(
    id,
    ada,
    others.map((one) => ({ user_id: one.id })),
  );
  return { ada, id, ids: told.json.shares.map((share: { id: string }) => share.id) };
}

const counted = async (share: string): Promise<number> =>
  (await town.world.db.query('select 1 from declines where share_id = $1', [share])).length;

/** The bank's own notices of declines, as it would send them. */
async function notices(): Promise<string[]> {
  const answer = await fetch(`${town.world.processor.url}/v1/events?limit=100&type=payment_intent.payment_failed`, {
    headers: { authorization: `Bearer ${PROCESSOR_KEYS.test.secret}` },
  });
  const { data } = (await answer.json()) as { data: unknown[] };
  return data.map((event) => JSON.stringify(event));
}

const notify = (body: string) =>
  town.world.call('POST', '/processor/notices/test', {
    body,
    headers: { 'stripe-signature': town.world.processor.api.webhooks.sign({ mode: 'test', body }) },
  });

const anHourLater = () => town.world.db.query(`update declines set at = at - interval '61 minutes'`);

describe('five declines on a share', () => {
  it('close its card form for an hour, calmly, and kill the secret; then it can be paid', async () => {
    const { ada, id, ids } = await shares(2);
    const [own = '', other = ''] = ids;
    const address = from(newAddress());
    const asked = await town.hold(own, ada, address);
    for (let tries = 0; tries < 5; tries++) {
      expect((await town.hold(own, ada, address)).json).toEqual(asked.json);
      expect(await town.pay(asked, DECLINED)).toBe(402);
    }
    // From wherever: it is the share that is closed.
    const sixth = await town.hold(own, ada, from(newAddress()));
    expect(shown(sixth).slice(0, 2)).toEqual([429, 'rate_limited']);
    expect(sixth.json.error.message).toMatch(
      /^Several cards were declined.+ pay again in 60 minutes; nothing was charged\.$/,
    );
    const wait = Number(sixth.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(3_500);
    expect(wait).toBeLessThanOrEqual(3_600);
    // Whoever kept the secret can do nothing with it, not even with a good card.
    expect(await town.confirm(asked)).toBe(400);
    expect((await town.view(id, ada)).shares[0].status).toBe('failed');
    expect((await town.hold(other, ada, from(newAddress()))).status).toBe(200);
    await anHourLater();
    const again = await town.hold(own, ada, address);
    expect(again.json.client_secret).not.toBe(asked.json.client_secret);
    expect(await town.pay(again)).toBe(200);
    expect((await town.view(id, ada)).shares[0].status).toBe('held');
  });

  it('are counted once each, whether the bank tells of them, tells twice, or is asked', async () => {
    const { ada, ids } = await shares(1 + 1);
    const [own = ''] = ids;
    const asked = await town.hold(own, ada, from(newAddress()));
    // Four at once, and only then a look: the last one is seen, the others come by notice.
    for (let tries = 0; tries < 4; tries++) await town.confirm(asked, DECLINED);
    await town.look();
    expect(await counted(own)).toBe(1);
    const told = (await notices()).filter((body) => body.includes(own));
    expect(told).toHaveLength(4);
    await Promise.all([...told, ...told].map(notify));
    await town.world.work();
    expect(await counted(own)).toBe(4);
    expect((await town.hold(own, ada, from(newAddress()))).status).toBe(200);
    await town.pay(asked, DECLINED);
    expect((await town.hold(own, ada, from(newAddress()))).status).toBe(429);
  });

  it('that came long ago are not counted when their notice is late', async () => {
    const { ada, ids } = await shares(2);
    const [own = ''] = ids;
    await town.confirm(await town.hold(own, ada, from(newAddress())), DECLINED);
    const [body = ''] = (await notices()).filter((text) => text.includes(own));
    const late = body.replace(/("created":)(\d+)(?=[^{}]*,"data")/, (_, name, at) => `${name}${Number(at) - 7_200}`);
    expect(late).not.toBe(body);
    expect((await notify(late)).status).toBe(200);
    expect(await counted(own)).toBe(0);
  });
});

describe('ten declines from an address', () => {
  it('close the card form for that address, on every share, and for nobody else', async () => {
    const { ada, ids } = await shares(5);
    const address = from(newAddress());
    for (const share of ids.slice(0, 4)) {
      const asked = await town.hold(share, ada, address);
      expect(asked.status, asked.text).toBe(200);
      for (let tries = 0; tries < 3 && (await town.confirm(asked, DECLINED)) === 402; tries++) await town.look();
    }
    const [fifth = ''] = ids.slice(4);
    expect((await town.hold(fifth, ada, address)).status).toBe(429);
    expect((await town.hold(fifth, ada, from(newAddress()))).status).toBe(200);
    await anHourLater();
    expect((await town.hold(fifth, ada, address)).status).toBe(200);
  });

  it('count an IPv6 network as one, since one person has all of it', () => {
    expect(networkOf('2001:db8:1:2:aaaa::1')).toBe(networkOf('2001:db8:1:2:ffff:ffff:ffff:ffff'));
    expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
    expect(networkOf('::ffff:192.0.2.7')).toBe('192.0.2.7');
    expect(networkOf('192.0.2.7')).not.toBe(networkOf('192.0.2.8'));
    expect(networkOf('unknown')).toBe('unknown');
  });

  it('keep no address that anybody could read, and nothing for longer than a day', async () => {
    const { ada, ids } = await shares(2);
    const address = newAddress();
    await town.pay(await town.hold(ids[0] ?? '', ada, from(address)), DECLINED);
    const { db } = town.world;
    const kept = [...(await db.query('select * from declines')), ...(await db.query('select * from hold_askers'))];
    expect(JSON.stringify(kept)).not.toContain(address);
    expect(kept.length).toBeGreaterThan(1);
    expect(await deleteOldDeclines(db, Date.now(), 1_000)).toBe(0);
    await deleteOldDeclines(db, Date.now() + 25 * 3_600_000, 1_000);
    expect(await db.query('select 1 from declines union all select 1 from hold_askers')).toEqual([]);
  });
});
