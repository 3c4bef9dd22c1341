// The adapter against the embedded processor, over HTTP, as a whole checkout uses it: every call, each fault and the same
// call again, and the notices that come of it. Answers that the embedded processor never gives are in stripe-errors.test.ts.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FaultKind } from '../../sandbox/processor/faults.ts';
import { type RunningProcessor, startProcessor } from '../../sandbox/processor/server.ts';
import type { Mode } from '../../src/base/config.ts';
import { type Notice, readNotice } from '../../src/domain/payments/notice.ts';
import {
  type HoldFacts,
  type NewHold,
  type Processor,
  ProcessorRefusal,
  ProcessorUnavailable,
} from '../../src/domain/payments/processor.ts';
import { makeStripeProcessor } from '../../src/domain/payments/stripe.ts';

/** Only calls that are meant to fail are made in haste, so that a busy machine fails no other. */
const HASTY_MS = 300;
const keysFor = (mode: Mode) => ({
  secret: `sk_${mode}_adapter`,
  publishable: `pk_${mode}_adapter`,
  webhookSecret: `whsec_${mode}_adapter`,
});
const KEYS = { test: keysFor('test'), live: keysFor('live') };

let bank: RunningProcessor;
let processor: Processor;
let live: Processor;
let hasty: Processor;
/** A client beside the adapter, for what guests and the processor's own people do. */
let beside: Stripe;

beforeAll(async () => {
  bank = await startProcessor({ port: 0, folder: null, keys: KEYS });
  processor = adapter('test');
  live = adapter('live');
  hasty = adapter('test', KEYS.test.secret, HASTY_MS);
  beside = new Stripe(KEYS.test.secret, { host: '127.0.0.1', port: bank.port, protocol: 'http', telemetry: false });
});
afterEach(() => bank.api.faults.clear());
afterAll(() => bank.close());

function adapter(mode: Mode, secretKey = KEYS[mode].secret, timeoutMs = 15_000): Processor {
  return makeStripeProcessor({
    mode,
    secretKey,
    publishableKey: KEYS[mode].publishable,
    address: { protocol: 'http', host: '127.0.0.1', port: bank.port },
    timeoutMs,
  });
}

let count = 0;
const fresh = (word: string): string => `${word} ${++count}`;

function wish(more: Partial<NewHold> = {}): NewHold {
  const holdId = fresh('hld').replace(' ', '_');
  const marks = { venueId: 'ven_1', checkoutId: 'chk_1', shareId: 'shr_1', holdId };
  return {
    key: `open ${holdId}`,
    amount: 2500,
    currency: 'usd',
    description: 'A boat',
    marks,
    customerId: null,
    ...more,
  };
}

async function held(more: Partial<NewHold> = {}): Promise<HoldFacts> {
  const { intentId } = await processor.createHold(wish(more));
  return processor.payWithTestCard(intentId, 'pm_card_visa', fresh('pay'));
}

async function captured(amount = 2500): Promise<HoldFacts & { readonly chargeId: string }> {
  const { intentId } = await held({ amount });
  const facts = await processor.capture(intentId, amount, fresh('capture'));
  if (facts.chargeId === null) throw new Error('what was captured has a charge');
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
  bank.api.faults.set({ rules: [{ id: fresh('rule'), on, kind, times }] });

const intents = async (): Promise<number> =>
  (await beside.paymentIntents.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 })).length;

