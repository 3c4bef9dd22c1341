// GET /v1/public/checkouts/{id}/progress and its stream: a page of the partner sees how far a group is, and nothing about a
// person. Its preflights, its bounds, and what it costs of the rate limit.

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { hashTextOfKey } from '../../src/domain/keys/key.ts';
import { countSharedCalls } from '../../src/domain/keys/queries.ts';
import { createMember } from '../../src/domain/members/create-member.ts';
import { MEMBER_READS_PER_HOUR } from '../../src/domain/members/limits.ts';
import { embedStreamLimits } from '../../src/http/page-streams.ts';
import { makeAdmission } from '../../src/run/admission.ts';
import { authorize } from '../../src/run/authorize.ts';
import type { AuthResult, IncomingRequest } from '../../src/run/incoming-request.ts';
import { operations } from '../../src/run/operations.ts';
import { EventStreamClient } from '../support/event-stream-client.ts';
import { CARDS, type Json, ORIGIN, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
let publishable: string;
beforeAll(async () => {
  world = await openTestWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  venue = await openTestVenue(world);
  publishable = (await world.key(venue.venueId, { kind: 'publishable' })).key;
});
afterAll(() => world.close());

const clients: EventStreamClient[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const client of clients.splice(0)) client.leave();
});

const pathOf = (id: string): string => `/v1/public/checkouts/${id}/progress`;
const read = (id: string, key = publishable, origin = ORIGIN): Promise<HttpResponse> =>
  world.call('GET', pathOf(id), { key, headers: { origin } });

async function open(id: string, key = publishable, origin = ORIGIN, address = ''): Promise<EventStreamClient> {
  const headers = { authorization: `Bearer ${key}`, origin, ...(address === '' ? {} : { 'x-forwarded-for': address }) };
  const client = await EventStreamClient.open(`${world.urls[0]}${pathOf(id)}/stream`, headers);
  clients.push(client);
  return client;
}

const progressIn = ({ events }: EventStreamClient): Json[] => events.map(({ data }) => JSON.parse(data));
const UNKNOWN = 'chk_00000000000000000000000000';

