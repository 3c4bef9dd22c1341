// Refunds of a completed checkout: by amount, by the offering's policy, or all that is left. Exact over the shares,
// with an event and an audit entry, once for a key, and deducted from a waiting payout.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DAY,
  expectConflict,
  expectInvalid,
  HOUR,
  inFuture,
  type Json,
  openTestVenue,
  type TestVenue,
} from '../support/test-venue.ts';
import { type HttpResponse, openSharedWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
beforeAll(async () => {
  world = await openSharedWorld();
  venue = await openTestVenue(world);
  await venue.setFee(290, 30);
});
afterAll(() => world.close());

const refund = (id: string, body: unknown, key?: string): Promise<HttpResponse> =>
  venue.post(`/v1/checkouts/${id}/refund`, body, key === undefined ? {} : { headers: { 'idempotency-key': key } });
const partsOf = (checkout: Json): number[] => checkout.shares.map(({ refunded_amount }: Json) => refunded_amount);
const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);

/** Our amounts and the processor's are equal. */
async function expectBooksAgree(testVenue: TestVenue, checkout: Json): Promise<void> {
  await testVenue.finishDueWork(checkout.id);
  const current = await testVenue.read(checkout.id);
  expect(sum(partsOf(current))).toBe(current.refunded_amount);
  const charged = current.amount - current.refunded_amount;
  expect(await testVenue.chargedAtProcessor(checkout.id)).toBe(charged);
  const paidOut = await testVenue.paidOutAtProcessor(checkout.id);
  const balances = await testVenue.balances(checkout.id);
  expect(sum(Object.values(balances))).toBe(0);
  expect(balances.processor_balance ?? 0).toBe(charged - paidOut);
  expect(balances.guest_funds ?? 0).toBe(0);
  expect(balances.venue_payable ?? 0).toBe(0);
  expect(balances.fee_income ?? 0).toBe(0 - (charged - paidOut));
}

