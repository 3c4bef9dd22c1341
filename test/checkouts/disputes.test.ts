// A disputed charge: its transfer to the venue waits for the end of the dispute. A lost dispute is borne by the venue and
// our fee in exact proportion, out of a transfer that waits or by a reversal of one that was sent.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkLedger } from '../../src/domain/checkouts/accounting/check-ledger.ts';
import { listDisputeRows } from '../../src/domain/payments/dispute-list-queries.ts';
import { type DisputeTools, disputeTools } from '../support/disputes.ts';
import { CARDS, expectConflict, intentIdOf, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
let disputes: DisputeTools;
beforeAll(async () => {
  world = await openTestWorld({ env: { PAYOUT_DELAY_HOURS: '24' } });
  venue = await openTestVenue(world);
  await venue.setFee(1_000, 0);
  disputes = disputeTools(world, venue);
});
afterAll(() => world.close());

interface Disputed {
  readonly checkout: Json;
  readonly intent: string;
  readonly disputeId: string;
}

/** A completed checkout of two shares of 10,000 (fee 1,000 each), whose first charge is disputed. */
async function disputed({ isPaidOut = false, amount = 10_000 } = {}): Promise<Disputed> {
  const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
  const [secret] = await venue.payAll(checkout, [CARDS.good]);
  await world.work();
  const completed = await venue.read(checkout.id);
  expect(completed.status).toBe('completed');
  if (isPaidOut) await venue.finishDueWork(checkout.id);
  const intent = secret === undefined ? '' : intentIdOf(secret);
  const disputeId = await disputes.open(intent, amount);
  await disputes.deliverEvents(intent);
  return { checkout: completed, intent, disputeId };
}

async function close(
  { disputeId, intent, checkout }: Disputed,
  outcome: 'won' | 'lost',
  form: Record<string, string> = {},
): Promise<void> {
  await disputes.close(disputeId, outcome, form);
  await disputes.deliverEvents(intent);
  await venue.finishDueWork(checkout.id);
}

const transfersOf = (id: string): Promise<{ status: string; amount: number }[]> =>
  world.db.query(
    `select m.status, m.amount from movements m join shares s on s.venue_id = m.venue_id and s.share_id = m.share_id
     where m.checkout_id = $1 and m.kind = 'transfer' order by s.position`,
    [id],
  );

async function expectBooksAgree(): Promise<void> {
  const { problems } = await checkLedger(world.db);
  expect(problems).toEqual([]);
}

describe('while a charge is disputed', () => {
  it('its transfer waits, and the other transfers are sent; after a won dispute it is sent too', async () => {
    const dispute = await disputed();
    const { id } = dispute.checkout;
    await venue.finishDueWork(id);
    await venue.finishDueWork(id);
    expect(await transfersOf(id)).toEqual([
      { status: 'frozen', amount: 9_000 },
      { status: 'done', amount: 9_000 },
    ]);
    expect(await venue.paidOutAtProcessor(id)).toBe(9_000);
    await close(dispute, 'won');
    expect(await venue.paidOutAtProcessor(id)).toBe(18_000);
    expect(await venue.balances(id)).toEqual({ processor_balance: 2_000, fee_income: -2_000 });
    await expectBooksAgree();
  });

  it('the statement shows the payout as pending', async () => {
    const { checkout } = await disputed();
    await venue.finishDueWork(checkout.id);
    const { json } = await venue.get('/v1/payouts');
    const payout = json.data.find((one: Json) => one.checkout_id === checkout.id);
    expect([payout.status, payout.paid_amount]).toEqual(['pending', 9_000]);
    expect(payout.transfers.map(({ status }: Json) => status).sort()).toEqual(['paid', 'pending']);
  });
});

describe('the processor’s fee for a dispute', () => {
  const feesOf = async (id: string): Promise<number> => (await venue.allBalances(id)).processor_fees ?? 0;
  const CHARGES = 2 * (290 + 30);

  it('is in the ledger once, and in the statement, also when the dispute is won', async () => {
    const dispute = await disputed();
    const { id } = dispute.checkout;
    expect(await feesOf(id)).toBe(CHARGES + 1_500);
    await close(dispute, 'won');
    expect(await feesOf(id)).toBe(CHARGES + 1_500);
    const { json } = await venue.get('/v1/payouts');
    const payout = json.data.find((one: Json) => one.checkout_id === id);
    expect(payout.processor_fee_amount).toBe(CHARGES + 1_500);
    const sum = json.data.reduce((total: number, one: Json) => total + one.processor_fee_amount, 0);
    expect(json.totals.processor_fee_amount).toBe(sum);
    await expectBooksAgree();
  });

  it('is taken out of the ledger if the processor gives it back', async () => {
    const dispute = await disputed();
    await close(dispute, 'won', { return_fee: 'true' });
    expect(await feesOf(dispute.checkout.id)).toBe(CHARGES);
    await expectBooksAgree();
  });
});

describe('a lost dispute', () => {
  it('before the payout is taken from the transfer', async () => {
    const dispute = await disputed();
    const { id } = dispute.checkout;
    await close(dispute, 'lost');
    expect(await transfersOf(id)).toEqual([
      { status: 'dropped', amount: 0 },
      { status: 'done', amount: 9_000 },
    ]);
    expect(await venue.paidOutAtProcessor(id)).toBe(9_000);
    expect(await venue.balances(id)).toEqual({ processor_balance: 1_000, fee_income: -1_000 });
    await expectBooksAgree();
  });

  it('of a part of the charge reduces the transfer in exact proportion', async () => {
    const dispute = await disputed({ amount: 3_333 });
    const { id } = dispute.checkout;
    await venue.finishDueWork(id);
    await close(dispute, 'lost');
    expect(await transfersOf(id)).toEqual([
      { status: 'done', amount: 9_000 - 3_000 },
      { status: 'done', amount: 9_000 },
    ]);
    expect(await venue.balances(id)).toEqual({ processor_balance: 1_667, fee_income: -1_667 });
    await expectBooksAgree();
  });

  it('after the payout reverses the venue’s part', async () => {
    const dispute = await disputed({ isPaidOut: true });
    const { id } = dispute.checkout;
    expect(await venue.paidOutAtProcessor(id)).toBe(18_000);
    await close(dispute, 'lost');
    expect(await venue.paidOutAtProcessor(id)).toBe(9_000);
    expect(await venue.balances(id)).toEqual({ processor_balance: 1_000, fee_income: -1_000 });
    const { json } = await venue.get('/v1/payouts');
    const payout = json.data.find((one: Json) => one.checkout_id === id);
    expect([payout.amount, payout.reversed_amount, payout.paid_amount]).toEqual([18_000, 9_000, 9_000]);
    await expectBooksAgree();
  });

  it('cannot be refunded: the refund takes what is left', async () => {
    const dispute = await disputed({ isPaidOut: true, amount: 4_000 });
    const { id } = dispute.checkout;
    await close(dispute, 'lost');
    const path = `/v1/checkouts/${id}/refund`;
    const tooMuch = await venue.post(path, { amount: 16_001 });
    expect([tooMuch.status, tooMuch.json.errors[0].example_fix], tooMuch.text).toEqual([422, 16_000]);
    const response = await venue.post(path, { amount: 10_000 });
    expect(response.status, response.text).toBe(200);
    // In proportion to the 6,000 and 10,000 that are left.
    expect(response.json.shares.map((share: Json) => share.refunded_amount)).toEqual([3_750, 6_250]);
    expect((await venue.post(path, {})).json.refunded_amount).toBe(16_000);
    expectConflict(await venue.post(path, {}), 'nothing_to_refund');
    await expectBooksAgree();
  });
});

describe('a dispute of the whole charge after a part of it was refunded', () => {
  async function refundedAndDisputed(): Promise<Disputed> {
    const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
    const [secret] = await venue.payAll(checkout, [CARDS.good]);
    await world.work();
    expect((await venue.post(`/v1/checkouts/${checkout.id}/refund`, { amount: 4_000 })).status).toBe(200);
    await venue.finishDueWork(checkout.id);
    const intent = secret === undefined ? '' : intentIdOf(secret);
    const disputeId = await disputes.open(intent, 10_000);
    await disputes.deliverEvents(intent);
    return { checkout: await venue.read(checkout.id), intent, disputeId };
  }

  it('costs the venue and our fee what was left, when it is lost: the refunded part comes back', async () => {
    const dispute = await refundedAndDisputed();
    const { id } = dispute.checkout;
    await close(dispute, 'lost');
    // 8,000 of the second share are left, 800 of them the fee.
    expect(await venue.balances(id)).toEqual({ processor_balance: 800, fee_income: -800 });
    expect(await venue.paidOutAtProcessor(id)).toBe(7_200);
    expect((await venue.post(`/v1/checkouts/${id}/refund`, { amount: 8_001 })).json.errors[0].example_fix).toBe(8_000);
    await expectBooksAgree();
  });

  it('changes nothing when it is won', async () => {
    const dispute = await refundedAndDisputed();
    await close(dispute, 'won');
    const { id } = dispute.checkout;
    expect(await venue.paidOutAtProcessor(id)).toBe(14_400);
    expect(await venue.balances(id)).toEqual({ processor_balance: 1_600, fee_income: -1_600 });
    await expectBooksAgree();
  });
});

describe('a won dispute', () => {
  it('after the payout changes nothing for the venue', async () => {
    const dispute = await disputed({ isPaidOut: true });
    const { id } = dispute.checkout;
    await close(dispute, 'won');
    expect(await venue.paidOutAtProcessor(id)).toBe(18_000);
    expect(await venue.balances(id)).toEqual({ processor_balance: 2_000, fee_income: -2_000 });
    await expectBooksAgree();
  });
});

describe('after the end of a dispute', () => {
  // What came back is sent from the service's own balance, which other bookings have filled.
  beforeAll(async () => {
    await venue.payAll(await venue.collecting({ party_size: 2, amount: 20_000 }), [CARDS.good]);
    await world.work();
  });

  async function change({ checkout, intent, disputeId }: Disputed, form: Record<string, string> = {}): Promise<void> {
    await disputes.call(`${disputeId}/take_back`, form);
    await disputes.deliverEvents(intent);
    await venue.finishDueWork(checkout.id);
  }
  const partsOf = async ({ disputeId }: Disputed): Promise<Json | undefined> =>
    (
      await world.db.query<Json>(
        `select status, venue_part as venue, fee_part as fee, returned_part as returned, own_part as own
         from disputes where dispute_id = $1`,
        [disputeId],
      )
    )[0];

  it.each([false, true])(
    'a guest who takes a lost one back pays the venue and our fee again (paid out before: %s)',
    async (isPaidOut) => {
      const dispute = await disputed({ isPaidOut });
      const { id } = dispute.checkout;
      await close(dispute, 'lost');
      expect(await venue.paidOutAtProcessor(id)).toBe(9_000);
      await change(dispute);
      expect(await partsOf(dispute)).toEqual({ status: 'won', venue: 0, fee: 0, returned: 0, own: 0 });
      expect(await venue.paidOutAtProcessor(id)).toBe(18_000);
      expect(await venue.balances(id)).toEqual({ processor_balance: 2_000, fee_income: -2_000 });
      const { json } = await venue.get('/v1/payouts');
      const payout = json.data.find((one: Json) => one.checkout_id === id);
      expect([payout.status, payout.paid_amount]).toEqual(['paid', 18_000]);
      await expectBooksAgree();
    },
  );

  it('what comes back in parts is divided in exact proportion, and the charge can be refunded again', async () => {
    const dispute = await disputed({ isPaidOut: true });
    const { id } = dispute.checkout;
    await close(dispute, 'lost');
    await change(dispute, { amount: '3333' });
    // Of the 6,667 that are lost, the fee's part is rounded down.
    expect(await partsOf(dispute)).toEqual({ status: 'lost', venue: 6_001, fee: 666, returned: 0, own: 0 });
    expect(await venue.paidOutAtProcessor(id)).toBe(9_000 + 2_999);
    await expectBooksAgree();
    await change(dispute);
    expect(await venue.paidOutAtProcessor(id)).toBe(18_000);
    expect(await venue.balances(id)).toEqual({ processor_balance: 2_000, fee_income: -2_000 });
    // It is taken from the transfers that still have the money: the first one is reversed already.
    expect((await venue.post(`/v1/checkouts/${id}/refund`, {})).json.refunded_amount).toBe(20_000);
    await venue.finishDueWork(id);
    expect(await venue.paidOutAtProcessor(id)).toBe(0);
    expect(await venue.balances(id)).toEqual({});
    await expectBooksAgree();
  });

  it('a second dispute of the charge is divided like the first', async () => {
    const dispute = await disputed({ isPaidOut: true, amount: 4_000 });
    const { id } = dispute.checkout;
    await close(dispute, 'lost');
    await change(dispute);
    const second = { ...dispute, disputeId: await disputes.open(dispute.intent, 10_000) };
    await disputes.deliverEvents(dispute.intent);
    await close(second, 'lost');
    expect(await partsOf(second)).toEqual({ status: 'lost', venue: 9_000, fee: 1_000, returned: 0, own: 0 });
    expect(await venue.paidOutAtProcessor(id)).toBe(9_000);
    expect(await venue.balances(id)).toEqual({ processor_balance: 1_000, fee_income: -1_000 });
    await expectBooksAgree();
  });
});

describe('a dispute that is larger than its charge', () => {
  it('costs the venue and our fee the charge, and us the rest, and ends', async () => {
    const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
    const [secret] = await venue.payAll(checkout, [CARDS.good]);
    await world.work();
    const intent = secret === undefined ? '' : intentIdOf(secret);
    const disputeId = await disputes.open(intent, 10_250, { exceeds_charge: 'true' });
    await disputes.deliverEvents(intent);
    await close({ checkout, intent, disputeId }, 'lost');
    expect(await transfersOf(checkout.id)).toEqual([
      { status: 'dropped', amount: 0 },
      { status: 'done', amount: 9_000 },
    ]);
    expect(await venue.balances(checkout.id)).toEqual({ processor_balance: 750, fee_income: -1_000, written_off: 250 });
    expect(await world.db.query('select 1 from processor_events where due_at is not null')).toEqual([]);
    await expectBooksAgree();
    // What comes back is ours first.
    await disputes.call(`${disputeId}/take_back`, { amount: '1250' });
    await disputes.deliverEvents(intent);
    await venue.finishDueWork(checkout.id);
    expect(await venue.balances(checkout.id)).toEqual({ processor_balance: 1_100, fee_income: -1_100 });
    await expectBooksAgree();
  });
});

describe('a dispute that the card network has prevented by a refund', () => {
  it('is divided like a lost one, and is no dispute that was won', async () => {
    const dispute = await disputed({ isPaidOut: true });
    const { id } = dispute.checkout;
    await disputes.call(`${dispute.disputeId}/prevented`);
    await disputes.deliverEvents(dispute.intent);
    await venue.finishDueWork(id);
    expect(await venue.balances(id)).toEqual({ processor_balance: 1_000, fee_income: -1_000 });
    const page = { outcome: 'lost', after: null, limit: 100 } as const;
    const lost = await listDisputeRows(world.db, venue.venueId, venue.mode, page);
    expect(lost.map((row) => row.id)).toContain(dispute.disputeId);
    await expectBooksAgree();
  });
});

describe('an inquiry', () => {
  async function inquired(): Promise<Disputed> {
    const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
    const [secret] = await venue.payAll(checkout, [CARDS.good]);
    await world.work();
    const intent = secret === undefined ? '' : intentIdOf(secret);
    const disputeId = await disputes.open(intent, 10_000, { inquiry: 'true' });
    await disputes.deliverEvents(intent);
    return { checkout, intent, disputeId };
  }

  it('is ended by a refund: the charge is refunded at once', async () => {
    const { checkout, intent, disputeId } = await inquired();
    expect((await venue.post(`/v1/checkouts/${checkout.id}/refund`, {})).status).toBe(200);
    await world.work();
    const { data } = await venue.stripe.refunds.list({ payment_intent: intent });
    expect(data.map(({ amount }) => amount)).toEqual([10_000]);
    await disputes.call(`${disputeId}/close_inquiry`);
    await disputes.deliverEvents(intent);
    await venue.finishDueWork(checkout.id);
    expect(await venue.balances(checkout.id)).toEqual({});
    await expectBooksAgree();
  });

  it('holds the transfer back, and becomes a dispute', async () => {
    const inquiry = await inquired();
    const { id } = inquiry.checkout;
    await venue.finishDueWork(id);
    expect((await transfersOf(id)).map(({ status }) => status)).toEqual(['frozen', 'done']);
    await disputes.call(`${inquiry.disputeId}/escalate`);
    await disputes.deliverEvents(inquiry.intent);
    await close(inquiry, 'lost');
    expect((await transfersOf(id)).map(({ status }) => status)).toEqual(['dropped', 'done']);
    expect(await venue.balances(id)).toEqual({ processor_balance: 1_000, fee_income: -1_000 });
    await expectBooksAgree();
  });
});
