// Guests pay with test cards at the embedded processor, over HTTP: declines, partial authorizations, approval by the
// cardholder, holds that are lost or come too late. A share becomes held only by the processor's facts, and no guest is
// charged early.

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { holdShare } from '../../src/domain/checkouts/holds/hold-share.ts';
import { holdWithRetry } from '../../src/domain/checkouts/holds/hold-with-retry.ts';
import { type Processor, ProcessorUnavailable } from '../../src/domain/payments/processor.ts';
import { CARDS, intentIdOf, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openSharedWorld, PROCESSOR_KEYS, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
beforeAll(async () => {
  world = await openSharedWorld();
  venue = await openTestVenue(world);
});
afterAll(() => world.close());
afterEach(() => {
  world.processor.api.faults.clear();
  vi.useRealTimers();
});

const statusesOf = (checkout: Json): string[] => checkout.shares.map(({ status }: Json) => status);
const party = (size = 2): Promise<Json> => venue.collecting({ party_size: size });

describe('a card', () => {
  it('that is good holds the share; no guest is charged until every share is held', async () => {
    const checkout = await party();
    const secret = await venue.secretFor(checkout.id, checkout.shares[1].id);
    const response = await venue.confirm(secret, CARDS.good);
    expect([response.status, response.json.status]).toEqual([200, 'requires_capture']);
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['invited', 'invited']);
    await venue.settleHold(secret.holdId);
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['invited', 'held']);
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(0);
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    expect((await venue.read(checkout.id)).status).toBe('completed');
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(checkout.amount);
  });

  it('that is declined fails the share; another card in the same form holds it', async () => {
    const checkout = await party();
    const share = checkout.shares[0].id;
    for (const card of [CARDS.declined, CARDS.noFunds]) {
      const secret = await venue.secretFor(checkout.id, share);
      expect((await venue.confirm(secret, card)).status).toBe(402);
      await venue.settleHold(secret.holdId);
      const current = await venue.read(checkout.id);
      expect([current.status, statusesOf(current), current.funded_amount]).toEqual([
        'collecting',
        ['failed', 'invited'],
        0,
      ]);
    }
    await venue.pay(checkout.id, share, CARDS.good);
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['held', 'invited']);
    expect(await venue.intents(checkout.id)).toHaveLength(1);
  });

  it('that holds only half fails the share, and the partial hold is released', async () => {
    const checkout = await party();
    const secret = await venue.pay(checkout.id, checkout.shares[0].id, CARDS.half);
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['failed', 'invited']);
    await world.work();
    expect((await venue.stripe.paymentIntents.retrieve(intentIdOf(secret))).status).toBe('canceled');
    await venue.payAll(checkout, []);
    expect((await venue.read(checkout.id)).status).toBe('completed');
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(checkout.amount);
  });

  it('whose cardholder must approve holds nothing before the approval', async () => {
    const checkout = await party();
    const secret = await venue.secretFor(checkout.id, checkout.shares[0].id);
    const response = await venue.confirm(secret, '4000002760003184');
    expect(response.json.status).toBe('requires_action');
    await venue.settleHold(secret.holdId);
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['invited', 'invited']);
    const page = new URL(response.json.next_action.redirect_to_url.url);
    const path = page.pathname.slice(page.pathname.indexOf('/3ds'));
    expect((await world.call('GET', `/sandbox/processor${path}${page.search}`)).status).toBe(200);
    await world.call('POST', `/sandbox/processor${path}`, {
      body: new URLSearchParams({ token: page.searchParams.get('token') ?? '', answer: 'approve' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    await venue.settleHold(secret.holdId);
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['held', 'invited']);
  });

  it('form that is requested twice gets the same client secret and one intent at the processor', async () => {
    const checkout = await party();
    const share = checkout.shares[0].id;
    const first = await venue.secretFor(checkout.id, share);
    expect(await venue.secretFor(checkout.id, share)).toEqual(first);
    expect(first.publishableKey).toBe(PROCESSOR_KEYS.test.publishable);
    const many = await Promise.allSettled(
      Array.from({ length: 8 }, () => venue.secretFor(checkout.id, checkout.shares[1].id)),
    );
    await venue.secretFor(checkout.id, checkout.shares[1].id);
    expect(many.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await venue.intents(checkout.id)).toHaveLength(2);
  });

  it('that holds another amount than requested does not hold the share', async () => {
    const checkout = await party();
    const secret = await venue.secretFor(checkout.id, checkout.shares[0].id);
    await venue.stripe.paymentIntents.update(intentIdOf(secret), { amount: 50 });
    await venue.confirm(secret, CARDS.good);
    await venue.settleHold(secret.holdId);
    await world.work();
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['failed', 'invited']);
    expect(await venue.heldAtProcessor(checkout.id)).toBe(0);
  });

  it('that is held for another share than requested does not hold the share', async () => {
    const [checkout, other] = [await party(), await party()];
    const secret = await venue.secretFor(checkout.id, checkout.shares[0].id);
    await venue.stripe.paymentIntents.update(intentIdOf(secret), { metadata: { share_id: other.shares[0].id } });
    await venue.confirm(secret, CARDS.good);
    await venue.settleHold(secret.holdId);
    await world.work();
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['failed', 'invited']);
    expect(statusesOf(await venue.read(other.id))).toEqual(['invited', 'invited']);
    expect(await venue.heldAtProcessor(checkout.id)).toBe(0);
  });
});

