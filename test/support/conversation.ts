// The story of the checked conversation: everything that the adapter can ask of the card processor, with every test
// card, against an embedded processor in this process. Returns what was said on both sides.

import Stripe from 'stripe';
import { makeProcessorApi, type ProcessorApi } from '../../sandbox/processor/api.ts';
import { testCards } from '../../sandbox/processor/cards.ts';
import { memoryJournal } from '../../sandbox/processor/journal.ts';
import { systemRandom } from '../../src/base/random.ts';
import {
  type HoldFacts,
  type NewHold,
  type Processor,
  ProcessorRefusal,
  ProcessorUnavailable,
} from '../../src/domain/payments/processor.ts';
import { makeStripeProcessor } from '../../src/domain/payments/stripe.ts';
import { inProcessClient } from './in-process-client.ts';
import { type RecordedCall, startSdkRecorder } from './sdk-recorder.ts';
import { keys, recipientParams } from './test-processor.ts';

export interface RecordedEvent {
  readonly object: string;
  readonly type: string;
}

export interface Conversation {
  readonly calls: readonly RecordedCall[];
  readonly events: readonly RecordedEvent[];
  readonly adapterMethods: readonly string[];
  /** How many requests each method of the adapter has sent. */
  readonly requestsOfMethod: ReadonlyMap<string, number>;
}

interface Story {
  readonly api: ProcessorApi;
  readonly processor: Processor;
  /** For what guests, issuers and the processor's dashboard do. */
  readonly stripe: Stripe;
  /** A new idempotency key, or a new id. */
  readonly next: (name: string) => string;
  readonly passTime: (ms: number) => void;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export async function recordConversation(): Promise<Conversation> {
  let now = Date.now();
  const api = makeProcessorApi({
    clock: { now: () => now },
    random: systemRandom,
    journal: memoryJournal(),
    keys,
    publicBase: 'https://processor.example',
    onInternalError: (error) => {
      throw error;
    },
  });
  let requests = 0;
  const httpClient = inProcessClient({
    handle(request) {
      requests++;
      return api.handle(request);
    },
  });
  const recorder = startSdkRecorder();
  try {
    const adapter = makeStripeProcessor({
      mode: 'test',
      secretKey: keys.test.secret,
      publishableKey: keys.test.publishable,
      // Never connected to: an address tells the adapter that the other side is the embedded processor.
      address: { protocol: 'http', host: '127.0.0.1', port: 1 },
      httpClient,
    });
    const requestsOfMethod = new Map<string, number>();
    let count = 0;
    const story: Story = {
      api,
      processor: counted(adapter, requestsOfMethod, () => requests),
      stripe: new Stripe(keys.test.secret, { httpClient, telemetry: false, maxNetworkRetries: 0 }),
      next: (name) => `${name}_${++count}`,
      passTime: (ms) => {
        now += ms;
        api.tick();
      },
    };
    await tellPayment(story);
    for (const { tokens } of testCards) await tellCard(story, tokens[0] ?? '');
    await tellDisputes(story);
    await tellEndpoints(story);
    await tellOthers(story);
    await tellBalances(story);
    story.passTime(40 * DAY_MS);
    await recorder.settled();
    const events = api.webhooks.takeEvents().map(({ body }) => JSON.parse(body) as RecordedEvent);
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(adapter));
    return {
      calls: recorder.calls,
      events,
      adapterMethods: methods.filter((name) => name !== 'constructor'),
      requestsOfMethod,
    };
  } finally {
    recorder.stop();
  }
}

