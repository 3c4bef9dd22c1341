// A checkout is created once: by header key, by booking id, under fifty twins at once on two servers. A replay answers the
// first answer byte for byte, and a call that failed leaves its key unused.

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
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

/** Its time is over, and nobody has looked yet. */
const letTimePass = (id: string): Promise<unknown> =>
  world.db.query(`update checkouts set expires_at = now() - interval '1 second' where checkout_id = $1`, [id]);

describe('with the header', () => {
  it('the same call again is answered byte for byte, and says that it is a replay', async () => {
    const [body, key] = [checkoutBody(), newKey()];
    const first = await create(body, key);
    expect([first.status, isReplay(first)]).toEqual([201, false]);
    expectReplay(await create(body, key), first);
    expectReplay(await create(body, key, 1), first);
    expect(await venue.eventTypes(first.json.id)).toEqual(['checkout.created']);
  });

  it('a twin that is committed between two looks of the other is the first answer, not a booking that is taken', async () => {
    const [body, key] = [checkoutBody(), newKey()];
    const first = await create(body, key);
    const [kept] = await world.db.query(
      'delete from idempotency_keys k where k.idempotency_key = $1 returning to_jsonb(k) as row',
      [key],
    );
    const row = kept?.row as Record<string, string> | undefined;
    const again = await world.db.transaction(async (tx) => {
      await tx.query('insert into idempotency_keys select * from jsonb_populate_record(null::idempotency_keys, $1)', [
        JSON.stringify(row),
      ]);
      await tx.query('lock table checkouts in access exclusive mode');
      const late = world.db.query<{ outcome: string; answer: string }>(
        'select outcome, answer from create_checkout($1, $2, $3, $4, $5, $6::bytea, $7, $8, now(), true)',
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
      // It has looked for the key, and waits before it can look for the booking.
      const waiting = `select from pg_locks where relation = 'checkouts'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())`;
      await waitFor('the create waits for the table', async () => (await tx.query(waiting)).length > 0);
      return { late };
    });
    expect(await again.late).toEqual([{ outcome: 'replayed', answer: first.text }]);
  });

  it('of two bookings under one key, neither of which saw the other’s, one is created and the other a conflict', async () => {
    const [key, bodies] = [newKey(), [checkoutBody(), checkoutBody()]];
    const { both } = await world.db.transaction(async (tx) => {
      await tx.query('lock table idempotency_keys in exclusive mode');
      const both = bodies.map((body, server) => create(body, key, server));
      // They have looked for the key, and wait before they can take it.
      const waiting = `select from pg_locks where relation = 'idempotency_keys'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())`;
      await waitFor('both creates wait for the table', async () => (await tx.query(waiting)).length === 2);
      return { both };
    });
    const response = await Promise.all(both);
    expect(response.map(({ status }) => status).sort()).toEqual([201, 409]);
    for (const one of response) if (one.status !== 201) expectConflict(one, 'idempotency_key_reused');
    const made = await Promise.all(bodies.map(({ external_booking_id }) => rowsOf(external_booking_id)));
    expect(made.flat()).toHaveLength(1);
  });

  it('member order, white space and the spelling of numbers make no other body', async () => {
    const [body, key] = [checkoutBody(), newKey()];
    const first = await create(body, key);
    const turned = Object.fromEntries(Object.entries(body).reverse());
    expectReplay(await create(JSON.stringify(turned, null, 2).replace('24001', '24001.0'), key), first);
  });

  it('another body under the key is a conflict, and changes nothing', async () => {
    const [body, key] = [checkoutBody(), newKey()];
    const first = await create(body, key);
    expectConflict(await create({ ...body, amount: 999 }, key), 'idempotency_key_reused');
    expectConflict(await create(checkoutBody(), key), 'idempotency_key_reused');
    expectReplay(await create(body, key), first);
  });

  it('a new key for a booking that is under way is a conflict of the booking', async () => {
    const body = checkoutBody();
    const first = await create(body, newKey());
    expectConflict(await create(body, newKey()), 'booking_in_progress');
    expectConflict(await create({ ...body, amount: 999 }, newKey()), 'booking_in_progress');
    await venue.runTestHelper(first.json.id, 'complete');
    expectConflict(await create(body, newKey()), 'booking_in_progress');
  });

  it('a key that met a conflict is unused', async () => {
    const [body, key] = [checkoutBody(), newKey()];
    await create(body, newKey());
    expectConflict(await create(body, key), 'booking_in_progress');
    const other = await create(checkoutBody(), key);
    expect([other.status, isReplay(other)]).toEqual([201, false]);
  });

  it('the replay is the first answer also when the checkout has moved on, was canceled, or its time is over', async () => {
    const [body, key] = [checkoutBody(), newKey()];
    const first = await create(body, key);
    await venue.runTestHelper(first.json.id, 'collect');
    expectReplay(await create(body, key), first);
    await venue.post(`/v1/checkouts/${first.json.id}/cancel`);
    expectReplay(await create(body, key), first);
    expect(await rowsOf(body.external_booking_id)).toHaveLength(1);
  });

  it('a faithful replay stays one after pay_by has passed, with the header and without', async () => {
    for (const key of [newKey(), undefined]) {
      const body = checkoutBody({ pay_by: inFuture(HOUR) });
      const first = await create(body, key);
      await venue.runTestHelper(first.json.id, 'complete');
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR });
      expectReplay(await create(body, key), first);
      vi.useRealTimers();
    }
  });

  it('a key belongs to its venue and mode, and to its operation', async () => {
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

  it('a key that another operation has used is a conflict here', async () => {
    const done = await venue.completed();
    const key = newKey();
    const refunded = await venue.post(
      `/v1/checkouts/${done.id}/refund`,
      { amount: 100 },
      { headers: { 'idempotency-key': key } },
    );
    expect(refunded.status).toBe(200);
    expectConflict(await create(checkoutBody(), key), 'idempotency_key_reused');
  });

  it('is free again after thirty days', async () => {
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
  it('the same body is its replay, however the first was made; another body is a conflict', async () => {
    for (const key of [undefined, newKey()]) {
      const body = checkoutBody();
      const first = await create(body, key);
      expectReplay(await create(body), first);
      expectConflict(await create({ ...body, amount: 24_002 }), 'idempotency_key_reused');
      expectConflict(await create({ ...body, description: 'Another' }), 'idempotency_key_reused');
    }
  });

  it('after a cancel and after an expiry the same booking starts anew', async () => {
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

  it('a booking that is overdue and not swept yet starts anew, with the header and without', async () => {
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

  it('a body whose pay_by has passed starts nothing, even where the booking is free again', async () => {
    const body = checkoutBody({ pay_by: inFuture(HOUR) });
    const first = await create(body);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR });
    expectInvalid(await create(body), 'out_of_range', '/pay_by');
    vi.useRealTimers();
    expect(await rowsOf(body.external_booking_id)).toHaveLength(1);
    expect(first.status).toBe(201);
  });
});

describe('a call that failed', () => {
  it('leaves the key and the booking unused, whatever was wrong', async () => {
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

describe('fifty at once, on two servers', () => {
  const fifty = <T>(make: (place: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: 50 }, (_, n) => make(n)));

  it.each(['with one header key', 'without a header'])(
    'identical creates %s make one checkout and 50 equal answers',
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

  it('creates of one booking under 50 different keys: one is created, 49 are told that the booking is in progress', async () => {
    const body = checkoutBody();
    const response = await fifty((place) => create(body, newKey(), place % 2));
    expect(response.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const one of response) if (one.status !== 201) expectConflict(one, 'booking_in_progress');
    expect(await rowsOf(body.external_booking_id)).toHaveLength(1);
    const kept = await world.db.query<{ n: number }>(
      'select count(*)::integer as n from idempotency_keys where refers_to = $1',
      [response.find(({ status }) => status === 201)?.json.id],
    );
    expect(kept).toEqual([{ n: 1 }]);
  });

  it('creates of one booking with 50 different bodies: one is created, 49 are conflicts, never a 500', async () => {
    const body = checkoutBody();
    const response = await fifty((place) => create({ ...body, amount: 1_000 + place }, undefined, place % 2));
    expect(response.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const one of response) if (one.status !== 201) expectConflict(one, 'idempotency_key_reused');
  });

  it('creates of 50 bookings under one key: one is created, 49 are conflicts and make nothing', async () => {
    const [key, bodies] = [newKey(), Array.from({ length: 50 }, () => checkoutBody())];
    const response = await fifty((place) => create(bodies[place], key, place % 2));
    expect(response.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const one of response) if (one.status !== 201) expectConflict(one, 'idempotency_key_reused');
    const made = await Promise.all(bodies.map(({ external_booking_id }) => rowsOf(external_booking_id)));
    expect(made.flat()).toHaveLength(1);
  });

  it('creates of an overdue booking make one new checkout', async () => {
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

  it('creates of 50 bookings in one instant have 50 different times, so that no list can lose one', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const response = await fifty((place) => create(checkoutBody(), undefined, place % 2));
    vi.useRealTimers();
    expect(response.map(({ status }) => status)).toEqual(Array(50).fill(201));
    expect(new Set(response.map(({ json }) => json.created_at)).size).toBe(50);
  });
});
