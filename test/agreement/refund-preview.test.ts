// The preview of a refund and the refund run the same decision. Over random parties, fees and histories every figure of
// the preview is what the refund then does, to the cent; the money of the checkout adds up and equals the ledger.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import { disputeTools } from '../support/disputes.ts';
import { runs } from '../support/random-runs.ts';
import { DAY, expectConflict, inFuture, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
let token: string;
beforeAll(async () => {
  world = await openTestWorld({ env: { PAYOUT_DELAY_HOURS: '24' } });
  venue = await openTestVenue(world);
  const account = await createAccount(world.context, 'fin@harbor.example', [[venue.venueId, 'viewer']]);
  ({ token } = await createSession(world.context, account));
});
afterAll(() => world.close());

const call = (method: string, path: string, body?: unknown): Promise<HttpResponse> =>
  callConsole(world, method, path, { token, venue: venue.venueId, ...(body === undefined ? {} : { body }) });
const preview = (id: string, body: unknown) => call('POST', `/console/api/checkouts/${id}/refund_preview`, body);

async function moneyOf(id: string): Promise<Json> {
  const { status, json, text } = await call('GET', `/console/api/checkouts/${id}/money`);
  expect(status, text).toBe(200);
  const { paid, fee, net, refunded, lost_to_disputes, fee_returned, kept, shares } = json;
  expect(net).toBe(paid - fee);
  expect(kept).toBe(net - refunded - lost_to_disputes + fee_returned);
  expect(kept).toBe(json.paid_out + json.to_come + json.settled_debts - json.owed);
  for (const field of ['fee', 'fee_returned', 'refunded', 'kept'])
    expect(
      shares.reduce((sum: number, share: Json) => sum + share[field], 0),
      field,
    ).toBe(json[field]);
  return json;
}

type Action =
  | { readonly do: 'refund'; readonly part: number }
  | { readonly do: 'pay out' }
  | { readonly do: 'lose dispute'; readonly share: number };

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('refund' as const), part: fc.integer({ min: 1, max: 100 }) }) },
  { weight: 2, arbitrary: fc.constant({ do: 'pay out' } as const) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lose dispute' as const), share: fc.nat({ max: 4 }) }) },
);

/** Previews, refunds, and compares what changed. */
async function refundAsPreviewed(id: string, body: unknown): Promise<void> {
  const before = await moneyOf(id);
  const previewed = await preview(id, body);
  const refunded = await venue.post(`/v1/checkouts/${id}/refund`, body);
  expect(previewed.status, `${previewed.text} ${refunded.text}`).toBe(refunded.status);
  if (refunded.status !== 200) {
    expect({ ...previewed.json.error, request_id: '' }).toEqual({ ...refunded.json.error, request_id: '' });
    return;
  }
  const after = await moneyOf(id);
  const plan = previewed.json;
  const difference = (field: string): number => after[field] - before[field];
  expect(difference('refunded')).toBe(plan.amount);
  expect(difference('fee_returned')).toBe(plan.fee_returned);
  expect(-difference('kept')).toBe(plan.from_payout);
  expect([plan.fee_returned + plan.from_payout, plan.not_sent_yet + plan.taken_back]).toEqual([
    plan.amount,
    plan.from_payout,
  ]);
  expect([before.left_to_refund, after.left_to_refund]).toEqual([plan.left_before, plan.left_after]);
  for (const [index, share] of plan.shares.entries()) {
    const [was, is] = [before.shares[index], after.shares[index]];
    expect([was.refunded, is.refunded, is.refunded - was.refunded]).toEqual([share.before, share.after, share.now]);
    expect(is.fee_returned - was.fee_returned).toBe(share.fee_returned);
    expect(was.kept - is.kept).toBe(share.from_payout);
    expect(is.amount - is.refunded - is.lost).toBe(share.still_paid);
  }
}

async function loseDispute(id: string, shareIndex: number): Promise<void> {
  const tools = disputeTools(world, venue);
  const intents = await venue.intents(id);
  const intent = intents[shareIndex % intents.length];
  if (intent === undefined || typeof intent.latest_charge === 'string' || intent.latest_charge === null) return;
  const left = intent.latest_charge.amount_captured - intent.latest_charge.amount_refunded;
  if (left === 0 || intent.latest_charge.disputed) return;
  const dispute = await tools.open(intent.id, left);
  await tools.close(dispute, 'lost');
  await tools.deliverEvents(intent.id);
}

