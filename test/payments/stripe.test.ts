// The adapter against the embedded processor, over HTTP: every call, the same call again after each fault, and the
// events that follow. Responses that the embedded processor never gives are in stripe-errors.test.ts.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FaultKind } from '../../sandbox/processor/faults.ts';
import { type RunningProcessor, startProcessor } from '../../sandbox/processor/server.ts';
import type { Mode } from '../../src/base/config.ts';
import {
  type HoldFacts,
  type NewHold,
  type Processor,
  ProcessorRefusal,
  ProcessorUnavailable,
} from '../../src/domain/payments/processor.ts';
import { type ProcessorEvent, readProcessorEvent } from '../../src/domain/payments/processor-event.ts';
import { makeStripeProcessor } from '../../src/domain/payments/stripe.ts';

/** The short time-out is only for calls that must fail, so that a busy machine fails no other. */
const SHORT_TIMEOUT_MS = 300;
const keysFor = (mode: Mode) => ({
  secret: `sk_${mode}_adapter`,
  publishable: `pk_${mode}_adapter`,
  webhookSecret: `whsec_${mode}_adapter`,
});
const KEYS = { test: keysFor('test'), live: keysFor('live') };

let sandbox: RunningProcessor;
let processor: Processor;
let live: Processor;
let impatient: Processor;
/** A second client, for what guests and the processor's dashboard do. */
let stripe: Stripe;

beforeAll(async () => {
  sandbox = await startProcessor({ port: 0, folder: null, keys: KEYS });
  processor = adapter('test');
  live = adapter('live');
  impatient = adapter('test', KEYS.test.secret, SHORT_TIMEOUT_MS);
  stripe = new Stripe(KEYS.test.secret, { host: '127.0.0.1', port: sandbox.port, protocol: 'http', telemetry: false });
});
afterEach(() => sandbox.api.faults.clear());
afterAll(() => sandbox.close());

function adapter(mode: Mode, secretKey = KEYS[mode].secret, timeoutMs = 15_000): Processor {
  return makeStripeProcessor({
    mode,
    secretKey,
    publishableKey: KEYS[mode].publishable,
    address: { protocol: 'http', host: '127.0.0.1', port: sandbox.port },
    timeoutMs,
  });
}

let count = 0;
const unique = (prefix: string): string => `${prefix} ${++count}`;

function newHold(overrides: Partial<NewHold> = {}): NewHold {
  const holdId = unique('hld').replace(' ', '_');
  const metadata = { venueId: 'ven_1', checkoutId: 'chk_1', shareId: 'shr_1', holdId };
  return {
    key: `open ${holdId}`,
    amount: 2500,
    currency: 'usd',
    description: 'A boat',
    metadata,
    customerId: null,
    needsLongHold: false,
    statementSuffix: null,
    ...overrides,
  };
}

async function held(overrides: Partial<NewHold> = {}): Promise<HoldFacts> {
  const { intentId } = await processor.createHold(newHold(overrides));
  return processor.payWithTestCard(intentId, 'pm_card_visa', unique('pay'));
}

async function captured(amount = 2500): Promise<HoldFacts & { readonly chargeId: string }> {
  const { intentId } = await held({ amount });
  const facts = await processor.capture(intentId, amount, unique('capture'));
  if (facts.chargeId === null) throw new Error('a captured hold has no charge');
  return { ...facts, chargeId: facts.chargeId };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ProcessorRefusal);
  return (error as ProcessorRefusal).code;
}

const faulty = (on: string, kind: FaultKind, times = 1): void =>
  sandbox.api.faults.set({ rules: [{ id: unique('rule'), on, kind, times }] });

const intents = async (): Promise<number> =>
  (await stripe.paymentIntents.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 })).length;