describe('a hold', () => {
  it('is opened with its marks, waits for a card, and gives the browser what it needs', async () => {
    const asked = wish();
    const opened = await processor.createHold(asked);
    expect(opened.clientSecret).toContain(`${opened.intentId}_secret_`);
    expect(await processor.retrieveHold(opened.intentId)).toEqual({
      intentId: opened.intentId,
      status: 'waiting',
      mode: 'test',
      amount: 2500,
      capturable: 0,
      captured: 0,
      currency: 'usd',
      marks: asked.marks,
      heldAt: null,
      captureBefore: null,
      chargeId: null,
      customerId: null,
      paymentMethodId: null,
      refusal: null,
      decline: null,
    });
    const raw = await beside.paymentIntents.retrieve(opened.intentId);
    expect(raw).toMatchObject({ capture_method: 'manual', payment_method_types: ['card'], transfer_group: 'chk_1' });
    expect(raw.setup_future_usage).toBeNull();
    expect(processor.publishableKey).toBe(KEYS.test.publishable);
  });

  it('opened again with the same key is the same hold', async () => {
    const asked = wish();
    const before = await intents();
    const [first, second] = [await processor.createHold(asked), await processor.createHold(asked)];
    expect(second).toEqual(first);
    expect(await intents()).toBe(before + 1);
  });

  it('holds once a card has paid, and says until when', async () => {
    const facts = await held();
    expect(facts).toMatchObject({ status: 'held', capturable: 2500, captured: 0, refusal: null });
    expect(facts.chargeId).toMatch(/^ch_/);
    expect(facts.captureBefore ?? 0).toBeGreaterThan(facts.heldAt ?? Number.POSITIVE_INFINITY);
    expect(await processor.retrieveHold(facts.intentId)).toEqual(facts);
  });

  it('tells why the last card was refused, and forgets it when the next one pays', async () => {
    const { intentId } = await processor.createHold(wish());
    const confirm = beside.paymentIntents.confirm(intentId, {
      payment_method: 'pm_card_chargeDeclinedInsufficientFunds',
    });
    await expect(confirm).rejects.toThrow();
    expect(await processor.retrieveHold(intentId)).toMatchObject({
      status: 'waiting',
      refusal: 'insufficient_funds',
      chargeId: null,
      heldAt: null,
    });
    expect(await processor.payWithTestCard(intentId, 'pm_card_visa', fresh('pay'))).toMatchObject({
      status: 'held',
      refusal: null,
    });
  });

  it('is underway while the bank asks its owner', async () => {
    const { intentId } = await processor.createHold(wish());
    await beside.paymentIntents.confirm(intentId, { payment_method: 'pm_card_authenticationRequired' });
    expect(await processor.retrieveHold(intentId)).toMatchObject({ status: 'underway', heldAt: null });
  });

  it('too small to be taken is refused with the processor’s word', async () => {
    expect(await codeOf(processor.createHold(wish({ amount: 1 })))).toBe('amount_too_small');
  });

  it('that is not there is trouble, not a hold that is gone: we may be asking the wrong account', async () => {
    await expect(processor.retrieveHold('pi_nobody')).rejects.toBeInstanceOf(ProcessorUnavailable);
    await expect(processor.capture('pi_nobody', 1, fresh('key'))).rejects.toBeInstanceOf(ProcessorUnavailable);
    await expect(processor.release('pi_nobody', fresh('key'))).rejects.toBeInstanceOf(ProcessorUnavailable);
    await expect(processor.chargeTotals('pi_nobody')).rejects.toBeInstanceOf(ProcessorUnavailable);
  });
});

