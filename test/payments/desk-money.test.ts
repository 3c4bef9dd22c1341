// Money at the desk: what is stuck is found, tried again, paid by hand or written off, each once, and the books stay right.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Db } from '../../src/base/db.ts';
import type { Input } from '../../src/base/operation.ts';
import type { DeskCaller } from '../../src/domain/accounts/account.ts';
import { checkLedger } from '../../src/domain/checkouts/accounting/check-ledger.ts';
import { getMoneyHealth } from '../../src/domain/desk/money-health.ts';
import { createOperator, deskOf, type TestOperator } from '../support/desk-client.ts';
import { commandLine } from '../support/run-command.ts';
import { CARDS, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

const REFUND_FAILS = '4000000000005126';

let world: TestWorld;
let venue: TestVenue;
let ines: TestOperator;
let desk: ReturnType<typeof deskOf>;
beforeAll(async () => {
  world = await openTestWorld({ env: { PAYOUT_DELAY_HOURS: '24' } });
  ines = await createOperator(world.context, 'finance');
  desk = deskOf(world, ines);
});
afterAll(() => world.close());
beforeEach(async () => {
  world.processor.api.faults.clear();
  venue = await openTestVenue(world);
  await venue.setFee(0, 0);
});

const health = async (): Promise<Json> => (await desk('GET', '/money?mode=test')).json;
const casesOf = async (list: 'needs_person' | 'waiting', kind: string): Promise<Json[]> =>
  (await health())[list].filter((one: Json) => one.venue.id === venue.venueId && one.kind === kind);
const at = (id: string, action: string): string => `/money/venues/${venue.venueId}/movements/${id}/${action}`;
const actionsOn = async (subject: string): Promise<string[]> =>
  (
    await world.db.query<{ action: string; actor: string }>(
      'select action, actor from audit_log where subject = $1 and actor = $2 order by audit_id',
      [subject, `operator ${ines.accountId}`],
    )
  ).map(({ action }) => action);

async function expectBooksAgree(): Promise<void> {
  expect((await checkLedger(world.db)).problems).toEqual([]);
}

async function payoutAccount(): Promise<string> {
  const [account] = await world.db.query<{ id: string }>(
    'select account_id as id from payout_accounts where venue_id = $1 and mode = $2',
    [venue.venueId, venue.mode],
  );
  return account?.id ?? '';
}

/** What the venue got of a checkout. */
async function transferred(checkoutId: string): Promise<number> {
  const [row] = await world.db.query<{ sent: number }>(
    `select sum(coalesce(sent_amount, amount))::integer as sent from movements
     where checkout_id = $1 and kind = 'transfer' and status = 'done'`,
    [checkoutId],
  );
  return row?.sent ?? 0;
}

/** All cards are held, and the processor does not answer captures. */
async function stuckCapture(): Promise<string> {
  world.processor.api.faults.set({ rules: [{ id: 'down', on: 'payment_intents.capture', kind: 'error_500' }] });
  const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
  await venue.payAll(checkout, [CARDS.good, CARDS.good]);
  await world.db.query(
    "update shares set held_at = held_at - interval '6 minutes' where checkout_id = $1 and held_at is not null",
    [checkout.id],
  );
  return checkout.id;
}

describe('a stuck capture', () => {
  it('is found after five minutes, tried again and completed', async () => {
    const id = await stuckCapture();
    expect(await casesOf('waiting', 'capture')).toMatchObject([
      {
        id,
        amount: 20_000,
        what: '0 of 2 cards are charged',
        error: expect.stringMatching(/processor/),
        remedy: expect.stringMatching(/try now/),
        actions: ['retry'],
        next_try_at: expect.any(String),
      },
    ]);
    const path = `/money/venues/${venue.venueId}/checkouts/${id}/retry`;
    const again = await desk('POST', path);
    expect([again.status, again.json]).toEqual([
      200,
      { id, status: 'funded', error: expect.stringMatching(/processor/) },
    ]);
    world.processor.api.faults.clear();
    const done = await desk('POST', path);
    expect([done.status, done.json]).toEqual([200, { id, status: 'completed' }]);
    expect(await venue.chargedAtProcessor(id)).toBe(20_000);
    const twice = await desk('POST', path);
    expect([twice.status, twice.json.error.reason]).toEqual([409, 'not_funded']);
    expect(await casesOf('waiting', 'capture')).toEqual([]);
    expect(await actionsOn(id)).toEqual(['capture.retry', 'capture.retry']);
    await expectBooksAgree();
  });
});

/** Two shares of 100.00, all refunded; the first refund fails after it was done. */
async function failedRefund(): Promise<{ checkoutId: string; id: string }> {
  const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
  await venue.payAll(checkout, [REFUND_FAILS, CARDS.good]);
  await venue.finishDueWork(checkout.id);
  expect((await venue.post(`/v1/checkouts/${checkout.id}/refund`)).status).toBe(200);
  await world.work();
  world.processorClock.aheadMs += 31_000;
  await venue.finishDueWork(checkout.id);
  const [found] = await casesOf('needs_person', 'refund');
  return { checkoutId: checkout.id, id: found.id };
}

/** Every refund that the processor has made for the movement. */
async function refundsAtProcessor(movementId: string): Promise<Json[]> {
  const { data } = (await venue.stripe.rawRequest('GET', '/v1/refunds?limit=100')) as Json;
  return data.filter((refund: Json) => refund.metadata.movement_id === movementId);
}

const reserve = async (id: string): Promise<void> => {
  expect((await desk('POST', at(id, 'reserve'))).json).toEqual({ id, status: 'failed' });
};

describe('a failed refund', () => {
  // Ten calls and a reconcile: about five seconds on an idle machine.
  it('is reserved before it is paid by hand: no retry sends it, no other operator records it, and it can be given back', {
    timeout: 60_000,
  }, async () => {
    const { checkoutId, id } = await failedRefund();
    const body = { reference: 'SEPA 4711' };
    const early = await desk('POST', at(id, 'pay_by_hand'), body);
    expect([early.status, early.json.error.reason]).toEqual([409, 'not_reserved']);
    await reserve(id);
    await reserve(id);
    const [mine] = await casesOf('needs_person', 'refund');
    const reserved = { is_yours: true, by: ines.email };
    expect(mine).toMatchObject({ reserved, actions: ['pay_by_hand', 'give_back'] });
    const bea = deskOf(world, await createOperator(world.context, 'finance'));
    for (const [action, reason] of [
      ['retry', 'already_reserved'],
      ['reserve', 'already_reserved'],
      ['pay_by_hand', 'not_reserved'],
    ] as const) {
      const refused = await bea('POST', at(id, action), action === 'pay_by_hand' ? body : undefined);
      expect([action, refused.status, refused.json.error.reason]).toEqual([action, 409, reason]);
      expect(refused.json.error.message).toContain(ines.email);
      expect(refused.json.error.message).not.toContain(ines.accountId);
    }
    await commandLine(world).run('reconcile', '--mode', 'test', '--retry-failed', '--checkout', checkoutId);
    expect((await casesOf('needs_person', 'refund'))[0]).toMatchObject({ id });
    expect((await bea('POST', at(id, 'give_back'), { note: 'Not paid: asked Ines.' })).status).toBe(200);
    expect((await bea('POST', at(id, 'retry'))).json).toEqual({ id, status: 'waiting' });
    const late = await desk('POST', at(id, 'pay_by_hand'), body);
    expect([late.status, late.json.error.message]).toEqual([409, expect.stringMatching(/tried again.*do not pay/)]);
    expect(await actionsOn(id)).toEqual(['movement.reserve']);
    await expectBooksAgree();
  });

  it('that is reserved cannot be sent: the database refuses it', async () => {
    const { id } = await failedRefund();
    await reserve(id);
    await expect(
      world.db.query("update movements set status = 'waiting' where movement_id = $1", [id]),
    ).rejects.toThrow('movement_by_hand_is_not_sent');
  });

  it('needs a person, and is sent again under another key when an operator says so', async () => {
    const { checkoutId, id } = await failedRefund();
    expect(await casesOf('needs_person', 'refund')).toMatchObject([
      { id, amount: 10_000, error: 'expired_or_canceled_card', actions: ['retry', 'reserve'], reserved: null },
    ]);
    const retried = await desk('POST', at(id, 'retry'));
    expect([retried.status, retried.json]).toEqual([200, { id, status: 'waiting' }]);
    expect(await casesOf('needs_person', 'refund')).toEqual([]);
    const before = await refundsAtProcessor(id);
    // The card takes refunds again.
    await world.db.query(`update movements set due_at = now() - interval '1 second' where movement_id = $1`, [id]);
    await world.work();
    expect(before).toHaveLength(1);
    const after = await refundsAtProcessor(id);
    expect(after).toHaveLength(2);
    expect(new Set(after.map((refund: Json) => refund.id)).size).toBe(2);
    const [row] = await world.db.query<{ status: string; key: number; processor: string }>(
      'select status, key_number as key, processor_id as processor from movements where movement_id = $1',
      [id],
    );
    expect(row).toMatchObject({ status: 'done', key: 1 });
    expect(before.map((refund: Json) => refund.id)).not.toContain(row?.processor);
    expect(await actionsOn(id)).toEqual(['movement.retry']);
    await expectBooksAgree();
    await venue.finishDueWork(checkoutId);
  });

  it('is paid by hand once, and never sent again', async () => {
    const { checkoutId, id } = await failedRefund();
    const body = { reference: 'SEPA 4711' };
    await reserve(id);
    const both = await Promise.all([
      desk('POST', at(id, 'pay_by_hand'), body),
      desk('POST', at(id, 'pay_by_hand'), body),
    ]);
    // The second is refused, or is the repetition of a call whose answer was lost.
    expect(both.map(({ status }) => status)).toContain(200);
    expect(both.filter(({ status }) => ![200, 409].includes(status))).toEqual([]);
    const repeated = await desk('POST', at(id.toUpperCase(), 'pay_by_hand'), body);
    expect([repeated.status, repeated.json]).toEqual([200, { id, status: 'closed' }]);
    const other = await desk('POST', at(id, 'pay_by_hand'), { reference: 'SEPA 4712' });
    expect([other.status, other.json.error.reason]).toEqual([409, 'not_failed']);
    const retry = await desk('POST', at(id, 'retry'));
    expect([retry.status, retry.json.error.reason]).toEqual([409, 'not_retryable']);
    await venue.finishDueWork(checkoutId);
    expect(await venue.balances(checkoutId)).toEqual({ processor_balance: 10_000, paid_elsewhere: -10_000 });
    expect(await actionsOn(id)).toEqual(['movement.reserve', 'refund.close']);
    await expectBooksAgree();
  });

  it('is paid by hand once when two calls have both read it as failed', async () => {
    const { checkoutId, id } = await failedRefund();
    await reserve(id);
    let both: Promise<{ status: number }[]> = Promise.resolve([]);
    await world.db.transaction(async (tx) => {
      await tx.query('select 1 from checkouts where checkout_id = $1 for update', [checkoutId]);
      both = Promise.all(['SEPA 1', 'SEPA 2'].map((reference) => desk('POST', at(id, 'pay_by_hand'), { reference })));
      await waitFor('both wait for the checkout', async () => {
        const waiting = await world.db.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return waiting.length === 2;
      });
    });
    expect((await both).map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await actionsOn(id)).toEqual(['movement.reserve', 'refund.close']);
    await expectBooksAgree();
  });
});

describe('a failed refund that another operator has reserved', () => {
  const notesOn = async (subject: string): Promise<Json[]> =>
    world.db.query(
      `select action, actor, detail->>'note' as note, detail->>'reserved_by' as "reservedBy" from audit_log
       where subject = $1 order by audit_id`,
      [subject],
    );
  const nameOf = ({ accountId }: TestOperator): string => `operator ${accountId}`;

  it('is given back only with a note, which is in the audit log; one’s own is given back without', async () => {
    const { id } = await failedRefund();
    const bea = await createOperator(world.context, 'finance');
    const beasDesk = deskOf(world, bea);
    await reserve(id);
    for (const body of [undefined, {}, { note: ' ' }]) {
      const refused = await beasDesk('POST', at(id, 'give_back'), body);
      expect([refused.status, refused.json.error.field]).toEqual([422, '/note']);
    }
    expect(await casesOf('needs_person', 'refund')).toMatchObject([{ id, reserved: { is_yours: true } }]);
    const note = 'Not paid: asked Ines.';
    expect((await beasDesk('POST', at(id, 'give_back'), { note })).status).toBe(200);
    await reserve(id);
    expect((await desk('POST', at(id, 'give_back'))).status).toBe(200);
    expect((await desk('POST', at(id, 'give_back'))).status).toBe(200);
    expect(await notesOn(id)).toEqual([
      { action: 'movement.reserve', actor: nameOf(ines), note: null, reservedBy: null },
      { action: 'movement.give_back', actor: nameOf(bea), note, reservedBy: nameOf(ines) },
      { action: 'movement.reserve', actor: nameOf(ines), note: null, reservedBy: null },
      { action: 'movement.give_back', actor: nameOf(ines), note: null, reservedBy: nameOf(ines) },
    ]);
  });

  it('is taken over with a note, stays reserved meanwhile, and only the new operator records its payment', async () => {
    const { checkoutId, id } = await failedRefund();
    const bea = await createOperator(world.context, 'finance');
    const beasDesk = deskOf(world, bea);
    await reserve(id);
    const [seen] = (await beasDesk('GET', '/money?mode=test')).json.needs_person.filter((one: Json) => one.id === id);
    expect(seen).toMatchObject({ reserved: { is_yours: false }, actions: ['take_over', 'give_back'] });
    const bare = await beasDesk('POST', at(id, 'reserve'), { take_over: true });
    expect([bare.status, bare.json.error.field]).toEqual([422, '/note']);
    const note = 'Ines is away and has not paid it.';
    // The retry waits for the same checkout: whichever comes first, the refund is reserved.
    const [taken, retried] = await race(checkoutId, [
      () => beasDesk('POST', at(id, 'reserve'), { take_over: true, note, reserved_at: seen.reserved.at }),
      () => desk('POST', at(id, 'retry')),
    ]);
    expect([taken?.status, retried?.status]).toEqual([200, 409]);
    expect((await beasDesk('POST', at(id, 'reserve'), { take_over: true, note })).status).toBe(200);
    const late = await desk('POST', at(id, 'pay_by_hand'), { reference: 'SEPA 1' });
    expect([late.status, late.json.error.reason]).toEqual([409, 'not_reserved']);
    expect((await beasDesk('POST', at(id, 'pay_by_hand'), { reference: 'SEPA 2' })).status).toBe(200);
    expect(await notesOn(id)).toEqual([
      { action: 'movement.reserve', actor: nameOf(ines), note: null, reservedBy: null },
      { action: 'movement.take_over', actor: nameOf(bea), note, reservedBy: nameOf(ines) },
      { action: 'refund.close', actor: nameOf(bea), note: 'SEPA 2', reservedBy: null },
    ]);
    await expectBooksAgree();
  });

  it('is not given back by a note about an earlier reservation', async () => {
    const { id } = await failedRefund();
    await reserve(id);
    const [seen] = await casesOf('needs_person', 'refund');
    const [bea, carl] = [
      await createOperator(world.context, 'finance'),
      await createOperator(world.context, 'finance'),
    ];
    await waitFor('a later millisecond', async () => world.context.clock.now() > Date.parse(seen.reserved.at));
    const taken = { take_over: true, note: 'Ines is away.', reserved_at: seen.reserved.at };
    expect((await deskOf(world, bea)('POST', at(id, 'reserve'), taken)).status).toBe(200);
    for (const [action, more] of [
      ['give_back', {}],
      ['reserve', { take_over: true }],
    ] as const) {
      const body = { ...more, note: 'Not paid: asked Ines.', reserved_at: seen.reserved.at };
      const refused = await deskOf(world, carl)('POST', at(id, action), body);
      expect([refused.status, refused.json.error.reason]).toEqual([409, 'already_reserved']);
      expect(refused.json.error.message).toContain(bea.email);
    }
    expect((await casesOf('needs_person', 'refund'))[0].reserved.by).toBe(bea.email);
  });

  it('is marked once it is reserved for more than a day', async () => {
    const { id } = await failedRefund();
    await reserve(id);
    expect((await casesOf('needs_person', 'refund'))[0].reserved.is_old).toBe(false);
    await world.db.query(`update movements set by_hand_at = by_hand_at - interval '25 hours' where movement_id = $1`, [
      id,
    ]);
    expect((await casesOf('needs_person', 'refund'))[0].reserved.is_old).toBe(true);
  });
});

/** Sends the calls while the checkout is locked: both have read the refund before one of them changes it. */
async function race(
  checkoutId: string,
  calls: readonly (() => Promise<{ status: number; json: Json }>)[],
): Promise<{ status: number; json: Json }[]> {
  let sent: Promise<{ status: number; json: Json }[]> = Promise.resolve([]);
  await world.db.transaction(async (tx) => {
    await tx.query('select 1 from checkouts where checkout_id = $1 for update', [checkoutId]);
    sent = Promise.all(calls.map((call) => call()));
    await waitFor('all wait for the checkout', async () => {
      const waiting = await world.db.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length === calls.length;
    });
  });
  return sent;
}

describe('a failed refund that one operator tries again while another pays it by hand', () => {
  const body = { reference: 'SEPA 4711' };

  it('is retried or reserved, never both', async () => {
    const { checkoutId, id } = await failedRefund();
    const bea = deskOf(world, await createOperator(world.context, 'finance'));
    const [retried, reserved] = await race(checkoutId, [
      () => bea('POST', at(id, 'retry')),
      () => desk('POST', at(id, 'reserve')),
    ]);
    expect([retried?.status, reserved?.status].sort()).toEqual([200, 409]);
    const [row] = await world.db.query<Json>(
      'select status, by_hand_by is not null as reserved from movements where movement_id = $1',
      [id],
    );
    expect(row).toEqual(
      retried?.status === 200 ? { status: 'waiting', reserved: false } : { status: 'failed', reserved: true },
    );
    await venue.finishDueWork(checkoutId);
    expect((await refundsAtProcessor(id)).length).toBe(retried?.status === 200 ? 2 : 1);
    await expectBooksAgree();
  });

  it('is not sent once it is reserved: the payment by hand is recorded, and the retry refused', async () => {
    const { checkoutId, id } = await failedRefund();
    await reserve(id);
    const bea = deskOf(world, await createOperator(world.context, 'finance'));
    const [retried, paid] = await race(checkoutId, [
      () => bea('POST', at(id, 'retry')),
      () => desk('POST', at(id, 'pay_by_hand'), body),
    ]);
    expect([retried?.status, paid?.status]).toEqual([409, 200]);
    await venue.finishDueWork(checkoutId);
    expect(await refundsAtProcessor(id)).toHaveLength(1);
    await expectBooksAgree();
  });
});

/** The processor has refused the venue's transfers for two weeks. */
async function failedTransfers(): Promise<{ checkoutId: string; account: string; cases: Json[] }> {
  // The first payout opens the venue's account.
  const first = await venue.completed({ amount: 1_000, party_size: 2 });
  await venue.finishDueWork(first.id);
  const account = await payoutAccount();
  const checkout = await venue.completed({ amount: 10_000, party_size: 2 });
  await venue.stripe.rawRequest('POST', `/sandbox/accounts/${account}`, { transfers_status: 'restricted' });
  await world.db.query(
    `update movements set due_at = now() - interval '1 second', first_due_at = now() - interval '15 days' where checkout_id = $1`,
    [checkout.id],
  );
  await world.work();
  return { checkoutId: checkout.id, account, cases: await casesOf('needs_person', 'transfer') };
}

describe('a failed transfer', () => {
  it('says why it failed and what to do, and reaches the venue once the account is in order and it is tried again', async () => {
    const { checkoutId, account, cases } = await failedTransfers();
    expect(cases).toHaveLength(2);
    for (const one of cases)
      expect(one).toMatchObject({
        what: 'the venue was not paid',
        error: 'insufficient_capabilities_for_transfer',
        remedy: expect.stringMatching(/account cannot take transfers.*try now/),
        actions: ['retry', 'reserve'],
      });
    await venue.stripe.rawRequest('POST', `/sandbox/accounts/${account}`, { transfers_status: 'active' });
    for (const { id } of cases) expect((await desk('POST', at(id, 'retry'))).json).toEqual({ id, status: 'waiting' });
    await venue.finishDueWork(checkoutId);
    expect(await casesOf('needs_person', 'transfer')).toEqual([]);
    expect(await transferred(checkoutId)).toBe(10_000);
    await expectBooksAgree();
  });
});

describe('a failed transfer that an operator pays by hand', () => {
  it('is closed and counts as paid, and a later refund of it is owed by the venue', async () => {
    const { checkoutId, cases } = await failedTransfers();
    for (const { id } of cases) {
      await reserve(id);
      const paid = await desk('POST', at(id, 'pay_by_hand'), { reference: `SEPA ${id}` });
      expect([paid.status, paid.json]).toEqual([200, { id, status: 'closed' }]);
      expect((await desk('POST', at(id, 'retry'))).status).toBe(409);
      expect(await actionsOn(id)).toEqual(['movement.reserve', 'transfer.close']);
    }
    expect(await venue.balances(checkoutId)).toMatchObject({ paid_elsewhere: -10_000 });
    const payout = (await venue.get('/v1/payouts')).json.data.find((one: Json) => one.checkout_id === checkoutId);
    expect(payout).toMatchObject({ status: 'paid', paid_amount: 10_000 });
    await expectBooksAgree();
    expect((await venue.post(`/v1/checkouts/${checkoutId}/refund`, {})).status).toBe(200);
    await venue.finishDueWork(checkoutId);
    const debts = await casesOf('needs_person', 'debt');
    expect(debts.reduce((sum, { amount }) => sum + amount, 0)).toBe(10_000);
    await expectBooksAgree();
  });

  it('is not made smaller by a refund while it is reserved: what the operator pays stays what was shown', async () => {
    const { checkoutId, cases } = await failedTransfers();
    for (const { id } of cases) await reserve(id);
    expect((await venue.post(`/v1/checkouts/${checkoutId}/refund`, {})).status).toBe(200);
    for (const { id, amount } of cases) {
      const [now] = (await casesOf('needs_person', 'transfer')).filter((one) => one.id === id);
      expect(now.amount).toBe(amount);
      expect((await desk('POST', at(id, 'pay_by_hand'), { reference: `SEPA ${id}` })).status).toBe(200);
    }
    await venue.finishDueWork(checkoutId);
    await expectBooksAgree();
  });
});

describe('a failed reversal', () => {
  it('becomes a debt of the venue once, and can be written off', async () => {
    const checkout = await venue.completed({ amount: 10_000, party_size: 2 });
    await venue.finishDueWork(checkout.id);
    expect((await venue.post(`/v1/checkouts/${checkout.id}/refund`, {})).status).toBe(200);
    await world.db.query(
      `update movements set status = 'sending', sent_amount = null where checkout_id = $1 and kind = 'reversal'`,
      [checkout.id],
    );
    await world.db.query(
      `update movements set status = 'failed', due_at = null, last_error = 'amount_too_large' where checkout_id = $1 and kind = 'reversal'`,
      [checkout.id],
    );
    const whole = (await health()).figures;
    expect(whole.failed_reversals.amount).toBeGreaterThanOrEqual(10_000);
    const failed = await casesOf('needs_person', 'reversal');
    expect(failed).toHaveLength(2);
    for (const { id, amount, actions } of failed) {
      expect(actions).toEqual(['retry', 'owe']);
      expect((await desk('POST', at(id, 'reserve'))).status).toBe(409);
      const both = await Promise.all([desk('POST', at(id, 'owe')), desk('POST', at(id, 'owe'))]);
      expect(both.map(({ status }) => status)).toEqual([200, 200]);
      const debt = (await casesOf('needs_person', 'debt')).find((one) => one.id === id);
      expect(debt?.amount).toBe(amount);
      expect((await desk('POST', at(id, 'write_off'), { amount, note: 'Closed.' })).status).toBe(200);
      expect(await actionsOn(id)).toEqual(['reversal.owe', 'debt.write_off']);
    }
    await venue.finishDueWork(checkout.id);
    await expectBooksAgree();
  });
});

describe('a transfer before its payout time', () => {
  it('is not tried now: the answer says when it is due, and that it is sent by itself', async () => {
    const checkout = await venue.completed({ amount: 10_000, party_size: 2 });
    const [row] = await world.db.query<{ id: string }>(
      `select movement_id as id from movements where checkout_id = $1 and kind = 'transfer' limit 1`,
      [checkout.id],
    );
    const refused = await desk('POST', at(row?.id ?? '', 'retry'));
    expect([refused.status, refused.json.error.message]).toEqual([
      409,
      expect.stringMatching(/^This transfer is due at 20\d\d-.*, and is sent by itself then/),
    ]);
  });
});

describe('a reference or a note of spaces alone', () => {
  const ID = '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10';
  it.each([
    ['pay_by_hand', { reference: '   ' }, '/reference'],
    ['write_off', { amount: 1, note: '   ' }, '/note'],
  ])('is refused by %s at its field', async (action, body, pointer) => {
    const refused = await desk('POST', at(ID, action), body);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(pointer)]);
  });

  it('is refused when a venue is suspended', async () => {
    const admin = deskOf(world, await createOperator(world.context, 'admin'));
    const refused = await admin('POST', `/venues/${venue.venueId}/suspend`, { note: '   ' });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('/note')]);
  });
});