describe('a refund', () => {
  it('without an amount refunds everything, at the processor too, and reverses the transfers', async () => {
    const completed = await venue.completed({ amount: 10_001 });
    const response = await refund(completed.id, {});
    expect(response.status, response.text).toBe(200);
    expect(response.json).toMatchObject({ status: 'completed', refunded_amount: 10_001, funded_amount: 10_001 });
    expect(response.json.shares.map(({ status }: Json) => status)).toEqual(Array(3).fill('refunded'));
    expect(partsOf(response.json)).toEqual(completed.shares.map(({ amount }: Json) => amount));
    await expectBooksAgree(venue, completed);
    expect(await venue.chargedAtProcessor(completed.id)).toBe(0);
    expect(await venue.paidOutAtProcessor(completed.id)).toBe(0);
    expect(await venue.balances(completed.id)).toEqual({});
  });

  it('of a part is divided over the shares in exact proportion, and the rest can follow', async () => {
    const completed = await venue.completed({ amount: 10_001 });
    let refunded = 0;
    for (const amount of [1, 1_000, 3_333, 5]) {
      const response = await refund(completed.id, { amount });
      refunded += amount;
      expect(response.json.refunded_amount).toBe(refunded);
      expect(sum(partsOf(response.json))).toBe(refunded);
      expect(response.json.shares.map(({ status }: Json) => status)).toEqual(Array(3).fill('captured'));
    }
    await expectBooksAgree(venue, completed);
    expect((await refund(completed.id, {})).json.refunded_amount).toBe(10_001);
    await expectBooksAgree(venue, completed);
  });

  it('has an event with its amount and reason, and the checkout as it is then', async () => {
    const completed = await venue.completed();
    const response = await refund(completed.id, { amount: 700, reason: 'Rained out' });
    const [event] = (await venue.events(completed.id)).slice(-1);
    expect(event?.type).toBe('refund.created');
    expect(event?.data).toEqual({ object: response.json, refund: { amount: 700, reason: 'Rained out' } });
    await refund(completed.id, { amount: 1 });
    expect((await venue.events(completed.id)).at(-1)?.data.refund).toEqual({ amount: 1, reason: null });
  });

  it('is in the audit log with its actor, action and address', async () => {
    const completed = await venue.completed();
    await refund(completed.id, { amount: 700, reason: 'Rained out' });
    const rows = await world.db.query<Json>(
      `select actor, via, action, subject, detail from audit_log where venue_id = $1 and subject = $2`,
      [venue.venueId, completed.id],
    );
    expect(rows).toMatchObject([
      { via: 'http', action: 'checkout.refund', subject: completed.id, detail: { amount: 700 } },
    ]);
    // A reason may name a guest, and an entry stays for good.
    expect(rows[0].detail).not.toHaveProperty('reason');
    expect(rows[0].actor).toMatch(/^key_|key/);
  });

  it('of more than is left is refused at /amount with what is left; with nothing left it is a conflict', async () => {
    const completed = await venue.completed({ amount: 5_000 });
    const tooMuch = await refund(completed.id, { amount: 5_001 });
    expectInvalid(tooMuch, 'out_of_range', '/amount');
    expect(tooMuch.json.errors[0].example_fix).toBe(5_000);
    await refund(completed.id, { amount: 4_000 });
    expectInvalid(await refund(completed.id, { amount: 1_001 }), 'out_of_range', '/amount');
    expect((await refund(completed.id, { amount: 1_000 })).status).toBe(200);
    expectConflict(await refund(completed.id, {}), 'nothing_to_refund');
    expectConflict(await refund(completed.id, { amount: 1 }), 'nothing_to_refund');
    expect((await venue.eventTypes(completed.id)).filter((type) => type === 'refund.created')).toHaveLength(2);
  });

  it('of a checkout that is not completed is a conflict', async () => {
    const open = await venue.create();
    const collecting = await venue.collecting();
    const expired = await venue.runTestHelper((await venue.create()).id, 'expire');
    const canceled = (await venue.post(`/v1/checkouts/${(await venue.create()).id}/cancel`)).json;
    for (const { id } of [open, collecting, expired, canceled]) {
      expectConflict(await refund(id, {}), 'checkout_not_completed');
      expectConflict(await refund(id, { amount: 100 }), 'checkout_not_completed');
    }
  });

  it('with an invalid body is refused at its field', async () => {
    const completed = await venue.completed();
    expectInvalid(await refund(completed.id, { amount: 0 }), 'out_of_range', '/amount');
    expectInvalid(await refund(completed.id, { amount: -5 }), 'out_of_range', '/amount');
    expectInvalid(await refund(completed.id, { amount: 1.5 }), 'invalid_type', '/amount');
    expectInvalid(await refund(completed.id, { amount: '5' }), 'invalid_type', '/amount');
    expectInvalid(await refund(completed.id, { ammount: 5 }), 'unknown_field', '/ammount');
    expectInvalid(await refund(completed.id, { reason: 'x'.repeat(501) }), 'too_long', '/reason');
    expect((await venue.read(completed.id)).refunded_amount).toBe(0);
  });

  it('under one Idempotency-Key happens once, even ten at a time', async () => {
    const completed = await venue.completed({ amount: 10_000 });
    const response = await Promise.all(
      Array.from({ length: 10 }, () => refund(completed.id, { amount: 1_000 }, 'one-refund')),
    );
    expect(new Set(response.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(response.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect((await venue.read(completed.id)).refunded_amount).toBe(1_000);
    expectConflict(await refund(completed.id, { amount: 1_001 }, 'one-refund'), 'idempotency_key_reused');
    const other = await venue.completed();
    expectConflict(await refund(other.id, { amount: 1_000 }, 'one-refund'), 'idempotency_key_reused');
    await expectBooksAgree(venue, completed);
  });

  it('that was refused leaves its Idempotency-Key unused, so that the same request can succeed later', async () => {
    const created = await venue.create();
    expectConflict(await refund(created.id, {}, 'early'), 'checkout_not_completed');
    await venue.runTestHelper(created.id, 'complete');
    const response = await refund(created.id, {}, 'early');
    expect([response.status, response.json.refunded_amount], response.text).toEqual([200, created.amount]);
  });

  it('of everything ten times at once, without a key, happens once', async () => {
    const completed = await venue.completed({ amount: 10_000 });
    const response = await Promise.all(Array.from({ length: 10 }, () => refund(completed.id, {})));
    expect(response.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const one of response) if (one.status !== 200) expectConflict(one, 'nothing_to_refund');
    await expectBooksAgree(venue, completed);
  });

  it('that the processor made without an answer is made once', async () => {
    const completed = await venue.completed({ amount: 9_000 });
    const rules = ['refunds.create', 'transfer_reversals.create'].map(
      (on) => ({ id: on, on, kind: 'error_500_after', times: 2 }) as const,
    );
    world.processor.api.faults.set({ rules });
    await refund(completed.id, { amount: 900 });
    await world.work();
    world.processor.api.faults.clear();
    await venue.finishDueWork(completed.id);
    await expectBooksAgree(venue, completed);
    expect(await venue.chargedAtProcessor(completed.id)).toBe(8_100);
  });
});

describe('by the offering’s policy, a refund', () => {
  const offering = async (name: string, cancellation: unknown): Promise<string> => {
    const response = await venue.post('/v1/offerings', {
      external_id: name,
      kind: 'cabana',
      title: 'Cabana',
      tiers: [{ amount: 1, currency: 'usd', unit: 'per_group' }],
      policy: { cancellation },
    });
    expect(response.status, response.text).toBe(201);
    return name;
  };
  const RULES = [
    { hours_before: 48, refund_pct: 100 },
    { hours_before: 24, refund_pct: 50 },
    { hours_before: 2, refund_pct: 12 },
  ];

  it('follows the met rule with the most hours, up to the exact hour', { tags: ['slow'] }, async () => {
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
      const completed = await venue.completed({ amount: 10_000, offering_external_id });
      const response = await refund(completed.id, { starts_at: inFuture(ahead) });
      expect([ahead / HOUR, response.json.refunded_amount], response.text).toEqual([ahead / HOUR, amount]);
      await expectBooksAgree(venue, completed);
    }
  });

  it('rounds an odd percentage half up, and is a conflict when it is too late', async () => {
    const offering_external_id = await offering('odd', [{ hours_before: 24, refund_pct: 33 }]);
    const completed = await venue.completed({ amount: 10_050, offering_external_id });
    expectConflict(await refund(completed.id, { starts_at: inFuture(23 * HOUR) }), 'nothing_to_refund');
    expectConflict(await refund(completed.id, { starts_at: inFuture(-HOUR) }), 'nothing_to_refund');
    expect((await refund(completed.id, { starts_at: inFuture(DAY + HOUR) })).json.refunded_amount).toBe(3_317);
  });

  it('uses the checkout’s own clock', async () => {
    const offering_external_id = await offering('clocked', [{ hours_before: 24, refund_pct: 100 }]);
    const completed = await venue.completed({ offering_external_id });
    await venue.runTestHelper(completed.id, 'advance', { to: inFuture(3 * DAY) });
    expectConflict(await refund(completed.id, { starts_at: inFuture(3 * DAY + HOUR) }), 'nothing_to_refund');
    expect((await refund(completed.id, { starts_at: inFuture(5 * DAY) })).json.refunded_amount).toBe(completed.amount);
  });

  it('never refunds more than is left', async () => {
    const offering_external_id = await offering('left', [{ hours_before: 1, refund_pct: 100 }]);
    const completed = await venue.completed({ amount: 1_000, offering_external_id });
    await refund(completed.id, { amount: 400 });
    expect((await refund(completed.id, { starts_at: inFuture(DAY) })).json.refunded_amount).toBe(1_000);
  });

  it('without amount and starts_at uses the checkout’s own start', async () => {
    const offering_external_id = await offering('own-start', RULES);
    const completed = await venue.completed({ amount: 10_000, offering_external_id, starts_at: inFuture(30 * HOUR) });
    expect((await refund(completed.id, {})).json.refunded_amount).toBe(5_000);
    expectConflict(await refund(completed.id, {}), 'nothing_to_refund');
    expect((await refund(completed.id, { starts_at: inFuture(50 * HOUR) })).json.refunded_amount).toBe(10_000);
    const late = await venue.completed({ amount: 10_000, offering_external_id, starts_at: inFuture(-HOUR) });
    expectConflict(await refund(late.id, {}), 'nothing_to_refund');
    expect((await refund(late.id, { amount: 700 })).json.refunded_amount).toBe(700);
  });

  it('gives back what is left when a part was lost to a dispute', async () => {
    const offering_external_id = await offering('disputed', [{ hours_before: 1, refund_pct: 100 }]);
    const completed = await venue.completed({ amount: 10_000, offering_external_id, starts_at: inFuture(DAY) });
    const [share] = completed.shares;
    await world.db.query('update shares set lost_amount = amount where venue_id = $1 and share_id = $2', [
      venue.venueId,
      share.id,
    ]);
    const response = await refund(completed.id, {});
    expect([response.status, response.json.refunded_amount]).toEqual([200, 10_000 - share.amount]);
  });

  it('gives the others their part of the policy when one was lost to a dispute', async () => {
    const offering_external_id = await offering('half', [{ hours_before: 1, refund_pct: 50 }]);
    const completed = await venue.completed({ amount: 9_000, offering_external_id, starts_at: inFuture(DAY) });
    const [lost] = completed.shares;
    await world.db.query('update shares set lost_amount = amount where venue_id = $1 and share_id = $2', [
      venue.venueId,
      lost.id,
    ]);
    const { json } = await refund(completed.id, {});
    expect(json.shares.map((share: Json) => share.refunded_amount)).toEqual([0, 1_500, 1_500]);
    // Each by itself, where a part was lost after a refund of all.
    const other = await venue.completed({ amount: 9_000, offering_external_id, starts_at: inFuture(DAY) });
    await refund(other.id, { amount: 1_800 });
    await world.db.query('update shares set lost_amount = 1500 where venue_id = $1 and share_id = $2', [
      venue.venueId,
      other.shares[0].id,
    ]);
    await world.db.query(
      `update movements set amount = amount - 1500, sent_amount = sent_amount - 1500 where venue_id = $1 and share_id = $2 and kind = 'transfer'`,
      [venue.venueId, other.shares[0].id],
    );
    const second = await refund(other.id, {});
    expect(second.status, second.text).toBe(200);
    const shares = second.json.shares as Json[];
    expect(shares.map((share) => share.refunded_amount)).toEqual([750, 1_500, 1_500]);
  });

  it('of a checkout whose offering has no cancellation policy is everything that is left', async () => {
    const starts_at = inFuture(-HOUR);
    for (const own of [{}, { offering_external_id: await offering('no-policy', []) }]) {
      const completed = await venue.completed({ amount: 10_000, starts_at, ...own });
      expect((await refund(completed.id, {})).json.refunded_amount).toBe(10_000);
    }
  });

  it('without an offering is not allowed at /starts_at', async () => {
    const completed = await venue.completed();
    expectInvalid(await refund(completed.id, { starts_at: inFuture(DAY) }), 'not_allowed', '/starts_at');
    expectInvalid(await refund(completed.id, { amount: 5, starts_at: inFuture(DAY) }), 'not_allowed', '/starts_at');
    expect((await venue.read(completed.id)).refunded_amount).toBe(0);
  });
});
