// The test helpers: each runs the same code as real guests do, refuses a wrong state, and is closed to live keys. A
// checkout has its own clock, which only goes forward.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CARDS,
  DAY,
  expectConflict,
  expectInvalid,
  HOUR,
  inFuture,
  type Json,
  openTestVenue,
  type TestVenue,
  withNewKey,
} from '../support/test-venue.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
beforeAll(async () => {
  world = await openSharedWorld();
  venue = await openTestVenue(world);
});
afterAll(() => world.close());

const command = (id: string, name: string, body?: unknown) =>
  venue.post(`/v1/test_helpers/checkouts/${id}/${name}`, body);
const statusesOf = (checkout: Json): string[] => checkout.shares.map(({ status }: Json) => status);

/** One checkout in each state. */
async function inEachState(): Promise<Record<string, Json>> {
  return {
    open: await venue.create(),
    collecting: await venue.collecting(),
    completed: await venue.completed(),
    expired: await venue.runTestHelper((await venue.create()).id, 'expire'),
    canceled: (await venue.post(`/v1/checkouts/${(await venue.create()).id}/cancel`)).json,
  };
}

describe('collect', () => {
  it('creates test members for the whole party, with an equal split and the remainder to the organizer', async () => {
    const checkout = await venue.collecting({ amount: 10_003, party_size: 4 });
    expect(checkout.status).toBe('collecting');
    expect(checkout.shares.map(({ amount }: Json) => amount)).toEqual([2_503, 2_500, 2_500, 2_500]);
    expect(checkout.shares.map(({ is_organizer }: Json) => is_organizer)).toEqual([true, false, false, false]);
    expect(statusesOf(checkout)).toEqual(Array(4).fill('invited'));
    for (const { id } of checkout.shares) expect(id).toMatch(/^shr_[0-9a-z]{26}$/);
    const events = await venue.events(checkout.id);
    expect(events.map(({ type }) => type)).toEqual(['checkout.created', 'checkout.collecting']);
    expect(events[1]?.data.object).toEqual(checkout);
  });

  it('leaves members out when the amount is too small, so that each pays at least the minimum charge', async () => {
    const checkout = await venue.collecting({ amount: 120, party_size: 3 });
    expect(checkout.shares.map(({ amount }: Json) => amount)).toEqual([60, 60]);
    expect((await venue.completed({ amount: 100, party_size: 50 })).shares).toHaveLength(2);
  });

  it('works for the largest party', async () => {
    const checkout = await venue.collecting({ amount: 99_999_999, party_size: 50 });
    expect(checkout.shares).toHaveLength(50);
    expect(checkout.shares.reduce((sum: number, { amount }: Json) => sum + amount, 0)).toBe(99_999_999);
  });
});

