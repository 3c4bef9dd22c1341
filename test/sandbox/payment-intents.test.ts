// The processor with the official client: payment intents, every test card, 3-D Secure, and API keys.

import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeProcessorApi } from '../../sandbox/processor/api.ts';
import { testCards } from '../../sandbox/processor/cards.ts';
import { memoryJournal } from '../../sandbox/processor/journal.ts';
import { systemRandom } from '../../src/base/random.ts';
import {
  type AnyJson,
  createHold,
  errorOf,
  keys,
  startTestProcessor,
  type TestProcessor,
} from '../support/test-processor.ts';

let processor: TestProcessor;
let stripe: Stripe;
beforeAll(async () => {
  processor = await startTestProcessor();
  stripe = processor.stripe;
});
afterAll(() => processor.close());

const cardFields = (number: string, overrides: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  'payment_method_data[type]': 'card',
  'payment_method_data[card][number]': number,
  'payment_method_data[card][exp_month]': '12',
  'payment_method_data[card][exp_year]': '40',
  'payment_method_data[card][cvc]': '123',
  ...overrides,
});

async function createIntent(overrides: Partial<Stripe.PaymentIntentCreateParams> = {}): Promise<Stripe.PaymentIntent> {
  return stripe.paymentIntents.create({
    amount: 1000,
    currency: 'usd',
    capture_method: 'manual',
    allowed_payment_method_types: ['card'],
    ...overrides,
  });
}

async function confirmAsBrowser(intent: Stripe.PaymentIntent, fields: Readonly<Record<string, string>>) {
  return processor.postAsBrowser(`/v1/payment_intents/${intent.id}/confirm`, {
    client_secret: intent.client_secret ?? '',
    ...fields,
  });
}

const HOUR = 3_600;
const DAY = 24 * HOUR;

function chargeOf(intent: Stripe.PaymentIntent): Promise<Stripe.Charge> {
  return stripe.charges.retrieve(String(intent.latest_charge));
}

async function holdSeconds(intent: Stripe.PaymentIntent): Promise<number> {
  const charge = await chargeOf(intent);
  return (charge.payment_method_details?.card?.capture_before ?? 0) - charge.created;
}