describe('a hold', () => {
  it('is created with its metadata, waits for a card, and has a client secret for the browser', async () => {
    const request = newHold();
    const created = await processor.createHold(request);
    expect(created.clientSecret).toContain(`${created.intentId}_secret_`);
    expect(await processor.retrieveHold(created.intentId)).toEqual({
      intentId: created.intentId,
      status: 'waiting',
      mode: 'test',
      amount: 2500,
      capturable: 0,
      captured: 0,
      currency: 'usd',
      metadata: request.metadata,
      heldAt: null,
      captureBefore: null,
      chargeId: null,
      processorFee: null,
      customerId: null,
      paymentMethodId: null,
      card: null,
      declineCode: null,
      decline: null,
    });
    const raw = await stripe.paymentIntents.retrieve(created.intentId);
    expect(raw).toMatchObject({ capture_method: 'manual', payment_method_types: ['card'], transfer_group: 'chk_1' });
    expect(raw.setup_future_usage).toBeNull();
    expect(processor.publishableKey).toBe(KEYS.test.publishable);
  });

  it('created again with the same key is the same hold', async () => {
    const request = newHold();
    const before = await intents();
    const [first, second] = [await processor.createHold(request), await processor.createHold(request)];
    expect(second).toEqual(first);
    expect(await intents()).toBe(before + 1);
  });

  it('is held once a card is confirmed, and has the time of its lapse', async () => {
    const facts = await held();
    expect(facts).toMatchObject({ status: 'held', capturable: 2500, captured: 0, declineCode: null });
    expect(facts.card).toEqual({ brand: 'visa', last4: '4242' });
    expect(facts.chargeId).toMatch(/^ch_/);
    expect(facts.captureBefore ?? 0).toBeGreaterThan(facts.heldAt ?? Number.POSITIVE_INFINITY);
    expect(await processor.retrieveHold(facts.intentId)).toEqual(facts);
  });

  it('has the code of the last decline until another card is held', async () => {
    const { intentId } = await processor.createHold(newHold());
    const confirm = stripe.paymentIntents.confirm(intentId, {
      payment_method: 'pm_card_chargeDeclinedInsufficientFunds',
    });
    await expect(confirm).rejects.toThrow();
    expect(await processor.retrieveHold(intentId)).toMatchObject({
      status: 'waiting',
      declineCode: 'insufficient_funds',
      chargeId: null,
      heldAt: null,
    });
    expect(await processor.payWithTestCard(intentId, 'pm_card_visa', unique('pay'))).toMatchObject({
      status: 'held',
      declineCode: null,
    });
  });

  it('is processing while the issuer wants an approval', async () => {
    const { intentId } = await processor.createHold(newHold());
    await stripe.paymentIntents.confirm(intentId, { payment_method: 'pm_card_authenticationRequired' });
    expect(await processor.retrieveHold(intentId)).toMatchObject({ status: 'processing', heldAt: null });
  });

  it('below the minimum charge is refused with the processor’s code', async () => {
    expect(await codeOf(processor.createHold(newHold({ amount: 1 })))).toBe('amount_too_small');
  });

  it('that is not found is unavailable, not gone, because the account may be wrong', async () => {
    await expect(processor.retrieveHold('pi_nobody')).rejects.toBeInstanceOf(ProcessorUnavailable);
    await expect(processor.capture('pi_nobody', 1, unique('key'))).rejects.toBeInstanceOf(ProcessorUnavailable);
    await expect(processor.release('pi_nobody', unique('key'))).rejects.toBeInstanceOf(ProcessorUnavailable);
    await expect(processor.chargeTotals('pi_nobody')).rejects.toBeInstanceOf(ProcessorUnavailable);
  });
});

