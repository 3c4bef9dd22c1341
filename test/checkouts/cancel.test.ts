// Canceling: while nothing is funded, again without harm, never after the end. Every hold is let go at the bank, and nobody
// pays for a checkout that was canceled.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestWorld, type TestWorld } from '../world.ts';
import { CARDS, expectConflict, intentOf, openShop, type Seen, type Shop } from './shop.ts';

let world: TestWorld;
let shop: Shop;
beforeAll(async () => {
  world = await openTestWorld();
  shop = await openShop(world);
});
afterAll(() => world.close());

const cancel = (id: string) => shop.post(`/v1/checkouts/${id}/cancel`);

describe('canceling', () => {
  it('an open checkout is 200 with the checkout canceled, for no reason of ours', async () => {
    const made = await shop.create();
    const told = await cancel(made.id);
    expect(told.status).toBe(200);
    expect(told.json).toEqual({ ...made, status: 'canceled' });
    expect(await shop.read(made.id)).toEqual(told.json);
    expect(await shop.told(made.id)).toEqual(['checkout.created', 'checkout.canceled']);
  });

  it('a collecting one lets every hold go, at the bank too, and leaves unpaid shares as they were', async () => {
    const checkout = await shop.collecting();
    await shop.drive(checkout.id, 'hold', { share_id: checkout.shares[0].id });
    const waiting = await shop.secretFor(checkout.id, checkout.shares[1].id);
    const told = await cancel(checkout.id);
    expect(told.json.status).toBe('canceled');
    expect(told.json.shares.map(({ status }: Seen) => status)).toEqual(['released', 'invited', 'invited']);
    expect(told.json.funded_amount).toBe(0);
    await world.work();
    expect((await shop.intents(checkout.id)).map(({ status }) => status)).toEqual(['canceled', 'canceled']);
    const late = await shop.confirm(waiting, CARDS.good);
    expect(late.status).toBe(400);
    expect(await shop.chargedAtBank(checkout.id)).toBe(0);
    expect(await shop.balances(checkout.id)).toEqual({});
  });

  it('again answers 200 unchanged and tells nobody a second time', async () => {
    const made = await shop.create();
    const first = await cancel(made.id);
    for (let again = 0; again < 3; again++) {
      const told = await cancel(made.id);
      expect([told.status, told.text]).toEqual([200, first.text]);
    }
    expect(await shop.told(made.id)).toEqual(['checkout.created', 'checkout.canceled']);
  });

  it('twenty at once tell it once', async () => {
    const checkout = await shop.collecting();
    await shop.drive(checkout.id, 'hold', { share_id: checkout.shares[0].id });
    const told = await Promise.all(Array.from({ length: 20 }, () => cancel(checkout.id)));
    expect(new Set(told.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await shop.told(checkout.id)).filter((type) => type === 'checkout.canceled')).toHaveLength(1);
  });

  it('a completed, an expired and a refunded one is refused and unchanged', async () => {
    const completed = await shop.completed();
    const expired = await shop.drive((await shop.create()).id, 'expire');
    for (const { id } of [completed, expired]) {
      const before = await shop.read(id);
      expectConflict(await cancel(id), 'checkout_not_cancelable');
      expect(await shop.read(id)).toEqual(before);
    }
    await shop.post(`/v1/checkouts/${completed.id}/refund`, {});
    expectConflict(await cancel(completed.id), 'checkout_not_cancelable');
  });

  it('a funded one is refused: its captures are under way', async () => {
    const checkout = await shop.collecting({ party_size: 2 });
    world.processor.api.faults.set({ rules: [{ id: 'down', on: 'payment_intents.capture', kind: 'error_500' }] });
    try {
      await shop.payAll(checkout, []);
      expect((await shop.read(checkout.id)).status).toBe('funded');
      expectConflict(await cancel(checkout.id), 'checkout_not_cancelable');
    } finally {
      world.processor.api.faults.clear();
    }
    await shop.hurry(checkout.id);
    expect((await shop.read(checkout.id)).status).toBe('completed');
  });

  it('an overdue one is refused, swept or not, and is expired', async () => {
    const made = await shop.create();
    await world.db.query(`update checkouts set expires_at = now() - interval '1 second' where checkout_id = $1`, [
      made.id,
    ]);
    expectConflict(await cancel(made.id), 'checkout_not_cancelable');
    expect((await shop.read(made.id)).status).toBe('expired');
    expectConflict(await cancel(made.id), 'checkout_not_cancelable');
  });

  it('takes no body but an empty one', async () => {
    const made = await shop.create();
    const told = await shop.post(`/v1/checkouts/${made.id}/cancel`, { reason: 'rain' });
    expect([told.status, told.json.error.code, told.json.error.field]).toEqual([422, 'unknown_field', '/reason']);
    expect((await shop.post(`/v1/checkouts/${made.id}/cancel`, {})).status).toBe(200);
  });

  it('while the bank is down is done at once; the holds are let go when it is back', async () => {
    const checkout = await shop.collecting({ party_size: 2 });
    const secret = await shop.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    world.processor.api.faults.set({ rules: [{ id: 'down', on: '*', kind: 'error_500' }] });
    try {
      expect((await cancel(checkout.id)).json.status).toBe('canceled');
      await world.work();
      expect((await shop.read(checkout.id)).shares[0].status).toBe('released');
    } finally {
      world.processor.api.faults.clear();
    }
    expect((await shop.stripe.paymentIntents.retrieve(intentOf(secret))).status).toBe('requires_capture');
    await shop.hurry(checkout.id);
    expect((await shop.stripe.paymentIntents.retrieve(intentOf(secret))).status).toBe('canceled');
  });
});
