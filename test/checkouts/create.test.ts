// Creating a checkout over HTTP: the response, the number of queries, the fee, the isolation of modes and venues, and
// every invalid field.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { candidateFrom } from '../../src/base/schema/contract.ts';
import {
  checkoutBody,
  DAY,
  expectConflict,
  expectInvalid,
  inFuture,
  type Json,
  ORIGIN,
  openTestVenue,
  type TestVenue,
  withNewKey,
  withoutRequestId,
} from '../support/test-venue.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
beforeAll(async () => {
  world = await openSharedWorld();
  venue = await openTestVenue(world);
});
afterAll(() => world.close());

const asGuest = async (id: string): Promise<Json> => {
  const [row] = await world.db.query<{ json: string }>(
    'select guest_object(c)::text as json from checkouts c where c.venue_id = $1 and c.checkout_id = $2',
    [venue.venueId, id],
  );
  return JSON.parse(row?.json ?? 'null');
};
const problemsWith = (checkout: unknown): unknown[] =>
  world.context.validator.problems('checkout', candidateFrom(checkout as never));

describe('the response', () => {
  it('is 201 with the checkout, valid against the published schema', async () => {
    const body = checkoutBody({ cancel_url: `${ORIGIN}/stop`, metadata: { pms: '8842' } });
    const { status, json } = await venue.post('/v1/checkouts', body);
    expect(status).toBe(201);
    expect(problemsWith(json)).toEqual([]);
    expect(json).toMatchObject({
      object: 'checkout',
      mode: 'test',
      status: 'open',
      amount: 24_001,
      currency: 'usd',
      party_size: 3,
      description: body.description,
      venue: { id: venue.venueId, name: 'Harbor Club' },
      external_booking_id: body.external_booking_id,
      return_url: body.return_url,
      cancel_url: body.cancel_url,
      shares: [],
      funded_amount: 0,
      refunded_amount: 0,
      completed_at: null,
      cancellation_reason: null,
      metadata: { pms: '8842' },
    });
    expect(json.id).toMatch(/^chk_[0-9a-z]{26}$/);
    expect(json.url).toBe(`${world.urls[0]}/c/${json.id}`);
    expect(Date.parse(json.pay_by)).toBe(Date.parse(body.pay_by as string));
    expect(json.pay_by).toMatch(/Z$/);
    expect(json.net_amount).toBe(json.amount - json.fee_amount);
    expect(await venue.read(json.id)).toEqual(json);
  });

  it('has one event, with the same checkout', async () => {
    const created = await venue.create();
    const events = await venue.events(created.id);
    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([['checkout.created', 1]]);
    expect(events[0]?.data.object).toEqual(created);
  });

  it('is valid against the published schema in every state', async () => {
    const collecting = await venue.collecting();
    const held = await venue.runTestHelper((await venue.collecting()).id, 'hold', {});
    const completed = await venue.completed();
    const refunded = (await venue.post(`/v1/checkouts/${completed.id}/refund`, { amount: 1_000 })).json;
    const expired = await venue.runTestHelper((await venue.create()).id, 'expire');
    const canceled = (await venue.post(`/v1/checkouts/${(await venue.create()).id}/cancel`)).json;
    for (const one of [collecting, held, completed, refunded, expired, canceled]) expect(problemsWith(one)).toEqual([]);
  });
});

describe('the times and the place of the booking', () => {
  const BOOKING = {
    starts_at: '2027-06-12T10:00:00-04:00',
    ends_at: '2027-06-12T18:00:00-04:00',
    location: '1 Pier Rd',
  };
  const SHOWN = { starts_at: '2027-06-12T14:00:00Z', ends_at: '2027-06-12T22:00:00Z', location: '1 Pier Rd' };

  it('are in the response, the event and the guests’ view, in UTC', async () => {
    const created = await venue.create(BOOKING);
    expect(created).toMatchObject(SHOWN);
    expect(problemsWith(created)).toEqual([]);
    expect((await venue.events(created.id))[0]?.data.object).toMatchObject(SHOWN);
    expect(await asGuest(created.id)).toMatchObject(SHOWN);
  });

  it('are null where the request has none', async () => {
    const created = await venue.create();
    const none = { starts_at: null, ends_at: null, location: null };
    expect(created).toMatchObject(none);
    expect(await asGuest(created.id)).toMatchObject(none);
    expect(await venue.create({ starts_at: BOOKING.starts_at })).toMatchObject({ ...none, starts_at: SHOWN.starts_at });
  });

  it('may lie in the past', async () => {
    const past = { starts_at: '2020-01-01T00:00:00Z', ends_at: '2020-01-02T00:00:00Z' };
    expect(await venue.create(past)).toMatchObject(past);
  });

  it('are stored when they differ by less than the database keeps', async () => {
    const close = { starts_at: '2027-06-12T10:00:00.0009999Z', ends_at: '2027-06-12T10:00:00.001Z' };
    expect((await venue.create(close)).ends_at).toBe('2027-06-12T10:00:00.001Z');
  });

  it('are part of the idempotency fingerprint', async () => {
    const body = checkoutBody(BOOKING);
    const first = await venue.post('/v1/checkouts', body);
    expect((await venue.post('/v1/checkouts', body)).text).toBe(first.text);
    for (const other of [{ location: '2 Pier Rd' }, { starts_at: '2027-06-12T11:00:00-04:00' }]) {
      expectConflict(await venue.post('/v1/checkouts', { ...body, ...other }), 'idempotency_key_reused');
    }
  });
});