describe('the figures of the money page', () => {
  it('count and sum everything, while the lists are cut at their limit and say so', async () => {
    await failedTransfers();
    const whole = await health();
    const cut = (await desk('GET', '/money?mode=test&limit=1')).json;
    expect(cut.figures).toEqual(whole.figures);
    expect(cut.figures.failed_payouts.count).toBeGreaterThanOrEqual(2);
    const failed = whole.needs_person.filter(({ kind }: Json) => kind === 'transfer');
    expect(cut.figures.failed_payouts).toEqual({
      count: failed.length,
      amount: failed.reduce((sum: number, { amount }: Json) => sum + amount, 0),
    });
    expect(cut.needs_person.filter(({ kind }: Json) => kind === 'transfer')).toHaveLength(1);
    expect([cut.has_more.needs_person, whole.has_more]).toEqual([true, { needs_person: false, waiting: false }]);
    const refused = await desk('GET', '/money?mode=test&limit=201');
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('limit')]);
  });

  it('are read through indexes of what is stuck: no statement reads a table as a whole', async () => {
    const scanned = new Set<string>();
    const read: Promise<void>[] = [];
    const explain = async (text: string, values: readonly unknown[]): Promise<void> => {
      const plan = await world.db.transaction(async (tx) => {
        await tx.query('set local enable_seqscan = off');
        return tx.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      });
      for (const line of plan) {
        const [, table] = /Seq Scan on (\w+)/.exec(line['QUERY PLAN']) ?? [];
        if (table !== undefined) scanned.add(table);
      }
    };
    const db = {
      query: (text: string, values: readonly unknown[] = []) => {
        read.push(explain(text, values));
        return world.db.query(text, values);
      },
    };
    await getMoneyHealth(
      { db: db as Db, processors: {} },
      { now: Date.now(), actor: { name: 'operator' } } as DeskCaller,
      { query: {} } as Input,
    );
    await Promise.all(read);
    expect(read.length).toBeGreaterThan(8);
    expect([...scanned].filter((table) => table !== 'checks')).toEqual([]);
  });
});