describe('the progress of a group', () => {
  it('counts shares and amounts, leads to the hosted page, and names no person', async () => {
    const checkout = await venue.create({ metadata: { table: 'nine' }, description: 'Cabana for Ada' });
    const opened = await read(checkout.id);
    expect([opened.status, opened.headers.get('access-control-allow-origin')]).toEqual([200, ORIGIN]);
    expect(opened.json).toEqual({
      id: checkout.id,
      object: 'checkout_progress',
      mode: 'test',
      status: 'open',
      amount: 24_001,
      currency: 'usd',
      funded_amount: 0,
      party_size: 3,
      share_count: 0,
      held_count: 0,
      is_refunded: false,
      pay_by: checkout.pay_by,
      completed_at: null,
      url: checkout.url,
    });
    const { shares } = await venue.runTestHelper(checkout.id, 'collect');
    await venue.runTestHelper(checkout.id, 'hold', { share_id: shares[1].id });
    const half = await read(checkout.id);
    expect(half.json).toMatchObject({ status: 'collecting', share_count: 3, held_count: 1, funded_amount: 8_000 });
    for (const { id, display_name } of shares) {
      expect(half.text).not.toContain(id);
      if (display_name !== null) expect(half.text).not.toContain(display_name);
    }
    await venue.runTestHelper(checkout.id, 'complete');
    const { json } = await read(checkout.id);
    expect(json).toMatchObject({ status: 'completed', share_count: 3, held_count: 3, funded_amount: 24_001 });
    expect(json.completed_at).not.toBe(null);
    expect(json.is_refunded).toBe(false);
    await venue.post(`/v1/checkouts/${checkout.id}/refund`, { amount: 8_000 });
    expect((await read(checkout.id)).json).toMatchObject({ is_refunded: false });
    await venue.post(`/v1/checkouts/${checkout.id}/refund`);
    await world.work();
    expect((await read(checkout.id)).json).toMatchObject({ status: 'completed', held_count: 3, is_refunded: true });
  });

  it('is read by a member without accepting an invite', async () => {
    const phone = '+12155552900';
    const { id } = await world.db.transaction((tx) => createMember(tx, world.command(), { phone, name: 'Ben' }));
    const token = await world.context.tokens.sign(id);
    const checkout = await venue.create();
    const body = { members: [{ user_id: id }], split: 'equal' };
    const ada = await world.db.transaction((tx) =>
      createMember(tx, world.command(), { phone: '+12155552901', name: 'Ada' }),
    );
    const key = await world.context.tokens.sign(ada.id);
    expect((await world.call('POST', `/v1/public/checkouts/${checkout.id}/party`, { key, body })).status).toBe(200);
    expect((await world.call('GET', pathOf(checkout.id), { key: token })).json.share_count).toBe(2);
    const rows = await world.db.query<{ accepted: boolean }>(
      'select accepted_at is not null as accepted from shares where checkout_id = $1 and member_id = $2',
      [checkout.id, id],
    );
    expect(rows).toEqual([{ accepted: false }]);
  });

  it('answers a page of a registered origin so that its script can read a 401 and a 404', async () => {
    const checkout = await venue.create();
    for (const [id, key, status] of [
      [UNKNOWN, publishable, 404],
      [checkout.id, `pk_test_${'x'.repeat(32)}`, 401],
    ] as const) {
      const preflight = await world.call('OPTIONS', pathOf(id), { headers: { origin: ORIGIN } });
      expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, ORIGIN]);
      const response = await read(id, key);
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([status, ORIGIN]);
    }
    const foreign = await world.call('OPTIONS', pathOf(UNKNOWN), { headers: { origin: 'https://evil.example' } });
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    const write = await world.call('OPTIONS', `/v1/public/checkouts/${UNKNOWN}/party`, { headers: { origin: ORIGIN } });
    expect(write.status).toBe(403);
  });

  it('lets every page read that the service is unavailable, because no origin can be looked up then', async () => {
    const checkout = await venue.create();
    const away = Object.assign(new Error('the database is away'), { code: '57P03' });
    vi.spyOn(world.db, 'query').mockRejectedValue(away);
    const headers = { origin: 'https://any.example' };
    const preflight = await world.call('OPTIONS', pathOf(checkout.id), { headers });
    const response = await world.call('GET', pathOf(checkout.id), { headers });
    vi.restoreAllMocks();
    expect([preflight.status, preflight.headers.get('access-control-max-age')]).toEqual([204, '0']);
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([503, '*']);
    expect(response.headers.get('retry-after')).not.toBeNull();
    const afterwards = await world.call('GET', pathOf(checkout.id), { headers });
    expect([afterwards.status, afterwards.headers.get('access-control-allow-origin')]).toEqual([401, null]);
  });
});

