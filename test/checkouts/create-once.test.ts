// A checkout is created once: by Idempotency-Key, by booking id, under fifty equal requests at once on two servers. A
// replay returns the first response byte for byte, and a failed request leaves its key unused.

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { addOrigin, removeOrigin } from '../../src/domain/venues/change-venue.ts';
import { isDistributed } from '../support/distributed.ts';
import {
  checkoutBody,
  DAY,
  expectConflict,
  expectInvalid,
  HOUR,
  inFuture,
  openTestVenue,
  type TestVenue,
  withNewKey,
} from '../support/test-venue.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: TestWorld;
let venue: TestVenue;
beforeAll(async () => {
  world = await openTestWorld({ servers: 2 });
  venue = await openTestVenue(world);
});
afterAll(() => world.close());
afterEach(() => {
  vi.useRealTimers();
});

let keys = 0;
const newKey = (): string => `once-${++keys}`;
const create = (body: unknown, key?: string, server = 0): Promise<HttpResponse> =>
  venue.post('/v1/checkouts', body, { server, ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }) });
const isReplay = ({ headers }: HttpResponse): boolean => headers.get('idempotent-replayed') === 'true';
const rowsOf = (booking: unknown): Promise<{ checkout_id: string; status: string }[]> =>
  world.db.query('select checkout_id, status from checkouts where external_booking_id = $1 order by created_at', [
    booking,
  ]);

function expectReplay(response: HttpResponse, first: HttpResponse): void {
  expect([response.status, response.text, isReplay(response)]).toEqual([first.status, first.text, true]);
}

/** Makes the checkout overdue; no sweep or read has expired it yet. */
const letTimePass = (id: string): Promise<unknown> =>
  world.db.query(`update checkouts set expires_at = now() - interval '1 second' where checkout_id = $1`, [id]);