describe('the database', () => {
  const cost = async (headers: Record<string, string>, body = checkoutBody()): Promise<number> => {
    world.statements.length = 0;
    const { status, text } = await venue.post('/v1/checkouts', body, { headers });
    expect(status, text).toBe(201);
    return world.statements.length;
  };

  it('gets at most two queries for a new checkout, with and without a key', async () => {
    await cost({});
    expect(await cost({})).toBeLessThanOrEqual(2);
    expect(await cost({ 'idempotency-key': 'two-statements' })).toBeLessThanOrEqual(2);
  });

  it('gets at most two queries for a replay', async () => {
    const body = checkoutBody();
    await cost({ 'idempotency-key': 'two-again' }, body);
    expect(await cost({ 'idempotency-key': 'two-again' }, body)).toBeLessThanOrEqual(2);
    expect(await cost({}, body)).toBeLessThanOrEqual(2);
  });
});

describe('the fee', () => {
  it('is basis points rounded half up plus a fixed part, never above the amount', async () => {
    const paying = await openTestVenue(world);
    const feeOf = async (bps: number, fixed: number, amount: number): Promise<number> => {
      await paying.setFee(bps, fixed);
      return (await paying.create({ amount })).fee_amount;
    };
    expect(await feeOf(250, 0, 100)).toBe(3);
    expect(await feeOf(249, 0, 100)).toBe(2);
    expect(await feeOf(250, 30, 24_000)).toBe(630);
    expect(await feeOf(10_000, 500, 1_000)).toBe(1_000);
    expect(await feeOf(0, 2_000, 100)).toBe(100);
    expect(await feeOf(9_999, 0, 99_999_999)).toBe(99_989_999);
    expect(await feeOf(0, 0, 100)).toBe(0);
  });

  it('is fixed at creation: a later change of the fee does not affect the checkout', async () => {
    const paying = await openTestVenue(world);
    await paying.setFee(300, 0);
    const created = await paying.create({ amount: 10_000 });
    await paying.setFee(1_000, 99);
    expect(await paying.read(created.id)).toMatchObject({ fee_amount: 300, net_amount: 9_700 });
    const completed = await paying.runTestHelper(created.id, 'complete');
    expect(completed).toMatchObject({ fee_amount: 300, net_amount: 9_700 });
  });
});

describe('isolation', () => {
  it('gives a key of the other mode, a key of another venue and an unknown id the same 404 everywhere', async () => {
    const created = await venue.create();
    const live = await withNewKey(venue, 'live');
    const outsider = await openTestVenue(world);
    const acts: [string, string][] = [
      ['GET', ''],
      ['POST', '/cancel'],
      ['POST', '/refund'],
    ];
    for (const [method, tail] of acts) {
      const body = tail === '/refund' ? { body: {} } : {};
      const nowhere = await world.call(method, `/v1/checkouts/chk_00000000000000000000000000${tail}`, {
        key: venue.key,
        ...body,
      });
      expect(nowhere.status).toBe(404);
      for (const { key } of [live, outsider]) {
        const response = await world.call(method, `/v1/checkouts/${created.id}${tail}`, { key, ...body });
        expect([response.status, withoutRequestId(response)]).toEqual([404, withoutRequestId(nowhere)]);
      }
    }
    for (const command of ['collect', 'hold', 'complete', 'expire'] as const) {
      const rejected = await outsider.post(
        `/v1/test_helpers/checkouts/${created.id}/${command}`,
        command === 'hold' ? {} : undefined,
      );
      expect([command, rejected.status]).toEqual([command, 404]);
    }
    expect((await venue.read(created.id)).status).toBe('open');
  });

  it('treats one booking id as different bookings in two modes and at two venues', async () => {
    const body = checkoutBody();
    const live = await withNewKey(venue, 'live');
    const outsider = await openTestVenue(world);
    const created = await Promise.all([venue, live, outsider].map((one) => one.post('/v1/checkouts', body)));
    expect(created.map(({ status, json }) => [status, json.mode])).toEqual([
      [201, 'test'],
      [201, 'live'],
      [201, 'test'],
    ]);
    expect(new Set(created.map(({ json }) => json.id)).size).toBe(3);
  });
});

