// Refunds of a completed checkout: by amount, by the offering's policy, all that is left. Exact over the shares, told,
// audited, once for a key, and taken out of a payout that still waits.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpResponse, openTestWorld, type TestWorld } from '../world.ts';
import { DAY, expectConflict, expectInvalid, HOUR, inFuture, openShop, type Seen, type Shop } from './shop.ts';

let world: TestWorld;
let shop: Shop;
beforeAll(async () => {
  world = await openTestWorld();
  shop = await openShop(world);
  await shop.fee(290, 30);
});
afterAll(() => world.close());

const refund = (id: string, body: unknown, key?: string): Promise<HttpResponse> =>
  shop.post(`/v1/checkouts/${id}/refund`, body, key === undefined ? {} : { headers: { 'idempotency-key': key } });
const partsOf = (checkout: Seen): number[] => checkout.shares.map(({ refunded_amount }: Seen) => refunded_amount);
const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);

/** Our books and the bank's, to the cent. */
async function expectBooksAgree(by: Shop, checkout: Seen): Promise<void> {
  await by.hurry(checkout.id);
  const seen = await by.read(checkout.id);
  expect(sum(partsOf(seen))).toBe(seen.refunded_amount);
  const charged = seen.amount - seen.refunded_amount;
  expect(await by.chargedAtBank(checkout.id)).toBe(charged);
  const paidOut = await by.paidOutAtBank(checkout.id);
  const balances = await by.balances(checkout.id);
  expect(sum(Object.values(balances))).toBe(0);
  expect(balances.processor_balance ?? 0).toBe(charged - paidOut);
  expect(balances.guest_funds ?? 0).toBe(0);
  expect(balances.venue_payable ?? 0).toBe(0);
  expect(balances.fee_income ?? 0).toBe(0 - (charged - paidOut));
}

