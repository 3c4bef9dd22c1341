// The card form of a share. In the sandbox it is ours and accepts only test cards; with Stripe the script mounts Stripe's
// element. The card number goes from the browser to the processor and never reaches our server.

import type { GuestShare } from '../../../schemas/types.gen.ts';
import { assetUrl } from './assets.ts';
import { type Html, html, type Piece } from './html.ts';
import { nameOf, type PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';
import { money } from './summary.ts';

/** The errors of the card form; each has a text page.trouble_* in the locales. */
const CARD_ERRORS = [
  'declined',
  'insufficient_funds',
  'expired_card',
  'incorrect_cvc',
  'incorrect_number',
  'processing_error',
  'authentication_failed',
  'test_cards_only',
  'number_missing',
  'expiry_missing',
  'cvc_missing',
  'card_incomplete',
  'signed_out',
  'closed',
  'too_many',
  'not_now',
  'lost_connection',
  'unknown',
] as const;

const TEST_CARDS = [
  { name: 'good', number: '4242 4242 4242 4242' },
  { name: 'declined', number: '4000 0000 0000 0002' },
  { name: 'funds', number: '4000 0000 0000 9995' },
  { name: 'asks', number: '4000 0027 6000 3184' },
] as const;

export function isSandbox({ http }: PageRequest): boolean {
  return http.app.processorAccess.sandboxUrl !== null;
}

/** For one share, or for several that are paid one after the other (covering the rest). */
export function payForm(page: PageRequest, model: PageModel, shares: readonly GuestShare[]): Html {
  const { translator } = page;
  const sum = shares.reduce((total, { amount }) => total + amount, 0);
  const amount = money(page, model, sum);
  const sandbox = isSandbox(page);
  const key = page.http.app.services.processors[model.checkout.mode]?.publishableKey ?? '';
  return html`<section class="pay" aria-labelledby="pay-title" data-keep="${shares.map(({ id }) => id).join(' ')}">
<h2 id="pay-title">${title(page, model, shares)}</h2>
<form class="card" method="post" novalidate data-pay="${model.route.path}" data-shares="${shares.map(({ id }) => id).join(' ')}" data-key="${key}" data-driver="${assetUrl(sandbox ? 'pay-sandbox.js' : 'pay-stripe.js')}" data-language="${translator.language}">
<p class="error above" role="alert" tabindex="-1" data-trouble-line hidden></p>
${sandbox ? sandboxFields(page) : html`<div data-mount></div>`}
<button type="button" data-pay-button data-hold="${translator.translate('page.hold_amount', { amount })}">${translator.translate(sandbox ? 'page.hold_amount' : 'page.pay_by_card', { amount })}</button>
<p class="wait" role="status" data-wait-line></p>
<noscript><p class="error">${translator.translate('page.needs_script')}</p></noscript>
${scriptTexts(page, 'trouble', CARD_ERRORS)}${scriptTexts(page, 'wait', ['holding', 'bank', 'checking'])}</form>
</section>`;
}

function title(page: PageRequest, model: PageModel, shares: readonly GuestShare[]): string {
  const { translator } = page;
  const [only] = shares;
  if (shares.length > 1) return translator.translate('page.pay_several', { count: shares.length });
  if (only === undefined || only.id === model.myShare?.id) return translator.translate('page.pay_title');
  return translator.translate('page.pay_for', { name: nameOf(page, model, only) });
}

/** Texts for the script, in the page's language. */
function scriptTexts({ translator }: PageRequest, kind: string, names: readonly string[]): Piece {
  return names.map(
    (name) => html`<template data-${kind}="${name}">${translator.translate(`page.${kind}_${name}`)}</template>`,
  );
}

function sandboxFields(page: PageRequest): Html {
  const { translator } = page;
  const chips = TEST_CARDS.map(
    ({ name, number }) =>
      html`<button type="button" class="chip" data-card="${number}">${translator.translate(`page.card_${name}`)}</button> `,
  );
  return html`<fieldset class="chips" data-test-cards hidden><legend>${translator.translate('page.test_cards')}</legend>${chips}</fieldset>
<label for="number">${translator.translate('page.card_number')}</label>
<input id="number" data-field="number" inputmode="numeric" autocomplete="cc-number" maxlength="23" placeholder="4242 4242 4242 4242">
<p class="error" id="number-error" hidden></p>
<div class="two">
<div><label for="expiry">${translator.translate('page.card_expiry')}</label>
<input id="expiry" data-field="expiry" inputmode="numeric" autocomplete="cc-exp" maxlength="7" placeholder="12 / 34">
<p class="error" id="expiry-error" hidden></p></div>
<div><label for="cvc">${translator.translate('page.card_cvc')}</label>
<input id="cvc" data-field="cvc" inputmode="numeric" autocomplete="cc-csc" maxlength="4" placeholder="123">
<p class="error" id="cvc-error" hidden></p></div>
</div>`;
}