describe('a renewal', () => {
  async function keptCard(): Promise<{ readonly customerId: string; readonly paymentMethodId: string }> {
    const asked = wish();
    const customerId = await processor.createCustomer(fresh('customer'), asked.marks);
    const { intentId } = await processor.createHold({ ...asked, customerId });
    const { paymentMethodId } = await processor.payWithTestCard(intentId, 'pm_card_visa', fresh('pay'));
    if (paymentMethodId === null) throw new Error('what is held has a card');
    return { customerId, paymentMethodId };
  }

  it('holds anew on the card that was kept, without its owner', async () => {
    const kept = await keptCard();
    const asked = { ...wish(), ...kept };
    const facts = await processor.renewHold(asked);
    expect(facts).toMatchObject({ status: 'held', capturable: 2500, marks: asked.marks, ...kept });
    expect(await processor.renewHold(asked)).toEqual(facts);
  });

  it.each([
    ['pm_card_chargeDeclinedInsufficientFunds', 'insufficient_funds'],
    ['pm_card_chargeDeclined', 'generic_decline'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card'],
    ['pm_card_authenticationRequired', 'authentication_required'],
  ])('with %s is refused as %s; what is left of it holds no money', async (paymentMethodId, code) => {
    const { customerId } = await keptCard();
    const asked = { ...wish(), customerId, paymentMethodId };
    expect(await codeOf(processor.renewHold(asked))).toBe(code);
    expect(await codeOf(processor.renewHold(asked))).toBe(code);
    const page = await processor.holdsSince(0, null);
    const left = page.holds.filter(({ marks }) => marks.holdId === asked.marks.holdId);
    expect(left).toMatchObject([{ status: 'waiting', capturable: 0, chargeId: null, refusal: code }]);
    expect(await processor.release(left[0]?.intentId ?? '', fresh('release'))).toMatchObject({ status: 'gone' });
  });

  it('at a bank that stumbles is trouble', async () => {
    const { customerId } = await keptCard();
    const asked = { ...wish(), customerId, paymentMethodId: 'pm_card_chargeDeclinedProcessingError' };
    await expect(processor.renewHold(asked)).rejects.toBeInstanceOf(ProcessorUnavailable);
  });
});

describe('a capture', () => {
  it('takes the money once, with one key or with two', async () => {
    const { intentId } = await held();
    const key = fresh('capture');
    const first = await processor.capture(intentId, 2500, key);
    expect(first).toMatchObject({ status: 'captured', captured: 2500, capturable: 0 });
    expect(await processor.capture(intentId, 2500, key)).toEqual(first);
    expect(await processor.capture(intentId, 2500, fresh('capture'))).toEqual(first);
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 2500, refunded: 0 });
  });

  it('twice at the same moment takes it once', async () => {
    const { intentId } = await held();
    const tries = Array.from({ length: 8 }, () => processor.capture(intentId, 2500, fresh('capture')));
    for (const facts of await Promise.all(tries)) expect(facts).toMatchObject({ status: 'captured', captured: 2500 });
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 2500, refunded: 0 });
  });

  it('of less gives the rest back, which is no refund', async () => {
    const { intentId } = await held();
    expect(await processor.capture(intentId, 2000, fresh('capture'))).toMatchObject({ captured: 2000 });
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 2000, refunded: 0 });
    await processor.refund(intentId, { amount: 500, key: fresh('refund'), movementId: 'mov_1' });
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 2000, refunded: 500 });
    expect(await codeOf(processor.capture(intentId, 2500, fresh('capture')))).toBe('payment_intent_unexpected_state');
  });

  it('of what was released is refused; of too much, or of nothing held, it is trouble as long as the hold stands', async () => {
    const { intentId } = await held();
    await expect(processor.capture(intentId, 2501, fresh('capture'))).rejects.toBeInstanceOf(ProcessorUnavailable);
    const { intentId: waiting } = await processor.createHold(wish());
    await expect(processor.capture(waiting, 2500, fresh('capture'))).rejects.toBeInstanceOf(ProcessorUnavailable);
    await processor.release(intentId, fresh('release'));
    expect(await codeOf(processor.capture(intentId, 2500, fresh('capture')))).toBe('payment_intent_unexpected_state');
  });

  it('with a key that was used for something else is trouble, and takes nothing', async () => {
    const [one, other] = [await held(), await held()];
    const key = fresh('capture');
    await processor.capture(one.intentId, 2500, key);
    await expect(processor.capture(other.intentId, 2500, key)).rejects.toBeInstanceOf(ProcessorUnavailable);
    expect(await processor.retrieveHold(other.intentId)).toMatchObject({ status: 'held' });
  });

  it('at a bank that stumbles is trouble, and the answer stays with its key', async () => {
    const { intentId } = await processor.createHold(wish());
    await beside.paymentIntents.confirm(intentId, { payment_method: 'pm_card_captureFailsForAWhile' });
    const key = fresh('capture');
    const tried = () => processor.capture(intentId, 2500, key);
    await expect(tried()).rejects.toThrow(/^capture: the card processor failed \(402, processing_error, req_\w+\)$/);
    await expect(tried()).rejects.toThrow('replayed for this key');
    for (const _ of [2, 3]) {
      await expect(processor.capture(intentId, 2500, fresh('capture'))).rejects.toBeInstanceOf(ProcessorUnavailable);
    }
    expect(await processor.capture(intentId, 2500, fresh('capture'))).toMatchObject({ status: 'captured' });
  });

  it('that the bank will never make is refused', async () => {
    const { intentId } = await processor.createHold(wish());
    await beside.paymentIntents.confirm(intentId, { payment_method: 'pm_card_captureFailsForGood' });
    expect(await codeOf(processor.capture(intentId, 2500, fresh('capture')))).toBe('generic_decline');
  });
});

