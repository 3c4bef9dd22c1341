// A refund that an operator pays by hand, and a dispute of the same charge. The guest must not have the money twice unseen:
// reserving waits for the dispute, and what was paid before is booked as our own loss.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkLedger } from '../../src/domain/checkouts/accounting/check-ledger.ts';
import { createOperator, deskOf } from '../support/desk-client.ts';
import { type DisputeTools, disputeTools } from '../support/disputes.ts';
import { CARDS, intentIdOf, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

const REFUND_FAILS = '4000000000005126';

let world: TestWorld;
let venue: TestVenue;
let disputes: DisputeTools;
let desk: ReturnType<typeof deskOf>;
beforeAll(async () => {
  world = await openTestWorld({ env: { PAYOUT_DELAY_HOURS: '24' } });
  desk = deskOf(world, await createOperator(world.context, 'finance'));
});
afterAll(() => world.close());
beforeEach(async () => {
  venue = await openTestVenue(world);
  disputes = disputeTools(world, venue);
  await venue.setFee(1_000, 0);
});

interface FailedRefund {
  readonly checkoutId: string;
  readonly id: string;
  /** Of the guest whose refund failed. */
  readonly intent: string;
}

/** Two shares of 100.00 with a fee of 10.00 each; of each `amount` / 2 is refunded, and the first refund fails after it was done. */
async function failedRefund(amount = 20_000): Promise<FailedRefund> {
  const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
  const [secret] = await venue.payAll(checkout, [REFUND_FAILS, CARDS.good]);
  if (secret === undefined) throw new Error('no card is held');
  await venue.finishDueWork(checkout.id);
  expect((await venue.post(`/v1/checkouts/${checkout.id}/refund`, { amount })).status).toBe(200);
  await world.work();
  world.processorClock.aheadMs += 31_000;
  await venue.finishDueWork(checkout.id);
  const [row] = await world.db.query<{ id: string }>(
    `select movement_id as id from movements where checkout_id = $1 and status = 'failed' and kind = 'refund'`,
    [checkout.id],
  );
  return { checkoutId: checkout.id, id: row?.id ?? '', intent: intentIdOf(secret) };
}

const act = ({ id }: FailedRefund, action: string, body?: object): Promise<HttpResponse> =>
  desk('POST', `/money/venues/${venue.venueId}/movements/${id}/${action}`, body);
const reserve = (refund: FailedRefund) => act(refund, 'reserve');
const pay = (refund: FailedRefund) => act(refund, 'pay_by_hand', { reference: 'SEPA 4711' });

async function open({ intent }: FailedRefund, amount = 10_000): Promise<string> {
  const disputeId = await disputes.open(intent, amount);
  await disputes.deliverEvents(intent);
  return disputeId;
}

async function close({ intent, checkoutId }: FailedRefund, disputeId: string, outcome: 'won' | 'lost'): Promise<void> {
  await disputes.close(disputeId, outcome);
  await disputes.deliverEvents(intent);
  await venue.finishDueWork(checkoutId);
}

async function partsOf(disputeId: string): Promise<Json | undefined> {
  const [row] = await world.db.query<Json>(
    `select status, venue_part as venue, fee_part as fee, returned_part as returned, own_part as own from disputes where dispute_id = $1`,
    [disputeId],
  );
  return row;
}

const statusOf = async ({ id }: FailedRefund): Promise<string | undefined> =>
  (await world.db.query<{ status: string }>('select status from movements where movement_id = $1', [id]))[0]?.status;

/** The books agree, no event waits, and `paidTwice` of this checkout is our loss. */
async function expectSettled({ checkoutId }: FailedRefund, paidTwice: number): Promise<void> {
  expect((await checkLedger(world.db)).problems).toEqual([]);
  expect(await world.db.query('select 1 from processor_events where due_at is not null')).toEqual([]);
  const [loss] = await world.db.query<{ amount: number }>(
    `select coalesce(sum(amount), 0)::integer as amount from ledger_entries
     where checkout_id = $1 and kind = 'dispute_paid_twice' and debit = 'written_off'`,
    [checkoutId],
  );
  expect(loss?.amount).toBe(paidTwice);
  // By refund.created less refund.failed a partner knows what was refunded.
  const [announced] = await world.db.query<{ amount: number }>(
    `select coalesce(sum((data -> 'refund' ->> 'amount')::integer * case type when 'refund.created' then 1 else -1 end), 0)::integer
       as amount from events where subject = $1 and type like 'refund.%'`,
    [checkoutId],
  );
  expect(announced?.amount).toBe((await venue.read(checkoutId)).refunded_amount);
}

describe('a failed refund whose charge is disputed', () => {
  it('is not reserved for payment by hand until the dispute is decided', async () => {
    const refund = await failedRefund();
    const disputeId = await open(refund);
    const refused = await reserve(refund);
    expect([refused.status, refused.json.error.reason]).toEqual([409, 'charge_disputed']);
    expect(refused.json.error.message).toContain('do not pay it');
    await close(refund, disputeId, 'won');
    expect((await reserve(refund)).status).toBe(200);
    await expectSettled(refund, 0);
  });
});

describe('a dispute that opens after a refund was paid by hand', () => {
  async function paidByHand(amount?: number): Promise<FailedRefund> {
    const refund = await failedRefund(amount);
    expect((await reserve(refund)).status).toBe(200);
    expect((await pay(refund)).status).toBe(200);
    return refund;
  }

  it('changes nothing when it is won', async () => {
    const refund = await paidByHand();
    const disputeId = await open(refund);
    await close(refund, disputeId, 'won');
    expect(await statusOf(refund)).toBe('closed');
    await expectSettled(refund, 0);
  });

  it('is our loss when it is lost: the guest has the refund twice, and the venue loses nothing more', async () => {
    const refund = await paidByHand();
    const disputeId = await open(refund);
    await close(refund, disputeId, 'lost');
    expect(await partsOf(disputeId)).toEqual({ status: 'lost', venue: 0, fee: 0, returned: 0, own: 10_000 });
    await expectSettled(refund, 10_000);
  });

  it('is our loss only as far as it was paid by hand: the venue and our fee bear the rest', async () => {
    const refund = await paidByHand(8_000);
    const disputeId = await open(refund);
    await close(refund, disputeId, 'lost');
    expect(await partsOf(disputeId)).toEqual({ status: 'lost', venue: 5_400, fee: 600, returned: 0, own: 4_000 });
    await expectSettled(refund, 4_000);
  });
});

describe('a dispute that is lost while an operator pays the refund by hand', () => {
  async function lostWhileReserved(): Promise<{ refund: FailedRefund; disputeId: string }> {
    const refund = await failedRefund();
    expect((await reserve(refund)).status).toBe(200);
    const disputeId = await open(refund);
    await close(refund, disputeId, 'lost');
    expect(await partsOf(disputeId)).toMatchObject({ status: 'lost', venue: null });
    expect(await statusOf(refund)).toBe('failed');
    return { refund, disputeId };
  }

  /** The worker tries the event again within the hour. */
  async function nextTry(): Promise<void> {
    await world.db.query(`update processor_events set due_at = now() - interval '1 second' where due_at is not null`);
    await world.work();
  }

  it.each<[string, (refund: FailedRefund) => Promise<HttpResponse>, string, number, number]>([
    ['our loss once it is marked as paid', pay, 'closed', 10_000, 0],
    ['the refund itself once it is given back', (refund) => act(refund, 'give_back'), 'dropped', 0, 9_000],
  ])('is %s', async (_, end, status, own, venuePart) => {
    const { refund, disputeId } = await lostWhileReserved();
    expect((await end(refund)).status).toBe(200);
    await nextTry();
    expect(await statusOf(refund)).toBe(status);
    expect(await partsOf(disputeId)).toMatchObject({ venue: venuePart, own });
    await expectSettled(refund, own);
  });
});
