// The card form of a share. In the sandbox it is ours and accepts only test cards; with Stripe the script mounts Stripe's
// element. The card number goes from the browser to the processor and never reaches our server.

import type { GuestShare } from '../../../schemas/types.gen.ts';
import { needsSavedCard } from '../../domain/checkouts/holds/decide-hold.ts';
import { assetUrl } from './assets.ts';
import { type Html, html, type Piece } from './html.ts';
import { nameOf, type PageModel } from './page-model.ts';
import { isSandbox, type PageRequest } from './page-request.ts';
import { money } from './summary.ts';

/** The errors of the card form; each has a text page.trouble_* in the locales. */
const CARD_ERRORS = [
  'declined',
  'use_another_card',
  'check_card',
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
  'card_again',
  'form_unavailable',
  'signed_out',
  'closed',
  'venue_not_payable',
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

/**
 * For one share, or for several that are paid one after the other with one card (covering the rest). `sameCard`: a share
 * that the guest holds with a saved card, which can pay these too.
 */
export function payForm(
  page: PageRequest,
  model: PageModel,
  shares: readonly GuestShare[],
  sameCard: string | null = null,
): Html {
  const { translator } = page;
  const { checkout } = model;
  const sum = shares.reduce((total, { amount }) => total + amount, 0);
  const amount = money(page, model, sum);
  const sandbox = isSandbox(page);
  const key = page.http.app.services.processors[checkout.mode]?.publishableKey ?? '';
  const ids = shares.map(({ id }) => id).join(' ');
  // What Stripe's form must know before there is a hold. The response to the hold request corrects `saves-card`.
  const savesCard = shares.length > 1 || needsSavedCard(Date.parse(checkout.pay_by), page.http.app.clock.now());
  const amounts = shares.map((share) => share.amount).join(' ');
  const payment = html`data-amounts="${amounts}" data-currency="${checkout.currency}" data-saves-card="${String(savesCard)}"`;
  const driver = assetUrl(sandbox ? 'pay-sandbox.js' : 'pay-stripe.js');
  const isPlain = shares.length === 1 && shares[0]?.id === model.myShare?.id && shares[0]?.renew_by === null;
  return html`<section class="pay" aria-labelledby="pay-title" data-keep="${ids}">
<link rel="modulepreload" href="${driver}">
<h2 id="pay-title"${isPlain && html` class="unseen"`}>${title(page, model, shares)}</h2>
<form class="card" method="post" novalidate data-pay="${model.route.path}" data-shares="${ids}" ${payment} data-key="${key}" data-driver="${driver}" data-language="${translator.language}">
<p class="error above" role="alert" tabindex="-1" data-trouble-line hidden></p>
<button type="button" class="line" data-retry hidden>${translator.translate('page.form_retry')}</button>
${sameCard !== null && html`<button type="button" class="line waiting" data-same-card="${sameCard}">${translator.translate('page.hold_same_card', { amount })}</button>\n`}${sandbox ? sandboxFields(page) : stripePlaces(page)}
<p class="wait" role="status" data-loading hidden>${translator.translate('page.form_loading')}</p>
<button type="button" class="waiting" data-pay-button>${translator.translate('page.hold_amount', { amount })}</button>
<p class="wait" role="status" data-wait-line></p>
<p class="quiet after-button">${translator.translate('page.nothing_charged')}</p>
<noscript><p class="error">${translator.translate('page.needs_script')}</p></noscript>
${scriptTexts(page, 'trouble', CARD_ERRORS)}${scriptTexts(page, 'wait', ['holding', 'bank', 'checking'])}${shares.length > 1 && partTexts(page, model, shares)}</form>
</section>`;
}

/** Where Stripe's script mounts the wallets and the card. The line between them is for guests who have a wallet. */
function stripePlaces({ translator }: PageRequest): Html {
  return html`<div data-wallets></div>
<p class="or" data-or hidden><span>${translator.translate('page.or_by_card')}</span></p>
<div data-mount></div>`;
}

/** For the script: which of several shares are held, and which are not. */
function partTexts(page: PageRequest, model: PageModel, shares: readonly GuestShare[]): Piece {
  const names = shares.map((share) => html`<template data-name="${share.id}">${nameOf(page, model, share)}</template>`);
  // The script fills in the names.
  const values = { held: '{held}', open: '{open}' };
  const texts = ['card', 'stopped'].map(
    (why) => html`<template data-part="${why}">${page.translator.translate(`page.part_${why}`, values)}</template>`,
  );
  return [texts, names];
}

function title(page: PageRequest, model: PageModel, shares: readonly GuestShare[]): string {
  const { translator } = page;
  const [only] = shares;
  if (shares.length > 1) return translator.translate('page.pay_several', { count: shares.length });
  if (only === undefined || only.id === model.myShare?.id) {
    return translator.translate(only?.renew_by == null ? 'page.pay_title' : 'page.renewal_pay_title');
  }
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
      html`<button type="button" class="chip" data-card="${number}"><bdi>${translator.translate(`page.card_${name}`)}</bdi></button> `,
  );
  return html`<fieldset class="chips" data-test-cards hidden><legend>${translator.translate('page.test_cards')}</legend><div>${chips}</div></fieldset>
<div class="card-frame">
<div><label for="number">${translator.translate('page.card_number')}</label>
<input id="number" data-field="number" inputmode="numeric" autocomplete="cc-number" maxlength="23" placeholder="4242 4242 4242 4242"></div>
<div><label for="expiry">${translator.translate('page.card_expiry')}</label>
<input id="expiry" data-field="expiry" inputmode="numeric" autocomplete="cc-exp" maxlength="7" placeholder="12 / 34"></div>
<div><label for="cvc">${translator.translate('page.card_cvc')}</label>
<input id="cvc" data-field="cvc" inputmode="numeric" autocomplete="cc-csc" maxlength="4" placeholder="123"></div>
</div>
<p class="error" id="number-error" hidden></p>
<p class="error" id="expiry-error" hidden></p>
<p class="error" id="cvc-error" hidden></p>`;
}
