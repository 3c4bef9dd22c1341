// Serves the model of Stripe.js (stripe-js-model.js) to a page in place of Stripe's script, and makes its payments at the
// sandbox processor. As at Stripe, an intent that differs from the mounted form is refused; the message is Stripe's own
// ("The provided currency (eur) does not match the expected currency (usd).").

import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { Json } from '../support/test-venue.ts';
import type { BrowserFixture } from './browser-fixture.ts';

export interface StripeModelSettings {
  /** The wallets that this browser has, such as `Apple Pay`. */
  readonly wallets?: readonly string[];
  /** The cards that the wallet pays with, one after the other; then a card that works. */
  readonly walletCards?: readonly string[];
  /** The elements that fail to load, once each. */
  readonly loadErrors?: readonly string[];
  /** How many requests for the script are blocked first. */
  readonly blockedLoads?: number;
  readonly readyAfterMs?: number;
}

export interface StripeModelRecord {
  /** The addresses at Stripe that the page has asked for. */
  readonly requested: string[];
  /** The confirmed intents, and where the guest would return to. */
  readonly confirmed: { readonly intentId: string; readonly returnPath: string }[];
}

const SCRIPT = readFileSync(new URL('stripe-js-model.js', import.meta.url), 'utf8');

const intentIdOf = (clientSecret: string): string => clientSecret.split('_secret_')[0] ?? '';

interface Confirmation {
  readonly expected: Readonly<Record<string, unknown>>;
  readonly types: readonly string[] | null;
  readonly returnUrl: string;
}

function mismatchOf(intent: Json, { expected, types }: Confirmation): string | null {
  for (const [name, value] of Object.entries(expected)) {
    if (intent[name] !== value)
      return `The provided ${name} (${intent[name]}) does not match the expected ${name} (${value}).`;
  }
  const given = intent.payment_method_types.join(', ');
  const wanted = (types ?? []).join(', ');
  return given === wanted
    ? null
    : `The provided payment_method_types (${given}) does not match the expected payment_method_types (${wanted}).`;
}

export async function serveStripeModel(
  page: Page,
  fixture: BrowserFixture,
  settings: StripeModelSettings = {},
): Promise<StripeModelRecord> {
  const record: StripeModelRecord = { requested: [], confirmed: [] };
  const key = fixture.world.context.services.processors.test?.publishableKey ?? '';
  const base = fixture.world.processor.url;
  const retrieve = async (clientSecret: string): Promise<Json> => {
    const query = new URLSearchParams({ key, client_secret: clientSecret });
    return (await fetch(`${base}/v1/payment_intents/${intentIdOf(clientSecret)}?${query}`)).json();
  };
  await page.route('https://js.stripe.com/**', async (route) => {
    record.requested.push(route.request().url());
    if (record.requested.length <= (settings.blockedLoads ?? 0)) return route.abort('blockedbyclient');
    const given = `window.stripeModelSettings = ${JSON.stringify(settings)};\n`;
    return route.fulfill({ contentType: 'text/javascript', body: given + SCRIPT });
  });
  await page.exposeFunction('stripeModelRetrieve', retrieve);
  await page.exposeFunction('stripeModelAnswer', async (_: string, url: string, answer: string) => {
    const token = new URL(url).searchParams.get('token') ?? '';
    await fetch(url, { method: 'POST', body: new URLSearchParams({ token, answer }), redirect: 'manual' });
  });
  await page.exposeFunction(
    'stripeModelConfirm',
    async (clientSecret: string, card: Json, confirmation: Confirmation) => {
      const mismatch = mismatchOf(await retrieve(clientSecret), confirmation);
      if (mismatch !== null) return { mismatch, error: { type: 'invalid_request_error', message: mismatch } };
      record.confirmed.push({
        intentId: intentIdOf(clientSecret),
        returnPath: new URL(confirmation.returnUrl).pathname,
      });
      const body = new URLSearchParams({
        key,
        client_secret: clientSecret,
        return_url: confirmation.returnUrl,
        'payment_method_data[type]': 'card',
        'payment_method_data[card][number]': card.number,
        'payment_method_data[card][exp_month]': card.expiry.slice(0, 2),
        'payment_method_data[card][exp_year]': `20${card.expiry.slice(2)}`,
        'payment_method_data[card][cvc]': card.cvc,
      });
      const url = `${base}/v1/payment_intents/${intentIdOf(clientSecret)}/confirm`;
      const answer: Json = await (await fetch(url, { method: 'POST', body })).json();
      return answer.error === undefined ? { paymentIntent: answer } : { error: answer.error };
    },
  );
  return record;
}

/** What the page did that Stripe.js would refuse. */
export function integrationErrors(page: Page): Promise<readonly string[]> {
  return page.evaluate('window.stripeModel.errors');
}

export async function typeCard(page: Page, number: string): Promise<void> {
  await page.locator('[data-mount] [name=number]').fill(number);
  await page.locator('[data-mount] [name=expiry]').fill('12 / 34');
  await page.locator('[data-mount] [name=cvc]').fill('123');
}