describe('the preview of a refund', () => {
  it('is what the refund then does, in any state of shares, fee, payout and disputes', {
    timeout: 60_000,
  }, async () => {
    const party = fc.record({
      size: fc.integer({ min: 2, max: 5 }),
      amount: fc.integer({ min: 500, max: 100_000 }),
      feeBps: fc.integer({ min: 0, max: 2_000 }),
      feeFixed: fc.integer({ min: 0, max: 100 }),
      actions: fc.array(action, { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(party, async ({ size, amount, feeBps, feeFixed, actions }) => {
        await venue.setFee(feeBps, feeFixed);
        const { id } = await venue.completed({ amount, party_size: size });
        for (const one of actions) {
          if (one.do === 'pay out') await venue.finishDueWork(id);
          else if (one.do === 'lose dispute') {
            // A loss is divided only after refunds on their way have ended; disputed-refunds.test.ts has those.
            await venue.finishDueWork(id);
            await loseDispute(id, one.share);
          } else {
            const { left_to_refund: left } = await moneyOf(id);
            await refundAsPreviewed(id, one.part === 100 ? {} : { amount: Math.ceil((left * one.part) / 100) || 1 });
          }
        }
        await venue.finishDueWork(id);
        const money = await moneyOf(id);
        expect([money.to_come, money.paid_out - money.owed + money.settled_debts]).toEqual([0, money.kept]);
        const balances = await venue.allBalances(id);
        expect(0 - (balances.fee_income ?? 0)).toBe(money.fee - money.fee_returned);
        expect(balances.venue_payable ?? 0).toBe(0);
      }),
      runs(30, 4, 6),
    );
  });

  it('follows the cancellation policy, and names what the body can ask for', async () => {
    const { external_id } = (
      await venue.post('/v1/offerings', {
        external_id: 'policy-preview',
        kind: 'cabana',
        title: 'Cabana',
        tiers: [{ amount: 10_000, currency: 'usd', unit: 'per_group' }],
        policy: { cancellation: [{ hours_before: 24, refund_pct: 50 }] },
      })
    ).json.data;
    await venue.setFee(300, 0);
    const { id } = await venue.completed({
      amount: 10_000,
      party_size: 2,
      offering_external_id: external_id,
      starts_at: inFuture(3 * DAY),
    });
    const { json } = await preview(id, {});
    expect(json).toMatchObject({ decided_by: 'policy', amount: 5_000, left_before: 10_000, fee_returned: 150 });
    expect(json.options).toMatchObject({ left: 10_000, policy: { amount: 5_000, percent: 50, hours_before: 24 } });
    await refundAsPreviewed(id, {});
    // The policy gives nothing more back; an amount still can be refunded.
    await refundAsPreviewed(id, {});
    const rest = await preview(id, { amount: 5_000 });
    expect(rest.json).toMatchObject({ decided_by: 'amount', left_after: 0, options: { left: 5_000, policy: null } });
  });

  it('is refused as the refund would be, and changes nothing', async () => {
    const open = await venue.create();
    expectConflict(await preview(open.id, {}), 'checkout_not_completed');
    const { id } = await venue.completed({ amount: 9_000, party_size: 2 });
    const tooMuch = await preview(id, { amount: 9_001 });
    expect([tooMuch.status, tooMuch.json.errors[0].field]).toEqual([422, '/amount']);
    expect((await preview('chk_unknown', {})).status).toBe(404);
    const live = await callConsole(world, 'POST', `/console/api/checkouts/${id}/refund_preview`, {
      token,
      venue: venue.venueId,
      mode: 'live',
      body: {},
    });
    expect(live.status).toBe(404);
    const events = await venue.eventTypes(id);
    expect((await preview(id, {})).json).toMatchObject({ decided_by: 'rest', amount: 9_000, left_after: 0 });
    expect(await venue.eventTypes(id)).toEqual(events);
    expect((await moneyOf(id)).refunded).toBe(0);
  });
});

describe('the money of a checkout', () => {
  it('is 0 in every sum before it completes', async () => {
    const { id } = await venue.collecting({ party_size: 2 });
    const money = await moneyOf(id);
    expect(money).toMatchObject({ paid: 0, fee: 0, kept: 0, left_to_refund: 0, payout: null });
    expect(money.shares).toHaveLength(2);
    // Before the party is chosen there are no shares at all.
    const open = await venue.create();
    expect(await moneyOf(open.id)).toMatchObject({ paid: 0, kept: 0, shares: [] });
  });
});
