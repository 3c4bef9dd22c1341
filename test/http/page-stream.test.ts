// GET /c/<id>/changes and /s/<token>/changes: an open page learns that its checkout has changed, and nothing more. Many
// pages cost one look at the database, streams are bounded, and each one ends.

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { createMember } from '../../src/domain/members/create-member.ts';
import { EventStreamClient } from '../support/event-stream-client.ts';
import { CARDS, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: TestWorld;
let venue: TestVenue;
let people = 0;
beforeAll(async () => {
  world = await openTestWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  venue = await openTestVenue(world);
});
afterAll(() => world.close());

const clients: EventStreamClient[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const client of clients.splice(0)) client.leave();
});

async function open(path: string, address = '203.0.113.1', url = world.urls[0]): Promise<EventStreamClient> {
  const client = await EventStreamClient.open(`${url}${path}/changes`, { 'x-forwarded-for': address });
  clients.push(client);
  return client;
}

async function tokenOf(name: string): Promise<{ readonly id: string; readonly token: string }> {
  const phone = `+1215555${String(2000 + people++)}`;
  const { id } = await world.db.transaction((tx) => createMember(tx, world.command(), { phone, name }));
  return { id, token: await world.context.tokens.sign(id) };
}

/** Ada's party: herself, Ben and an open seat. */
async function createGroup(): Promise<{ readonly checkout: Json; readonly shares: Json; readonly page: string }> {
  const [ada, ben] = [await tokenOf('Ada'), await tokenOf('Ben')];
  const checkout = await venue.create({ amount: 9_000, party_size: 3 });
  const [seat] = await createSeats(world.db, { ids: world.context.ids, now: Date.now() }, 1);
  const body = { members: [{ user_id: ben.id }, { user_id: seat }], split: 'equal' };
  const response = await world.call('POST', `/v1/public/checkouts/${checkout.id}/party`, { key: ada.token, body });
  expect(response.status, response.text).toBe(200);
  return { checkout, shares: response.json.shares, page: `/c/${checkout.id}` };
}

describe('the stream of a guest page', () => {
  it('says at once that it works, and after each change that something changed, without saying what', async () => {
    const { checkout, shares, page } = await createGroup();
    const invite = new URL(shares[1].url).pathname;
    const readers = [await open(page), await open(invite)];
    for (const reader of readers) {
      expect(reader.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(reader.response.headers.get('cache-control')).toBe('no-store');
      await reader.receives(1);
    }
    await venue.pay(checkout.id, shares[0].id, CARDS.good);
    for (const reader of readers) await waitFor('the payment', () => new Set(reader.ids).size >= 2);
    const afterPayment = readers[0]?.events.length ?? 0;
    const cleo = await tokenOf('Cleo');
    await world.call('POST', `/v1/public/checkouts/${checkout.id}/seat`, { key: cleo.token, body: {} });
    await readers[0]?.receives(afterPayment + 1);
    await venue.pay(checkout.id, shares[1].id, CARDS.declined);
    await readers[0]?.receives(afterPayment + 2);
    const events = readers[0]?.events ?? [];
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    for (const { id, event, data } of events)
      expect({ id: /^[0-9a-f]{32}$/.test(id), event, data }).toEqual({ id: true, event: 'checkout', data: 'changed' });
  });

  it('is found where its page is, and nowhere else', async () => {
    const { page } = await createGroup();
    for (const path of ['/c/chk_00000000000000000000000000', '/s/this-is-no-invite', '/c/x']) {
      expect((await open(path)).response.status, path).toBe(404);
    }
    const head = await world.call('HEAD', `${page}/changes`);
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  it('ends with its checkout, and an ended checkout answers 204, so that browsers do not ask again', async () => {
    const { checkout, page } = await createGroup();
    const reader = await open(page);
    await reader.receives(1);
    await venue.post(`/v1/checkouts/${checkout.id}/cancel`);
    await reader.ends();
    expect(reader.events.length).toBeGreaterThanOrEqual(2);
    expect((await open(page)).response.status).toBe(204);
  });

  it('ends after its lifetime, and the next one begins with the same id while nothing changed', async () => {
    const { page } = await createGroup();
    const lifetime = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(lifetime.signal);
    const first = await open(page);
    await first.receives(1);
    lifetime.abort();
    await first.ends();
    vi.restoreAllMocks();
    const second = await open(page);
    await second.receives(1);
    expect(second.ids).toEqual(first.ids);
  });

  it('ends when the server stops, which does not wait for the page', async () => {
    const other = await openTestWorld();
    const its = await openTestVenue(other);
    const checkout = await its.create();
    const reader = await open(`/c/${checkout.id}`, '203.0.113.1', other.urls[0]);
    await reader.receives(1);
    await other.close();
    await reader.ends();
  });

  it('costs one look at the database for all pages of a server, and none when no page is open', async () => {
    const groups = [await createGroup(), await createGroup()];
    const looks = (): number => world.statements.filter((text) => text.includes('string_agg(concat_ws(')).length;
    const readers = await Promise.all(Array.from({ length: 12 }, (_, n) => open(groups[n % 2]?.page ?? '')));
    for (const reader of readers) await reader.receives(1);
    const before = looks();
    const beganAt = Date.now();
    await delay(1_600);
    const made = looks() - before;
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThanOrEqual((Date.now() - beganAt) / 500 + 1);
    for (const reader of readers) reader.leave();
    await waitFor('the end of the looks', async () => {
      const now = looks();
      await delay(700);
      return looks() === now;
    });
  });

  it('goes on after the database did not answer', async () => {
    const { checkout, shares, page } = await createGroup();
    const reader = await open(page);
    await reader.receives(1);
    vi.spyOn(world.db, 'query').mockRejectedValueOnce(new Error('the connection is lost'));
    await waitFor('the warning', () => world.logs.some((line) => line.includes('could not look for changes')));
    vi.restoreAllMocks();
    await venue.pay(checkout.id, shares[0].id, CARDS.good);
    await reader.receives(2);
  });

  it('is bounded for an address and for a checkout: one more is 429 and takes no place', {
    tags: ['slow'],
  }, async () => {
    const [group, other] = [await createGroup(), await createGroup()];
    const openMany = (page: string, address: string): Promise<EventStreamClient[]> =>
      Promise.all(Array.from({ length: 60 }, () => open(page, address)));
    const mine = await openMany(group.page, '203.0.113.2');
    expect(new Set(mine.map(({ response }) => response.status))).toEqual(new Set([200]));
    const refused = await open(other.page, '203.0.113.2');
    expect([refused.response.status, refused.response.headers.get('retry-after')]).toEqual([429, '15']);
    await openMany(group.page, '203.0.113.3');
    expect((await open(group.page, '203.0.113.4')).response.status).toBe(429);
    expect((await open(other.page, '203.0.113.4')).response.status).toBe(200);
    mine[0]?.leave();
    await waitFor('the free place', async () => (await open(group.page, '203.0.113.4')).response.status === 200);
  });
});