describe('a payment intent', () => {
  it('goes from requires_payment_method to requires_capture to succeeded', async () => {
    const intent = await createIntent({ metadata: { hold: 'h_1' }, description: 'A share' });
    expect(intent).toMatchObject({ object: 'payment_intent', status: 'requires_payment_method', livemode: false });
    expect(intent.client_secret).toMatch(new RegExp(`^${intent.id}_secret_[0-9A-Za-z]{32}$`));
    const named = await stripe.paymentIntents.create({ amount: 500, currency: 'usd', payment_method: 'pm_card_visa' });
    expect(named.status).toBe('requires_confirmation');

    const held = await stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
    expect(held).toMatchObject({ status: 'requires_capture', amount_capturable: 1000, amount_received: 0 });
    const seen = await stripe.paymentIntents.retrieve(intent.id, { expand: ['latest_charge'] });
    const charge = seen.latest_charge as Stripe.Charge;
    expect(charge).toMatchObject({ object: 'charge', captured: false, amount: 1000, paid: true });
    expect(charge.outcome?.network_status).toBe('approved_by_network');
    expect(charge.payment_method_details?.card?.capture_before).toBe(charge.created + 7 * 86_400);

    const captured = await stripe.paymentIntents.capture(intent.id);
    expect(captured).toMatchObject({ status: 'succeeded', amount_received: 1000, amount_capturable: 0 });
    expect(captured.metadata).toEqual({ hold: 'h_1' });
    expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ captured: true, amount_captured: 1000 });
    const repeated = await errorOf(stripe.paymentIntents.capture(intent.id));
    expect(repeated).toMatchObject({ statusCode: 400, code: 'payment_intent_unexpected_state' });
  });

  it('is captured in part, and the remainder is released', async () => {
    const { id } = await createHold(stripe);
    expect(await errorOf(stripe.paymentIntents.capture(id, { amount_to_capture: 1001 }))).toMatchObject({
      code: 'amount_too_large',
    });
    expect(await stripe.paymentIntents.capture(id, { amount_to_capture: 600 })).toMatchObject({ amount_received: 600 });
    const { latest_charge } = await stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] });
    expect(latest_charge).toMatchObject({ amount: 1000, amount_captured: 600, amount_refunded: 400, refunded: false });
  });

  it('is canceled once, and then neither captured nor confirmed', async () => {
    const { id } = await createHold(stripe);
    const canceled = await stripe.paymentIntents.cancel(id, { cancellation_reason: 'requested_by_customer' });
    expect(canceled).toMatchObject({ status: 'canceled', cancellation_reason: 'requested_by_customer' });
    for (const call of [
      stripe.paymentIntents.cancel(id),
      stripe.paymentIntents.capture(id),
      stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' }),
    ]) {
      const error = await errorOf(call);
      expect(error).toMatchObject({ statusCode: 400, code: 'payment_intent_unexpected_state' });
      expect(error.payment_intent).toMatchObject({ id, status: 'canceled' });
    }
  });

  it('rejects a missing, too small or unknown parameter, and an unknown object, by name', async () => {
    const create = (fields: object) => stripe.paymentIntents.create(fields as Stripe.PaymentIntentCreateParams);
    expect(await errorOf(create({ currency: 'usd' }))).toMatchObject({ code: 'parameter_missing', param: 'amount' });
    expect(await errorOf(create({ amount: 49, currency: 'usd' }))).toMatchObject({ code: 'amount_too_small' });
    expect(await errorOf(create({ amount: 1.5, currency: 'usd' }))).toMatchObject({ param: 'amount' });
    expect(await errorOf(create({ amount: 500, currency: 'usd', colour: 'red' }))).toMatchObject({
      code: 'parameter_unknown',
      param: 'colour',
    });
    expect(await errorOf(create({ amount: 500, currency: 'usd', customer: 'cus_no' }))).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    });
    expect(await errorOf(stripe.paymentIntents.retrieve('pi_nothing'))).toMatchObject({ statusCode: 404 });
  });

  it('is updated, and listed newest first one page at a time', async () => {
    const made: string[] = [];
    for (let count = 0; count < 5; count++) made.unshift((await createIntent()).id);
    const changed = await stripe.paymentIntents.update(made[0] ?? '', { metadata: { a: '1', b: '2' } });
    expect(changed.metadata).toEqual({ a: '1', b: '2' });
    expect((await stripe.paymentIntents.update(changed.id, { metadata: { a: '' } })).metadata).toEqual({ b: '2' });
    const page = await stripe.paymentIntents.list({ limit: 2 });
    expect([page.data.map(({ id }) => id), page.has_more]).toEqual([made.slice(0, 2), true]);
    const next = await stripe.paymentIntents.list({ limit: 2, starting_after: made[1] ?? '' });
    expect(next.data.map(({ id }) => id)).toEqual(made.slice(2, 4));
    const walked: string[] = [];
    for await (const { id } of stripe.paymentIntents.list({ limit: 3, created: { gte: 1 } })) walked.push(id);
    expect(walked.slice(0, 5)).toEqual(made);
    expect(new Set(walked).size).toBe(walked.length);
    const future = await stripe.paymentIntents.list({ created: { gt: Math.floor(Date.now() / 1000) + 60 } });
    expect(future.data).toEqual([]);
  });
});

