// Every write of the desk that succeeds leaves exactly one entry in the audit log, with the operator's name.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../../src/run/operations.ts';
import { createOperator, deskOf, type TestOperator } from '../support/desk-client.ts';
import { CARDS, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

const REFUND_FAILS = '4000000000005126';

let world: TestWorld;
let venue: TestVenue;
let ines: TestOperator;
let desk: ReturnType<typeof deskOf>;
let offeringId: string;
let refunds: readonly string[];
let reversals: readonly Json[];
beforeAll(async () => {
  world = await openTestWorld({ env: { PAYOUT_DELAY_HOURS: '24' } });
  ines = await createOperator(world.context, 'admin');
  desk = deskOf(world, ines);
  venue = await openTestVenue(world);
  const [offering] = world.context.registry.get('offering').examples as Json[];
  offeringId = (await venue.post('/v1/offerings', offering)).json.data.id;
  refunds = await failedRefunds();
  reversals = await failedReversals();
});
afterAll(() => world.close());

const movementsOf = (checkoutId: string, kind: string, status: string): Promise<Json[]> =>
  world.db.query(
    `select movement_id as id, amount from movements where checkout_id = $1 and kind = $2 and status = $3 order by movement_id`,
    [checkoutId, kind, status],
  );

async function failedRefunds(): Promise<string[]> {
  const checkout = await venue.collecting({ party_size: 4, amount: 40_000 });
  await venue.payAll(checkout, [REFUND_FAILS, REFUND_FAILS, REFUND_FAILS, REFUND_FAILS]);
  await venue.finishDueWork(checkout.id);
  expect((await venue.post(`/v1/checkouts/${checkout.id}/refund`)).status).toBe(200);
  await world.work();
  world.processorClock.aheadMs += 31_000;
  await venue.finishDueWork(checkout.id);
  const failed = await movementsOf(checkout.id, 'refund', 'failed');
  expect(failed).toHaveLength(4);
  return failed.map(({ id }) => id);
}

async function failedReversals(): Promise<Json[]> {
  const checkout = await venue.completed({ amount: 10_000, party_size: 2 });
  await venue.finishDueWork(checkout.id);
  expect((await venue.post(`/v1/checkouts/${checkout.id}/refund`, {})).status).toBe(200);
  const change = (set: string): Promise<unknown> =>
    world.db.query(`update movements set ${set} where checkout_id = $1 and kind = 'reversal'`, [checkout.id]);
  await change(`status = 'sending', sent_amount = null`);
  await change(`status = 'failed', due_at = null, last_error = 'amount_too_large'`);
  return movementsOf(checkout.id, 'reversal', 'failed');
}

async function stuckCapture(): Promise<string> {
  world.processor.api.faults.set({ rules: [{ id: 'down', on: 'payment_intents.capture', kind: 'error_500' }] });
  const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
  await venue.payAll(checkout, [CARDS.good, CARDS.good]);
  world.processor.api.faults.clear();
  return checkout.id;
}

const version = async (): Promise<string> => (await desk('GET', `/reviews/${offeringId}`)).json.version;
const review = async (action: string, more: object = {}): Promise<Call> => [
  `/reviews/${offeringId}/${action}`,
  { version: await version(), ...more },
];
const ofMovement = (id: string | undefined, action: string, body?: object): Call => [
  `/money/venues/${venue.venueId}/movements/${id}/${action}`,
  body,
];
const ofVenue = (action: string, body?: object): Call => [`/venues/${venue.venueId}/${action}`, body];

type Call = readonly [path: string, body?: object | undefined];

/** In this order: each makes a call that succeeds. A new write of the desk needs one. */
const WRITES: Readonly<Record<string, () => Promise<Call> | Call>> = {
  approveReview: () => review('approve'),
  takeDownReview: () => review('take_down', { note: 'Photos of another place.' }),
  reopenReview: () => review('reopen'),
  rejectReview: () => review('reject', { note: 'A price is missing.' }),
  requestReconcile: () => ['/money/reconcile', { mode: 'test' }],
  async retryCapture() {
    return [`/money/venues/${venue.venueId}/checkouts/${await stuckCapture()}/retry`];
  },
  retryMovement: () => ofMovement(refunds[0], 'retry'),
  reserveForPaymentByHand: () => ofMovement(refunds[1], 'reserve'),
  giveBackReserved: () => ofMovement(refunds[1], 'give_back'),
  async payByHand() {
    const [path] = ofMovement(refunds[2], 'reserve');
    expect((await desk('POST', path)).status).toBe(200);
    return ofMovement(refunds[2], 'pay_by_hand', { reference: 'SEPA 4711' });
  },
  oweReversal: () => ofMovement(reversals[0]?.id, 'owe'),
  writeOffDebt: () => ofMovement(reversals[0]?.id, 'write_off', { amount: reversals[0]?.amount, note: 'Closed.' }),
  setVenueFee: () => ofVenue('fee', { bps: 500, fixed: 60 }),
  raiseLimits: () =>
    ofVenue('limits', {
      writes_per_hour: 6_000,
      reads_per_hour: 36_000,
      until: new Date(Date.now() + 86_400_000).toISOString(),
    }),
  approveVenue: () => ofVenue('approve'),
  suspendVenue: () => ofVenue('suspend', { note: 'Under inquiry.' }),
  resumeVenue: () => ofVenue('resume'),
  viewVenue: () => ofVenue('view'),
};

it('names every write of the desk', () => {
  const writes = operations.filter(({ audience, effect }) => audience === 'desk' && effect === 'write');
  expect(Object.keys(WRITES).sort()).toEqual(writes.map(({ id }) => id).sort());
});

const entries = (): Promise<Json[]> =>
  world.db.query(
    `select audit_id as id, actor, via, action, request_id as "requestId" from audit_log where actor like 'operator %'
     union all select audit_id, actor, via, action, request_id from installation_audit where actor like 'operator %'`,
  );

it.each(Object.entries(WRITES))('%s leaves one entry in the audit log, with the operator’s name', async (_id, call) => {
  const [path, body] = await call();
  const before = new Set((await entries()).map(({ id }) => id));
  const response = await desk('POST', path, body);
  expect(response.status, response.text).toBe(200);
  const added = (await entries()).filter(({ id }) => !before.has(id));
  expect(added).toEqual([
    expect.objectContaining({
      actor: `operator ${ines.accountId}`,
      via: 'http',
      requestId: response.headers.get('x-request-id') ?? expect.any(String),
    }),
  ]);
  const { json } = await desk('GET', '/audit?by=operators&limit=1');
  expect(json.data[0]).toMatchObject({ action: added[0]?.action, actor: ines.email });
});