describe('a guest who requests a hold', () => {
  /** The real processor with another createHold. A proxy, because a spread would lose the methods of the class. */
  const servicesWith = (openHold: Processor['createHold']) => {
    const { services } = world.context;
    const test = new Proxy(services.processors.test as Processor, {
      get(processor, name: keyof Processor) {
        if (name === 'createHold') return openHold;
        const part = processor[name];
        return typeof part === 'function' ? part.bind(processor) : part;
      },
    });
    return { ...services, processors: { test } };
  };

  it('gets the conflict that ended the request, not a 503', async () => {
    const processor = world.context.services.processors.test as Processor;
    const requestWhile = (checkout: Json, meanwhile: () => Promise<unknown>) => {
      const openHold: Processor['createHold'] = async (options) => {
        const created = await processor.createHold(options);
        await meanwhile();
        return created;
      };
      return holdShare(servicesWith(openHold), venue.venueId, checkout.id, checkout.shares[0].id);
    };
    const canceled = await party();
    const cancel = () => world.call('POST', `/v1/checkouts/${canceled.id}/cancel`, { key: venue.key });
    await expect(requestWhile(canceled, cancel)).rejects.toMatchObject({
      detail: { reason: 'checkout_not_collecting' },
    });
    expect(await venue.heldAtProcessor(canceled.id)).toBe(0);
  });

  /** Requests a hold as a server does, with another createHold. */
  const ask = (checkout: Json, openHold: Processor['createHold']) =>
    holdWithRetry(servicesWith(openHold), venue.venueId, checkout.id, checkout.shares[0].id);

  it('does not wait for another call that hangs; both requests are answered in the end', {
    tags: ['slow'],
  }, async () => {
    const checkout = await party();
    const processor = world.context.services.processors.test as Processor;
    let comeBack = (): void => undefined;
    const hanging = new Promise<void>((resolve) => {
      comeBack = resolve;
    });
    const first = ask(checkout, async (options) => {
      await hanging;
      return processor.createHold(options);
    });
    const second = await ask(checkout, (options) => processor.createHold(options));
    comeBack();
    expect(await first).toEqual(second);
  });

  it('gets 503 after one call when the processor is unavailable', async () => {
    const checkout = await party();
    let calls = 0;
    const asked = ask(checkout, async () => {
      calls++;
      throw new ProcessorUnavailable('the processor is down');
    });
    await expect(asked).rejects.toThrow('has not answered yet');
    expect(calls).toBe(1);
  });

  it('gets a secret although other servers request the same share at the same moment', async () => {
    for (let round = 0; round < 4; round++) {
      const checkout = await party();
      const processor = world.context.services.processors.test as Processor;
      const others = Array.from({ length: 3 }, () =>
        holdShare(world.context.services, venue.venueId, checkout.id, checkout.shares[0].id),
      );
      const [ours] = await Promise.allSettled([ask(checkout, (options) => processor.createHold(options)), ...others]);
      expect(ours.status === 'rejected' ? ours.reason : ours.status).toBe('fulfilled');
    }
  });
});