describe('a movement that is being sent', () => {
  it('keeps its lease when an operator tries it again: no second worker takes it', async () => {
    const checkout = await venue.completed({ amount: 10_000, party_size: 2 });
    const dueIn = async (seconds: number): Promise<number> => {
      const [row] = await world.db.query<{ id: string }>(
        `update movements set status = 'sending', due_at = now() + make_interval(secs => $2)
         where movement_id = (select movement_id from movements where checkout_id = $1 order by movement_id limit 1)
         returning movement_id as id`,
        [checkout.id, seconds],
      );
      expect((await desk('POST', at(row?.id ?? '', 'retry'))).status).toBe(200);
      const [after] = await world.db.query<{ left: number }>(
        'select extract(epoch from due_at - now())::float8 as left from movements where movement_id = $1',
        [row?.id],
      );
      return after?.left ?? 0;
    };
    expect(await dueIn(50)).toBeGreaterThan(30);
    // The lease of a worker whose clock is 20 seconds ahead.
    expect(await dueIn(80)).toBeGreaterThan(60);
    expect(await dueIn(3_600)).toBeLessThan(30);
    await world.db.query(`update movements set due_at = now() - interval '1 second' where checkout_id = $1`, [
      checkout.id,
    ]);
    await venue.finishDueWork(checkout.id);
  });
});