/** A payment of the past and its refund, as demo data has them. */
async function makePastPayment({ processor, next }: Story): Promise<void> {
  const metadata = { venueId: 'venue_1', checkoutId: 'checkout_0', shareId: 'share_0', holdId: next('hold') };
  const hold = {
    amount: 2500,
    currency: 'usd',
    description: 'Past',
    metadata,
    needsLongHold: true,
    statementSuffix: null,
  };
  const [made] = await processor.makePastPayments([
    {
      hold,
      savesCard: true,
      requestedAt: 1_000,
      declined: { card: 'pm_card_chargeDeclined', at: 2_000 },
      held: { card: 'pm_card_mastercard', at: 3_000 },
      end: { kind: 'captured', at: 4_000 },
    },
  ]);
  const refund = { kind: 'refund', at: 5_000, amount: 500, movementId: next('movement'), venueId: 'venue_1' } as const;
  await processor.makePastMovements([{ ...refund, intentId: required(made?.intentId, 'intent') }]);
}

/** The story makes one call at a time, so the requests that are sent meanwhile belong to the method. */
function counted(processor: Processor, counts: Map<string, number>, sent: () => number): Processor {
  return new Proxy(processor, {
    get(target, name: keyof Processor) {
      const method = target[name];
      if (typeof method !== 'function') return method;
      return async (...args: never[]): Promise<unknown> => {
        const before = sent();
        try {
          return await (method as (...given: never[]) => Promise<unknown>).apply(target, args);
        } finally {
          counts.set(name, (counts.get(name) ?? 0) + sent() - before);
        }
      };
    },
  });
}

/** Null: the processor refused, or fails because a test card says so. Both are part of the conversation. */
async function attempt<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error: unknown) => {
    if (error instanceof ProcessorRefusal || error instanceof ProcessorUnavailable) return null;
    throw error;
  });
}

function newHold({ next }: Story, customerId: string | null): NewHold {
  const holdId = next('hold');
  return {
    key: holdId,
    amount: 2500,
    currency: 'usd',
    description: 'A boat',
    metadata: { venueId: 'venue_1', checkoutId: 'checkout_1', shareId: 'share_1', holdId },
    customerId,
    needsLongHold: customerId !== null,
    statementSuffix: 'HARBOR',
  };
}

async function newCustomer(story: Story): Promise<string> {
  return story.processor.createCustomer(story.next('customer'), newHold(story, null).metadata);
}

function required<T>(value: T | null | undefined, name: string): T {
  if (value === null || value === undefined) throw new Error(`the story has no ${name}`);
  return value;
}

/** Two holds, one renewed and released, one captured, transferred, refunded and reversed, and every search for them. */
async function tellPayment(story: Story): Promise<void> {
  const { processor, next } = story;
  const customerId = await newCustomer(story);
  const withoutCard = await processor.createHold(newHold(story, null));
  await processor.release(withoutCard.intentId, next('release'));
  const { intentId } = await processor.createHold(newHold(story, customerId));
  const held = await processor.payWithTestCard(intentId, 'pm_card_visa', next('pay'));
  const renewal = newHold(story, customerId);
  const paymentMethodId = required(held.paymentMethodId, 'card');
  const renewed = await processor.renewHold({ ...renewal, customerId, paymentMethodId });
  await tellSavedCards(story, customerId, paymentMethodId);
  await processor.findRenewal(customerId, renewal.metadata.holdId);
  await processor.release(renewed.intentId, next('release'));
  await attempt(processor.capture(renewed.intentId, 2500, next('capture')));
  const captured = await processor.capture(intentId, 2500, next('capture'));
  await attempt(processor.release(intentId, next('release')));
  await processor.retrieveHold(intentId);
  await processor.chargeTotals(intentId);
  const owner = { id: 'venue_1', name: 'Harbor Club', email: 'pay@venue.example', country: 'US' };
  const { accountId } = await processor.createAccount(next('account'), owner);
  const urls = { returnUrl: 'https://venue.example/done', refreshUrl: 'https://venue.example/again' };
  await submitPage(story, await processor.onboardingLink(accountId, urls), {});
  await processor.retrieveAccount(accountId);
  await processor.completeSandboxOnboarding(accountId);
  await makePastPayment(story);
  const transfer = {
    key: next('transfer'),
    amount: 2000,
    currency: 'usd',
    accountId,
    chargeId: required(captured.chargeId, 'charge'),
    checkoutId: 'checkout_1',
    movementId: next('movement'),
  };
  const { transferId } = await processor.transfer(transfer);
  await attempt(processor.transfer({ ...transfer, key: next('transfer') }));
  await processor.findTransfer('checkout_1', transfer.movementId);
  await processor.hasTransfers('checkout_1', transfer.chargeId);
  const movementId = next('movement');
  const { refundId } = await processor.refund(intentId, {
    amount: 500,
    key: next('refund'),
    movementId,
    venueId: 'venue_1',
  });
  await processor.findRefund(intentId, movementId);
  await processor.retrieveRefund(refundId);
  await attempt(
    processor.refund(intentId, { amount: 2500, key: next('refund'), movementId: next('movement'), venueId: 'venue_1' }),
  );
  await processor.reverse(transferId, { amount: 400, key: next('reverse'), movementId });
  await processor.findReversal(transferId, movementId);
  await attempt(processor.reverse(transferId, { amount: 2500, key: next('reverse'), movementId: next('movement') }));
  await processor.holdsSince(0, null);
}