describe('a release', () => {
  it('frees the card, and again is no failure, with one key or with two', async () => {
    const { intentId } = await held();
    const key = fresh('release');
    const first = await processor.release(intentId, key);
    expect(first).toMatchObject({ status: 'gone', capturable: 0, captured: 0, heldAt: null });
    expect(await processor.release(intentId, key)).toEqual(first);
    expect(await processor.release(intentId, fresh('release'))).toEqual(first);
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 0, refunded: 0 });
  });

  it('of a hold that no card ever paid is as good', async () => {
    const { intentId } = await processor.createHold(wish());
    expect(await processor.release(intentId, fresh('release'))).toMatchObject({ status: 'gone' });
  });

  it('of what was captured is refused, and takes nothing back', async () => {
    const { intentId } = await captured();
    expect(await codeOf(processor.release(intentId, fresh('release')))).toBe('already_captured');
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 2500, refunded: 0 });
  });
});

describe('a refund', () => {
  it('gives back once with one key, up to all, and not a cent beyond', async () => {
    const { intentId } = await captured();
    const key = fresh('refund');
    const { refundId } = await processor.refund(intentId, { amount: 1000, key: key, movementId: 'mov_1' });
    expect(await processor.refund(intentId, { amount: 1000, key: key, movementId: 'mov_1' })).toEqual({ refundId });
    expect(await codeOf(processor.refund(intentId, { amount: 1501, key: fresh('refund'), movementId: 'mov_1' }))).toBe(
      'amount_too_large',
    );
    await processor.refund(intentId, { amount: 1500, key: fresh('refund'), movementId: 'mov_1' });
    expect(await codeOf(processor.refund(intentId, { amount: 1, key: fresh('refund'), movementId: 'mov_1' }))).toBe(
      'charge_already_refunded',
    );
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 2500, refunded: 2500 });
    expect(await processor.retrieveHold(intentId)).toMatchObject({ status: 'captured', captured: 2500 });
  });

  it('of what is only held is refused', async () => {
    const { intentId } = await held();
    expect(await codeOf(processor.refund(intentId, { amount: 100, key: fresh('refund'), movementId: 'mov_1' }))).toBe(
      'charge_not_refundable',
    );
  });
});