describe('with an Idempotency-Key', () => {
  it('a repeated request gets the same response byte for byte, marked as a replay', async () => {
    const [body, key] = [checkoutBody(), newKey()];
    const first = await create(body, key);
    expect([first.status, isReplay(first)]).toEqual([201, false]);
    expectReplay(await create(body, key), first);
    expectReplay(await create(body, key, 1), first);
    expect(await venue.eventTypes(first.json.id)).toEqual(['checkout.created']);
  });

  it.skipIf(isDistributed)(
    'an equal request that commits between two reads of the other is a replay, not a booking conflict',
    async () => {
      const [body, key] = [checkoutBody(), newKey()];
      const first = await create(body, key);
      const [storedKeys] = await world.db.query(
        'delete from idempotency_keys k where k.idempotency_key = $1 returning to_jsonb(k) as row',
        [key],
      );
      const row = storedKeys?.row as Record<string, string> | undefined;
      const repeated = await world.db.transaction(async (tx) => {
        await tx.query('insert into idempotency_keys select * from jsonb_populate_record(null::idempotency_keys, $1)', [
          JSON.stringify(row),
        ]);
        await tx.query('lock table checkouts in access exclusive mode');
        const secondCreate = world.db.query<{ outcome: string; response: string }>(
          `select outcome, response from create_checkout($1, $2, $3, $4, $5, $6::bytea, $7, $8, now(), true, interval '30 days')`,
          [
            row?.venue_id,
            row?.mode,
            'chk_late',
            'evt_late',
            key,
            row?.fingerprint,
            JSON.stringify(body),
            'https://pay.example/',
          ],
        );
        // It has read the key, and waits before it can read the booking.
        const waiting = `select from pg_locks where relation = 'checkouts'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())`;
        await waitFor('the create waits for the table', async () => (await tx.query(waiting)).length > 0);
        return { late: secondCreate };
      });
      expect(await repeated.late).toEqual([{ outcome: 'replayed', response: first.text }]);
    },
  );

  it.skipIf(isDistributed)(
    'of two concurrent bookings under one key, one is created and the other is a conflict',
    async () => {
      const [key, bodies] = [newKey(), [checkoutBody(), checkoutBody()]];
      const { both } = await world.db.transaction(async (tx) => {
        await tx.query('lock table idempotency_keys in exclusive mode');
        const both = bodies.map((body, server) => create(body, key, server));
        // Both have read the key, and wait before they can store it.
        const waiting = `select from pg_locks where relation = 'idempotency_keys'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())`;
        await waitFor('both creates wait for the table', async () => (await tx.query(waiting)).length === 2);
        return { both };
      });
      const response = await Promise.all(both);
      expect(response.map(({ status }) => status).sort()).toEqual([201, 409]);
      for (const one of response) if (one.status !== 201) expectConflict(one, 'idempotency_key_reused');
      const created = await Promise.all(bodies.map(({ external_booking_id }) => rowsOf(external_booking_id)));
      expect(created.flat()).toHaveLength(1);
    },
  );

  it('member order and white space do not change the body', async () => {
    const [body, key] = [checkoutBody(), newKey()];
    const first = await create(body, key);
    const turned = Object.fromEntries(Object.entries(body).reverse());
    expectReplay(await create(JSON.stringify(turned, null, 2), key), first);
  });

  it('another body under the same key is a conflict and changes nothing', async () => {
    const [body, key] = [checkoutBody(), newKey()];
    const first = await create(body, key);
    expectConflict(await create({ ...body, amount: 999 }, key), 'idempotency_key_reused');
    expectConflict(await create(checkoutBody(), key), 'idempotency_key_reused');
    expectReplay(await create(body, key), first);
  });

  it('a new key for a booking in progress is a booking conflict', async () => {
    const body = checkoutBody();
    const first = await create(body, newKey());
    expectConflict(await create(body, newKey()), 'booking_in_progress');
    expectConflict(await create({ ...body, amount: 999 }, newKey()), 'booking_in_progress');
    await venue.runTestHelper(first.json.id, 'complete');
    expectConflict(await create(body, newKey()), 'booking_in_progress');
  });

  it('a key whose request was a conflict stays unused', async () => {
    const [body, key] = [checkoutBody(), newKey()];
    await create(body, newKey());
    expectConflict(await create(body, key), 'booking_in_progress');
    const other = await create(checkoutBody(), key);
    expect([other.status, isReplay(other)]).toEqual([201, false]);
  });

  it('the replay is the first response also when the checkout has changed, was canceled or is overdue', async () => {
    const [body, key] = [checkoutBody(), newKey()];
    const first = await create(body, key);
    await venue.runTestHelper(first.json.id, 'collect');
    expectReplay(await create(body, key), first);
    await venue.post(`/v1/checkouts/${first.json.id}/cancel`);
    expectReplay(await create(body, key), first);
    expect(await rowsOf(body.external_booking_id)).toHaveLength(1);
  });

  it('an equal request is still a replay after pay_by has passed, with and without a key', async () => {
    for (const key of [newKey(), undefined]) {
      const body = checkoutBody({ pay_by: inFuture(HOUR) });
      const first = await create(body, key);
      await venue.runTestHelper(first.json.id, 'complete');
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR });
      expectReplay(await create(body, key), first);
      vi.useRealTimers();
    }
  });

  it('an equal request is still a replay after its origin was removed; a new one is refused', async () => {
    const own = await openTestVenue(world);
    for (const headers of [{ 'idempotency-key': newKey() }, {}]) {
      const origin = 'https://once.example';
      const change = (work: typeof addOrigin): Promise<unknown> =>
        world.db.transaction((tx) => work(tx, world.command(), own.venueId, origin));
      await change(addOrigin);
      const body = checkoutBody({ return_url: `${origin}/thanks` });
      const first = await own.post('/v1/checkouts', body, { headers });
      expect(first.status).toBe(201);
      await change(removeOrigin);
      expectReplay(await own.post('/v1/checkouts', body, { headers }), first);
      const other = await own.post('/v1/checkouts', { ...body, external_booking_id: 'another' });
      expectInvalid(other, 'not_allowed', '/return_url');
    }
  });

  it('a key belongs to its venue, mode and operation', async () => {
    const [body, key] = [checkoutBody(), newKey()];
    const first = await create(body, key);
    const headers = { 'idempotency-key': key };
    for (const other of [await openTestVenue(world), await withNewKey(venue, 'live')]) {
      const response = await other.post('/v1/checkouts', body, { headers });
      expect([response.status, isReplay(response)]).toEqual([201, false]);
      expect(response.json.id).not.toBe(first.json.id);
    }
    await venue.runTestHelper(first.json.id, 'complete');
    expectConflict(
      await venue.post(`/v1/checkouts/${first.json.id}/refund`, {}, { headers }),
      'idempotency_key_reused',
    );
  });

  it('a key that another operation has used is a conflict', async () => {
    const completed = await venue.completed();
    const key = newKey();
    const refunded = await venue.post(
      `/v1/checkouts/${completed.id}/refund`,
      { amount: 100 },
      { headers: { 'idempotency-key': key } },
    );
    expect(refunded.status).toBe(200);
    expectConflict(await create(checkoutBody(), key), 'idempotency_key_reused');
  });

  it('a key can be used again after thirty days', async () => {
    const key = newKey();
    const first = await create(checkoutBody(), key);
    await world.db.query(
      `update idempotency_keys set created_at = now() - interval '31 days' where venue_id = $1 and idempotency_key = $2`,
      [venue.venueId, key],
    );
    const later = await create(checkoutBody(), key);
    expect([later.status, isReplay(later)]).toEqual([201, false]);
    expect(later.json.id).not.toBe(first.json.id);
  });
});