describe('hold', () => {
  it('holds one share, then the rest; the last one funds and completes the checkout', async () => {
    const checkout = await venue.collecting();
    const one = await venue.runTestHelper(checkout.id, 'hold', { share_id: checkout.shares[1].id });
    expect(statusesOf(one)).toEqual(['invited', 'held', 'invited']);
    expect(one.funded_amount).toBe(checkout.shares[1].amount);
    expect(one.shares[1].held_at).toMatch(/Z$/);
    expect(await venue.heldAtProcessor(checkout.id)).toBe(checkout.shares[1].amount);
    await venue.runTestHelper(checkout.id, 'hold', {});
    await world.work();
    const completed = await venue.read(checkout.id);
    expect([completed.status, statusesOf(completed)]).toEqual(['completed', ['captured', 'captured', 'captured']]);
    expect(await venue.eventTypes(checkout.id)).toEqual([
      'checkout.created',
      'checkout.collecting',
      'share.held',
      'share.held',
      'share.held',
      'checkout.funded',
      'checkout.completed',
    ]);
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(checkout.amount);
  });

  it('of a held share is a conflict, of a foreign or unknown share a 422 at its field', async () => {
    const checkout = await venue.collecting();
    const other = await venue.collecting();
    const share_id = checkout.shares[0].id;
    await venue.runTestHelper(checkout.id, 'hold', { share_id });
    expectConflict(await command(checkout.id, 'hold', { share_id }), 'share_already_held');
    expectInvalid(await command(checkout.id, 'hold', { share_id: other.shares[0].id }), 'invalid_value', '/share_id');
    const unknown = await command(checkout.id, 'hold', { share_id: 'shr_00000000000000000000000000' });
    expectInvalid(unknown, 'invalid_value', '/share_id');
  });

  it('accepts a test card: a declined one fails the share, an unknown one is a 422 at its field', async () => {
    const checkout = await venue.collecting();
    const share_id = checkout.shares[0].id;
    const declined = await command(checkout.id, 'hold', { share_id, card: 'pm_card_chargeDeclined' });
    expect([declined.status, declined.json.shares[0].status]).toEqual([200, 'failed']);
    expectInvalid(await command(checkout.id, 'hold', { share_id, card: 'pm_card_nobody' }), 'invalid_value', '/card');
    for (const card of ['😀', 'pm card', 'pm_card_visa\n'])
      expectInvalid(await command(checkout.id, 'hold', { share_id, card }), 'invalid_format', '/card');
    const held = await command(checkout.id, 'hold', { share_id });
    expect([held.status, held.json.shares[0].status]).toEqual([200, 'held']);
  });

  it('of one share ten times at once holds it once, at the processor too', async () => {
    const checkout = await venue.collecting();
    const share_id = checkout.shares[0].id;
    const response = await Promise.all(Array.from({ length: 10 }, () => command(checkout.id, 'hold', { share_id })));
    for (const one of response) expect([200, 409, 503], one.text).toContain(one.status);
    await world.work();
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['held', 'invited', 'invited']);
    expect(await venue.heldAtProcessor(checkout.id)).toBe(checkout.shares[0].amount);
    expect((await venue.eventTypes(checkout.id)).filter((type) => type === 'share.held')).toHaveLength(1);
  });
});

describe('complete', () => {
  it('does the missing steps from open, collecting or half paid, and is harmless when repeated', async () => {
    const open = await venue.create();
    const collecting = await venue.collecting();
    const half = await venue.collecting();
    await venue.runTestHelper(half.id, 'hold', { share_id: half.shares[2].id });
    for (const { id, amount } of [open, collecting, half]) {
      const completed = await venue.runTestHelper(id, 'complete');
      expect([completed.status, completed.funded_amount]).toEqual(['completed', amount]);
      expect(completed.completed_at).toMatch(/Z$/);
      expect(await venue.chargedAtProcessor(id)).toBe(amount);
      expect(await venue.runTestHelper(id, 'complete')).toEqual(completed);
    }
  });

  it('three times at once charges each guest once', async () => {
    const created = await venue.create();
    await Promise.all(Array.from({ length: 3 }, () => command(created.id, 'complete')));
    await venue.runTestHelper(created.id, 'complete');
    expect(await venue.chargedAtProcessor(created.id)).toBe(created.amount);
    expect((await venue.eventTypes(created.id)).filter((type) => type === 'checkout.completed')).toHaveLength(1);
  });

  it('pays the venue its exact net amount, with one transfer for each share, tied to its charge', async () => {
    const paying = await openTestVenue(world);
    await paying.setFee(333, 7);
    const completed = await paying.completed({ amount: 10_001, party_size: 7 });
    expect(completed.fee_amount).toBe(340);
    const { data } = await paying.stripe.transfers.list({ transfer_group: completed.id, limit: 100 });
    expect(data).toHaveLength(7);
    expect(data.reduce((sum, { amount }) => sum + amount, 0)).toBe(completed.net_amount);
    const charges = (await paying.intents(completed.id)).map(
      ({ latest_charge }) => (latest_charge as { id: string }).id,
    );
    expect(new Set(data.map(({ source_transaction }) => source_transaction))).toEqual(new Set(charges));
    expect(await paying.balances(completed.id)).toEqual({ processor_balance: 340, fee_income: -340 });
  });
});

describe('a wrong state', () => {
  it('is 409 with its reason, and changes nothing', async () => {
    const wrong: [string, string[], string][] = [
      ['collect', ['collecting', 'completed', 'expired', 'canceled'], 'checkout_not_open'],
      ['hold', ['open', 'completed', 'expired', 'canceled'], 'checkout_not_collecting'],
      ['complete', ['expired', 'canceled'], 'checkout_not_open'],
      ['expire', ['completed', 'expired', 'canceled'], 'checkout_not_open'],
    ];
    const each = await inEachState();
    for (const [name, states, reason] of wrong) {
      for (const state of states) {
        expectConflict(await command(each[state].id, name, name === 'hold' ? {} : undefined), reason);
        expect((await venue.read(each[state].id)).status).toBe(state);
      }
    }
  });
});