describe('a renewal', () => {
  async function savedCard(): Promise<{ readonly customerId: string; readonly paymentMethodId: string }> {
    const request = newHold();
    const customerId = await processor.createCustomer(unique('customer'), request.metadata);
    const { intentId } = await processor.createHold({ ...request, customerId });
    const { paymentMethodId } = await processor.payWithTestCard(intentId, 'pm_card_visa', unique('pay'));
    if (paymentMethodId === null) throw new Error('a held hold has no card');
    return { customerId, paymentMethodId };
  }

  it('holds the saved card again without the guest', async () => {
    const saved = await savedCard();
    const request = { ...newHold(), ...saved };
    const facts = await processor.renewHold(request);
    expect(facts).toMatchObject({ status: 'held', capturable: 2500, metadata: request.metadata, ...saved });
    expect(await processor.renewHold(request)).toEqual(facts);
  });

  it.each([
    ['pm_card_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
    ['pm_card_chargeDeclined', 'generic_decline'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card'],
    ['pm_card_authenticationRequired', 'authentication_required'],
  ])('with %s is refused as %s, and its intent holds no money', async (paymentMethodId, code) => {
    const { customerId } = await savedCard();
    const request = { ...newHold(), customerId, paymentMethodId };
    expect(await codeOf(processor.renewHold(request))).toBe(code);
    expect(await codeOf(processor.renewHold(request))).toBe(code);
    const page = await processor.holdsSince(0, null);
    const left = page.holds.filter(({ metadata }) => metadata.holdId === request.metadata.holdId);
    expect(left).toMatchObject([{ status: 'waiting', capturable: 0, chargeId: null, declineCode: code }]);
    expect(await processor.release(left[0]?.intentId ?? '', unique('release'))).toMatchObject({ status: 'voided' });
  });

  it('with a processing error leaves the outcome unknown', async () => {
    const { customerId } = await savedCard();
    const request = { ...newHold(), customerId, paymentMethodId: 'pm_card_chargeDeclinedProcessingError' };
    await expect(processor.renewHold(request)).rejects.toBeInstanceOf(ProcessorUnavailable);
  });
});

describe('a long hold', () => {
  const pay = async (adapterUsed: Processor, card: string, overrides: Partial<NewHold>) => {
    const { intentId } = await adapterUsed.createHold(newHold(overrides));
    const { heldAt, captureBefore } = await adapterUsed.payWithTestCard(intentId, card, unique('pay'));
    return ((captureBefore ?? 0) - (heldAt ?? 0)) / 86_400_000;
  };

  it('is requested where it is needed, and lasts as long as the card gives it', async () => {
    expect(await pay(processor, 'pm_card_mastercard', { needsLongHold: true })).toBe(30);
    expect(await pay(processor, 'pm_card_visa', { needsLongHold: true })).toBe(7);
    expect(await pay(processor, 'pm_card_mastercard', { needsLongHold: false })).toBe(7);
  });

  it('is an ordinary one if the processor gives this account none, and it is not asked again', async () => {
    const rule = { id: 'refused', on: 'payment_intents.create', kind: 'card_features_refused', times: 1 } as const;
    sandbox.api.faults.set({ rules: [rule] });
    const ordinary = adapter('test');
    const request = newHold({ needsLongHold: true });
    const created = await ordinary.createHold(request);
    // The rule is used up: a second request would be accepted.
    expect(await ordinary.createHold(request)).toEqual(created);
    expect(await pay(ordinary, 'pm_card_mastercard', { needsLongHold: true })).toBe(7);
    sandbox.api.faults.set({ rules: [{ ...rule, id: 'restarted' }] });
    expect(await adapter('test').createHold(request)).toEqual(created);
  });
});

describe('the card statement', () => {
  it('names the venue', async () => {
    const { intentId } = await processor.createHold(newHold({ statementSuffix: 'HARBOR CLU' }));
    await processor.payWithTestCard(intentId, 'pm_card_visa', unique('pay'));
    const { latest_charge: charge } = await stripe.paymentIntents.retrieve(intentId, { expand: ['latest_charge'] });
    expect(charge).toMatchObject({ calculated_statement_descriptor: 'EVERYSHARE* HARBOR CLU' });
  });

  it.each(['123', "Joe's", 'A*', '港の家', 'A name of more than 22 characters'])(
    'is refused by the processor with %s',
    async (suffix) => {
      expect(await codeOf(processor.createHold(newHold({ statementSuffix: suffix })))).toBe('invalid_request_error');
    },
  );
});

describe('a key that belongs to other parameters', () => {
  it('is spent: the outcome is unknown, and the next call needs another key', async () => {
    const request = newHold({ statementSuffix: 'HARBOR' });
    await processor.createHold(request);
    await expect(processor.createHold({ ...request, statementSuffix: 'MARINA' })).rejects.toMatchObject({
      name: 'ProcessorUnavailable',
      kind: 'processor_failed',
    });
  });
});

describe('a capture', () => {
  it('charges the card once, with one key or with two', async () => {
    const { intentId } = await held();
    const key = unique('capture');
    const first = await processor.capture(intentId, 2500, key);
    expect(first).toMatchObject({ status: 'captured', captured: 2500, capturable: 0 });
    expect(await processor.capture(intentId, 2500, key)).toEqual(first);
    expect(await processor.capture(intentId, 2500, unique('capture'))).toEqual(first);
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 2500, refunded: 0 });
  });

  it('eight times at once charges the card once', async () => {
    const { intentId } = await held();
    const tries = Array.from({ length: 8 }, () => processor.capture(intentId, 2500, unique('capture')));
    for (const facts of await Promise.all(tries)) expect(facts).toMatchObject({ status: 'captured', captured: 2500 });
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 2500, refunded: 0 });
  });

  it('of a part releases the rest, which is no refund', async () => {
    const { intentId } = await held();
    expect(await processor.capture(intentId, 2000, unique('capture'))).toMatchObject({ captured: 2000 });
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 2000, refunded: 0 });
    await processor.refund(intentId, { amount: 500, key: unique('refund'), movementId: 'mov_1', venueId: 'ven_1' });
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 2000, refunded: 500 });
    expect(await codeOf(processor.capture(intentId, 2500, unique('capture')))).toBe('payment_intent_unexpected_state');
  });

  it('of a released hold is refused; of too much, or without a held card, the outcome stays unknown', async () => {
    const { intentId } = await held();
    await expect(processor.capture(intentId, 2501, unique('capture'))).rejects.toBeInstanceOf(ProcessorUnavailable);
    const { intentId: waiting } = await processor.createHold(newHold());
    await expect(processor.capture(waiting, 2500, unique('capture'))).rejects.toBeInstanceOf(ProcessorUnavailable);
    await processor.release(intentId, unique('release'));
    expect(await codeOf(processor.capture(intentId, 2500, unique('capture')))).toBe('payment_intent_unexpected_state');
  });

  it('with a reused key is unavailable and captures nothing', async () => {
    const [one, other] = [await held(), await held()];
    const key = unique('capture');
    await processor.capture(one.intentId, 2500, key);
    await expect(processor.capture(other.intentId, 2500, key)).rejects.toBeInstanceOf(ProcessorUnavailable);
    expect(await processor.retrieveHold(other.intentId)).toMatchObject({ status: 'held' });
  });

  it('with a processing error is unavailable, and the processor replays the error for its key', async () => {
    const { intentId } = await processor.createHold(newHold());
    await stripe.paymentIntents.confirm(intentId, { payment_method: 'pm_card_captureFailsForAWhile' });
    const key = unique('capture');
    const tried = () => processor.capture(intentId, 2500, key);
    await expect(tried()).rejects.toThrow(/^capture: the card processor failed \(402, processing_error, req_\w+\)$/);
    await expect(tried()).rejects.toThrow('replayed for this key');
    for (const _ of [2, 3]) {
      await expect(processor.capture(intentId, 2500, unique('capture'))).rejects.toBeInstanceOf(ProcessorUnavailable);
    }
    expect(await processor.capture(intentId, 2500, unique('capture'))).toMatchObject({ status: 'captured' });
  });

  it('that the issuer declines for good is refused', async () => {
    const { intentId } = await processor.createHold(newHold());
    await stripe.paymentIntents.confirm(intentId, { payment_method: 'pm_card_captureFailsForGood' });
    expect(await codeOf(processor.capture(intentId, 2500, unique('capture')))).toBe('generic_decline');
  });
});

