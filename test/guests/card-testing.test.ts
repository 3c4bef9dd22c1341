// Card testing: after five declines on a share or ten from an address the card form is closed for an hour. Other guests
// can pay.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { networkOf } from '../../src/base/network.ts';
import { deleteOldDeclines } from '../../src/domain/payments/decline-queries.ts';
import { PROCESSOR_KEYS } from '../support/test-world.ts';
import { DECLINED, type GuestFixture, openGuestFixture, type Person, statusAndError } from './guest-fixture.ts';

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => fixture.world.close());

let addresses = 0;
const newAddress = (): string => `203.0.113.${++addresses}`;
const from = (address: string) => ({ 'x-forwarded-for': address });

async function shares(count: number): Promise<{ ada: Person; id: string; ids: string[] }> {
  const ada = await fixture.createPerson('Ada');
  const others = await Promise.all(Array.from({ length: count - 1 }, () => fixture.createPerson()));
  const id = await fixture.checkout({ party_size: Math.max(2, count) });
  const response = await fixture.party(
    id,
    ada,
    others.map((one) => ({ user_id: one.id })),
  );
  return { ada, id, ids: response.json.shares.map((share: { id: string }) => share.id) };
}

const counted = async (share: string): Promise<number> =>
  (await fixture.world.db.query('select 1 from declines where share_id = $1', [share])).length;

/** The processor's events of declines, as it sends them. */
async function declineEvents(): Promise<string[]> {
  const response = await fetch(
    `${fixture.world.processor.url}/v1/events?limit=100&type=payment_intent.payment_failed`,
    {
      headers: { authorization: `Bearer ${PROCESSOR_KEYS.test.secret}` },
    },
  );
  const { data } = (await response.json()) as { data: unknown[] };
  return data.map((event) => JSON.stringify(event));
}

const notify = (body: string) =>
  fixture.world.call('POST', '/processor/notices/test', {
    body,
    headers: { 'stripe-signature': fixture.world.processor.api.webhooks.sign({ mode: 'test', body }) },
  });

const anHourLater = () =>
  fixture.world.db.query(`update declines set at = (at at time zone 'UTC' - interval '61 minutes') at time zone 'UTC'`);