describe('without the header the booking id is the key', () => {
  it('the same body is a replay, with or without a key before; another body is a conflict', async () => {
    for (const key of [undefined, newKey()]) {
      const body = checkoutBody();
      const first = await create(body, key);
      expectReplay(await create(body), first);
      expectConflict(await create({ ...body, amount: 24_002 }), 'idempotency_key_reused');
      expectConflict(await create({ ...body, description: 'Another' }), 'idempotency_key_reused');
    }
  });

  it('after a cancel or an expiry the same booking gets a new checkout', async () => {
    const body = checkoutBody();
    const ids: string[] = [];
    for (const end of ['cancel', 'expire', 'none']) {
      const response = await create(body);
      expect([response.status, isReplay(response)]).toEqual([201, false]);
      ids.push(response.json.id);
      if (end === 'cancel') await venue.post(`/v1/checkouts/${response.json.id}/cancel`);
      if (end === 'expire') await venue.runTestHelper(response.json.id, 'expire');
    }
    expect(new Set(ids).size).toBe(3);
    expect((await rowsOf(body.external_booking_id)).map(({ status }) => status)).toEqual([
      'canceled',
      'expired',
      'open',
    ]);
  });

  it('an overdue booking that the sweep has not reached gets a new checkout, with and without a key', async () => {
    for (const key of [undefined, newKey()]) {
      const body = checkoutBody();
      const first = await create(body);
      await letTimePass(first.json.id);
      const second = await create(body, key);
      expect([second.status, isReplay(second)], second.text).toEqual([201, false]);
      expect((await rowsOf(body.external_booking_id)).map(({ status }) => status)).toEqual(['expired', 'open']);
      expect(await venue.eventTypes(first.json.id)).toEqual(['checkout.created', 'checkout.expired']);
    }
  });

  it('a body whose pay_by has passed creates nothing, even if the booking is free again', async () => {
    const body = checkoutBody({ pay_by: inFuture(HOUR) });
    const first = await create(body);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR });
    expectInvalid(await create(body), 'out_of_range', '/pay_by');
    vi.useRealTimers();
    expect(await rowsOf(body.external_booking_id)).toHaveLength(1);
    expect(first.status).toBe(201);
  });
});