describe('a venue', () => {
  const venue = { id: 'ven_1', name: 'Kayaks & Grüße' };

  it('of the sandbox can be paid at once; asked for twice it is one account', async () => {
    const key = fresh('account');
    const account = await processor.createAccount(key, venue);
    expect(account.payoutsEnabled).toBe(true);
    expect(await processor.createAccount(key, venue)).toEqual(account);
    const raw = await beside.accounts.retrieve(account.accountId);
    expect(raw.business_profile?.name).toBe(venue.name);
    expect(raw.metadata).toEqual({ venue_id: 'ven_1', onboarded: 'true' });
  });

  it('gets a link to where it fills in what the processor asks', async () => {
    const { accountId } = await processor.createAccount(fresh('account'), venue);
    expect(await processor.onboardingLink(accountId, 'https://venue.example/back')).toContain(accountId);
    expect(await codeOf(processor.onboardingLink('acct_nobody', 'https://venue.example/back'))).toBe(
      'resource_missing',
    );
  });

  it('is paid from a charge: once with one key, never more than was captured, and back again', async () => {
    const { accountId } = await processor.createAccount(fresh('account'), venue);
    const { chargeId } = await captured();
    const part = {
      key: fresh('move'),
      amount: 2000,
      currency: 'usd',
      accountId,
      chargeId,
      checkoutId: 'chk_1',
      movementId: 'mov_1',
    };
    const { transferId } = await processor.transfer(part);
    expect(await processor.transfer(part)).toEqual({ transferId });
    expect(await beside.transfers.retrieve(transferId)).toMatchObject({
      amount: 2000,
      source_transaction: chargeId,
      destination: accountId,
      transfer_group: 'chk_1',
    });
    expect(await codeOf(processor.transfer({ ...part, key: fresh('move'), amount: 501 }))).toBe('amount_too_large');
    const key = fresh('move');
    const { reversalId } = await processor.reverse(transferId, { amount: 1500, key: key, movementId: 'mov_1' });
    expect(await processor.reverse(transferId, { amount: 1500, key: key, movementId: 'mov_1' })).toEqual({
      reversalId,
    });
    expect(await codeOf(processor.reverse(transferId, { amount: 501, key: fresh('move'), movementId: 'mov_1' }))).toBe(
      'amount_too_large',
    );
    expect(await beside.transfers.retrieve(transferId)).toMatchObject({ amount_reversed: 1500 });
    await processor.transfer({ ...part, key: fresh('move'), amount: 501 });
  });

  it('that the processor does not know, or has not cleared, is not paid', async () => {
    const { chargeId } = await captured();
    const part = {
      key: fresh('move'),
      amount: 100,
      currency: 'usd',
      chargeId,
      checkoutId: 'chk_1',
      movementId: 'mov_1',
    };
    expect(await codeOf(processor.transfer({ ...part, accountId: 'acct_nobody' }))).toBe('resource_missing');
    const { id: accountId } = await beside.accounts.create({ type: 'express' });
    expect(await codeOf(processor.transfer({ ...part, key: fresh('move'), accountId }))).toBe(
      'insufficient_capabilities_for_transfer',
    );
  });

  it('what was moved is found again by its movement, without its key', async () => {
    const { accountId } = await processor.createAccount(fresh('account'), venue);
    const { chargeId, intentId } = await captured();
    const [checkoutId, movementId] = [fresh('chk'), fresh('mov')];
    expect(await processor.findTransfer(checkoutId, movementId)).toBeNull();
    const wish = { key: fresh('move'), amount: 900, currency: 'usd', accountId, chargeId, checkoutId, movementId };
    const { transferId } = await processor.transfer(wish);
    expect(await processor.findTransfer(checkoutId, movementId)).toEqual({ transferId });
    expect(await processor.findTransfer(checkoutId, fresh('mov'))).toBeNull();
    const back = { key: fresh('move'), amount: 300, movementId };
    expect(await processor.findReversal(transferId, movementId)).toBeNull();
    const reversed = await processor.reverse(transferId, back);
    expect(await processor.findReversal(transferId, movementId)).toEqual(reversed);
    expect(await processor.findRefund(intentId, movementId)).toBeNull();
    const refunded = await processor.refund(intentId, { ...back, key: fresh('move') });
    expect(await processor.findRefund(intentId, movementId)).toEqual(refunded);
  });

  it('is not paid from a charge that is only held', async () => {
    const { accountId } = await processor.createAccount(fresh('account'), venue);
    const chargeId = (await held()).chargeId ?? '';
    const part = {
      key: fresh('move'),
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
  it('walks through every hold, newest first, each once', async () => {
    const made: string[] = [];
    for (let n = 0; n < 230; n++) made.push((await processor.createHold(wish())).intentId);
    const walked: HoldFacts[] = [];
    let after: string | null = null;
    let pages = 0;
    do {
      const page = await processor.holdsSince(0, after);
      walked.push(...page.holds);
      after = page.next;
      pages += 1;
    } while (after !== null);
    const ids = walked.map(({ intentId }) => intentId);
    expect(ids.slice(0, 230)).toEqual(made.reverse());
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(await intents());
    expect(pages).toBe(Math.ceil(ids.length / 100));
  });

  it('misses nothing of the second in which it begins, and shows nothing before it', async () => {
    const facts = await held();
    const { created } = await beside.paymentIntents.retrieve(facts.intentId);
    const page = await processor.holdsSince(created * 1000 + 999, null);
    expect(page.holds).toContainEqual(facts);
    expect(await processor.holdsSince((created + 60) * 1000, null)).toEqual({ holds: [], next: null });
  });
});

describe('the wall between the modes', () => {
  it('neither mode sees, captures, releases or pays from what is the other’s', async () => {
    const { intentId } = await held();
    for (const work of [
      live.retrieveHold(intentId),
      live.capture(intentId, 2500, fresh('capture')),
      live.release(intentId, fresh('release')),
    ]) {
      await expect(work).rejects.toBeInstanceOf(ProcessorUnavailable);
    }
    for (const work of [
      live.payWithTestCard(intentId, 'pm_card_visa', fresh('pay')),
      live.refund(intentId, { amount: 100, key: fresh('refund'), movementId: 'mov_1' }),
    ]) {
      expect(await codeOf(work)).toBe('resource_missing');
    }
    expect(await processor.retrieveHold(intentId)).toMatchObject({ status: 'held', mode: 'test' });
  });

  it('a live hold says that it is live, and the sandbox’s test card pays it', async () => {
    const { intentId } = await live.createHold(wish());
    expect(await live.payWithTestCard(intentId, 'pm_card_visa', fresh('pay'))).toMatchObject({
      status: 'held',
      mode: 'live',
    });
  });

  it('a key that nobody issued is trouble, not the loss of a hold', async () => {
    const { intentId } = await held();
    const stranger = adapter('test', 'sk_test_ofNobody');
    await expect(stranger.capture(intentId, 2500, fresh('capture'))).rejects.toBeInstanceOf(ProcessorUnavailable);
    await expect(stranger.retrieveHold(intentId)).rejects.toThrow('refuses our secret key');
  });
});

describe('whatever goes wrong, the same call with the same key does the work once', () => {
  const kinds: FaultKind[] = ['timeout_before', 'timeout_after', 'rate_limited', 'error_500', 'error_500_after'];

  async function twice<T>(on: string, kind: FaultKind, work: (at: Processor) => Promise<T>): Promise<T> {
    faulty(on, kind);
    await expect(work(hasty)).rejects.toBeInstanceOf(ProcessorUnavailable);
    return work(processor);
  }

  it.each(kinds)('%s: one hold, captured once, refunded once', async (kind) => {
    const before = await intents();
    const asked = wish();
    const { intentId } = await twice('payment_intents.create', kind, (at) => at.createHold(asked));
    expect(await intents()).toBe(before + 1);
    const payKey = fresh('pay');
    await twice('payment_intents.confirm', kind, (at) => at.payWithTestCard(intentId, 'pm_card_visa', payKey));
    await twice('payment_intents.retrieve', kind, (at) => at.retrieveHold(intentId));
    const captureKey = fresh('capture');
    const facts = await twice('payment_intents.capture', kind, (at) => at.capture(intentId, 2500, captureKey));
    expect(facts).toMatchObject({ status: 'captured', captured: 2500 });
    const refundKey = fresh('refund');
    await twice('refunds.create', kind, (at) =>
      at.refund(intentId, { amount: 1000, key: refundKey, movementId: 'mov_1' }),
    );
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 2500, refunded: 1000 });
  });

  it.each(kinds)('%s: one release, one customer, one account, one transfer, one reversal', async (kind) => {
    const { intentId } = await held();
    const releaseKey = fresh('release');
    const released = await twice('payment_intents.cancel', kind, (at) => at.release(intentId, releaseKey));
    expect(released).toMatchObject({ status: 'gone' });
    const customerKey = fresh('customer');
    const { marks } = wish();
    const openCustomer = (at: Processor) => at.createCustomer(customerKey, marks);
    const customer = await twice('customers.create', kind, openCustomer);
    expect(await openCustomer(processor)).toBe(customer);
    const accountKey = fresh('account');
    const { accountId } = await twice('accounts.create', kind, (at) =>
      at.createAccount(accountKey, { id: 'ven_1', name: 'Kayaks' }),
    );
    const { chargeId } = await captured();
    const part = {
      key: fresh('move'),
      amount: 2500,
      currency: 'usd',
      accountId,
      chargeId,
      checkoutId: 'chk_1',
      movementId: 'mov_1',
    };
    const { transferId } = await twice('transfers.create', kind, (at) => at.transfer(part));
    const reverseKey = fresh('move');
    await twice('transfer_reversals.create', kind, (at) =>
      at.reverse(transferId, { amount: 500, key: reverseKey, movementId: 'mov_1' }),
    );
    expect(await beside.transfers.retrieve(transferId)).toMatchObject({ amount: 2500, amount_reversed: 500 });
  });

  it('a cut connection is trouble only when it is cut twice: the SDK asks once more, with the same key', async () => {
    const { intentId } = await held();
    const key = fresh('capture');
    faulty('payment_intents.capture', 'drop_connection', 2);
    await expect(processor.capture(intentId, 2500, key)).rejects.toBeInstanceOf(ProcessorUnavailable);
    faulty('payment_intents.capture', 'drop_connection', 1);
    expect(await processor.capture(intentId, 2500, key)).toMatchObject({ status: 'captured' });
    expect(await processor.chargeTotals(intentId)).toEqual({ captured: 2500, refunded: 0 });
  });

  it('a second try while the first is still at work is trouble, and the work is done once', async () => {
    const asked = wish();
    const before = await intents();
    bank.api.faults.set({
      rules: [{ id: fresh('rule'), on: 'payment_intents.create', kind: 'slow', ms: 1_200, times: 1 }],
    });
    const first = processor.createHold(asked);
    await new Promise((done) => setTimeout(done, 200));
    await expect(processor.createHold(asked)).rejects.toThrow('idempotency_key_in_use');
    const opened = await first;
    expect(await processor.createHold(asked)).toEqual(opened);
    expect(await intents()).toBe(before + 1);
  });
});

describe('without a network', () => {
  it('the same adapter speaks to a processor in its own process, its silences included', async () => {
    const inProcess: Stripe.HttpClient = {
      getClientName: () => 'in-process',
      makeRequest: async (_host, _port, path, method, sent, body) => {
        const headers = Object.entries(sent).map(([name, value]) => [name.toLowerCase(), String(value)]);
        const answer = await bank.api.handle({ method, path, headers: Object.fromEntries(headers), body });
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
    const near = makeStripeProcessor({
      mode: 'test',
      secretKey: KEYS.test.secret,
      publishableKey: KEYS.test.publishable,
      address: { protocol: 'http', host: 'in-process', port: 1 },
      httpClient: inProcess,
    });
    const asked = wish();
    faulty('payment_intents.create', 'timeout_after');
    await expect(near.createHold(asked)).rejects.toThrow('openHold: no answer from the card processor (ETIMEDOUT)');
    const { intentId } = await near.createHold(asked);
    expect(await near.payWithTestCard(intentId, 'pm_card_visa', fresh('pay'))).toEqual(
      await processor.retrieveHold(intentId),
    );
    await expect(near.retrieveHold('pi_nobody')).rejects.toBeInstanceOf(ProcessorUnavailable);
  });
});

describe('notices', () => {
  it('from the processor’s own hand are read: a hold, a capture, a refund and a dispute', async () => {
    const told: (Notice | null)[] = [];
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const signature = request.headers['stripe-signature'];
        const header = typeof signature === 'string' ? signature : undefined;
        told.push(readNotice(Buffer.concat(chunks), header, KEYS.test.webhookSecret, Date.now()));
        response.end();
      });
    });
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const endpoint = await beside.webhookEndpoints.create({ url, enabled_events: ['*'] });

    const asked = wish();
    const { intentId } = await processor.createHold(asked);
    await beside.paymentIntents.confirm(intentId, { payment_method: 'pm_card_createDispute' });
    const { chargeId } = await processor.capture(intentId, 2500, fresh('capture'));
    const refunded = await captured();
    await processor.refund(refunded.intentId, { amount: 100, key: fresh('refund'), movementId: 'mov_1' });

    const of = (type: string) => told.find((notice) => notice?.type === type);
    await expect.poll(() => of('charge.refunded'), { timeout: 60_000 }).toBeDefined();
    await expect.poll(() => of('charge.dispute.created'), { timeout: 60_000 }).toBeDefined();
    expect(told).not.toContain(null);
    const hold = { kind: 'hold', intentId, marks: asked.marks };
    expect(of('payment_intent.amount_capturable_updated')).toMatchObject({ mode: 'test', about: hold });
    expect(of('charge.captured')?.about).toEqual(hold);
    expect(of('payment_intent.succeeded')?.about).toEqual(hold);
    expect(of('charge.refunded')?.about).toMatchObject({ kind: 'hold', intentId: refunded.intentId });
    expect(of('charge.dispute.created')?.about).toMatchObject({
      kind: 'dispute',
      intentId,
      chargeId,
      amount: 2500,
      currency: 'usd',
      status: 'needs_response',
      reason: 'fraudulent',
    });
    await beside.webhookEndpoints.del(endpoint.id);
    receiver.closeAllConnections();
    receiver.close();
  });
});