describe('five declines on a share', () => {
  it('close its card form for an hour and make the secret useless; then the guest can pay', async () => {
    const { ada, id, ids } = await shares(2);
    const [own = '', other = ''] = ids;
    const address = from(newAddress());
    const holdResponse = await fixture.hold(own, ada, address);
    for (let attempts = 0; attempts < 5; attempts++) {
      expect((await fixture.hold(own, ada, address)).json).toEqual(holdResponse.json);
      expect(await fixture.pay(holdResponse, DECLINED)).toBe(402);
    }
    // From any address: the share is closed.
    const sixth = await fixture.hold(own, ada, from(newAddress()));
    expect(statusAndError(sixth).slice(0, 2)).toEqual([429, 'rate_limited']);
    expect(sixth.json.error.message).toMatch(
      /^Several cards were declined.+ pay again in 60 minutes; nothing was charged\.$/,
    );
    const wait = Number(sixth.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(3_500);
    expect(wait).toBeLessThanOrEqual(3_600);
    // The old secret is useless, even with a good card.
    expect(await fixture.confirm(holdResponse)).toBe(400);
    expect((await fixture.view(id, ada)).shares[0].status).toBe('failed');
    expect((await fixture.hold(other, ada, from(newAddress()))).status).toBe(200);
    await anHourLater();
    const repeated = await fixture.hold(own, ada, address);
    expect(repeated.json.client_secret).not.toBe(holdResponse.json.client_secret);
    expect(await fixture.pay(repeated)).toBe(200);
    expect((await fixture.view(id, ada)).shares[0].status).toBe('held');
  });

  it('count once each, by an event, by two events or by a poll', async () => {
    const { ada, ids } = await shares(1 + 1);
    const [own = ''] = ids;
    const holdResponse = await fixture.hold(own, ada, from(newAddress()));
    // Four at once, then a poll: the poll sees the last one, the others come by event.
    for (let attempts = 0; attempts < 4; attempts++) await fixture.confirm(holdResponse, DECLINED);
    await fixture.pollHolds();
    expect(await counted(own)).toBe(1);
    const response = (await declineEvents()).filter((body) => body.includes(own));
    expect(response).toHaveLength(4);
    await Promise.all([...response, ...response].map(notify));
    await fixture.world.work();
    expect(await counted(own)).toBe(4);
    expect((await fixture.hold(own, ada, from(newAddress()))).status).toBe(200);
    await fixture.pay(holdResponse, DECLINED);
    expect((await fixture.hold(own, ada, from(newAddress()))).status).toBe(429);
  });

  it('of more than an hour ago do not count when their event is late', async () => {
    const { ada, ids } = await shares(2);
    const [own = ''] = ids;
    await fixture.confirm(await fixture.hold(own, ada, from(newAddress())), DECLINED);
    const [body = ''] = (await declineEvents()).filter((text) => text.includes(own));
    const late = body.replace(/("created":)(\d+)(?=[^{}]*,"data")/, (_, name, at) => `${name}${Number(at) - 7_200}`);
    expect(late).not.toBe(body);
    expect((await notify(late)).status).toBe(200);
    expect(await counted(own)).toBe(0);
  });
});

describe('ten declines from an address', () => {
  it('close the card form for that address on every share, and for no other address', { tags: ['slow'] }, async () => {
    const { ada, ids } = await shares(5);
    const address = from(newAddress());
    for (const share of ids.slice(0, 4)) {
      const holdResponse = await fixture.hold(share, ada, address);
      expect(holdResponse.status, holdResponse.text).toBe(200);
      for (let attempts = 0; attempts < 3 && (await fixture.confirm(holdResponse, DECLINED)) === 402; attempts++)
        await fixture.pollHolds();
    }
    const [fifth = ''] = ids.slice(4);
    expect((await fixture.hold(fifth, ada, address)).status).toBe(429);
    expect((await fixture.hold(fifth, ada, from(newAddress()))).status).toBe(200);
    await anHourLater();
    expect((await fixture.hold(fifth, ada, address)).status).toBe(200);
  });

  it('count an IPv6 network as one address, because one person can have all of it', () => {
    expect(networkOf('2001:db8:1:2:aaaa::1')).toBe(networkOf('2001:db8:1:2:ffff:ffff:ffff:ffff'));
    expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
    expect(networkOf('::ffff:192.0.2.7')).toBe('192.0.2.7');
    expect(networkOf('192.0.2.7')).not.toBe(networkOf('192.0.2.8'));
    expect(networkOf('unknown')).toBe('unknown');
  });

  it('store no readable address, no hash of one for longer than a day, and no decline for longer than 90 days', async () => {
    const { ada, ids } = await shares(2);
    const address = newAddress();
    await fixture.pay(await fixture.hold(ids[0] ?? '', ada, from(address)), DECLINED);
    const { db } = fixture.world;
    const rows = [
      ...(await db.query('select * from declines')),
      ...(await db.query('select * from hold_request_addresses')),
    ];
    expect(JSON.stringify(rows)).not.toContain(address);
    expect(rows.length).toBeGreaterThan(1);
    expect(await deleteOldDeclines(db, Date.now(), 1_000)).toBe(0);
    await deleteOldDeclines(db, Date.now() + 25 * 3_600_000, 1_000);
    expect(await db.query('select distinct address_hash, reason from declines')).toEqual([
      { address_hash: null, reason: 'generic_decline' },
    ]);
    expect(await db.query('select 1 from hold_request_addresses')).toEqual([]);
    await deleteOldDeclines(db, Date.now() + 91 * 24 * 3_600_000, 1_000);
    expect(await db.query('select 1 from declines')).toEqual([]);
  });
});
