// Payments of the past at the sandbox processor, many in one request. The parameters are those of the adapter's own
// calls, so what the sandbox records is what it would have recorded then.

import type Stripe from 'stripe';
import type { HoldFacts, MadePayment, PastMovement, PastPayment } from './processor.ts';
import { callStripe } from './stripe-errors.ts';
import { factsOf, toStripeMetadata } from './stripe-facts.ts';
import { newIntentParams } from './stripe-intents.ts';
import { refundParams, reversalParams, transferParams } from './stripe-movements.ts';

interface PastCall {
  readonly at: number;
  readonly path: string;
  readonly params: object;
}

/** In one request: it is to take a second or two on a busy machine, well within the time-out. */
const MAX_PAYMENTS = 50;
const MAX_MOVEMENTS = 150;
const WITH_FEE = ['latest_charge.balance_transaction'];

export function makePayments(stripe: Stripe, payments: readonly PastPayment[]): Promise<readonly MadePayment[]> {
  return inChunks(payments, MAX_PAYMENTS, (chunk) => recordPayments(stripe, chunk));
}

export function makeMovements(stripe: Stripe, movements: readonly PastMovement[]): Promise<readonly string[]> {
  return inChunks(movements, MAX_MOVEMENTS, (chunk) => recordMovements(stripe, chunk));
}

async function inChunks<Item, Result>(
  items: readonly Item[],
  size: number,
  work: (chunk: readonly Item[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let first = 0; first < items.length; first += size) {
    results.push(...(await work(items.slice(first, first + size))));
  }
  return results;
}

type Answer = Stripe.PaymentIntent & {
  readonly error?: { readonly payment_intent: Stripe.PaymentIntent; readonly charge: string };
};

async function callPast(stripe: Stripe, calls: readonly PastCall[]): Promise<readonly Answer[]> {
  const answer = await callStripe('makePastPayments', () =>
    stripe.rawRequest('POST', '/sandbox/past', { calls: JSON.stringify(calls) }),
  );
  return (answer as unknown as { readonly data: readonly Answer[] }).data;
}

/** Where the answers about one payment are in the list of answers. */
interface Places {
  readonly customer: number | null;
  readonly intent: number;
  readonly declined: number | null;
  readonly held: number | null;
  readonly end: number | null;
}

async function recordPayments(stripe: Stripe, payments: readonly PastPayment[]): Promise<readonly MadePayment[]> {
  const calls: PastCall[] = [];
  const places = payments.map((payment) => addCalls(calls, payment));
  const answers = await callPast(stripe, calls);
  return payments.map((payment, index) => madePayment(payment, places[index] as Places, answers));
}

function addCalls(calls: PastCall[], payment: PastPayment): Places {
  const { hold, savesCard, requestedAt, declined, held, end } = payment;
  const add = (at: number, path: string, params: object): number => calls.push({ at, path, params }) - 1;
  const customer = savesCard ? add(requestedAt, '/v1/customers', { metadata: toStripeMetadata(hold.metadata) }) : null;
  const customerId = customer === null ? null : `$${customer}`;
  const intent = add(requestedAt, '/v1/payment_intents', {
    ...newIntentParams({ ...hold, key: '', customerId }),
    ...(customerId === null ? {} : { setup_future_usage: 'off_session' }),
    ...(hold.needsLongHold
      ? { payment_method_options: { card: { request_extended_authorization: 'if_available' } } }
      : {}),
  });
  const confirm = ({ card, at }: { readonly card: string; readonly at: number }): number =>
    add(at, `/v1/payment_intents/$${intent}/confirm`, { payment_method: card, expand: ['latest_charge'] });
  const finish = ({ kind, at }: NonNullable<PastPayment['end']>): number =>
    kind === 'captured'
      ? add(at, `/v1/payment_intents/$${intent}/capture`, { amount_to_capture: hold.amount, expand: WITH_FEE })
      : add(at, `/v1/payment_intents/$${intent}/cancel`, {});
  return {
    customer,
    intent,
    declined: declined === null ? null : confirm(declined),
    held: held === null ? null : confirm(held),
    end: end === null ? null : finish(end),
  };
}

function madePayment({ declined, end }: PastPayment, places: Places, answers: readonly Answer[]): MadePayment {
  const at = (place: number | null): Answer | null => (place === null ? null : (answers[place] ?? null));
  const facts = (intent: Stripe.PaymentIntent | null | undefined) => (intent ? factsOf(intent) : null);
  const created = at(places.intent);
  if (created?.client_secret == null) throw new Error('the sandbox made a payment without a client secret');
  return {
    intentId: created.id,
    clientSecret: created.client_secret,
    customerId: at(places.customer)?.id ?? null,
    declined: declinedFacts(at(places.declined)?.error, declined?.at ?? 0),
    held: facts(at(places.held)),
    captured: end?.kind === 'captured' ? facts(at(places.end)) : null,
  };
}

/** The answer about a declined card has its charge beside the intent. */
function declinedFacts(error: Answer['error'], at: number): HoldFacts | null {
  return error === undefined ? null : { ...factsOf(error.payment_intent), decline: { chargeId: error.charge, at } };
}

async function recordMovements(stripe: Stripe, movements: readonly PastMovement[]): Promise<readonly string[]> {
  return (await callPast(stripe, movements.map(callOf))).map(({ id }) => id);
}

function callOf(movement: PastMovement): PastCall {
  const { at } = movement;
  switch (movement.kind) {
    case 'transfer':
      return { at, path: '/v1/transfers', params: transferParams(movement) };
    case 'refund':
      return { at, path: '/v1/refunds', params: refundParams(movement.intentId, movement) };
    case 'reversal':
      return { at, path: `/v1/transfers/${movement.transferId}/reversals`, params: reversalParams(movement) };
    case 'dispute': {
      const { intentId, amount, reason } = movement;
      return { at, path: '/v1/test_helpers/disputes', params: { payment_intent: intentId, amount, reason } };
    }
    case 'lost dispute':
      return { at, path: `/v1/test_helpers/disputes/${movement.disputeId}/lost`, params: {} };
  }
}