describe('a payment method', () => {
  const hold = (overrides: Partial<Stripe.PaymentIntentCreateParams>) => createIntent({ confirm: true, ...overrides });

  it('without a customer pays once', async () => {
    const first = await hold({ payment_method: 'pm_card_visa' });
    const again = errorOf(hold({ payment_method: String(first.payment_method) }));
    expect(await again).toMatchObject({ statusCode: 400, type: 'StripeInvalidRequestError', param: 'payment_method' });
    expect((await again).message).toContain('It may not be used again.');
    // A customer alone does not save it.
    const { id: customer } = await stripe.customers.create({});
    const notSaved = await hold({ customer, payment_method: 'pm_card_visa' });
    const method = String(notSaved.payment_method);
    expect((await errorOf(hold({ customer, payment_method: method }))).message).toContain('may not be used again');
  });

  it('that is saved with setup_future_usage pays again for its customer, and for no other', async () => {
    const { id: customer } = await stripe.customers.create({});
    const saved = await hold({ customer, payment_method: 'pm_card_visa', setup_future_usage: 'off_session' });
    const method = String(saved.payment_method);
    const second = await createIntent({ customer });
    const confirmed = await stripe.paymentIntents.confirm(second.id, { payment_method: method });
    expect(confirmed).toMatchObject({ status: 'requires_capture', payment_method: method });
    expect((await errorOf(hold({ payment_method: method }))).message).toContain('belongs to a Customer');
    const { id: other } = await stripe.customers.create({});
    expect(await errorOf(hold({ customer: other, payment_method: method }))).toMatchObject({
      statusCode: 400,
      code: 'resource_missing',
    });
  });

  it('that its owner must approve is handled by Stripe.js where the server says so, and by a redirect otherwise', async () => {
    const { id: customer } = await stripe.customers.create({});
    const params = { payment_method: 'pm_card_authenticationRequired', return_url: 'https://shop.example/back' };
    const [forScript, redirected] = [await createIntent({ customer }), await createIntent({ customer })];
    const asked = await stripe.paymentIntents.confirm(forScript.id, { ...params, use_stripe_sdk: true });
    expect(asked).toMatchObject({ status: 'requires_action', next_action: { type: 'use_stripe_sdk' } });
    const other = await stripe.paymentIntents.confirm(redirected.id, params);
    expect(other.next_action).toMatchObject({
      type: 'redirect_to_url',
      redirect_to_url: { return_url: 'https://shop.example/back' },
    });
  });
});