describe('return_url and cancel_url', () => {
  const refused = [
    'https://harbor.example.evil.test/x',
    'https://harbor.example@evil.test/x',
    'https://evil.test/https://harbor.example/',
    'https://evil.test#https://harbor.example/',
    'https://evil.test?https://harbor.example/',
    'https://harbor.example:8443/x',
    'https://sub.harbor.example/x',
    'https://harbor.exampl/x',
    'https://harbor.example./x',
    'https://harbor.example%2eevil.test/x',
  ];
  it.each(refused)('is refused if its origin is not registered: %s', async (url) => {
    for (const field of ['return_url', 'cancel_url']) {
      const response = await venue.post('/v1/checkouts', checkoutBody({ [field]: url }));
      expect(response.status).toBe(422);
      expect(response.json.error.field).toBe(`/${field}`);
      expect(['not_allowed', 'invalid_format']).toContain(response.json.error.code);
    }
  });

  it('is refused over plain http, even on the registered host', async () => {
    expectInvalid(
      await venue.post('/v1/checkouts', checkoutBody({ return_url: 'http://harbor.example/x' })),
      'invalid_format',
      '/return_url',
    );
  });

  it('may spell its origin in capitals and with the default port', async () => {
    for (const url of ['https://HARBOR.example/x', 'https://harbor.example:443/x']) {
      const response = await venue.post('/v1/checkouts', checkoutBody({ return_url: url, cancel_url: url }));
      expect([url, response.status], response.text).toEqual([url, 201]);
    }
  });

  it('are reported together when both are invalid', async () => {
    const response = await venue.post(
      '/v1/checkouts',
      checkoutBody({ return_url: 'https://evil.test/', cancel_url: 'https://evil.test/' }),
    );
    expectInvalid(response, 'not_allowed', '/return_url');
    expectInvalid(response, 'not_allowed', '/cancel_url');
  });
});

