// The limits on messages to one phone, on choices of a party, and on requests from one IPv6 network.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queueMessages } from '../../src/domain/members/messages/queue.ts';
import { sandboxSender, sendDueMessages } from '../../src/domain/members/messages/send.ts';
import { sealPhone } from '../../src/domain/members/phone.ts';
import { runUntilIdle } from '../support/wait-for.ts';
import { type GuestFixture, openGuestFixture, statusAndError } from './guest-fixture.ts';

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => fixture.world.close());

async function send(): Promise<void> {
  const { services } = fixture.world.context;
  await runUntilIdle('sending messages', () => sendDueMessages({ ...services, sender: sandboxSender }, 100));
}
const statuses = async (phone: string, kind?: string): Promise<string[]> =>
  (await fixture.outbox(phone, kind)).map(({ status }) => status).sort();
const replyTo = (phone: string, word: string) =>
  fixture.world.call('POST', '/sandbox/outbox', {
    body: new URLSearchParams({ phone, answer: word }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

describe('one phone', () => {
  it('gets five invites an hour, also when they come at once; the others are dropped, and their links work', {
    tags: ['slow'],
  }, async () => {
    const [ada, bob] = [await fixture.createPerson('Ada'), await fixture.createPerson('Bob')];
    const phone = '+12125558001';
    const ids = await Promise.all(Array.from({ length: 8 }, () => fixture.checkout()));
    const members = [{ phone }, { phone: '+12125558002' }];
    const choose = (id: string, n: number) =>
      fixture.party(id, n % 2 === 0 ? ada : bob, n % 2 === 0 ? members : members.toReversed());
    // Four at once, twice: each waits for the ones before it, within the lock time-out.
    const response = [
      ...(await Promise.all(ids.slice(0, 4).map(choose))),
      ...(await Promise.all(ids.slice(4).map(choose))),
    ];
    expect(response.map(({ status }) => status)).toEqual(Array(8).fill(200));
    await send();
    expect(await statuses(phone, 'invite')).toEqual([...Array(3).fill('dropped'), ...Array(5).fill('sent')]);
    expect(await fixture.world.db.query("select distinct last_error from messages where status = 'dropped'")).toEqual([
      { last_error: 'too many for this phone' },
    ]);
    for (const { json } of response) {
      const { pathname } = new URL(json.shares[1].url);
      expect((await fixture.world.call('GET', pathname)).status).toBe(200);
    }
    // An hour later the phone gets invites again, and a code never counts.
    await fixture.world.db.query(`update messages set created_at = created_at - interval '61 minutes'`);
    await fixture.party(await fixture.checkout(), ada, [{ phone }]);
    await send();
    expect((await statuses(phone, 'invite')).filter((status) => status === 'sent')).toHaveLength(6);
  });

  it('gets twenty messages a day, codes not counted', async () => {
    const { services } = fixture.world.context;
    const { phone: number, id } = await fixture.createPerson();
    const sealed = sealPhone(services.seal, number);
    const queue = (kind: 'lost' | 'code', count: number) =>
      fixture.world.db.transaction((tx) =>
        queueMessages(
          tx,
          services,
          Array.from({ length: count }, (_, n) => ({
            ...sealed,
            kind,
            memberId: id,
            subject: `${number} ${kind} ${n}`,
            text: 'x',
            dueAt: Date.now(),
          })),
        ),
      );
    await queue('lost', 22);
    await queue('code', 3);
    await send();
    expect(await statuses(number, 'lost')).toEqual([...Array(2).fill('dropped'), ...Array(20).fill('sent')]);
    expect(await statuses(number, 'code')).toEqual(Array(3).fill('sent'));
  });

  it('that replied STOP before it had a member gets no invite until START', async () => {
    const ada = await fixture.createPerson('Ada');
    const phone = '+12125558003';
    await replyTo(phone, 'STOP');
    await replyTo(phone, 'Stop');
    await fixture.party(await fixture.checkout(), ada, [{ phone }]);
    await send();
    expect(await statuses(phone)).toEqual(['dropped']);
    await replyTo(phone, 'START');
    await fixture.party(await fixture.checkout(), ada, [{ phone }]);
    await send();
    expect(await statuses(phone)).toEqual(['dropped', 'sent']);
  });
});

it('an organizer can choose the party thirty times an hour; refused choices do not count', async () => {
  const [ada, sam] = [await fixture.createPerson('Ada'), await fixture.createPerson('Sam')];
  const id = await fixture.checkout();
  const members = [{ user_id: sam.id }];
  for (let n = 0; n < 5; n++) expect((await fixture.party(id, ada, members, { custom: {} })).status).toBe(422);
  for (let n = 0; n < 30; n++) expect((await fixture.party(id, ada, members)).status).toBe(200);
  const over = await fixture.party(id, ada, members);
  expect(statusAndError(over).slice(0, 2)).toEqual([429, 'rate_limited']);
  expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(3_000);
  expect((await fixture.party(await fixture.checkout(), ada, members)).status).toBe(200);
});

describe('an IPv6 network', () => {
  const host = (n: number) => ({ 'x-forwarded-for': `2001:db8:7:7::${n.toString(16)}` });

  it('gets thirty codes an hour over all its addresses', async () => {
    const begin = (n: number, headers: Record<string, string>) =>
      fixture.world.call('POST', '/v1/public/sign_in', { body: { phone: `+1212555${7_000 + n}` }, headers });
    for (let n = 0; n < 30; n++) expect((await begin(n, host(n + 1))).status).toBe(200);
    expect((await begin(30, host(31))).status).toBe(429);
    expect((await begin(31, { 'x-forwarded-for': '2001:db8:7:8::1' })).status).toBe(200);
  });

  it('has one rate limit over all its addresses', async () => {
    const left = async (headers: Record<string, string>) =>
      Number((await fixture.world.call('GET', '/v1/me', { headers })).headers.get('x-ratelimit-remaining'));
    const first = await left(host(100));
    expect([await left(host(101)), await left(host(102))]).toEqual([first - 1, first - 2]);
    expect(await left({ 'x-forwarded-for': '2001:db8:7:9::1' })).toBe(599);
  });
});