describe('an unavailable processor', () => {
  it('that created the hold without an answer is called again, and there is one hold', async () => {
    const checkout = await party();
    world.processor.api.faults.set({
      rules: [{ id: 'once', on: 'payment_intents.create', kind: 'timeout_after', ms: 1, times: 2 }],
    });
    await expect(venue.secretFor(checkout.id, checkout.shares[0].id)).rejects.toThrow('has not answered yet');
    const secret = await venue.secretFor(checkout.id, checkout.shares[0].id);
    const { data } = await venue.stripe.paymentIntents.list({ limit: 100 });
    const mine = data.filter(({ metadata }) => metadata.share_id === checkout.shares[0].id);
    expect(mine.map(({ id }) => id)).toEqual([intentIdOf(secret)]);
  });

  it('delays the share; it becomes held when the processor is back', async () => {
    const checkout = await party();
    const secret = await venue.secretFor(checkout.id, checkout.shares[0].id);
    await venue.confirm(secret, CARDS.good);
    world.processor.api.faults.set({ rules: [{ id: 'down', on: '*', kind: 'drop_connection' }] });
    await venue.settleHold(secret.holdId);
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['invited', 'invited']);
    world.processor.api.faults.clear();
    await venue.finishDueWork(checkout.id);
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['held', 'invited']);
  });
});

describe('a hold that was lost before the captures', () => {
  const expectAskedAgain = async (checkout: Json): Promise<void> => {
    const current = await venue.read(checkout.id);
    expect([current.status, statusesOf(current)]).toEqual(['collecting', ['failed', 'held']]);
    expect(current.funded_amount).toBe(checkout.shares[1].amount);
    expect(current.shares[0].held_at).toBeNull();
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(0);
    expect((await venue.eventTypes(checkout.id)).slice(-2)).toEqual(['checkout.funded', 'checkout.collecting']);
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    const completed = await venue.read(checkout.id);
    expect([completed.status, statusesOf(completed)]).toEqual(['completed', ['captured', 'captured']]);
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(checkout.amount);
    expect((await venue.eventTypes(checkout.id)).slice(-3)).toEqual([
      'share.held',
      'checkout.funded',
      'checkout.completed',
    ]);
  };

  it('because it lapsed leads back to collecting without a charge, and the guest pays again', async () => {
    const checkout = await party();
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.lapses);
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['held', 'invited']);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 12_000 });
    await venue.pay(checkout.id, checkout.shares[1].id, CARDS.good);
    await expectAskedAgain(checkout);
  });

  it('because the processor canceled it leads back to collecting without a charge, and the guest pays again', async () => {
    const checkout = await party();
    const secret = await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    await venue.stripe.paymentIntents.cancel(intentIdOf(secret));
    await venue.pay(checkout.id, checkout.shares[1].id, CARDS.good);
    await expectAskedAgain(checkout);
  });

  it('while other shares are unpaid fails its share at the next poll', async () => {
    const checkout = await party();
    const secret = await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    await venue.stripe.paymentIntents.cancel(intentIdOf(secret));
    await venue.settleHold(secret.holdId);
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['failed', 'invited']);
  });
});

describe('a hold that the processor refuses to create', () => {
  it('is no decline of the share: it is asked for twice, and the share can be paid once the cause is gone', async () => {
    const checkout = await party();
    const [share] = checkout.shares;
    world.processor.api.faults.set({
      rules: [{ id: 'refused', on: 'payment_intents.create', kind: 'refused_for_now' }],
    });
    await expect(venue.secretFor(checkout.id, share.id)).rejects.toMatchObject({ status: 503 });
    world.processor.api.faults.clear();
    const holds = await world.db.query('select status, refusal from holds where checkout_id = $1', [checkout.id]);
    expect(holds).toEqual(Array(2).fill({ status: 'voided', refusal: 'account_restricted' }));
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['invited', 'invited']);
    await venue.pay(checkout.id, share.id, CARDS.good);
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['held', 'invited']);
  });
});