describe('a release', () => {
  it('frees the card and succeeds again, with one key or with two', async () => {
    const { intentId } = await held();
    const key = unique('release');
    const first = await processor.release(intentId, key);
    expect(first).toMatchObject({ status: 'voided', capturable: 0, captured: 0, heldAt: null });
    expect(await processor.release(intentId, key)).toEqual(first);
    expect(await processor.release(intentId, unique('release'))).toEqual(first);
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 0, refunded: 0 });
  });

  it('of a hold without a card succeeds', async () => {
    const { intentId } = await processor.createHold(newHold());
    expect(await processor.release(intentId, unique('release'))).toMatchObject({ status: 'voided' });
  });

  it('of a captured hold is refused and refunds nothing', async () => {
    const { intentId } = await captured();
    expect(await codeOf(processor.release(intentId, unique('release')))).toBe('already_captured');
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 2500, refunded: 0 });
  });
});

describe('a refund', () => {
  it('happens once for one key, up to the captured amount and not beyond', async () => {
    const { intentId } = await captured();
    const key = unique('refund');
    const { refundId } = await processor.refund(intentId, {
      amount: 1000,
      key: key,
      movementId: 'mov_1',
      venueId: 'ven_1',
    });
    expect(await processor.refund(intentId, { amount: 1000, key: key, movementId: 'mov_1', venueId: 'ven_1' })).toEqual(
      {
        refundId,
        status: 'done',
        reason: null,
      },
    );
    expect(
      await codeOf(
        processor.refund(intentId, { amount: 1501, key: unique('refund'), movementId: 'mov_1', venueId: 'ven_1' }),
      ),
    ).toBe('amount_too_large');
    await processor.refund(intentId, { amount: 1500, key: unique('refund'), movementId: 'mov_1', venueId: 'ven_1' });
    expect(
      await codeOf(
        processor.refund(intentId, { amount: 1, key: unique('refund'), movementId: 'mov_1', venueId: 'ven_1' }),
      ),
    ).toBe('charge_already_refunded');
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 2500, refunded: 2500 });
    expect(await processor.retrieveHold(intentId)).toMatchObject({ status: 'captured', captured: 2500 });
  });

  it('of a held charge is refused', async () => {
    const { intentId } = await held();
    expect(
      await codeOf(
        processor.refund(intentId, { amount: 100, key: unique('refund'), movementId: 'mov_1', venueId: 'ven_1' }),
      ),
    ).toBe('charge_not_refundable');
  });
});