/** One card from the first confirmation to the refund, as far as it goes, and the days after it. */
async function tellCard(story: Story, card: string): Promise<void> {
  const { processor, next } = story;
  const customerId = await newCustomer(story);
  const { intentId } = await processor.createHold(newHold(story, customerId));
  const held = await hold(story, intentId, card);
  if (held?.status === 'held' && held.paymentMethodId !== null) {
    const { paymentMethodId } = held;
    const renewed = await attempt(processor.renewHold({ ...newHold(story, customerId), customerId, paymentMethodId }));
    if (renewed !== null) await processor.retrieveHold(renewed.intentId);
    for (let tries = 0; tries < 4; tries++) await attempt(processor.capture(intentId, 2000, next('capture')));
    const movementId = next('movement');
    await attempt(processor.refund(intentId, { amount: 700, key: next('refund'), movementId, venueId: 'venue_1' }));
    story.passTime(4 * DAY_MS);
    await processor.findRefund(intentId, movementId);
  }
  story.passTime(5 * DAY_MS);
  await processor.retrieveHold(intentId);
  await processor.chargeTotals(intentId);
  await attempt(processor.release(intentId, next('release')));
}

/** A saved card confirms another hold; its bank asks; and it is not the customer's. */
async function tellSavedCards(story: Story, customerId: string, saved: string): Promise<void> {
  const { processor, stripe, next } = story;
  const confirm = async (customer: string | null, paymentMethodId: string): Promise<string> => {
    const { intentId } = await processor.createHold(newHold(story, customer));
    const request = { key: next('saved card'), paymentMethodId, returnUrl: 'https://venue.example/back' };
    await attempt(processor.confirmWithSavedCard(intentId, request));
    return intentId;
  };
  const { intentId } = await processor.createHold(newHold(story, customerId));
  await processor.payWithTestCard(intentId, 'pm_card_authenticationRequired', next('pay'));
  const { next_action: action } = await stripe.paymentIntents.retrieve(intentId);
  await submitPage(story, required(action?.redirect_to_url?.url, 'page of the issuer'), { answer: 'approve' });
  const { paymentMethodId } = await processor.retrieveHold(intentId);
  const asked = await confirm(customerId, required(paymentMethodId, 'card'));
  await stripe.paymentIntents.retrieve(asked);
  const others = [await confirm(customerId, saved), await confirm(null, saved)];
  for (const id of [...others, asked, intentId]) await processor.release(id, next('release'));
}

