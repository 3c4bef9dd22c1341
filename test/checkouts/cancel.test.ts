// Canceling a checkout: allowed while it is not funded, harmless when repeated, refused after its end. Every hold is
// released at the processor, and no guest pays for a canceled checkout.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CARDS, expectConflict, intentIdOf, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
beforeAll(async () => {
  world = await openSharedWorld();
  venue = await openTestVenue(world);
});
afterAll(() => world.close());

const cancel = (id: string, key?: string) =>
  venue.post(`/v1/checkouts/${id}/cancel`, undefined, key === undefined ? {} : { headers: { 'idempotency-key': key } });

describe('canceling', () => {
  it('an open checkout returns 200 with the canceled checkout and no cancellation reason', async () => {
    const created = await venue.create();
    const response = await cancel(created.id);
    expect(response.status).toBe(200);
    expect(response.json).toEqual({ ...created, status: 'canceled' });
    expect(await venue.read(created.id)).toEqual(response.json);
    expect(await venue.eventTypes(created.id)).toEqual(['checkout.created', 'checkout.canceled']);
  });

  it('under one Idempotency-Key happens once, even ten at a time, and replays the first response', async () => {
    const [one, other] = [await venue.create(), await venue.create()];
    const responses = await Promise.all(Array.from({ length: 10 }, () => cancel(one.id, 'one-cancel')));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(await venue.eventTypes(one.id)).toEqual(['checkout.created', 'checkout.canceled']);
    expectConflict(await cancel(other.id, 'one-cancel'), 'idempotency_key_reused');
    expect((await venue.read(other.id)).status).toBe('open');
  });

  it('that was refused leaves its Idempotency-Key unused', async () => {
    const completed = await venue.completed();
    expectConflict(await cancel(completed.id, 'too-late'), 'checkout_not_cancelable');
    const open = await venue.create();
    expect((await cancel(open.id, 'too-late')).json.status).toBe('canceled');
  });

  it('a collecting checkout releases every hold, at the processor too, and leaves unpaid shares unchanged', async () => {
    const checkout = await venue.collecting();
    await venue.runTestHelper(checkout.id, 'hold', { share_id: checkout.shares[0].id });
    const waiting = await venue.secretFor(checkout.id, checkout.shares[1].id);
    const response = await cancel(checkout.id);
    expect(response.json.status).toBe('canceled');
    expect(response.json.shares.map(({ status }: Json) => status)).toEqual(['released', 'invited', 'invited']);
    expect(response.json.funded_amount).toBe(0);
    await world.work();
    expect((await venue.intents(checkout.id)).map(({ status }) => status)).toEqual(['canceled', 'canceled']);
    const lateConfirm = await venue.confirm(waiting, CARDS.good);
    expect(lateConfirm.status).toBe(400);
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(0);
    expect(await venue.balances(checkout.id)).toEqual({});
  });

  it('a canceled checkout returns 200 unchanged and records no second event', async () => {
    const created = await venue.create();
    const first = await cancel(created.id);
    for (let repeated = 0; repeated < 3; repeated++) {
      const response = await cancel(created.id);
      expect([response.status, response.text]).toEqual([200, first.text]);
    }
    expect(await venue.eventTypes(created.id)).toEqual(['checkout.created', 'checkout.canceled']);
  });

  it('twenty times at once records one event', async () => {
    const checkout = await venue.collecting();
    await venue.runTestHelper(checkout.id, 'hold', { share_id: checkout.shares[0].id });
    const response = await Promise.all(Array.from({ length: 20 }, () => cancel(checkout.id)));
    expect(new Set(response.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await venue.eventTypes(checkout.id)).filter((type) => type === 'checkout.canceled')).toHaveLength(1);
  });

  it('a completed, expired or refunded checkout is refused and changes nothing', async () => {
    const completed = await venue.completed();
    const expired = await venue.runTestHelper((await venue.create()).id, 'expire');
    for (const { id } of [completed, expired]) {
      const before = await venue.read(id);
      expectConflict(await cancel(id), 'checkout_not_cancelable');
      expect(await venue.read(id)).toEqual(before);
    }
    await venue.post(`/v1/checkouts/${completed.id}/refund`, {});
    expectConflict(await cancel(completed.id), 'checkout_not_cancelable');
  });

  it('a funded checkout is refused, because its captures are in progress', async () => {
    const checkout = await venue.collecting({ party_size: 2 });
    world.processor.api.faults.set({ rules: [{ id: 'down', on: 'payment_intents.capture', kind: 'error_500' }] });
    try {
      await venue.payAll(checkout, []);
      expect((await venue.read(checkout.id)).status).toBe('funded');
      expectConflict(await cancel(checkout.id), 'checkout_not_cancelable');
    } finally {
      world.processor.api.faults.clear();
    }
    await venue.finishDueWork(checkout.id);
    expect((await venue.read(checkout.id)).status).toBe('completed');
  });

  it('an overdue checkout is refused and expires it, whether or not the sweep has run', async () => {
    const created = await venue.create();
    await world.db.query(`update checkouts set expires_at = now() - interval '1 second' where checkout_id = $1`, [
      created.id,
    ]);
    expectConflict(await cancel(created.id), 'checkout_not_cancelable');
    expect((await venue.read(created.id)).status).toBe('expired');
    expectConflict(await cancel(created.id), 'checkout_not_cancelable');
  });

  it('accepts only an empty body', async () => {
    const created = await venue.create();
    const response = await venue.post(`/v1/checkouts/${created.id}/cancel`, { reason: 'rain' });
    expect([response.status, response.json.error.code, response.json.error.field]).toEqual([
      422,
      'unknown_field',
      '/reason',
    ]);
    expect((await venue.post(`/v1/checkouts/${created.id}/cancel`, {})).status).toBe(200);
  });

  it('succeeds while the processor is down; the worker releases the holds when it is back', async () => {
    const checkout = await venue.collecting({ party_size: 2 });
    const secret = await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    world.processor.api.faults.set({ rules: [{ id: 'down', on: '*', kind: 'error_500' }] });
    try {
      expect((await cancel(checkout.id)).json.status).toBe('canceled');
      await world.work();
      expect((await venue.read(checkout.id)).shares[0].status).toBe('released');
    } finally {
      world.processor.api.faults.clear();
    }
    expect((await venue.stripe.paymentIntents.retrieve(intentIdOf(secret))).status).toBe('requires_capture');
    await venue.finishDueWork(checkout.id);
    expect((await venue.stripe.paymentIntents.retrieve(intentIdOf(secret))).status).toBe('canceled');
  });
});