describe('a venue’s account', () => {
  const venue = { id: 'ven_1', name: 'Kayaks & Grüße', email: 'pay@venue.example', country: 'US' };
  const payable = async (): Promise<{ accountId: string }> => {
    const { accountId } = await processor.createAccount(unique('account'), venue);
    await processor.completeSandboxOnboarding(accountId);
    return { accountId };
  };

  it('is one account for one key, and says what is due until its onboarding is complete', async () => {
    const key = unique('account');
    const account = await processor.createAccount(key, venue);
    expect(account).toMatchObject({ transfersStatus: 'restricted' });
    expect(account.requirementsDue).toContain('default_outbound_destination');
    expect(await processor.createAccount(key, venue)).toEqual(account);
    const raw = await stripe.v2.core.accounts.retrieve(account.accountId, { include: ['identity', 'defaults'] });
    expect(raw).toMatchObject({
      display_name: venue.name,
      contact_email: venue.email,
      metadata: { venue_id: 'ven_1' },
    });
    expect(await processor.retrieveAccount(account.accountId)).toEqual(account);
    await processor.completeSandboxOnboarding(account.accountId);
    expect(await processor.retrieveAccount(account.accountId)).toEqual({
      accountId: account.accountId,
      transfersStatus: 'active',
      requirementsDue: [],
    });
  });

  it('says why it cannot be paid when the processor does not wait for the venue', async () => {
    const { accountId } = await payable();
    const setStatus = (status: string) =>
      stripe.rawRequest('POST', `/sandbox/accounts/${accountId}`, { transfers_status: status });
    await setStatus('pending');
    expect(await processor.retrieveAccount(accountId)).toMatchObject({
      transfersStatus: 'pending',
      requirementsDue: ['requirements_pending_verification'],
    });
    await setStatus('rejected');
    expect(await processor.retrieveAccount(accountId)).toMatchObject({
      transfersStatus: 'rejected',
      requirementsDue: ['rejected_other'],
    });
  });

  it('has a link to the processor’s onboarding form', async () => {
    const { accountId } = await processor.createAccount(unique('account'), venue);
    const urls = { returnUrl: 'https://venue.example/back', refreshUrl: 'https://venue.example/again' };
    expect(await processor.onboardingLink(accountId, urls)).toContain(accountId);
    expect(await codeOf(processor.onboardingLink('acct_nobody', urls))).toBe('resource_missing');
    expect(await codeOf(processor.retrieveAccount('acct_nobody'))).toBe('resource_missing');
  });

  it('gets a transfer once for one key, never more than was captured, and the transfer can be reversed', async () => {
    const { accountId } = await payable();
    const { chargeId } = await captured();
    const part = {
      key: unique('move'),
      amount: 2000,
      currency: 'usd',
      accountId,
      chargeId,
      checkoutId: 'chk_1',
      movementId: 'mov_1',
    };
    const { transferId } = await processor.transfer(part);
    expect(await processor.transfer(part)).toEqual({ transferId });
    expect(await stripe.transfers.retrieve(transferId)).toMatchObject({
      amount: 2000,
      source_transaction: chargeId,
      destination: accountId,
      transfer_group: 'chk_1',
    });
    expect(await codeOf(processor.transfer({ ...part, key: unique('move'), amount: 501 }))).toBe('amount_too_large');
    const key = unique('move');
    const { reversalId } = await processor.reverse(transferId, { amount: 1500, key: key, movementId: 'mov_1' });
    expect(await processor.reverse(transferId, { amount: 1500, key: key, movementId: 'mov_1' })).toEqual({
      reversalId,
    });
    expect(await codeOf(processor.reverse(transferId, { amount: 501, key: unique('move'), movementId: 'mov_1' }))).toBe(
      'amount_too_large',
    );
    expect(await stripe.transfers.retrieve(transferId)).toMatchObject({ amount_reversed: 1500 });
    // A reversal does not free the charge. What the venue gets once more comes from the balance.
    const more = { ...part, amount: 501 };
    expect(await codeOf(processor.transfer({ ...more, key: unique('move') }))).toBe('amount_too_large');
    const again = await processor.transfer({ ...more, key: unique('move'), chargeId: null });
    expect((await stripe.transfers.retrieve(again.transferId)).source_transaction).toBeNull();
  });

  it('that is unknown or not onboarded gets no transfer', async () => {
    const { chargeId } = await captured();
    const part = {
      key: unique('move'),
      amount: 100,
      currency: 'usd',
      chargeId,
      checkoutId: 'chk_1',
      movementId: 'mov_1',
    };
    expect(await codeOf(processor.transfer({ ...part, accountId: 'acct_nobody' }))).toBe('resource_missing');
    const { accountId } = await processor.createAccount(unique('account'), venue);
    expect(await codeOf(processor.transfer({ ...part, key: unique('move'), accountId }))).toBe(
      'insufficient_capabilities_for_transfer',
    );
  });

  it('has transfers, reversals and refunds that are found by their movement, without a key', async () => {
    const { accountId } = await payable();
    const { chargeId, intentId } = await captured();
    const [checkoutId, movementId] = [unique('chk'), unique('mov')];
    expect(await processor.findTransfer(checkoutId, movementId)).toBeNull();
    const request = { key: unique('move'), amount: 900, currency: 'usd', accountId, chargeId, checkoutId, movementId };
    const { transferId } = await processor.transfer(request);
    expect(await processor.findTransfer(checkoutId, movementId)).toEqual({ processorId: transferId, amount: 900 });
    expect(await processor.findTransfer(checkoutId, unique('mov'))).toBeNull();
    const back = { key: unique('move'), amount: 300, movementId };
    expect(await processor.findReversal(transferId, movementId)).toBeNull();
    const reversed = await processor.reverse(transferId, back);
    expect(await processor.findReversal(transferId, movementId)).toEqual({
      processorId: reversed.reversalId,
      amount: 300,
    });
    expect(await processor.findRefund(intentId, movementId)).toBeNull();
    const refunded = await processor.refund(intentId, { ...back, key: unique('move'), venueId: 'ven_1' });
    expect(await processor.findRefund(intentId, movementId)).toEqual(refunded);
  });

  it('gets no transfer from a held charge', async () => {
    const { accountId } = await payable();
    const chargeId = (await held()).chargeId ?? '';
    const part = {
      key: unique('move'),
      amount: 100,
      currency: 'usd',
      accountId,
      chargeId,
      checkoutId: 'chk_1',
      movementId: 'mov_1',
    };
    expect(await codeOf(processor.transfer(part))).toBe('charge_not_captured');
  });
});