describe('a failed request', () => {
  it('leaves the key and the booking unused, for any error', async () => {
    const [good, key] = [checkoutBody(), newKey()];
    const wrong = [
      { ...good, amount: 1 },
      { ...good, pay_by: inFuture(-DAY) },
      { ...good, offering_external_id: 'nowhere' },
      { ...good, return_url: 'https://evil.test/' },
    ];
    for (const body of wrong) expect((await create(body, key)).status).toBe(422);
    for (const body of wrong) expect((await create(body)).status).toBe(422);
    expect((await create('{', key)).status).toBe(400);
    const response = await create(good, key);
    expect([response.status, isReplay(response)]).toEqual([201, false]);
  });
});

describe('fifty requests at once, on two servers', () => {
  const fifty = <T>(make: (place: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: 50 }, (_, n) => make(n)));

  it.each(['with one header key', 'without a header'])(
    'equal requests %s make one checkout and 50 equal responses',
    async (how) => {
      const body = checkoutBody();
      const key = how.startsWith('with one') ? newKey() : undefined;
      const response = await fifty((place) => create(body, key, place % 2));
      expect(new Set(response.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(response.map(({ text }) => text)).size).toBe(1);
      expect(response.filter((one) => !isReplay(one))).toHaveLength(1);
      expect(await rowsOf(body.external_booking_id)).toHaveLength(1);
      expect(await venue.eventTypes(response[0]?.json.id)).toEqual(['checkout.created']);
    },
  );

  it('for one booking under 50 keys create one checkout; 49 are booking conflicts', async () => {
    const body = checkoutBody();
    const response = await fifty((place) => create(body, newKey(), place % 2));
    expect(response.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const one of response) if (one.status !== 201) expectConflict(one, 'booking_in_progress');
    expect(await rowsOf(body.external_booking_id)).toHaveLength(1);
    const storedKeys = await world.db.query<{ n: number }>(
      'select count(*)::integer as n from idempotency_keys where refers_to = $1',
      [response.find(({ status }) => status === 201)?.json.id],
    );
    expect(storedKeys).toEqual([{ n: 1 }]);
  });

  it('for one booking with 50 bodies create one checkout; 49 are conflicts, never a 500', async () => {
    const body = checkoutBody();
    const response = await fifty((place) => create({ ...body, amount: 1_000 + place }, undefined, place % 2));
    expect(response.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const one of response) if (one.status !== 201) expectConflict(one, 'idempotency_key_reused');
  });

  it('for 50 bookings under one key create one checkout; 49 are conflicts and create nothing', async () => {
    const [key, bodies] = [newKey(), Array.from({ length: 50 }, () => checkoutBody())];
    const response = await fifty((place) => create(bodies[place], key, place % 2));
    expect(response.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const one of response) if (one.status !== 201) expectConflict(one, 'idempotency_key_reused');
    const created = await Promise.all(bodies.map(({ external_booking_id }) => rowsOf(external_booking_id)));
    expect(created.flat()).toHaveLength(1);
  });

  it('for an overdue booking create one new checkout', async () => {
    const body = checkoutBody();
    const first = await create(body);
    await letTimePass(first.json.id);
    const response = await fifty((place) => create(body, undefined, place % 2));
    expect(
      new Set(response.map(({ text }) => text)).size,
      JSON.stringify([...new Set(response.map(({ text }) => text))]),
    ).toBe(1);
    expect((await rowsOf(body.external_booking_id)).map(({ status }) => status)).toEqual(['expired', 'open']);
  });

  it('for 50 bookings get 50 different created_at, so that no page loses one', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const response = await fifty((place) => create(checkoutBody(), undefined, place % 2));
    vi.useRealTimers();
    expect(response.map(({ status }) => status)).toEqual(Array(50).fill(201));
    expect(new Set(response.map(({ json }) => json.created_at)).size).toBe(50);
  });
});
