// A disputed charge: its transfer to the venue waits for the end of the dispute. A lost dispute is borne by the venue and
// our fee in exact proportion, out of a transfer that waits or by a reversal of one that was sent.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkLedger } from '../../src/domain/checkouts/accounting/check-ledger.ts';
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