describe('the stream of the progress', () => {
  it('begins with the present progress, tells each change that shows, and ends with the checkout', async () => {
    const checkout = await venue.collecting();
    const reader = await open(checkout.id);
    expect(reader.response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(reader.response.headers.get('cache-control')).toBe('no-store');
    await reader.receives(1);
    // A reminder is a change of the checkout that the progress does not show, and that a hosted page hears of.
    const page = await EventStreamClient.open(`${world.urls[0]}/c/${checkout.id}/changes`);
    clients.push(page);
    await page.receives(1);
    await world.db.query('update shares set reminded_at = now() where checkout_id = $1', [checkout.id]);
    await page.receives(2);
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    await reader.receives(2);
    expect(progressIn(reader).map(({ held_count }) => held_count)).toEqual([0, 1]);
    expect(progressIn(reader)[1]).toEqual((await read(checkout.id)).json);
    expect(new Set(reader.events.map(({ event }) => event))).toEqual(new Set(['progress']));
    await venue.post(`/v1/checkouts/${checkout.id}/cancel`);
    await reader.ends();
    expect(progressIn(reader).at(-1)).toMatchObject({ status: 'canceled', held_count: 0 });
    const again = await open(checkout.id);
    await again.ends();
    expect(progressIn(again).map(({ status }) => status)).toEqual(['canceled']);
  });

  it('is refused before its first byte, in the order of every guest route', async () => {
    const checkout = await venue.create();
    const statusOf = async (id: string, key?: string, origin?: string): Promise<number> =>
      (await open(id, key, origin)).response.status;
    expect(await statusOf(UNKNOWN)).toBe(404);
    expect(await statusOf(checkout.id, `pk_test_${'x'.repeat(32)}`)).toBe(401);
    expect(await statusOf(checkout.id, venue.key)).toBe(403);
    expect(await statusOf(checkout.id, publishable, 'https://evil.example')).toBe(403);
    expect(await statusOf('')).toBe(404);
    const head = await world.call('HEAD', `${pathOf(checkout.id)}/stream`, {
      key: publishable,
      headers: { origin: ORIGIN },
    });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  it('ends after its lifetime, and shares its bounds with the hosted pages: the sixty-first of an address is 429', async () => {
    const checkout = await venue.create();
    const lifetime = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(lifetime.signal);
    const first = await open(checkout.id);
    await first.receives(1);
    const pages = await Promise.all(
      Array.from({ length: 59 }, () => EventStreamClient.open(`${world.urls[0]}/c/${checkout.id}/changes`)),
    );
    clients.push(...pages);
    const refused = await open(checkout.id);
    expect([refused.response.status, refused.response.headers.get('retry-after')]).toEqual([429, '15']);
    expect(refused.response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    lifetime.abort();
    await first.ends();
  });

  it('takes at most half of the places of a checkout and of the server, so that hosted pages always have some', async () => {
    const [checkout, other] = [await venue.create(), await venue.create()];
    const embeds = await Promise.all(
      Array.from({ length: 60 }, (_, n) => open(checkout.id, publishable, ORIGIN, `203.0.113.${(n % 2) + 2}`)),
    );
    expect(new Set(embeds.map(({ response }) => response.status))).toEqual(new Set([200]));
    const statusOf = async (id: string): Promise<number> =>
      (await open(id, publishable, ORIGIN, '203.0.113.4')).response.status;
    expect([await statusOf(checkout.id), await statusOf(other.id)]).toEqual([429, 200]);
    const page = await EventStreamClient.open(`${world.urls[0]}/c/${checkout.id}/changes`);
    clients.push(page);
    expect(page.response.status).toBe(200);
    const common = embedStreamLimits('chk_1', '203.0.113.5').filter(({ subject }) =>
      embedStreamLimits('chk_2', '198.51.100.6').some((limit) => limit.subject === subject),
    );
    expect(common.map(({ max }) => max)).toEqual([1_000]);
  });

  it('costs a member nothing while it is open, and goes on when their limit is used up', async () => {
    const { id } = await world.db.transaction((tx) =>
      createMember(tx, world.command(), { phone: '+12155552902', name: 'Cleo' }),
    );
    const token = await world.context.tokens.sign(id);
    const operation = operations.find(({ path }) => path === '/v1/public/checkouts/{id}/progress');
    if (operation === undefined) throw new Error('there is no such operation');
    const request = { operation, authorization: `Bearer ${token}` } as IncomingRequest;
    const check = (isUncounted: boolean): Promise<AuthResult> =>
      authorize(world.context, makeAdmission(world.db.priority, world.context.clock), { ...request, isUncounted });
    const remaining = async (): Promise<number | undefined> => (await check(false)).rateLimit?.remaining;
    const before = (await remaining()) ?? 0;
    for (let n = 0; n < 3; n++) expect((await check(true)).refusal).toBe(null);
    expect(await remaining()).toBe(before - 1);
    await countSharedCalls(world.db.priority, MEMBER_READS_PER_HOUR, [{ subject: `member ${id} read`, calls: before }]);
    expect((await check(false)).refusal?.code).toBe('rate_limited');
    expect((await check(true)).refusal).toBe(null);
  });

  it('counts once when it opens: the checks of its key while it is open are not counted', async () => {
    const admit = makeAdmission(world.db.priority, world.context.clock);
    const request = {
      hash: hashTextOfKey(publishable),
      effect: 'read',
      address: '203.0.113.9',
      origin: ORIGIN,
    } as const;
    const counted = await admit(request);
    const [uncounted, next] = await Promise.all([admit({ ...request, isUncounted: true }), admit(request)]);
    expect(uncounted.key).toEqual(counted.key);
    expect(uncounted.rateLimit.retryAfter).toBe(null);
    expect(next.rateLimit.remaining).toBe(counted.rateLimit.remaining - 1);
    expect((await admit(request)).rateLimit.remaining).toBe(counted.rateLimit.remaining - 2);
  });
});
