// Paying a share by card. In the sandbox the form is ours and takes test cards alone; with the real processor its own
// element is mounted by the script. The card's number goes from the browser to the processor and never through us.

import { assetUrl } from './assets.ts';
import { type Html, html, type Piece } from './html.ts';
import { nameOf, type Scene, type ShareShown } from './page-model.ts';
import type { Visit } from './page-request.ts';
import { money } from './summary.ts';

/** What can go wrong with a card, each with its sentence in the catalog. */
const TROUBLES = [
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

const TRY = [
  { name: 'good', number: '4242 4242 4242 4242' },
  { name: 'declined', number: '4000 0000 0000 0002' },
  { name: 'funds', number: '4000 0000 0000 9995' },
  { name: 'asks', number: '4000 0027 6000 3184' },
] as const;

export function isSandbox({ door }: Visit): boolean {
  return door.house.processorAccess.sandboxUrl !== null;
}

/** For one share, or for several one after the other (covering the rest). */
export function payForm(visit: Visit, scene: Scene, shares: readonly ShareShown[]): Html {
  const { words } = visit;
  const sum = shares.reduce((total, { amount }) => total + amount, 0);
  const amount = money(visit, scene, sum);
  const sandbox = isSandbox(visit);
  const key = visit.door.house.money.processors[scene.checkout.mode]?.publishableKey ?? '';
  return html`<section class="pay" aria-labelledby="pay-title" data-keep="${shares.map(({ id }) => id).join(' ')}">
<h2 id="pay-title">${title(visit, scene, shares)}</h2>
<form class="card" method="post" novalidate data-pay="${scene.place.path}" data-shares="${shares.map(({ id }) => id).join(' ')}" data-key="${key}" data-driver="${assetUrl(sandbox ? 'pay-sandbox.js' : 'pay-stripe.js')}" data-language="${words.language}">
<p class="error above" role="alert" tabindex="-1" data-trouble-line hidden></p>
${sandbox ? sandboxFields(visit) : html`<div data-mount></div>`}
<button type="button" data-pay-button data-hold="${words.say('page.hold_amount', { amount })}">${words.say(sandbox ? 'page.hold_amount' : 'page.pay_by_card', { amount })}</button>
<p class="wait" role="status" data-wait-line></p>
<noscript><p class="error">${words.say('page.needs_script')}</p></noscript>
${said(visit, 'trouble', TROUBLES)}${said(visit, 'wait', ['holding', 'bank', 'checking'])}</form>
</section>`;
}

function title(visit: Visit, scene: Scene, shares: readonly ShareShown[]): string {
  const { words } = visit;
  const [only] = shares;
  if (shares.length > 1) return words.say('page.pay_several', { count: shares.length });
  if (only === undefined || only.id === scene.myShare?.id) return words.say('page.pay_title');
  return words.say('page.pay_for', { name: nameOf(visit, scene, only) });
}

/** Sentences for the script, in the page's language. */
function said({ words }: Visit, kind: string, names: readonly string[]): Piece {
  return names.map((name) => html`<template data-${kind}="${name}">${words.say(`page.${kind}_${name}`)}</template>`);
}

function sandboxFields(visit: Visit): Html {
  const { words } = visit;
  const chips = TRY.map(
    ({ name, number }) =>
      html`<button type="button" class="chip" data-card="${number}">${words.say(`page.card_${name}`)}</button> `,
  );
  return html`<fieldset class="chips" data-needs-script hidden><legend>${words.say('page.test_cards')}</legend>${chips}</fieldset>
<label for="number">${words.say('page.card_number')}</label>
<input id="number" data-field="number" inputmode="numeric" autocomplete="cc-number" maxlength="23" placeholder="4242 4242 4242 4242">
<p class="error" id="number-error" hidden></p>
<div class="two">
<div><label for="expiry">${words.say('page.card_expiry')}</label>
<input id="expiry" data-field="expiry" inputmode="numeric" autocomplete="cc-exp" maxlength="7" placeholder="12 / 34">
<p class="error" id="expiry-error" hidden></p></div>
<div><label for="cvc">${words.say('page.card_cvc')}</label>
<input id="cvc" data-field="cvc" inputmode="numeric" autocomplete="cc-csc" maxlength="4" placeholder="123">
<p class="error" id="cvc-error" hidden></p></div>
</div>`;
}