describe('a hold that comes too late', () => {
  const overdue = (id: string, seconds: number): Promise<unknown> =>
    world.db.query(`update checkouts set expires_at = now() - $2 * interval '1 second' where checkout_id = $1`, [
      id,
      seconds,
    ]);

  it('after pay_by is released at once, whether or not the sweep has run', async () => {
    for (const swept of [false, true]) {
      const checkout = await party();
      const secret = await venue.secretFor(checkout.id, checkout.shares[0].id);
      await overdue(checkout.id, 5);
      if (swept) expect((await venue.read(checkout.id)).status).toBe('expired');
      expect((await venue.confirm(secret, CARDS.good)).status).toBe(200);
      await venue.settleHold(secret.holdId);
      await world.work();
      expect((await venue.stripe.paymentIntents.retrieve(intentIdOf(secret))).status).toBe('canceled');
      const current = await venue.read(checkout.id);
      expect([current.status, statusesOf(current)]).toEqual(['expired', ['invited', 'invited']]);
    }
  });

  it('after a cancel is released at once', async () => {
    const checkout = await party();
    const secret = await venue.secretFor(checkout.id, checkout.shares[0].id);
    await venue.post(`/v1/checkouts/${checkout.id}/cancel`);
    expect((await venue.confirm(secret, CARDS.good)).status).toBe(200);
    await world.work();
    expect((await venue.stripe.paymentIntents.retrieve(intentIdOf(secret))).status).toBe('canceled');
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(0);
  });

  it('counts when the card was held in time and only our poll was late', async () => {
    const checkout = await party();
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    const secret = await venue.secretFor(checkout.id, checkout.shares[1].id);
    await venue.confirm(secret, CARDS.good);
    await overdue(checkout.id, 0);
    await venue.settleHold(secret.holdId);
    expect((await venue.read(checkout.id)).status).toBe('completed');
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(checkout.amount);
  });

  it('cannot be requested after pay_by', async () => {
    const checkout = await party();
    await overdue(checkout.id, 1);
    await expect(venue.secretFor(checkout.id, checkout.shares[0].id)).rejects.toMatchObject({
      status: 409,
      detail: { reason: 'checkout_past_pay_by' },
    });
  });
});

describe('the public address of the sandbox processor', () => {
  it('forwards no call that needs a secret key', async () => {
    const checkout = await party();
    const secret = await venue.secretFor(checkout.id, checkout.shares[0].id);
    const intent = intentIdOf(secret);
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
      ['POST', '/v2/core/accounts'],
      ['POST', '/v2/core/account_links'],
      ['POST', '/sandbox/accounts/acct_1'],
      ['GET', '/sandbox/faults'],
      ['GET', '/healthz'],
    ];
    for (const [method, path] of closed) {
      const response = await world.call(method, `/sandbox/processor${path}`, { key: PROCESSOR_KEYS.test.secret });
      expect([method, path, response.status]).toEqual([method, path, 404]);
    }
    const url = `/sandbox/processor/v1/payment_intents/${intent}`;
    expect((await world.call('GET', url, { key: PROCESSOR_KEYS.test.secret })).status).toBe(401);
    const query = new URLSearchParams({ key: secret.publishableKey, client_secret: secret.clientSecret });
    expect((await world.call('GET', `${url}?${query}`)).json.id).toBe(intent);
    expect((await world.call('GET', `${url}?key=${secret.publishableKey}&client_secret=wrong`)).status).toBe(404);
  });

  it('lists the test cards', async () => {
    const way = await world.call('GET', '/sandbox/cards');
    expect([way.status, way.headers.get('location')]).toEqual([302, '/sandbox/processor/cards']);
    const response = await world.call('GET', '/sandbox/processor/cards');
    expect(response.status).toBe(200);
    const sheet = /rel="stylesheet" href="([^"]+)"/.exec(response.text)?.[1] ?? '';
    expect((await world.call('GET', `/sandbox/processor/${sheet}`)).status).toBe(200);
    expect(response.text.replaceAll(' ', '')).toContain('4242424242424242');
  });
});