describe('a request body', () => {
  const AT_TEN = '2027-06-12T10:00:00-04:00';
  const cases: [string, Record<string, unknown>, string, string][] = [
    ['pay_by in the past', { pay_by: inFuture(-1_000) }, 'out_of_range', '/pay_by'],
    ['pay_by without an offset', { pay_by: '2030-01-01T10:00:00' }, 'invalid_format', '/pay_by'],
    ['an end without a start', { ends_at: inFuture(DAY) }, 'missing_field', '/starts_at'],
    ['an end at the start', { starts_at: AT_TEN, ends_at: '2027-06-12T14:00:00Z' }, 'not_allowed', '/ends_at'],
    ['an end before the start', { starts_at: AT_TEN, ends_at: '2027-06-12T13:59:59Z' }, 'not_allowed', '/ends_at'],
    ['a start without an offset', { starts_at: '2027-06-12T10:00:00' }, 'invalid_format', '/starts_at'],
    ['a start as a number', { starts_at: 1 }, 'invalid_type', '/starts_at'],
    ['an empty location', { location: '' }, 'too_short', '/location'],
    ['a long location', { location: 'x'.repeat(201) }, 'too_long', '/location'],
    ['no location at all', { location: null }, 'invalid_type', '/location'],
    ['an unknown offering', { offering_external_id: 'nowhere' }, 'invalid_value', '/offering_external_id'],
    ['an amount with a fraction', { amount: 100.5 }, 'invalid_type', '/amount'],
    ['an amount as text', { amount: '24000' }, 'invalid_type', '/amount'],
    ['an amount under 100', { amount: 99 }, 'out_of_range', '/amount'],
    ['an amount above the most', { amount: 100_000_000 }, 'out_of_range', '/amount'],
    ['a party of one', { party_size: 1 }, 'out_of_range', '/party_size'],
    ['a party of fifty-one', { party_size: 51 }, 'out_of_range', '/party_size'],
    ['half a person', { party_size: 2.5 }, 'invalid_type', '/party_size'],
    ['another currency', { currency: 'eur' }, 'invalid_value', '/currency'],
    ['a currency in capitals', { currency: 'USD' }, 'invalid_format', '/currency'],
    ['a long description', { description: 'x'.repeat(201) }, 'too_long', '/description'],
    ['a booking id with a space', { external_booking_id: 'b k' }, 'invalid_format', '/external_booking_id'],
    ['a field that only answers have', { status: 'completed' }, 'unknown_field', '/status'],
    ['a fee of the caller’s own', { fee_amount: 0 }, 'unknown_field', '/fee_amount'],
    ['shares of the caller’s own', { shares: [] }, 'unknown_field', '/shares'],
    ['a poisoned metadata key', { metadata: JSON.parse('{"__proto__":"x"}') }, 'not_allowed', '/metadata/__proto__'],
  ];
  it.each(cases)('with %s is refused at its field, and nothing is stored', async (_, wrong, code, field) => {
    const body = checkoutBody(wrong);
    expectInvalid(await venue.post('/v1/checkouts', body), code, field);
    const rows = await world.db.query('select 1 from checkouts where venue_id = $1 and external_booking_id = $2', [
      venue.venueId,
      body.external_booking_id,
    ]);
    expect(rows).toEqual([]);
  });

  it('is accepted at the bounds, and with integers other than money in any JSON spelling', async () => {
    for (const right of [{ amount: 100 }, { amount: 99_999_999 }, { party_size: 2 }, { party_size: 50 }]) {
      expect(await venue.create(right)).toMatchObject(right);
    }
    const text = JSON.stringify(checkoutBody()).replace('"party_size":3', '"party_size":3.0');
    const response = await venue.post('/v1/checkouts', text);
    expect([response.status, response.json.party_size]).toEqual([201, 3]);
  });

  it('gets every problem at once, those of time and offering included', async () => {
    const response = await venue.post(
      '/v1/checkouts',
      checkoutBody({ pay_by: inFuture(-DAY), offering_external_id: 'nowhere', amount: 24_000 }),
    );
    expectInvalid(response, 'out_of_range', '/pay_by');
    expectInvalid(response, 'invalid_value', '/offering_external_id');
    const first = await venue.post('/v1/checkouts', {
      offering_external_id: 'nowhere',
      ...checkoutBody({ pay_by: inFuture(-DAY) }),
    });
    expect(first.json.errors.map(({ field }: { field: string }) => field)).toEqual([
      '/offering_external_id',
      '/pay_by',
    ]);
  });

  it('can name only an offering of its own venue and mode', async () => {
    const offering = {
      external_id: 'cabana-3',
      kind: 'cabana',
      title: 'Cabana',
      tiers: [{ amount: 1, currency: 'usd', unit: 'per_group' }],
    };
    expect((await venue.post('/v1/offerings', offering)).status).toBe(201);
    expect((await venue.create({ offering_external_id: 'cabana-3' })).offering_external_id).toBe('cabana-3');
    for (const other of [await openTestVenue(world), await withNewKey(venue, 'live')]) {
      const response = await other.post('/v1/checkouts', checkoutBody({ offering_external_id: 'cabana-3' }));
      expectInvalid(response, 'invalid_value', '/offering_external_id');
    }
  });

  it('is refused with an Idempotency-Key of more than 255 characters', async () => {
    const long = await venue.post('/v1/checkouts', checkoutBody(), { headers: { 'idempotency-key': 'k'.repeat(256) } });
    expect(long.status).toBe(422);
    expect(long.json.error.field).toMatch(/^\/header\/idempotency-key$/i);
    const fits = await venue.post('/v1/checkouts', checkoutBody(), { headers: { 'idempotency-key': 'k'.repeat(255) } });
    expect(fits.status).toBe(201);
  });
});

describe('a console sandbox', () => {
  it('shows no venue id in responses, lists and events', async () => {
    const sandbox = await openTestVenue(world, { sandbox: true });
    const created = await sandbox.create();
    expect(created.venue).toEqual({ id: null, name: 'Harbor Club' });
    expect(problemsWith(created)).toEqual([]);
    const { json } = await sandbox.get('/v1/checkouts');
    expect(json.data.map((one: Json) => one.venue.id)).toEqual([null]);
    expect((await sandbox.events(created.id))[0]?.data.object.venue.id).toBeNull();
    expectConflict(
      await sandbox.post('/v1/checkouts', checkoutBody({ external_booking_id: created.external_booking_id })),
      'idempotency_key_reused',
    );
  });
});