describe('reconciliation', () => {
  it('lists every hold once, newest first', async () => {
    const created: string[] = [];
    for (let n = 0; n < 230; n++) created.push((await processor.createHold(newHold())).intentId);
    const listed: HoldFacts[] = [];
    let after: string | null = null;
    let pages = 0;
    do {
      const page = await processor.holdsSince(0, after);
      listed.push(...page.holds);
      after = page.next;
      pages += 1;
    } while (after !== null && pages < 100);
    const ids = listed.map(({ intentId }) => intentId);
    expect(ids.slice(0, 230)).toEqual(created.reverse());
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(await intents());
    expect(pages).toBe(Math.ceil(ids.length / 100));
  });

  it('includes the whole first second and nothing before it', async () => {
    const facts = await held();
    const { created } = await stripe.paymentIntents.retrieve(facts.intentId);
    const page = await processor.holdsSince(created * 1000 + 999, null);
    expect(page.holds).toContainEqual(facts);
    expect(await processor.holdsSince((created + 60) * 1000, null)).toEqual({ holds: [], next: null });
  });
});

describe('the modes', () => {
  it('are separate: neither retrieves, captures, releases or refunds holds of the other', async () => {
    const { intentId } = await held();
    for (const work of [
      live.retrieveHold(intentId),
      live.capture(intentId, 2500, unique('capture')),
      live.release(intentId, unique('release')),
    ]) {
      await expect(work).rejects.toBeInstanceOf(ProcessorUnavailable);
    }
    for (const work of [
      live.payWithTestCard(intentId, 'pm_card_visa', unique('pay')),
      live.refund(intentId, { amount: 100, key: unique('refund'), movementId: 'mov_1', venueId: 'ven_1' }),
    ]) {
      expect(await codeOf(work)).toBe('resource_missing');
    }
    expect(await processor.retrieveHold(intentId)).toMatchObject({ status: 'held', mode: 'test' });
  });

  it('are in the facts of a hold, and a test card can pay a live hold of the sandbox', async () => {
    const { intentId } = await live.createHold(newHold());
    expect(await live.payWithTestCard(intentId, 'pm_card_visa', unique('pay'))).toMatchObject({
      status: 'held',
      mode: 'live',
    });
  });

  it('are protected by keys: an unknown API key makes the processor unavailable, and no hold is lost', async () => {
    const { intentId } = await held();
    const unknown = adapter('test', 'sk_test_ofNobody');
    await expect(unknown.capture(intentId, 2500, unique('capture'))).rejects.toBeInstanceOf(ProcessorUnavailable);
    await expect(unknown.retrieveHold(intentId)).rejects.toThrow('refuses our secret key');
  });
});

