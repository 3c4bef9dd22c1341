// Reconciliation with records that are older than the processor's, as after a restored backup: it lists what it does not
// know, refunds and releases only what an operator applies, and never what the venue was paid with.

import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reconcile } from '../../src/domain/checkouts/accounting/reconcile.ts';
import { recordAlive } from '../../src/domain/installation/record-gaps.ts';
import { type Processor, ProcessorRefusal } from '../../src/domain/payments/processor.ts';
import { settleDueMovements } from '../../src/domain/payments/settle-movements.ts';
import { CARDS, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
beforeEach(async () => {
  world = await openTestWorld();
  venue = await openTestVenue(world);
});
afterEach(() => world.close());

const DAY = 86_400_000;
const CHECKOUT = 'chk_00000000000000000000000000';

/** A card that is held at the processor for a hold that our records do not have. */
async function unknownHold(amount: number): Promise<string> {
  const { id } = await venue.stripe.paymentIntents.create({
    amount,
    currency: 'usd',
    capture_method: 'manual',
    payment_method: 'pm_card_visa',
    confirm: true,
    transfer_group: CHECKOUT,
    metadata: { venue_id: venue.venueId, checkout_id: CHECKOUT, share_id: 'shr_0', hold_id: randomUUID() },
  });
  return id;
}

async function unknownCharge(amount: number): Promise<string> {
  const id = await unknownHold(amount);
  await venue.stripe.paymentIntents.capture(id);
  return id;
}

async function refundedOf(intent: string): Promise<number> {
  const { latest_charge: charge } = await venue.stripe.paymentIntents.retrieve(intent, { expand: ['latest_charge'] });
  return typeof charge === 'object' && charge !== null ? charge.amount_refunded : 0;
}

async function run(apply: { confirmedCharges: number | null } | null) {
  const { differences } = await reconcile(world.context.services, {
    mode: 'test',
    since: Date.now() - DAY,
    apply: apply === null ? null : { command: world.command(), ...apply },
  });
  return differences.map(({ what, done }) => ({ what, done }));
}

const audited = (): Promise<{ action: string; subject: string }[]> =>
  world.db.query("select action, subject from audit_log where action like 'reconcile.%' order by audit_id");

describe('a charge that is not in our records', () => {
  it('is listed, and refunded once when an operator applies it', async () => {
    const intent = await unknownCharge(5_000);
    const what = '5000 was charged and is not in our records';
    expect(await run(null)).toEqual([{ what: `${what}: --apply refunds it`, done: null }]);
    expect(await refundedOf(intent)).toBe(0);
    expect(await run({ confirmedCharges: null })).toEqual([{ what, done: 'refunded' }]);
    expect(await run({ confirmedCharges: null })).toEqual([]);
    expect(await refundedOf(intent)).toBe(5_000);
    expect(await audited()).toEqual([{ action: 'reconcile.refund', subject: intent }]);
  });

  it('is one of more than three: nothing is applied before an operator confirms their number', async () => {
    const intents: string[] = [];
    for (const amount of [1_000, 2_000, 3_000, 4_000]) intents.push(await unknownCharge(amount));
    const held = await unknownHold(700);
    const stopped = {
      what: '4 charges are not in our records, which looks like a restored backup: nothing is released or refunded',
      done: null,
    };
    for (const confirmedCharges of [null, 3, 5]) {
      const found = await run({ confirmedCharges });
      expect(found[0]).toEqual(stopped);
      expect(found.map(({ done }) => done)).toEqual(Array(6).fill(null));
    }
    expect(await Promise.all(intents.map(refundedOf))).toEqual([0, 0, 0, 0]);
    expect((await venue.stripe.paymentIntents.retrieve(held)).status).toBe('requires_capture');
    expect(await audited()).toEqual([]);
    expect((await run({ confirmedCharges: 4 })).map(({ done }) => done).sort()).toEqual([
      ...Array(4).fill('refunded'),
      'released',
    ]);
    expect(await Promise.all(intents.map(refundedOf))).toEqual([1_000, 2_000, 3_000, 4_000]);
  });

  it('is not refunded when the venue was paid with it', async () => {
    const paid = await venue.completed({ amount: 1_000 });
    const intent = await unknownCharge(5_000);
    const { latest_charge } = await venue.stripe.paymentIntents.retrieve(intent);
    const [account] = await world.db.query<{ id: string }>('select account_id as id from payout_accounts');
    await venue.stripe.transfers.create({
      amount: 4_000,
      currency: 'usd',
      destination: account?.id ?? '',
      source_transaction: String(latest_charge),
      transfer_group: CHECKOUT,
    });
    const what = '5000 was charged and is not in our records: the venue was paid with it';
    expect(await run({ confirmedCharges: null })).toEqual([{ what, done: null }]);
    expect([await refundedOf(intent), paid.status]).toEqual([0, 'completed']);
  });

  const UNRECORDED =
    '5000 was charged and is not in our records: it was made at a time that our records do not have (a restored backup?)';

  it('is not refunded when it was made after the backup was taken, however few there are', async () => {
    await recordAlive(world.db, Date.now());
    // The backup is an hour old, and nothing has run on it since.
    await world.db.query("update installation set alive_at = now() - interval '1 hour'");
    const intent = await unknownCharge(5_000);
    for (let time = 0; time < 2; time++) {
      expect(await run({ confirmedCharges: 1 })).toEqual([{ what: UNRECORDED, done: null }]);
    }
    expect(await refundedOf(intent)).toBe(0);
    const [gap, ...others] = await world.db.query<{ minutes: number }>(
      'select round(extract(epoch from ended_at - began_at) / 60)::integer as minutes from record_gaps',
    );
    expect([gap?.minutes, others]).toEqual([60, []]);
  });

  it('is not refunded when it is older than the installation', async () => {
    const intent = await unknownCharge(5_000);
    await world.db.query("update installation set created_at = now() + interval '1 minute'");
    expect(await run({ confirmedCharges: null })).toEqual([{ what: UNRECORDED, done: null }]);
    expect(await refundedOf(intent)).toBe(0);
  });
});

describe('a capture whose record was lost in a failover', () => {
  it('is returned to its guest by the worker, and reported as long as the venue has the money', async () => {
    const checkout = await venue.collecting({ amount: 2_000, party_size: 2 });
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    // The records do not have the completion: the charge, and the transfer to the venue.
    const [intent] = (await venue.intents(checkout.id)).filter(({ status }) => status === 'requires_capture');
    const { latest_charge: charge } = await venue.stripe.paymentIntents.capture(intent?.id ?? '');
    const paid = await venue.completed({ amount: 1_000 });
    const [account] = await world.db.query<{ id: string }>('select account_id as id from payout_accounts');
    const transfer = await venue.stripe.transfers.create({
      amount: 900,
      currency: 'usd',
      destination: account?.id ?? '',
      source_transaction: String(charge),
      transfer_group: checkout.id,
    });
    await world.db.query("update holds set due_at = now() - interval '1 second' where status = 'held'");
    await world.work();
    expect([await refundedOf(intent?.id ?? ''), paid.status]).toEqual([1_000, 'completed']);
    const what = 'the charge was returned to its guest, and the venue was paid with it';
    expect(await run(null)).toEqual([{ what, done: null }]);
    await venue.stripe.transfers.createReversal(transfer.id);
    expect(await run(null)).toEqual([]);
  });
});

describe('a card that is held without a record', () => {
  it('is released only when an operator applies it', async () => {
    const intent = await unknownHold(5_000);
    const what = 'a card is held, and the hold is not in our records';
    expect(await run(null)).toEqual([{ what: `${what}: --apply releases it`, done: null }]);
    expect((await venue.stripe.paymentIntents.retrieve(intent)).status).toBe('requires_capture');
    expect(await run({ confirmedCharges: null })).toEqual([{ what, done: 'released' }]);
    expect((await venue.stripe.paymentIntents.retrieve(intent)).status).toBe('canceled');
    expect(await audited()).toEqual([{ action: 'reconcile.release', subject: intent }]);
  });
});

describe('a failure that the processor stores', () => {
  const fail = (on: string, times: number): void =>
    world.processor.api.faults.set({ rules: [{ id: on, on, kind: 'error_500_rolled_back', times }] });

  it('for one release is reported, and neither keeps the others from being compared nor the next run', async () => {
    const intents = [await unknownHold(5_000), await unknownHold(6_000)];
    fail('payment_intents.cancel', 1);
    const first = await run({ confirmedCharges: null });
    expect(first.map(({ done }) => done).sort()).toEqual([null, 'released']);
    expect(first.find(({ done }) => done === null)?.what).toContain('the release has no answer yet');
    expect((await run({ confirmedCharges: null })).map(({ done }) => done)).toEqual(['released']);
    for (const id of intents) expect((await venue.stripe.paymentIntents.retrieve(id)).status).toBe('canceled');
  });

  it('for a refund that was made makes no second one', async () => {
    const intent = await unknownCharge(5_000);
    world.processor.api.faults.set({ rules: [{ id: 'r', on: 'refunds.create', kind: 'error_500_after', times: 1 }] });
    expect((await run({ confirmedCharges: null }))[0]?.done).toBe(null);
    expect(await run({ confirmedCharges: null })).toEqual([]);
    expect(await refundedOf(intent)).toBe(5_000);
  });
});

it('the refund of an unknown charge that is pending is not called refunded', async () => {
  const { id } = await venue.stripe.paymentIntents.create({
    amount: 5_000,
    currency: 'usd',
    capture_method: 'manual',
    payment_method: 'pm_card_pendingRefund',
    confirm: true,
    metadata: { venue_id: venue.venueId, checkout_id: CHECKOUT, share_id: 'shr_0', hold_id: randomUUID() },
  });
  await venue.stripe.paymentIntents.capture(id);
  expect((await run({ confirmedCharges: null }))[0]?.done).toBe('refund pending (processing)');
});

describe('a movement', () => {
  const movements = () =>
    world.db.query<{ status: string; attempts: number }>(
      "select status, lease_token as attempts from movements where kind = 'transfer'",
    );

  it('that was sent before the backup was taken is found, not sent again', async () => {
    const completed = await venue.completed({ amount: 1_000, party_size: 2 });
    // The records as they were before the transfer, restored two days later.
    await world.db.query('alter table movements disable trigger movement_status_follows_the_transitions');
    await world.db.query(
      `update movements set status = 'waiting', lease_token = 0, processor_id = null, done_at = null, key_number = 1,
         due_at = now() - interval '1 second', first_due_at = now() - interval '2 days'`,
    );
    await world.db.query('alter table movements enable trigger movement_status_follows_the_transitions');
    await world.db.query('alter table ledger_entries disable trigger ledger_entries_are_append_only');
    await world.db.query("delete from ledger_entries where kind = 'transfer'");
    await world.work();
    expect(await movements()).toEqual(Array(2).fill({ status: 'done', attempts: 1 }));
    expect(await venue.paidOutAtProcessor(completed.id)).toBe(completed.net_amount);
  });

  it('that waits for more than a day is reported with its reason', async () => {
    await venue.runTestHelper((await venue.create({ amount: 1_000, party_size: 2 })).id, 'complete');
    world.processor.api.faults.set({ rules: [{ id: 't', on: 'transfers.create', kind: 'rate_limited' }] });
    await world.work();
    expect(await run(null)).toEqual([]);
    await world.db.query("update movements set first_due_at = now() - interval '25 hours'");
    const what = expect.stringMatching(
      /^a transfer of 500 waits for 25 hours \(transfer: the card processor is too busy/,
    );
    expect(await run(null)).toEqual(Array(2).fill({ what, done: null }));
  });

  it('is retried for two weeks from when it was first due, not from when it was created', async () => {
    const refusing = new Proxy(world.context.services.processors.test as Processor, {
      get:
        (processor, name: keyof Processor) =>
        async (...args: unknown[]) => {
          if (name === 'transfer') throw new ProcessorRefusal('balance_insufficient', 'transfer: refused');
          return (processor[name] as (...args: unknown[]) => unknown).apply(processor, args);
        },
    });
    const services = { ...world.context.services, processors: { test: refusing } };
    await venue.runTestHelper((await venue.create({ amount: 1_000, party_size: 2 })).id, 'complete');
    const dueAt = (interval: string) =>
      world.db.query(
        "update movements set due_at = now() - interval '1 second', created_at = now() - interval '60 days', first_due_at = now() - $1::interval",
        [interval],
      );
    await dueAt('13 days');
    await settleDueMovements(services, 10);
    expect(await movements()).toMatchObject([{ status: 'sending' }, { status: 'sending' }]);
    await dueAt('15 days');
    await settleDueMovements(services, 10);
    expect(await movements()).toMatchObject([{ status: 'failed' }, { status: 'failed' }]);
  });
});
