// Starts the sandbox processor with a clock that tests can set, and the official client.

import Stripe from 'stripe';
import { expect } from 'vitest';
import { type RunningProcessor, startProcessor } from '../../sandbox/processor/server.ts';
import type { Clock } from '../../src/base/clock.ts';

export const keys = {
  test: { secret: 'sk_test_abcdefgh', publishable: 'pk_test_abcdefgh', webhookSecret: 'whsec_test' },
  live: { secret: 'sk_live_abcdefgh', publishable: 'pk_live_abcdefgh', webhookSecret: 'whsec_live' },
};

export interface TestClock extends Clock {
  aheadMs: number;
}

export interface TestProcessor extends RunningProcessor {
  readonly clock: TestClock;
  readonly stripe: Stripe;
  readonly live: Stripe;
  /** Posts form fields with the publishable key, as a browser does. */
  postAsBrowser(path: string, fields: Readonly<Record<string, string>>): Promise<{ status: number; body: AnyJson }>;
  /** Submits the form of a page. */
  submitForm(url: string, fields: Readonly<Record<string, string>>): Promise<Response>;
  setFaults(settings: unknown): Promise<Response>;
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of an external API.
export type AnyJson = any;

export const stripeClient = (port: number, secret: string, options: Stripe.StripeConfig = {}): Stripe =>
  new Stripe(secret, {
    host: '127.0.0.1',
    port,
    protocol: 'http',
    telemetry: false,
    maxNetworkRetries: 0,
    ...options,
  } as Stripe.StripeConfig);

export async function startTestProcessor(folder: string | null = null): Promise<TestProcessor> {
  const clock: TestClock = { aheadMs: 0, now: () => Date.now() + clock.aheadMs };
  const processor = await startProcessor({ port: 0, folder, keys, clock });
  const authorization = `Bearer ${keys.test.secret}`;
  return {
    ...processor,
    clock,
    stripe: stripeClient(processor.port, keys.test.secret),
    live: stripeClient(processor.port, keys.live.secret),
    async postAsBrowser(path, fields) {
      const body = new URLSearchParams({ key: keys.test.publishable, ...fields });
      const response = await fetch(`${processor.url}${path}`, { method: 'POST', body });
      return { status: response.status, body: await response.json() };
    },
    submitForm: (url, fields) => fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) }),
    setFaults: (settings) =>
      fetch(`${processor.url}/sandbox/faults`, {
        method: 'PUT',
        headers: { authorization },
        body: JSON.stringify(settings),
      }),
  };
}

/** A hold of 10.00 on this test card. */
export async function createHold(stripe: Stripe, token = 'pm_card_visa', amount = 1000): Promise<Stripe.PaymentIntent> {
  return stripe.paymentIntents.create({
    amount,
    currency: 'usd',
    capture_method: 'manual',
    payment_method: token,
    allowed_payment_method_types: ['card'],
    confirm: true,
  });
}

export async function createPayment(stripe: Stripe, amount = 1000): Promise<Stripe.PaymentIntent> {
  const { id } = await createHold(stripe, 'pm_card_visa', amount);
  return stripe.paymentIntents.capture(id);
}

/** What an account that can be paid is created with. */
export const recipientParams = (name: string): Stripe.V2.Core.AccountCreateParams => ({
  display_name: name,
  contact_email: 'pay@venue.example',
  identity: { country: 'US' },
  configuration: { recipient: { capabilities: { stripe_balance: { stripe_transfers: { requested: true } } } } },
});

/** A connected account that can receive transfers. */
export async function createPayee(stripe: Stripe): Promise<Stripe.V2.Core.Account> {
  const account = await stripe.v2.core.accounts.create(recipientParams('Harbor Club'));
  await stripe.rawRequest('POST', `/sandbox/accounts/${account.id}`, { transfers_status: 'active' });
  return account;
}

/** The error of a call; fails the test when the call succeeds. */
export async function errorOf(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  expect(outcome).toHaveProperty('error');
  return (outcome as { error: Stripe.errors.StripeError }).error;
}