describe('the test cards', () => {
  it('have different numbers, a description and a token', () => {
    expect(new Set(testCards.map(({ number }) => number)).size).toBe(testCards.length);
    expect(testCards.every(({ description: says, tokens }) => says.endsWith('.') && tokens.length > 0)).toBe(true);
  });

  for (const one of testCards.filter(({ group, delayMs: slowMs }) => group === 'works' && slowMs === undefined)) {
    it(`${one.number} works: ${one.description}`, async () => {
      const capturable = one.isPartiallyAuthorized === true ? 500 : 1000;
      expect(await createHold(stripe, one.tokens[0])).toMatchObject({ amount_capturable: capturable });
      const intent = await createIntent();
      expect((await confirmAsBrowser(intent, cardFields(one.number))).body.status).toBe('requires_capture');
    });
  }

  it('the slow card is authorized after three seconds of the given sleep', async () => {
    const waited: number[] = [];
    const wait = async (ms: number) => void waited.push(ms);
    const slow = makeProcessorApi({
      clock: processor.clock,
      random: systemRandom,
      journal: memoryJournal(),
      keys,
      sleep: wait,
    });
    const headers = { authorization: `Bearer ${keys.test.secret}` };
    const pay = (token: string) =>
      slow.handle({
        method: 'POST',
        path: '/v1/payment_intents',
        headers,
        body: `amount=1000&currency=usd&confirm=true&payment_method=${token}`,
      });
    await pay('pm_card_visa');
    expect(waited).toEqual([]);
    expect(await pay('pm_card_slow')).toMatchObject({ status: 200 });
    expect(waited).toEqual([3000]);
  });

  for (const one of testCards.filter(({ decline }) => decline !== undefined)) {
    it(`${one.number} is declined: ${one.description}`, async () => {
      const error = await errorOf(createHold(stripe, one.tokens[0]));
      expect(error).toMatchObject({ type: 'StripeCardError', statusCode: 402, code: one.decline?.code });
      expect(error.decline_code || null).toBe(one.decline?.declineCode);
      expect(error.payment_intent).toMatchObject({ status: 'requires_payment_method', payment_method: null });
      expect(error.payment_intent?.last_payment_error?.code).toBe(one.decline?.code);
      const intent = await createIntent();
      const { status, body } = await confirmAsBrowser(intent, cardFields(one.number));
      expect([status, body.error.code]).toEqual([402, one.decline?.code]);
      // The guest can try another card.
      expect((await confirmAsBrowser(intent, cardFields('4242424242424242'))).body.status).toBe('requires_capture');
      const paid = await stripe.paymentIntents.retrieve(intent.id);
      expect([paid.last_payment_error, paid.amount_capturable]).toEqual([null, 1000]);
    });
  }

  it('an invalid number, month, year or security code is rejected without a charge', async () => {
    const intent = await createIntent();
    const code = async (fields: Readonly<Record<string, string>>) =>
      (await confirmAsBrowser(intent, fields)).body.error.code as string;
    expect(await code(cardFields('4242424242424241'))).toBe('incorrect_number');
    expect(await code(cardFields('4242424242424242', { 'payment_method_data[card][exp_month]': '13' }))).toBe(
      'invalid_expiry_month',
    );
    expect(await code(cardFields('4242424242424242', { 'payment_method_data[card][exp_year]': '2019' }))).toBe(
      'invalid_expiry_year',
    );
    expect(await code(cardFields('4242424242424242', { 'payment_method_data[card][cvc]': '1' }))).toBe('invalid_cvc');
    expect((await stripe.paymentIntents.retrieve(intent.id)).latest_charge).toBe(null);
  });

  it('a number that is no test card is refused, and nothing of it is stored', async () => {
    const intent = await createIntent();
    for (const number of ['4111111111111111', '6011 1111 1111 1117', '4000-0566-5566-5556']) {
      const { status, body } = await confirmAsBrowser(intent, cardFields(number));
      expect([status, body.error.type, body.error.code, body.error.decline_code]).toEqual([
        402,
        'card_error',
        'card_declined',
        'test_mode_live_card',
      ]);
      expect(JSON.stringify(body)).not.toContain(number);
    }
    const current = await stripe.paymentIntents.retrieve(intent.id);
    expect([current.status, current.latest_charge, current.last_payment_error]).toEqual([
      'requires_payment_method',
      null,
      null,
    ]);
  });

  it('a decline has the advice of its issuer, in the error, in the intent and in the charge', async () => {
    const advice = async (token: string) => {
      const error = await errorOf(createHold(stripe, token));
      const intent = error.payment_intent as Stripe.PaymentIntent;
      const charge = await stripe.charges.retrieve(String(intent.latest_charge));
      const codes = [error.advice_code, intent.last_payment_error?.advice_code, charge.outcome?.advice_code];
      expect(new Set(codes).size).toBe(1);
      return codes[0];
    };
    expect(await advice('pm_card_chargeDeclinedInsufficientFunds')).toBe('try_again_later');
    expect(await advice('pm_card_chargeDeclinedStolenCard')).toBe('do_not_try_again');
    expect(await advice('pm_card_chargeDeclinedIncorrectCvc')).toBe('confirm_card_data');
  });

  it('a hold expires at its time, with a request or with a tick', async () => {
    const requested = await createHold(stripe, 'pm_card_holdLapses');
    const ticked = await createHold(stripe, 'pm_card_holdLapses');
    const stays = await createHold(stripe);
    const charge = await stripe.charges.retrieve(String(requested.latest_charge));
    expect(charge.payment_method_details?.card?.capture_before).toBe(charge.created + 10);
    processor.clock.aheadMs += 9_000;
    expect((await stripe.paymentIntents.retrieve(requested.id)).status).toBe('requires_capture');
    processor.clock.aheadMs += 2_000;
    expect(await errorOf(stripe.paymentIntents.capture(requested.id))).toMatchObject({
      code: 'payment_intent_unexpected_state',
    });
    expect(await stripe.paymentIntents.retrieve(ticked.id)).toMatchObject({
      status: 'canceled',
      cancellation_reason: 'automatic',
      amount_capturable: 0,
    });
    const events = await stripe.events.list({ type: 'payment_intent.canceled', limit: 2 });
    expect(events.data.map(({ data }) => (data.object as Stripe.PaymentIntent).id).sort()).toEqual(
      [requested.id, ticked.id].sort(),
    );
    processor.clock.aheadMs += 7 * 86_400_000;
    processor.api.tick();
    expect((await stripe.paymentIntents.retrieve(stays.id)).status).toBe('canceled');
  });

  it('a capture fails three times and then succeeds, or fails always', async () => {
    const captureFailsThrice = await createHold(stripe, 'pm_card_captureFailsForAWhile');
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await errorOf(stripe.paymentIntents.capture(captureFailsThrice.id))).toMatchObject({
        statusCode: 402,
        code: 'processing_error',
      });
    }
    expect((await stripe.paymentIntents.capture(captureFailsThrice.id)).status).toBe('succeeded');

    const captureFailsAlways = await createHold(stripe, 'pm_card_captureFailsForGood');
    for (let tries = 0; tries < 5; tries++) {
      expect(await errorOf(stripe.paymentIntents.capture(captureFailsAlways.id))).toMatchObject({
        statusCode: 402,
        code: 'card_declined',
        decline_code: 'generic_decline',
      });
    }
    expect((await stripe.paymentIntents.retrieve(captureFailsAlways.id)).status).toBe('requires_capture');
    expect((await stripe.paymentIntents.cancel(captureFailsAlways.id)).status).toBe('canceled');
  });

  it('a saved card is authorized off-session, except by the cards that decline it', async () => {
    const renew = async (number: string) => {
      const customer = await stripe.customers.create({ email: 'a@example.com', metadata: { guest: 'g_1' } });
      expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ email: 'a@example.com' });
      const intent = await createIntent({ customer: customer.id, setup_future_usage: 'off_session' });
      const { body } = await confirmAsBrowser(intent, cardFields(number));
      if (body.status === 'requires_action') {
        const url = body.next_action.redirect_to_url.url as string;
        await processor.submitForm(url, { token: new URL(url).searchParams.get('token') ?? '', answer: 'approve' });
      }
      const first = await stripe.paymentIntents.retrieve(intent.id);
      expect(first.status).toBe('requires_capture');
      const method = String(first.payment_method);
      expect((await stripe.paymentMethods.retrieve(method)).customer).toBe(customer.id);
      return createIntent({ customer: customer.id, payment_method: method, off_session: true, confirm: true });
    };
    expect((await renew('4242424242424242')).status).toBe('requires_capture');
    expect(await errorOf(renew('4000000000700049'))).toMatchObject({ code: 'card_declined', statusCode: 402 });
    for (const asking of ['4000002500003155', '4000002760003184', '4000000000003220']) {
      expect(await errorOf(renew(asking))).toMatchObject({ code: 'authentication_required', statusCode: 402 });
    }
  });

  it('a hold lasts 7 days, or 4 days and 18 hours for a Visa card without its owner', async () => {
    const customer = (await stripe.customers.create({})).id;
    for (const [token, offSession] of [
      ['pm_card_visa', 4 * DAY + 18 * HOUR],
      ['pm_card_mastercard', 7 * DAY],
      ['pm_card_amex', 7 * DAY],
    ] as const) {
      const saved = { customer, setup_future_usage: 'off_session' } as const;
      const first = await createIntent({ ...saved, payment_method: token, confirm: true });
      expect(await holdSeconds(first)).toBe(7 * DAY);
      const method = String(first.payment_method);
      const renewal = await createIntent({ customer, payment_method: method, off_session: true, confirm: true });
      expect(await holdSeconds(renewal)).toBe(offSession);
    }
  });

  it('a hold lasts 30 days where extended authorization is requested and the card gives it', async () => {
    const asking = { payment_method_options: { card: { request_extended_authorization: 'if_available' } } } as const;
    const status = async (intent: Stripe.PaymentIntent) =>
      (await chargeOf(intent)).payment_method_details?.card?.extended_authorization?.status;
    const given = await createIntent({ ...asking, payment_method: 'pm_card_mastercard', confirm: true });
    expect(given.payment_method_options?.card?.request_extended_authorization).toBe('if_available');
    expect([await status(given), await holdSeconds(given)]).toEqual(['enabled', 30 * DAY]);
    const refused = await createIntent({ ...asking, payment_method: 'pm_card_visa', confirm: true });
    expect([await status(refused), await holdSeconds(refused)]).toEqual(['disabled', 7 * DAY]);
    const notAsked = await createIntent({ payment_method: 'pm_card_mastercard', confirm: true });
    expect([await status(notAsked), await holdSeconds(notAsked)]).toEqual(['disabled', 7 * DAY]);
    const byBrowser = await createIntent(asking);
    await confirmAsBrowser(byBrowser, cardFields('5555555555554444'));
    expect(await holdSeconds(await stripe.paymentIntents.retrieve(byBrowser.id))).toBe(30 * DAY);
  });

  it('a card with money for one hold declines a second one beside it, and not after it', async () => {
    const customer = (await stripe.customers.create({})).id;
    const saved = { customer, setup_future_usage: 'off_session' } as const;
    const first = await createIntent({ ...saved, payment_method: 'pm_card_oneHoldAtATime', confirm: true });
    const renewal = { customer, payment_method: String(first.payment_method), off_session: true, confirm: true };
    expect(await errorOf(createIntent(renewal))).toMatchObject({
      code: 'card_declined',
      decline_code: 'insufficient_funds',
      statusCode: 402,
    });
    // The same number in another transfer group is another person's card.
    const other = { payment_method: 'pm_card_oneHoldAtATime', confirm: true };
    await createIntent({ ...other, transfer_group: 'one' });
    await createIntent({ ...other, transfer_group: 'two' });
    expect(await errorOf(createIntent({ ...other, transfer_group: 'one' }))).toMatchObject({ statusCode: 402 });
    await stripe.paymentIntents.cancel(first.id);
    expect((await createIntent(renewal)).status).toBe('requires_capture');
  });

  it('the page and the JSON list name every card', async () => {
    const page = await (await fetch(`${processor.url}/cards`)).text();
    const list = (await (await fetch(`${processor.url}/cards.json`)).json()) as { cards: { number: string }[] };
    expect(list.cards.map(({ number }) => number)).toEqual(testCards.map(({ number }) => number));
    for (const { tokens } of testCards) expect(page).toContain(tokens[0]);
  });
});