/** Confirms with the card, and approves the payment where the issuer asks its owner; a second hold is not approved. */
async function hold(story: Story, intentId: string, card: string): Promise<HoldFacts | null> {
  const { processor, stripe, next } = story;
  const facts = await attempt(processor.payWithTestCard(intentId, card, next('pay')));
  if (facts?.status !== 'processing') return facts;
  const other = await processor.createHold(newHold(story, null));
  await attempt(processor.payWithTestCard(other.intentId, card, next('pay')));
  for (const [id, answer] of [
    [other.intentId, 'fail'],
    [intentId, 'approve'],
  ] as const) {
    const { next_action: action } = await stripe.paymentIntents.retrieve(id);
    await submitPage(story, required(action?.redirect_to_url?.url, 'page of the issuer'), { answer });
  }
  return processor.retrieveHold(intentId);
}

/** Submits the form of a page of the processor; the token of its link authorizes it. */
async function submitPage({ api }: Story, link: string, fields: Readonly<Record<string, string>>): Promise<void> {
  const { pathname, search } = new URL(link);
  const page = await api.handle({ method: 'GET', path: `${pathname}${search}`, headers: {}, body: '' });
  const [, token = ''] = page.fault === undefined ? (/name="token" value="([^"]+)"/.exec(page.body) ?? []) : [];
  const body = new URLSearchParams({ token, ...fields }).toString();
  const response = await api.handle({ method: 'POST', path: pathname, headers: {}, body });
  if (response.fault !== undefined || response.status >= 400) throw new Error(`the page ${pathname} refused its form`);
}

/** Three disputes: one is accepted by the platform, two are won. */
async function tellDisputes(story: Story): Promise<void> {
  const { processor, stripe, next } = story;
  for (const end of ['close', 'won', 'won, fee back'] as const) {
    const { intentId } = await processor.createHold(newHold(story, null));
    await processor.payWithTestCard(intentId, 'pm_card_createDispute', next('pay'));
    await processor.capture(intentId, 2500, next('capture'));
    const { disputeId: id } = required(await processor.findDispute(intentId), 'dispute');
    await processor.retrieveDispute(id);
    if (end === 'close') await stripe.disputes.close(id);
    else
      await stripe.rawRequest('POST', `/v1/test_helpers/disputes/${id}/won`, { return_fee: end === 'won, fee back' });
    await stripe.charges.retrieve(required((await processor.retrieveHold(intentId)).chargeId, 'charge'));
  }
  const { next: after } = await processor.disputesSince(0, null);
  await processor.disputesSince(0, after ?? (await processor.disputesSince(0, null)).disputes[0]?.disputeId ?? null);
}

async function tellEndpoints({ processor, stripe, next }: Story): Promise<void> {
  const url = 'https://everyshare.example/notices';
  const endpoint = await stripe.webhookEndpoints.create({ url, enabled_events: ['charge.captured'] });
  for (let times = 0; times < 2; times++) await processor.register('webhook endpoint', next('endpoint'), url);
  await stripe.webhookEndpoints.del(endpoint.id);
  await processor.register('webhook endpoint', next('endpoint'), url);
  await stripe.webhookEndpoints.create({ url, enabled_events: ['account.updated'], connect: true });
  for (let times = 0; times < 2; times++) await processor.register('event destination', next('destination'), url);
  for (const { id } of (await stripe.v2.core.eventDestinations.list()).data) {
    await stripe.v2.core.eventDestinations.update(id, { enabled_events: ['v2.core.account.created'] });
    await stripe.v2.core.eventDestinations.disable(id);
    await processor.register('event destination', next('destination'), url);
    await stripe.v2.core.eventDestinations.retrieve(id, { include: ['webhook_endpoint.url'] });
    await processor.isRegistered('event destination', url);
    await stripe.v2.core.eventDestinations.del(id);
  }
  const domain = await stripe.paymentMethodDomains.create({ domain_name: 'pay.example', enabled: false });
  for (const name of ['pay.example', 'pay.example', 'other.example']) {
    await processor.register('payment method domain', next('domain'), name);
  }
  await stripe.paymentMethodDomains.update(domain.id, { enabled: false });
  await stripe.balance.retrieve();
  await stripe.events.list({ limit: 1 });
}