describe('live keys', () => {
  it('are refused with mode_not_available, also for unknown checkouts', async () => {
    const live = await withNewKey(venue, 'live');
    const created = await live.create();
    for (const name of ['collect', 'hold', 'complete', 'expire', 'advance']) {
      const body = name === 'hold' ? {} : name === 'advance' ? { to: inFuture(DAY) } : undefined;
      const response = await live.post(`/v1/test_helpers/checkouts/${created.id}/${name}`, body);
      expect([name, response.status, response.json.error.code]).toEqual([name, 403, 'mode_not_available']);
    }
    expect((await live.read(created.id)).status).toBe('open');
  });
});

describe('expire', () => {
  it('expires the checkout with one event, and every hold is released at the processor', async () => {
    const checkout = await venue.collecting();
    await venue.runTestHelper(checkout.id, 'hold', { share_id: checkout.shares[0].id });
    const expired = await venue.runTestHelper(checkout.id, 'expire');
    expect([expired.status, statusesOf(expired)]).toEqual(['expired', ['released', 'invited', 'invited']]);
    expect(expired.pay_by).toBe(checkout.pay_by);
    await world.work();
    expect(await venue.heldAtProcessor(checkout.id)).toBe(0);
    expect((await venue.eventTypes(checkout.id)).filter((type) => type === 'checkout.expired')).toHaveLength(1);
  });
});

/** As a processor event does, whenever the holds are due by themselves. */
async function makeHoldsDue(checkoutId: string): Promise<void> {
  await world.db.query(
    `update holds set due_at = now() - interval '1 second' where checkout_id = $1 and status = 'held'`,
    [checkoutId],
  );
}