describe('a failure that the processor has stored', () => {
  it.each(['error_500_rolled_back', 'error_500_after'] as const)(
    '%s: the same key fails again, and says that another key is needed',
    async (kind) => {
      const { intentId } = await held();
      faulty('payment_intents.capture', kind);
      const key = unique('capture');
      for (let attempt = 0; attempt < 2; attempt++) {
        const failure = { name: 'ProcessorUnavailable', kind: 'processor_failed' };
        await expect(processor.capture(intentId, 2500, key)).rejects.toMatchObject(failure);
      }
      const facts = await processor.capture(intentId, 2500, unique('capture'));
      expect(facts).toMatchObject({ status: 'captured', captured: 2500 });
    },
  );
});

describe('after a fault, the same call with the same key does the work once', { tags: ['slow'] }, () => {
  const kinds: FaultKind[] = ['timeout_before', 'timeout_after', 'rate_limited', 'error_500'];

  async function retryAfter<T>(on: string, kind: FaultKind, work: (at: Processor) => Promise<T>): Promise<T> {
    faulty(on, kind);
    await expect(work(impatient)).rejects.toBeInstanceOf(ProcessorUnavailable);
    return work(processor);
  }

  it.each(kinds)('%s: one hold, captured once, refunded once', async (kind) => {
    const before = await intents();
    const request = newHold();
    const { intentId } = await retryAfter('payment_intents.create', kind, (at) => at.createHold(request));
    expect(await intents()).toBe(before + 1);
    const payKey = unique('pay');
    await retryAfter('payment_intents.confirm', kind, (at) => at.payWithTestCard(intentId, 'pm_card_visa', payKey));
    await retryAfter('payment_intents.retrieve', kind, (at) => at.retrieveHold(intentId));
    const captureKey = unique('capture');
    const facts = await retryAfter('payment_intents.capture', kind, (at) => at.capture(intentId, 2500, captureKey));
    expect(facts).toMatchObject({ status: 'captured', captured: 2500 });
    const refundKey = unique('refund');
    await retryAfter('refunds.create', kind, (at) =>
      at.refund(intentId, { amount: 1000, key: refundKey, movementId: 'mov_1', venueId: 'ven_1' }),
    );
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 2500, refunded: 1000 });
  });

  it.each(kinds)('%s: one release, one customer, one account, one transfer, one reversal', async (kind) => {
    const { intentId } = await held();
    const releaseKey = unique('release');
    const released = await retryAfter('payment_intents.cancel', kind, (at) => at.release(intentId, releaseKey));
    expect(released).toMatchObject({ status: 'voided' });
    const customerKey = unique('customer');
    const { metadata } = newHold();
    const createCustomer = (at: Processor) => at.createCustomer(customerKey, metadata);
    const customer = await retryAfter('customers.create', kind, createCustomer);
    expect(await createCustomer(processor)).toBe(customer);
    const accountKey = unique('account');
    const owner = { id: 'ven_1', name: 'Kayaks', email: 'pay@venue.example', country: 'US' };
    const createAccount = (at: Processor) => at.createAccount(accountKey, owner);
    const { accountId } = await retryAfter('v2.core.accounts.create', kind, createAccount);
    expect((await createAccount(processor)).accountId).toBe(accountId);
    await processor.completeSandboxOnboarding(accountId);
    const { chargeId } = await captured();
    const part = {
      key: unique('move'),
      amount: 2500,
      currency: 'usd',
      accountId,
      chargeId,
      checkoutId: 'chk_1',
      movementId: 'mov_1',
    };
    const { transferId } = await retryAfter('transfers.create', kind, (at) => at.transfer(part));
    const reverseKey = unique('move');
    await retryAfter('transfer_reversals.create', kind, (at) =>
      at.reverse(transferId, { amount: 500, key: reverseKey, movementId: 'mov_1' }),
    );
    expect(await stripe.transfers.retrieve(transferId)).toMatchObject({ amount: 2500, amount_reversed: 500 });
  });

  it('a connection must be cut twice to fail, because the SDK retries once with the same key', async () => {
    const { intentId } = await held();
    const key = unique('capture');
    faulty('payment_intents.capture', 'drop_connection', 2);
    await expect(processor.capture(intentId, 2500, key)).rejects.toBeInstanceOf(ProcessorUnavailable);
    faulty('payment_intents.capture', 'drop_connection', 1);
    expect(await processor.capture(intentId, 2500, key)).toMatchObject({ status: 'captured' });
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 2500, refunded: 0 });
  });

  it('a second call during the first is unavailable, and the work is done once', async () => {
    const request = newHold();
    const before = await intents();
    sandbox.api.faults.set({
      rules: [{ id: unique('rule'), on: 'payment_intents.create', kind: 'slow', ms: 1_200, times: 1 }],
    });
    const first = processor.createHold(request);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await expect(processor.createHold(request)).rejects.toThrow('idempotency_key_in_use');
    const created = await first;
    expect(await processor.createHold(request)).toEqual(created);
    expect(await intents()).toBe(before + 1);
  });
});