/** What the adapter never asks for: a charge without a hold, every part of an account, and an account of API v1. */
async function tellOthers(story: Story): Promise<void> {
  const { stripe } = story;
  await stripe.paymentIntents.create({
    amount: 1000,
    currency: 'usd',
    confirm: true,
    payment_method: 'pm_card_visa',
    allowed_payment_method_types: ['card'],
  });
  await stripe.accounts.create({ country: 'US' }).catch(() => null);
  await tellRefundWithoutFunds(story);
  const { id } = await stripe.v2.core.accounts.create(recipientParams('Pier'));
  const include = ['configuration.recipient', 'defaults', 'identity', 'requirements'] as const;
  for (const status of ['restricted', 'pending', 'rejected', 'active']) {
    await stripe.rawRequest('POST', `/sandbox/accounts/${id}`, { transfers_status: status });
    await stripe.v2.core.accounts.retrieve(id, { include: [...include] });
  }
  await stripe.accounts.retrieve(id);
  await stripe.v2.core.accounts.retrieve('acct_unknown').catch(() => null);
}

/** A balance that a payout has emptied refuses a reversal; the platform's own payouts have events. */
async function tellBalances(story: Story): Promise<void> {
  const { processor, stripe, next } = story;
  const { id: stripeAccount } = await stripe.v2.core.accounts.create(recipientParams('Quay'));
  await processor.completeSandboxOnboarding(stripeAccount);
  const { intentId } = await processor.createHold(newHold(story, null));
  await processor.payWithTestCard(intentId, 'pm_card_visa', next('pay'));
  const { chargeId } = await processor.capture(intentId, 2500, next('capture'));
  const { transferId } = await processor.transfer({
    key: next('transfer'),
    amount: 2000,
    currency: 'usd',
    accountId: stripeAccount,
    chargeId: required(chargeId, 'charge'),
    checkoutId: 'checkout_2',
    movementId: next('movement'),
  });
  await processor.payoutInterval();
  await stripe.balanceSettings.update(
    { payments: { payouts: { schedule: { interval: 'daily' } } } },
    { stripeAccount },
  );
  await stripe.balance.retrieve({}, { stripeAccount });
  await stripe.payouts.create({ amount: 500, currency: 'usd' }, { stripeAccount });
  await stripe.payouts.create({ amount: 5000, currency: 'usd' }, { stripeAccount }).catch(() => null);
  story.passTime(DAY_MS);
  await stripe.payouts.list({}, { stripeAccount });
  await attempt(processor.reverse(transferId, { amount: 400, key: next('reverse'), movementId: next('movement') }));
  await stripe.payouts.create({ amount: 100, currency: 'usd' });
  await stripe.topups.create({ amount: 100, currency: 'usd' });
  await stripe.balance.retrieve({}, { stripeAccount: 'acct_none' }).catch(() => null);
}

/** A refund waits for funds and gets none, and another one gets them. */
async function tellRefundWithoutFunds(story: Story): Promise<void> {
  const { stripe } = story;
  const allowed_payment_method_types: ['card'] = ['card'];
  const payment = { currency: 'usd', confirm: true, payment_method: 'pm_card_visa', allowed_payment_method_types };
  await stripe.rawRequest('POST', '/sandbox/payouts', { refunds: 'wait' });
  for (const isFunded of [false, true]) {
    const { id } = await stripe.paymentIntents.create({ ...payment, amount: 9_000_000 });
    const { available } = await stripe.balance.retrieve();
    const [balance] = available;
    if (balance !== undefined && balance.amount > 0) {
      await stripe.payouts.create({ amount: balance.amount, currency: 'usd' });
    }
    const refund = await stripe.refunds.create({ payment_intent: id });
    if (isFunded) await stripe.paymentIntents.create({ ...payment, amount: 90_000_000 });
    else story.passTime(31 * DAY_MS);
    await stripe.refunds.retrieve(refund.id);
  }
  await stripe.rawRequest('POST', '/sandbox/payouts', { refunds: 'from_bank' });
}
