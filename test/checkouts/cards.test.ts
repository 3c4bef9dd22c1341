// Guests pay with real cards at the bank, through the server's own door: declines, partial authorizations, approval by the
// owner, holds that are lost or come too late. A share is held only from the bank's own word, and nobody is charged early.

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { holdShare } from '../../src/domain/checkouts/holds/hold-share.ts';
import { holdWithRetry } from '../../src/domain/checkouts/holds/hold-with-retry.ts';
import { type Processor, ProcessorUnavailable } from '../../src/domain/payments/processor.ts';
import { openTestWorld, PROCESSOR_KEYS, type TestWorld } from '../world.ts';
import { CARDS, intentOf, openShop, type Seen, type Shop } from './shop.ts';

let world: TestWorld;
let shop: Shop;
beforeAll(async () => {
  world = await openTestWorld();
  shop = await openShop(world);
});
afterAll(() => world.close());
afterEach(() => {
  world.processor.api.faults.clear();
  vi.useRealTimers();
});

const statusesOf = (checkout: Seen): string[] => checkout.shares.map(({ status }: Seen) => status);
const party = (size = 2): Promise<Seen> => shop.collecting({ party_size: size });

describe('a card', () => {
  it('that is good holds the share: nothing is charged until every share is held', async () => {
    const checkout = await party();
    const secret = await shop.secretFor(checkout.id, checkout.shares[1].id);
    const told = await shop.confirm(secret, CARDS.good);
    expect([told.status, told.json.status]).toEqual([200, 'requires_capture']);
    expect(statusesOf(await shop.read(checkout.id))).toEqual(['invited', 'invited']);
    await shop.look(secret.holdId);
    expect(statusesOf(await shop.read(checkout.id))).toEqual(['invited', 'held']);
    expect(await shop.chargedAtBank(checkout.id)).toBe(0);
    await shop.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    expect((await shop.read(checkout.id)).status).toBe('completed');
    expect(await shop.chargedAtBank(checkout.id)).toBe(checkout.amount);
  });

  it('that is declined fails the share; the same form with another card holds it', async () => {
    const checkout = await party();
    const share = checkout.shares[0].id;
    for (const card of [CARDS.declined, CARDS.noFunds]) {
      const secret = await shop.secretFor(checkout.id, share);
      expect((await shop.confirm(secret, card)).status).toBe(402);
      await shop.look(secret.holdId);
      const seen = await shop.read(checkout.id);
      expect([seen.status, statusesOf(seen), seen.funded_amount]).toEqual(['collecting', ['failed', 'invited'], 0]);
    }
    await shop.pay(checkout.id, share, CARDS.good);
    expect(statusesOf(await shop.read(checkout.id))).toEqual(['held', 'invited']);
    expect(await shop.intents(checkout.id)).toHaveLength(1);
  });

  it('that holds only half is a failure, and what it held is released', async () => {
    const checkout = await party();
    const secret = await shop.pay(checkout.id, checkout.shares[0].id, CARDS.half);
    expect(statusesOf(await shop.read(checkout.id))).toEqual(['failed', 'invited']);
    await world.work();
    expect((await shop.stripe.paymentIntents.retrieve(intentOf(secret))).status).toBe('canceled');
    await shop.payAll(checkout, []);
    expect((await shop.read(checkout.id)).status).toBe('completed');
    expect(await shop.chargedAtBank(checkout.id)).toBe(checkout.amount);
  });

  it('whose owner must approve holds nothing before they did', async () => {
    const checkout = await party();
    const secret = await shop.secretFor(checkout.id, checkout.shares[0].id);
    const told = await shop.confirm(secret, '4000002760003184');
    expect(told.json.status).toBe('requires_action');
    await shop.look(secret.holdId);
    expect(statusesOf(await shop.read(checkout.id))).toEqual(['invited', 'invited']);
    const page = new URL(told.json.next_action.redirect_to_url.url);
    const path = page.pathname.slice(page.pathname.indexOf('/3ds'));
    expect((await world.call('GET', `/sandbox/processor${path}${page.search}`)).status).toBe(200);
    await world.call('POST', `/sandbox/processor${path}`, {
      body: new URLSearchParams({ token: page.searchParams.get('token') ?? '', answer: 'approve' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    await shop.look(secret.holdId);
    expect(statusesOf(await shop.read(checkout.id))).toEqual(['held', 'invited']);
  });

  it('asked for twice gets the same client secret, and one intent at the bank', async () => {
    const checkout = await party();
    const share = checkout.shares[0].id;
    const first = await shop.secretFor(checkout.id, share);
    expect(await shop.secretFor(checkout.id, share)).toEqual(first);
    expect(first.publishableKey).toBe(PROCESSOR_KEYS.test.publishable);
    const many = await Promise.allSettled(
      Array.from({ length: 8 }, () => shop.secretFor(checkout.id, checkout.shares[1].id)),
    );
    await shop.secretFor(checkout.id, checkout.shares[1].id);
    expect(many.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await shop.intents(checkout.id)).toHaveLength(2);
  });

  it('that pays another amount than was asked for holds nothing', async () => {
    const checkout = await party();
    const secret = await shop.secretFor(checkout.id, checkout.shares[0].id);
    await shop.stripe.paymentIntents.update(intentOf(secret), { amount: 50 });
    await shop.confirm(secret, CARDS.good);
    await shop.look(secret.holdId);
    await world.work();
    expect(statusesOf(await shop.read(checkout.id))).toEqual(['failed', 'invited']);
    expect(await shop.heldAtBank(checkout.id)).toBe(0);
  });

  it('that pays for another share than the one it was asked for holds nothing', async () => {
    const [checkout, other] = [await party(), await party()];
    const secret = await shop.secretFor(checkout.id, checkout.shares[0].id);
    await shop.stripe.paymentIntents.update(intentOf(secret), { metadata: { share_id: other.shares[0].id } });
    await shop.confirm(secret, CARDS.good);
    await shop.look(secret.holdId);
    await world.work();
    expect(statusesOf(await shop.read(checkout.id))).toEqual(['failed', 'invited']);
    expect(statusesOf(await shop.read(other.id))).toEqual(['invited', 'invited']);
    expect(await shop.heldAtBank(checkout.id)).toBe(0);
  });
});

describe('whoever asks to pay', () => {
  /** The house's own bank in everything but this: its methods are its class's, so a copy of its fields would have none of them. */
  const askingThrough = (openHold: Processor['createHold']) => {
    const { services: money } = world.context;
    const test = new Proxy(money.processors.test as Processor, {
      get(bank, name: keyof Processor) {
        if (name === 'createHold') return openHold;
        const part = bank[name];
        return typeof part === 'function' ? part.bind(bank) : part;
      },
    });
    return { ...money, processors: { test } };
  };

  it('is told what overtook them, and not that the bank is silent', async () => {
    const bank = world.context.services.processors.test as Processor;
    const askWhile = (checkout: Seen, meanwhile: () => Promise<unknown>) => {
      const openHold: Processor['createHold'] = async (wish) => {
        const made = await bank.createHold(wish);
        await meanwhile();
        return made;
      };
      return holdShare(askingThrough(openHold), shop.venueId, checkout.id, checkout.shares[0].id);
    };
    const canceled = await party();
    const cancel = () => world.call('POST', `/v1/checkouts/${canceled.id}/cancel`, { key: shop.key });
    await expect(askWhile(canceled, cancel)).rejects.toMatchObject({ detail: { reason: 'checkout_not_collecting' } });
    expect(await shop.heldAtBank(canceled.id)).toBe(0);
  });

  /** Asks as a server does, with a bank that opens holds in its own way. */
  const ask = (checkout: Seen, openHold: Processor['createHold']) =>
    holdWithRetry(askingThrough(openHold), shop.venueId, checkout.id, checkout.shares[0].id);

  it('does not wait for a call that hangs: whoever came later is answered, and so is the first in the end', async () => {
    const checkout = await party();
    const bank = world.context.services.processors.test as Processor;
    let comeBack = (): void => undefined;
    const hanging = new Promise<void>((resolve) => {
      comeBack = resolve;
    });
    const first = ask(checkout, async (wish) => {
      await hanging;
      return bank.createHold(wish);
    });
    const second = await ask(checkout, (wish) => bank.createHold(wish));
    comeBack();
    expect(await first).toEqual(second);
  });

  it('asks a bank in trouble once, and is told to come back', async () => {
    const checkout = await party();
    let calls = 0;
    const asked = ask(checkout, async () => {
      calls++;
      throw new ProcessorUnavailable('the bank is on fire');
    });
    await expect(asked).rejects.toThrow('has not answered yet');
    expect(calls).toBe(1);
  });

  it('is answered though other servers ask for the same share at the same moment', async () => {
    for (let round = 0; round < 4; round++) {
      const checkout = await party();
      const bank = world.context.services.processors.test as Processor;
      const others = Array.from({ length: 3 }, () =>
        holdShare(world.context.services, shop.venueId, checkout.id, checkout.shares[0].id),
      );
      const [ours] = await Promise.allSettled([ask(checkout, (wish) => bank.createHold(wish)), ...others]);
      expect(ours.status === 'rejected' ? ours.reason : ours.status).toBe('fulfilled');
    }
  });
});

describe('a bank in trouble', () => {
  it('that made the hold and did not say so is asked again, and there is one hold', async () => {
    const checkout = await party();
    world.processor.api.faults.set({
      rules: [{ id: 'once', on: 'payment_intents.create', kind: 'error_500_after', times: 1 }],
    });
    await expect(shop.secretFor(checkout.id, checkout.shares[0].id)).rejects.toThrow('has not answered yet');
    const secret = await shop.secretFor(checkout.id, checkout.shares[0].id);
    const { data } = await shop.stripe.paymentIntents.list({ limit: 100 });
    const mine = data.filter(({ metadata }) => metadata.share_id === checkout.shares[0].id);
    expect(mine.map(({ id }) => id)).toEqual([intentOf(secret)]);
  });

  it('that is down keeps the share waiting; it is held when the bank is back', async () => {
    const checkout = await party();
    const secret = await shop.secretFor(checkout.id, checkout.shares[0].id);
    await shop.confirm(secret, CARDS.good);
    world.processor.api.faults.set({ rules: [{ id: 'down', on: '*', kind: 'drop_connection' }] });
    await shop.look(secret.holdId);
    expect(statusesOf(await shop.read(checkout.id))).toEqual(['invited', 'invited']);
    world.processor.api.faults.clear();
    await shop.hurry(checkout.id);
    expect(statusesOf(await shop.read(checkout.id))).toEqual(['held', 'invited']);
  });
});

describe('a hold that was lost before the captures', () => {
  const expectAskedAgain = async (checkout: Seen): Promise<void> => {
    const seen = await shop.read(checkout.id);
    expect([seen.status, statusesOf(seen)]).toEqual(['collecting', ['failed', 'held']]);
    expect(seen.funded_amount).toBe(checkout.shares[1].amount);
    expect(seen.shares[0].held_at).toBeNull();
    expect(await shop.chargedAtBank(checkout.id)).toBe(0);
    expect((await shop.told(checkout.id)).slice(-2)).toEqual(['checkout.funded', 'checkout.collecting']);
    await shop.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    const done = await shop.read(checkout.id);
    expect([done.status, statusesOf(done)]).toEqual(['completed', ['captured', 'captured']]);
    expect(await shop.chargedAtBank(checkout.id)).toBe(checkout.amount);
    expect((await shop.told(checkout.id)).slice(-3)).toEqual(['share.held', 'checkout.funded', 'checkout.completed']);
  };

  it('because it lapsed leads back to collecting with nobody charged, and is paid again', async () => {
    const checkout = await party();
    await shop.pay(checkout.id, checkout.shares[0].id, CARDS.lapses);
    expect(statusesOf(await shop.read(checkout.id))).toEqual(['held', 'invited']);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 12_000 });
    await shop.pay(checkout.id, checkout.shares[1].id, CARDS.good);
    await expectAskedAgain(checkout);
  });

  it('because the bank canceled it leads back to collecting with nobody charged, and is paid again', async () => {
    const checkout = await party();
    const secret = await shop.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    await shop.stripe.paymentIntents.cancel(intentOf(secret));
    await shop.pay(checkout.id, checkout.shares[1].id, CARDS.good);
    await expectAskedAgain(checkout);
  });

  it('while others have not paid yet fails its share as soon as we look', async () => {
    const checkout = await party();
    const secret = await shop.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    await shop.stripe.paymentIntents.cancel(intentOf(secret));
    await shop.look(secret.holdId);
    expect(statusesOf(await shop.read(checkout.id))).toEqual(['failed', 'invited']);
  });
});

describe('a hold that comes too late', () => {
  const overdue = (id: string, seconds: number): Promise<unknown> =>
    world.db.query(`update checkouts set expires_at = now() - $2 * interval '1 second' where checkout_id = $1`, [
      id,
      seconds,
    ]);

  it('after pay_by is released at once, swept or not', async () => {
    for (const swept of [false, true]) {
      const checkout = await party();
      const secret = await shop.secretFor(checkout.id, checkout.shares[0].id);
      await overdue(checkout.id, 5);
      if (swept) expect((await shop.read(checkout.id)).status).toBe('expired');
      expect((await shop.confirm(secret, CARDS.good)).status).toBe(200);
      await shop.look(secret.holdId);
      await world.work();
      expect((await shop.stripe.paymentIntents.retrieve(intentOf(secret))).status).toBe('canceled');
      const seen = await shop.read(checkout.id);
      expect([seen.status, statusesOf(seen)]).toEqual(['expired', ['invited', 'invited']]);
    }
  });

  it('after a cancel is released at once', async () => {
    const checkout = await party();
    const secret = await shop.secretFor(checkout.id, checkout.shares[0].id);
    await shop.post(`/v1/checkouts/${checkout.id}/cancel`);
    expect((await shop.confirm(secret, CARDS.good)).status).toBe(200);
    await world.work();
    expect((await shop.stripe.paymentIntents.retrieve(intentOf(secret))).status).toBe('canceled');
    expect(await shop.chargedAtBank(checkout.id)).toBe(0);
  });

  it('is none when the bank made it in time and only we heard of it late', async () => {
    const checkout = await party();
    await shop.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    const secret = await shop.secretFor(checkout.id, checkout.shares[1].id);
    await shop.confirm(secret, CARDS.good);
    await overdue(checkout.id, 0);
    await shop.look(secret.holdId);
    expect((await shop.read(checkout.id)).status).toBe('completed');
    expect(await shop.chargedAtBank(checkout.id)).toBe(checkout.amount);
  });

  it('cannot even begin after pay_by', async () => {
    const checkout = await party();
    await overdue(checkout.id, 1);
    await expect(shop.secretFor(checkout.id, checkout.shares[0].id)).rejects.toMatchObject({
      status: 409,
      detail: { reason: 'checkout_past_pay_by' },
    });
  });
});

describe('the door to the sandbox', () => {
  it('passes nothing that takes a secret key', async () => {
    const checkout = await party();
    const secret = await shop.secretFor(checkout.id, checkout.shares[0].id);
    const intent = intentOf(secret);
    const closed: [string, string][] = [
      ['POST', '/v1/payment_intents'],
      ['GET', '/v1/payment_intents'],
      ['POST', `/v1/payment_intents/${intent}`],
      ['POST', `/v1/payment_intents/${intent}/capture`],
      ['POST', `/v1/payment_intents/${intent}/cancel`],
      ['POST', '/v1/refunds'],
      ['GET', '/v1/events'],
      ['GET', '/v1/balance'],
      ['POST', '/v1/transfers'],
      ['POST', '/v1/accounts'],
      ['GET', '/sandbox/faults'],
      ['GET', '/healthz'],
    ];
    for (const [method, path] of closed) {
      const told = await world.call(method, `/sandbox/processor${path}`, { key: PROCESSOR_KEYS.test.secret });
      expect([method, path, told.status]).toEqual([method, path, 404]);
    }
    const look = `/sandbox/processor/v1/payment_intents/${intent}`;
    expect((await world.call('GET', look, { key: PROCESSOR_KEYS.test.secret })).status).toBe(401);
    const query = new URLSearchParams({ key: secret.publishableKey, client_secret: secret.clientSecret });
    expect((await world.call('GET', `${look}?${query}`)).json.id).toBe(intent);
    expect((await world.call('GET', `${look}?key=${secret.publishableKey}&client_secret=wrong`)).status).toBe(404);
  });

  it('lists the test cards for people', async () => {
    const way = await world.call('GET', '/sandbox/cards');
    expect([way.status, way.headers.get('location')]).toEqual([302, '/sandbox/processor/cards']);
    const told = await world.call('GET', '/sandbox/processor/cards');
    expect(told.status).toBe(200);
    const sheet = /rel="stylesheet" href="([^"]+)"/.exec(told.text)?.[1] ?? '';
    expect((await world.call('GET', `/sandbox/processor/${sheet}`)).status).toBe(200);
    expect(told.text.replaceAll(' ', '')).toContain('4242424242424242');
  });
});