describe('without a network', () => {
  it('the adapter calls a processor in its own process, time-outs included', async () => {
    const inProcess: Stripe.HttpClient = {
      getClientName: () => 'in-process',
      makeRequest: async (_host, _port, path, method, sent, body) => {
        const headers = Object.entries(sent).map(([name, value]) => [name.toLowerCase(), String(value)]);
        const answer = await sandbox.api.handle({ method, path, headers: Object.fromEntries(headers), body });
        if (answer.fault !== undefined) throw Stripe.HttpClient.makeTimeoutError();
        return {
          getStatusCode: () => answer.status,
          getHeaders: () => ({ ...answer.headers }),
          getRawResponse: () => ({}),
          toStream: () => null,
          toJSON: async () => JSON.parse(answer.body),
        };
      },
    };
    const inProcessAdapter = makeStripeProcessor({
      mode: 'test',
      secretKey: KEYS.test.secret,
      publishableKey: KEYS.test.publishable,
      address: { protocol: 'http', host: 'in-process', port: 1 },
      httpClient: inProcess,
    });
    const request = newHold();
    faulty('payment_intents.create', 'timeout_after');
    await expect(inProcessAdapter.createHold(request)).rejects.toThrow(
      'createHold: no answer from the card processor (ETIMEDOUT)',
    );
    const { intentId } = await inProcessAdapter.createHold(request);
    expect(await inProcessAdapter.payWithTestCard(intentId, 'pm_card_visa', unique('pay'))).toEqual(
      await processor.retrieveHold(intentId),
    );
    await expect(inProcessAdapter.retrieveHold('pi_nobody')).rejects.toBeInstanceOf(ProcessorUnavailable);
  });
});

describe('events', () => {
  it('of the embedded processor are read: a hold, a capture, a refund and a dispute', async () => {
    const events: (ProcessorEvent | null)[] = [];
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const signature = request.headers['stripe-signature'];
        const header = typeof signature === 'string' ? signature : undefined;
        events.push(readProcessorEvent(Buffer.concat(chunks), header, [endpoint.secret ?? ''], Date.now()));
        response.end();
      });
    });
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const endpoint = await stripe.webhookEndpoints.create({ url, enabled_events: ['*'] });

    const request = newHold();
    const { intentId } = await processor.createHold(request);
    await stripe.paymentIntents.confirm(intentId, { payment_method: 'pm_card_createDispute' });
    await processor.capture(intentId, 2500, unique('capture'));
    const refunded = await captured();
    await processor.refund(refunded.intentId, {
      amount: 100,
      key: unique('refund'),
      movementId: 'mov_1',
      venueId: 'ven_1',
    });

    const of = (type: string) => events.find((event) => event?.type === type);
    await expect.poll(() => of('charge.refunded'), { timeout: 60_000 }).toBeDefined();
    await expect.poll(() => of('charge.dispute.created'), { timeout: 60_000 }).toBeDefined();
    expect(events).not.toContain(null);
    const hold = { kind: 'hold', intentId, metadata: request.metadata };
    expect(of('payment_intent.amount_capturable_updated')).toMatchObject({ mode: 'test', subject: hold });
    expect(of('charge.captured')?.subject).toEqual(hold);
    expect(of('payment_intent.succeeded')?.subject).toEqual(hold);
    expect(of('charge.refunded')?.subject).toMatchObject({ kind: 'hold', intentId: refunded.intentId });
    const dispute = of('charge.dispute.created')?.subject;
    expect(dispute).toEqual({ kind: 'dispute', intentId, disputeId: expect.stringMatching(/^du_/) });
    const facts = await processor.findDispute(intentId);
    expect(facts).toEqual({
      disputeId: dispute?.kind === 'dispute' ? dispute.disputeId : '',
      intentId,
      amount: 2500,
      currency: 'usd',
      status: 'needs_response',
      reason: 'fraudulent',
      withdrawn: 2500,
      reinstated: 0,
      processorFee: 1500,
      processorFeeReturned: 0,
      evidenceDueAt: expect.any(Number),
    });
    expect(await processor.retrieveDispute(facts?.disputeId ?? '')).toEqual(facts);
    expect((await processor.disputesSince(0, null)).disputes).toContainEqual(facts);
    await stripe.webhookEndpoints.del(endpoint.id);
    receiver.closeAllConnections();
    receiver.close();
  });
});