describe('advance', () => {
  it('moves the checkout’s clock forward only', async () => {
    const created = await venue.create({ pay_by: inFuture(10 * DAY) });
    const to = inFuture(3 * DAY);
    expect(await venue.runTestHelper(created.id, 'advance', { to })).toEqual(created);
    expectInvalid(await command(created.id, 'advance', { to: inFuture(2 * DAY) }), 'out_of_range', '/to');
    expectInvalid(await command(created.id, 'advance', { to: inFuture(-DAY) }), 'out_of_range', '/to');
    expectInvalid(await command(created.id, 'advance', {}), 'missing_field', '/to');
    expectInvalid(await command(created.id, 'advance', { to: 'soon' }), 'invalid_format', '/to');
    expect((await venue.runTestHelper(created.id, 'advance', { to: inFuture(9 * DAY) })).status).toBe('open');
  });

  it('past pay_by expires the checkout, just before it does not, and other checkouts are not affected', async () => {
    const [moved, other] = [await venue.create(), await venue.create()];
    const payBy = Date.parse(moved.pay_by);
    expect(
      (await venue.runTestHelper(moved.id, 'advance', { to: new Date(payBy - 60_000).toISOString() })).status,
    ).toBe('open');
    expect((await venue.runTestHelper(moved.id, 'advance', { to: new Date(payBy + 1).toISOString() })).status).toBe(
      'expired',
    );
    expect((await venue.read(other.id)).status).toBe('open');
  });

  it('renews a hold that is about to lapse, and the renewal replaces it', async () => {
    const checkout = await venue.collecting({ pay_by: inFuture(20 * DAY), party_size: 2 });
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    const [first] = await venue.intents(checkout.id);
    await venue.runTestHelper(checkout.id, 'advance', { to: inFuture(5 * DAY) });
    await world.work();
    expect(await venue.intents(checkout.id)).toHaveLength(1);
    await venue.runTestHelper(checkout.id, 'advance', { to: inFuture(6 * DAY + 2 * HOUR) });
    await world.work();
    const intents = await venue.intents(checkout.id);
    expect(intents[1]?.statement_descriptor_suffix).toBe(first?.statement_descriptor_suffix);
    expect(intents.map(({ id, status }) => [id === first?.id, status])).toEqual([
      [true, 'canceled'],
      [false, 'requires_capture'],
    ]);
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['held', 'invited']);
    expect(await venue.heldAtProcessor(checkout.id)).toBe(checkout.shares[0].amount);
    await venue.runTestHelper(checkout.id, 'advance', { to: inFuture(13 * DAY) });
    await world.work();
    expect(await venue.intents(checkout.id)).toHaveLength(3);
    const completed = await venue.runTestHelper(checkout.id, 'complete');
    expect(completed.status).toBe('completed');
    await world.work();
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(checkout.amount);
    expect(await venue.heldAtProcessor(checkout.id)).toBe(0);
  });

  describe.each([CARDS.renewalFails, CARDS.oneHoldAtATime])('with a card whose renewal is declined (%s)', (card) => {
    const withRefusedRenewal = async () => {
      const checkout = await venue.collecting({ pay_by: inFuture(20 * DAY), party_size: 2 });
      await venue.pay(checkout.id, checkout.shares[0].id, card);
      await venue.runTestHelper(checkout.id, 'advance', { to: inFuture(6 * DAY + 2 * HOUR) });
      await world.work();
      return checkout;
    };

    it('keeps the hold until it lapses, and tries no other renewal', async () => {
      const checkout = await withRefusedRenewal();
      const [share] = checkout.shares;
      for (const hours of [3, 12, 21]) {
        await venue.runTestHelper(checkout.id, 'advance', { to: inFuture(6 * DAY + hours * HOUR) });
        await makeHoldsDue(checkout.id);
        await world.work();
        expect(statusesOf(await venue.read(checkout.id))).toEqual(['held', 'invited']);
        expect(await venue.heldAtProcessor(checkout.id)).toBe(share.amount);
      }
      const requested = await world.db.query(
        'select status, refusal from holds where share_id = $1 order by created_at',
        [share.id],
      );
      expect(requested).toEqual([
        { status: 'held', refusal: null },
        { status: 'voided', refusal: expect.stringMatching(/^(generic_decline|insufficient_funds)$/) },
      ]);
      expect((await venue.eventTypes(checkout.id)).filter((type) => type === 'checkout.collecting')).toHaveLength(1);
    });

    it('fails the share when the hold lapses; the guest can pay again, and nothing stays held', async () => {
      const checkout = await withRefusedRenewal();
      await venue.runTestHelper(checkout.id, 'advance', { to: inFuture(7 * DAY + HOUR) });
      await world.work();
      expect(statusesOf(await venue.read(checkout.id))).toEqual(['failed', 'invited']);
      await world.work();
      expect(await venue.heldAtProcessor(checkout.id)).toBe(0);
      await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
      expect(statusesOf(await venue.read(checkout.id))).toEqual(['held', 'invited']);
    });

    it('captures the hold when the other guests pay before it lapses', async () => {
      const checkout = await withRefusedRenewal();
      await venue.pay(checkout.id, checkout.shares[1].id, CARDS.good);
      const completed = await venue.read(checkout.id);
      expect([completed.status, statusesOf(completed)]).toEqual(['completed', ['captured', 'captured']]);
      expect(await venue.chargedAtProcessor(checkout.id)).toBe(checkout.amount);
      expect(await venue.heldAtProcessor(checkout.id)).toBe(0);
    });
  });

  it('does not renew a hold that the card extends beyond pay_by', async () => {
    const checkout = await venue.collecting({ pay_by: inFuture(20 * DAY), party_size: 2 });
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.extends);
    await venue.runTestHelper(checkout.id, 'advance', { to: inFuture(15 * DAY) });
    await world.work();
    const intents = await venue.intents(checkout.id);
    expect(intents.map(({ status }) => status)).toEqual(['requires_capture']);
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['held', 'invited']);
    // The guest reads the venue's name on the card statement, also after a renewal.
    expect(intents[0]?.statement_descriptor_suffix).toMatch(/^[A-Z]/);
  });

  it('does not renew a hold that outlives pay_by', async () => {
    const checkout = await venue.collecting({ pay_by: inFuture(3 * DAY), party_size: 2 });
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    await venue.runTestHelper(checkout.id, 'advance', { to: inFuture(2 * DAY) });
    await world.work();
    expect(await venue.intents(checkout.id)).toHaveLength(1);
  });
});