describe('3-D Secure', () => {
  const start = async (number: string, returnUrl?: string) => {
    const intent = await createIntent();
    const back: Record<string, string> = returnUrl === undefined ? {} : { return_url: returnUrl };
    const { body } = await confirmAsBrowser(intent, { ...cardFields(number), ...back });
    expect(body.status).toBe('requires_action');
    expect(body.next_action.type).toBe('redirect_to_url');
    const url = body.next_action.redirect_to_url.url as string;
    return { intent, url, token: new URL(url).searchParams.get('token') ?? '' };
  };

  it('shows the amount and two buttons, without scripts or inline styles', async () => {
    const { url } = await start('4000002760003184');
    const page = await fetch(url);
    const html = await page.text();
    expect(html).toContain('Sandbox: no real money');
    expect(html).toContain('$10.00');
    expect(html).not.toMatch(/<script|style="|<style/);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const style = await fetch(new URL('style.css', url));
    expect(style.headers.get('content-type')).toContain('text/css');
  });

  it('approved: the card is authorized, and the browser returns to the return_url', async () => {
    const { intent, url, token } = await start('4000002760003184', 'https://venue.example/back?x=1');
    const response = await processor.submitForm(url, { token, answer: 'approve' });
    expect(response.status).toBe(303);
    const back = new URL(response.headers.get('location') ?? '');
    expect(back.origin + back.pathname).toBe('https://venue.example/back');
    expect(Object.fromEntries(back.searchParams)).toEqual({
      x: '1',
      payment_intent: intent.id,
      payment_intent_client_secret: intent.client_secret,
      redirect_status: 'succeeded',
    });
    expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe('requires_capture');
    // The link works once.
    expect((await processor.submitForm(url, { token, answer: 'fail' })).status).toBe(404);
  });

  it('failed: there is no hold, and another attempt is possible', async () => {
    const { intent, url, token } = await start('4000002760003184');
    const response = await processor.submitForm(url, { token, answer: 'fail' });
    expect(await response.text()).toContain('You can close this window');
    const failed = await stripe.paymentIntents.retrieve(intent.id);
    expect([failed.status, failed.last_payment_error?.code]).toEqual([
      'requires_payment_method',
      'payment_intent_authentication_failure',
    ]);
    expect((await confirmAsBrowser(intent, cardFields('4242424242424242'))).body.status).toBe('requires_capture');
  });

  it('approved, and then declined by the card', async () => {
    const { intent, url, token } = await start('4000008400001629', 'https://venue.example/back');
    const response = await processor.submitForm(url, { token, answer: 'approve' });
    expect(response.headers.get('location')).toContain('redirect_status=failed');
    expect((await stripe.paymentIntents.retrieve(intent.id)).last_payment_error?.code).toBe('card_declined');
  });

  it('needs the token of the link', async () => {
    const { intent, url } = await start('4000002760003184');
    expect((await processor.submitForm(url, { token: 'guessed', answer: 'approve' })).status).toBe(404);
    expect((await fetch(url.replace(/token=.*/, 'token=guessed'))).status).toBe(404);
    expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe('requires_action');
  });
});

describe('keys', () => {
  it('a publishable key confirms and reads with the client secret, and does nothing else', async () => {
    const intent = await createIntent({ metadata: { secret: 'of the merchant' } });
    const request = async (path: string): Promise<AnyJson> => (await fetch(`${processor.url}${path}`)).json();
    const path = `/v1/payment_intents/${intent.id}`;
    const seen = await request(`${path}?key=${keys.test.publishable}&client_secret=${intent.client_secret}`);
    expect([seen.id, seen.metadata]).toEqual([intent.id, undefined]);
    expect((await request(`${path}?key=${keys.test.publishable}&client_secret=pi_x_secret_y`)).error.code).toBe(
      'resource_missing',
    );
    const refused = await processor.postAsBrowser('/v1/refunds', { payment_intent: intent.id });
    expect([refused.status, refused.body.error.code]).toEqual([403, 'secret_key_required']);
  });

  it('a missing or wrong key gets 401; Basic authentication works', async () => {
    const request = (headers: Record<string, string>) => fetch(`${processor.url}/v1/balance`, { headers });
    expect((await request({})).status).toBe(401);
    expect((await request({ authorization: 'Bearer sk_test_wrong' })).status).toBe(401);
    const basic = Buffer.from(`${keys.test.secret}:`).toString('base64');
    expect((await request({ authorization: `Basic ${basic}` })).status).toBe(200);
  });

  it('test and live mode never see one another', async () => {
    const intent = await createHold(stripe);
    expect(await errorOf(processor.live.paymentIntents.retrieve(intent.id))).toMatchObject({
      code: 'resource_missing',
    });
    expect(await errorOf(processor.live.paymentIntents.capture(intent.id))).toMatchObject({ statusCode: 404 });
    const live = await processor.live.paymentIntents.create({ amount: 700, currency: 'usd' });
    expect(live.livemode).toBe(true);
    expect((await stripe.paymentIntents.list({ limit: 100 })).data.map(({ id }) => id)).not.toContain(live.id);
  });

  it('bad input gets an error response and never stops the server', async () => {
    const authorization = `Bearer ${keys.test.secret}`;
    const post = (path: string, body: string) =>
      fetch(`${processor.url}${path}`, { method: 'POST', headers: { authorization }, body });
    expect((await post('/v1/payment_intents', '%E0%A4%A=1')).status).toBe(400);
    expect((await post('/v1/payment_intents', 'a[b=1')).status).toBe(400);
    expect((await post('/v1/payment_intents', '__proto__[x]=1&amount[constructor]=1&currency=usd')).status).toBe(400);
    expect((await post('/v1/payment_intents', 'x'.repeat(70_000))).status).toBe(413);
    expect((await post('/v1/no/such/thing', '')).status).toBe(404);
    expect((await fetch(`${processor.url}/%00`)).status).toBe(404);
    expect((await fetch(`${processor.url}/healthz`)).status).toBe(200);
  });
});