/** The venue was paid, its account is empty, and the guests got everything back. */
async function debt(amount: number): Promise<Json> {
  const checkout = await venue.completed({ amount, party_size: 2 });
  await venue.finishDueWork(checkout.id);
  await venue.stripe.rawRequest('POST', '/sandbox/payouts', { account: await payoutAccount() });
  expect((await venue.post(`/v1/checkouts/${checkout.id}/refund`, {})).status).toBe(200);
  await venue.finishDueWork(checkout.id);
  return (await casesOf('needs_person', 'debt'))[0];
}

describe('what a venue owes', () => {
  it('is written off once, by the amount that was shown, and its later payouts are whole', async () => {
    const owed = await debt(10_000);
    expect(owed).toMatchObject({ amount: 5_000, actions: ['write_off'] });
    const path = at(owed.id, 'write_off');
    const other = await desk('POST', path, { amount: 4_999, note: 'Closed for good.' });
    expect([other.status, other.json.error.reason]).toEqual([409, 'debt_changed']);
    const body = { amount: 5_000, note: 'Closed for good.' };
    const both = await Promise.all([desk('POST', path, body), desk('POST', path, body)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect((await desk('POST', path, { ...body, note: 'Another note.' })).status).toBe(409);
    expect(await actionsOn(owed.id)).toEqual(['debt.write_off']);
    await expectBooksAgree();
    for (const rest of await casesOf('needs_person', 'debt'))
      expect((await desk('POST', at(rest.id, 'write_off'), { amount: rest.amount, note: 'Closed.' })).status).toBe(200);
    const later = await venue.completed({ amount: 8_000, party_size: 2 });
    await venue.finishDueWork(later.id);
    expect(await transferred(later.id)).toBe(8_000);
    await expectBooksAgree();
  });
});

describe('the books', () => {
  it('are shown as the last ledger check and the last reconcile left them', async () => {
    await venue.completed({ amount: 8_000, party_size: 2 });
    const cli = commandLine(world);
    await cli.run('ledger', 'check');
    await cli.run('reconcile', '--mode', 'test');
    const { books, reconcile } = await health();
    expect(books).toEqual({ at: expect.any(String), differences: 0, is_old: false });
    expect(reconcile).toEqual({ at: expect.any(String), differences: expect.any(Number), is_old: false });
  });
});

describe('an unknown checkout or movement', () => {
  it.each([
    'movements/0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10/retry',
    'movements/nonsense/retry',
    'checkouts/chk_unknown/retry',
  ])('%s is not found', async (path) => {
    expect((await desk('POST', `/money/venues/${venue.venueId}/${path}`)).status).toBe(404);
    expect((await desk('POST', `/money/venues/nonsense/${path}`)).status).toBe(404);
  });
});