describe('a refund', () => {
  it('without an amount gives everything back, at the bank too, and takes the transfers back', async () => {
    const done = await shop.completed({ amount: 10_001 });
    const told = await refund(done.id, {});
    expect(told.status, told.text).toBe(200);
    expect(told.json).toMatchObject({ status: 'completed', refunded_amount: 10_001, funded_amount: 10_001 });
    expect(told.json.shares.map(({ status }: Seen) => status)).toEqual(Array(3).fill('refunded'));
    expect(partsOf(told.json)).toEqual(done.shares.map(({ amount }: Seen) => amount));
    await expectBooksAgree(shop, done);
    expect(await shop.chargedAtBank(done.id)).toBe(0);
    expect(await shop.paidOutAtBank(done.id)).toBe(0);
    expect(await shop.balances(done.id)).toEqual({});
  });

  it('of a part is divided over the shares in proportion, exactly, and the rest can follow', async () => {
    const done = await shop.completed({ amount: 10_001 });
    let refunded = 0;
    for (const amount of [1, 1_000, 3_333, 5]) {
      const told = await refund(done.id, { amount });
      refunded += amount;
      expect(told.json.refunded_amount).toBe(refunded);
      expect(sum(partsOf(told.json))).toBe(refunded);
      expect(told.json.shares.map(({ status }: Seen) => status)).toEqual(Array(3).fill('captured'));
    }
    await expectBooksAgree(shop, done);
    expect((await refund(done.id, {})).json.refunded_amount).toBe(10_001);
    await expectBooksAgree(shop, done);
  });

  it('is told with its amount and reason, beside the checkout as it is then', async () => {
    const done = await shop.completed();
    const told = await refund(done.id, { amount: 700, reason: 'Rained out' });
    const [event] = (await shop.events(done.id)).slice(-1);
    expect(event?.type).toBe('refund.created');
    expect(event?.data).toEqual({ object: told.json, refund: { amount: 700, reason: 'Rained out' } });
    await refund(done.id, { amount: 1 });
    expect((await shop.events(done.id)).at(-1)?.data.refund).toEqual({ amount: 1, reason: null });
  });

  it('is in the audit log with who, what and from where', async () => {
    const done = await shop.completed();
    await refund(done.id, { amount: 700, reason: 'Rained out' });
    const rows = await world.db.query<Seen>(
      `select actor, via, action, subject, detail from audit_log where venue_id = $1 and subject = $2`,
      [shop.venueId, done.id],
    );
    expect(rows).toMatchObject([
      { via: 'http', action: 'checkout.refund', subject: done.id, detail: { amount: 700, reason: 'Rained out' } },
    ]);
    expect(rows[0].actor).toMatch(/^key_|key/);
  });

  it('of more than is left is refused at /amount, naming what is left; of nothing left is a conflict', async () => {
    const done = await shop.completed({ amount: 5_000 });
    const tooMuch = await refund(done.id, { amount: 5_001 });
    expectInvalid(tooMuch, 'out_of_range', '/amount');
    expect(tooMuch.json.errors[0].example_fix).toBe(5_000);
    await refund(done.id, { amount: 4_000 });
    expectInvalid(await refund(done.id, { amount: 1_001 }), 'out_of_range', '/amount');
    expect((await refund(done.id, { amount: 1_000 })).status).toBe(200);
    expectConflict(await refund(done.id, {}), 'nothing_to_refund');
    expectConflict(await refund(done.id, { amount: 1 }), 'nothing_to_refund');
    expect((await shop.told(done.id)).filter((type) => type === 'refund.created')).toHaveLength(2);
  });

  it('of what is not completed is a conflict', async () => {
    const open = await shop.create();
    const collecting = await shop.collecting();
    const expired = await shop.drive((await shop.create()).id, 'expire');
    const canceled = (await shop.post(`/v1/checkouts/${(await shop.create()).id}/cancel`)).json;
    for (const { id } of [open, collecting, expired, canceled]) {
      expectConflict(await refund(id, {}), 'checkout_not_completed');
      expectConflict(await refund(id, { amount: 100 }), 'checkout_not_completed');
    }
  });

  it('with a wrong body is refused by name', async () => {
    const done = await shop.completed();
    expectInvalid(await refund(done.id, { amount: 0 }), 'out_of_range', '/amount');
    expectInvalid(await refund(done.id, { amount: -5 }), 'out_of_range', '/amount');
    expectInvalid(await refund(done.id, { amount: 1.5 }), 'invalid_type', '/amount');
    expectInvalid(await refund(done.id, { amount: '5' }), 'invalid_type', '/amount');
    expectInvalid(await refund(done.id, { ammount: 5 }), 'unknown_field', '/ammount');
    expectInvalid(await refund(done.id, { reason: 'x'.repeat(501) }), 'too_long', '/reason');
    expect((await shop.read(done.id)).refunded_amount).toBe(0);
  });

  it('under an Idempotency-Key happens once, ten at a time', async () => {
    const done = await shop.completed({ amount: 10_000 });
    const told = await Promise.all(Array.from({ length: 10 }, () => refund(done.id, { amount: 1_000 }, 'one-refund')));
    expect(new Set(told.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(told.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect((await shop.read(done.id)).refunded_amount).toBe(1_000);
    expectConflict(await refund(done.id, { amount: 1_001 }, 'one-refund'), 'idempotency_key_reused');
    const other = await shop.completed();
    expectConflict(await refund(other.id, { amount: 1_000 }, 'one-refund'), 'idempotency_key_reused');
    await expectBooksAgree(shop, done);
  });

  it('that was refused leaves its Idempotency-Key unused: once nothing is in its way, the same call is done', async () => {
    const made = await shop.create();
    expectConflict(await refund(made.id, {}, 'early'), 'checkout_not_completed');
    await shop.drive(made.id, 'complete');
    const told = await refund(made.id, {}, 'early');
    expect([told.status, told.json.refunded_amount], told.text).toEqual([200, made.amount]);
  });

  it('of everything ten times at once, without a key, happens once', async () => {
    const done = await shop.completed({ amount: 10_000 });
    const told = await Promise.all(Array.from({ length: 10 }, () => refund(done.id, {})));
    expect(told.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const one of told) if (one.status !== 200) expectConflict(one, 'nothing_to_refund');
    await expectBooksAgree(shop, done);
  });

  it('that the bank did without saying so is done once', async () => {
    const done = await shop.completed({ amount: 9_000 });
    const rules = ['refunds.create', 'transfer_reversals.create'].map(
      (on) => ({ id: on, on, kind: 'error_500_after', times: 2 }) as const,
    );
    world.processor.api.faults.set({ rules });
    await refund(done.id, { amount: 900 });
    await world.work();
    world.processor.api.faults.clear();
    await shop.hurry(done.id);
    await expectBooksAgree(shop, done);
    expect(await shop.chargedAtBank(done.id)).toBe(8_100);
  });
});

describe('by the policy of the offering', () => {
  const offering = async (name: string, cancellation: unknown): Promise<string> => {
    const told = await shop.post('/v1/offerings', {
      external_id: name,
      kind: 'cabana',
      title: 'Cabana',
      tiers: [{ amount: 1, currency: 'usd', unit: 'per_group' }],
      policy: { cancellation },
    });
    expect(told.status, told.text).toBe(201);
    return name;
  };
  const RULES = [
    { hours_before: 48, refund_pct: 100 },
    { hours_before: 24, refund_pct: 50 },
    { hours_before: 2, refund_pct: 12 },
  ];

  it('the strictest rule that is met decides, up to its very hour', async () => {
    const offering_external_id = await offering('by-policy', RULES);
    const cases: [number, number][] = [
      [49 * HOUR, 10_000],
      [48 * HOUR + 5_000, 10_000],
      [48 * HOUR - 5_000, 5_000],
      [24 * HOUR + 5_000, 5_000],
      [24 * HOUR - 5_000, 1_200],
      [2 * HOUR + 5_000, 1_200],
    ];
    for (const [ahead, amount] of cases) {
      const done = await shop.completed({ amount: 10_000, offering_external_id });
      const told = await refund(done.id, { starts_at: inFuture(ahead) });
      expect([ahead / HOUR, told.json.refunded_amount], told.text).toEqual([ahead / HOUR, amount]);
      await expectBooksAgree(shop, done);
    }
  });

  it('an odd percentage is rounded half up, and too late gives nothing', async () => {
    const offering_external_id = await offering('odd', [{ hours_before: 24, refund_pct: 33 }]);
    const done = await shop.completed({ amount: 10_050, offering_external_id });
    expectConflict(await refund(done.id, { starts_at: inFuture(23 * HOUR) }), 'nothing_to_refund');
    expectConflict(await refund(done.id, { starts_at: inFuture(-HOUR) }), 'nothing_to_refund');
    expect((await refund(done.id, { starts_at: inFuture(DAY + HOUR) })).json.refunded_amount).toBe(3_317);
  });

  it('goes by the checkout’s own clock', async () => {
    const offering_external_id = await offering('clocked', [{ hours_before: 24, refund_pct: 100 }]);
    const done = await shop.completed({ offering_external_id });
    await shop.drive(done.id, 'advance', { to: inFuture(3 * DAY) });
    expectConflict(await refund(done.id, { starts_at: inFuture(3 * DAY + HOUR) }), 'nothing_to_refund');
    expect((await refund(done.id, { starts_at: inFuture(5 * DAY) })).json.refunded_amount).toBe(done.amount);
  });

  it('never gives back more than is left', async () => {
    const offering_external_id = await offering('left', [{ hours_before: 1, refund_pct: 100 }]);
    const done = await shop.completed({ amount: 1_000, offering_external_id });
    await refund(done.id, { amount: 400 });
    expect((await refund(done.id, { starts_at: inFuture(DAY) })).json.refunded_amount).toBe(1_000);
  });

  it('without an offering is not allowed at /starts_at', async () => {
    const done = await shop.completed();
    expectInvalid(await refund(done.id, { starts_at: inFuture(DAY) }), 'not_allowed', '/starts_at');
    expectInvalid(await refund(done.id, { amount: 5, starts_at: inFuture(DAY) }), 'not_allowed', '/starts_at');
    expect((await shop.read(done.id)).refunded_amount).toBe(0);
  });
});
