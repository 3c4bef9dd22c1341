// Paying a share: mounts the card form through a driver, requests a hold when the guest pays, lets the driver send the
// card to the processor, and makes the server ask the processor for the result. This script's view decides nothing. A
// second tap, a second tab or a lost connection never creates a second hold: the server returns the same one.

const CALL_MS = 30_000;

let form = null;
let driver = null;
/** For the next form: after a part of the shares was held, the page shows a form for the rest. */
let carried = null;

/** The server's text for this name, in the guest's language. */
function textFor(kind, name) {
  const found = form.querySelector(`template[data-${kind}="${name}"]`);
  return (found ?? form.querySelector(`template[data-${kind}="unknown"]`))?.content.textContent ?? '';
}

const requestPoll = () => document.dispatchEvent(new CustomEvent('everyshare:look'));

/** The form of a page that was opened or updated: connects its buttons and opens its driver. */
function prepare() {
  const found = document.querySelector('form[data-pay]');
  if (found === form) return;
  driver?.close();
  driver = null;
  form = found;
  if (form === null) return;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    pay();
  });
  const retry = form.querySelector('[data-retry]');
  retry.addEventListener('click', () => {
    retry.hidden = true;
    clearErrors();
    openDriver();
  });
  form.querySelector('[data-same-card]')?.addEventListener('click', ({ currentTarget }) => {
    pay({ cardOf: currentTarget.dataset.sameCard });
  });
  if (carried !== null) showText(carried.text).focus();
  // The bank has just declined that card.
  if (carried?.isOfCard) form.querySelector('[data-same-card]')?.remove();
  carried = null;
  openDriver();
}

const canPay = () => driver !== null && !form.hasAttribute('data-paying') && !form.hasAttribute('data-busy');

/** Mounts the card form. Until then there is no button to press, and the form sends no card number anywhere. */
async function openDriver() {
  const opened = form;
  const loading = form.querySelector('[data-loading]');
  loading.hidden = false;
  let made = null;
  try {
    const { makeDriver } = await import(form.dataset.driver);
    if (opened !== form) return;
    made = makeDriver(opened, { canPay, payWithWallet: (onFailure) => pay({ onFailure }) });
    // Now, because a wallet may be ready before the card form is.
    driver = made;
    await made.mount();
    opened.querySelector('[data-pay-button]').type = 'submit';
    for (const button of opened.querySelectorAll('button.waiting')) button.classList.remove('waiting');
  } catch {
    if (opened === form) showLoadFailure(made === null);
  }
  loading.hidden = true;
}

/** The card form could not be loaded: blocked, or no connection. */
function showLoadFailure(isOwnScript) {
  driver?.close();
  driver = null;
  showText(textFor('trouble', 'form_unavailable'));
  const retry = form.querySelector('[data-retry]');
  retry.hidden = false;
  // Browsers remember a script of ours that failed to load; only another page loads it again.
  if (isOwnScript) retry.addEventListener('click', () => location.reload());
}

/** Disables the form and shows the text; null enables the form again. */
function showWaiting(text) {
  form.toggleAttribute('data-busy', text !== null);
  form.setAttribute('aria-busy', String(text !== null));
  for (const control of form.querySelectorAll('button, input')) control.disabled = text !== null;
  form.querySelector('[data-wait-line]').textContent = text ?? '';
}

function clearErrors() {
  for (const element of form.querySelectorAll('p.error')) element.hidden = true;
  for (const element of form.querySelectorAll('[aria-invalid]')) {
    element.removeAttribute('aria-invalid');
    element.removeAttribute('aria-describedby');
  }
}

function showText(text, place = '[data-trouble-line]') {
  const line = form.querySelector(place);
  line.textContent = text;
  line.hidden = false;
  return line;
}

/** Shows the error beside its field or above the form; the typed values stay. */
function showProblem({ problem, field = null }) {
  showWaiting(null);
  clearErrors();
  const input = field === null ? null : form.querySelector(`[data-field="${field}"]`);
  const line = showText(textFor('trouble', problem), input === null ? '[data-trouble-line]' : `#${field}-error`);
  input?.setAttribute('aria-invalid', 'true');
  input?.setAttribute('aria-describedby', `${field}-error`);
  (input ?? line).focus();
}

/**
 * `cardOf`: the share whose saved card pays; null: the card form's card. `onFailure` tells the wallet, whose sheet is open
 * on top of the page.
 */
async function pay({ cardOf = null, onFailure = () => undefined } = {}) {
  if (!canPay()) {
    onFailure();
    return;
  }
  // The page does not update this form until all of its shares are processed.
  form.toggleAttribute('data-paying', true);
  carried = null;
  const shares = form.dataset.shares.split(' ');
  const held = [];
  const problem = await payAll(shares, cardOf, held, onFailure).catch(() => ({ problem: 'lost_connection' }));
  if (problem !== null) {
    onFailure();
    showProblem(problem);
    if (held.length > 0) carryProblem(problem, held, shares);
  }
  form.toggleAttribute('data-paying', false);
  requestPoll();
}

/** The connection or the server stopped the rest, not the card. */
const NOT_THE_CARD = ['lost_connection', 'not_now', 'too_many', 'signed_out', 'closed', 'venue_not_payable', 'unknown'];

/** Says which shares are held and which are not, here and in the form for the rest. */
function carryProblem({ problem }, held, shares) {
  const list = new Intl.ListFormat(document.documentElement.lang, { type: 'conjunction' });
  const names = (ids) => list.format(ids.map((id) => textFor('name', id)));
  const open = shares.filter((share) => !held.includes(share));
  const isOfCard = !NOT_THE_CARD.includes(problem);
  const pattern = textFor('part', isOfCard ? 'card' : 'stopped');
  const text = pattern.replace('{held}', () => names(held)).replace('{open}', () => names(open));
  carried = { text, isOfCard };
  showText(text).focus();
}

/**
 * Holds each share: the first with the card form, the others with the card that it saved. Adds to `held` what is done.
 * Null: all are confirmed, and the server is asking the processor.
 */
async function payAll(shares, cardOf, held, onFailure) {
  const invalid = cardOf === null ? await driver.check() : null;
  if (invalid !== null) return invalid.error === undefined ? invalid : problemOfProcessor(invalid.error);
  clearErrors();
  showWaiting(textFor('wait', 'holding'));
  let source = cardOf;
  for (const share of shares) {
    const outcome = await payShare(share, source, shares.length > 1);
    if (outcome.problem !== undefined) return outcome;
    held.push(share);
    if (outcome.isConfirmed) source = share;
  }
  // Paid elsewhere meanwhile: nothing was confirmed, and the wallet must not wait for a payment.
  if (source === null) onFailure();
  showWaiting(textFor('wait', 'checking'));
  document.body.dataset.justPaid = '';
  enableAfter(20_000);
  return null;
}

/** Enables the form again if the page has not changed by then; a retry uses the same hold. */
function enableAfter(ms) {
  const waiting = form;
  setTimeout(() => {
    if (waiting === form && form.isConnected) showWaiting(null);
  }, ms);
}

async function payShare(share, source, savesCard) {
  const hold = await requestHold(share, source === null ? { save_card: savesCard } : { card_share_id: source });
  if (hold.client_secret === undefined) return hold;
  if (hold.status === 'held') return { isConfirmed: true };
  const outcome = await confirmHold(share, hold, source);
  if (outcome.problem !== undefined) return outcome;
  await requestStatusCheck(share);
  return outcome.error === undefined ? { isConfirmed: true } : problemOfProcessor(outcome.error);
}

/** Lets the processor confirm the hold: with the card of the form, or after the bank of the saved card has asked. */
async function confirmHold(share, hold, source) {
  const returnUrl = new URL(location.href);
  returnUrl.searchParams.set('paid', share);
  const request = {
    clientSecret: hold.client_secret,
    key: hold.publishable_key,
    amount: amountOf(share),
    savesCard: hold.saves_card,
    returnUrl: returnUrl.href,
    onRedirect: () => showWaiting(textFor('wait', 'bank')),
  };
  if (hold.status === 'requires_action') return driver.authenticate(request);
  if (source === null) return driver.confirm(request);
  if (hold.decline_code === null) return { problem: 'card_again' };
  return problemOfProcessor({ decline_code: hold.decline_code, type: 'card_error' });
}

function amountOf(share) {
  const { shares, amounts } = form.dataset;
  return Number(amounts.split(' ')[shares.split(' ').indexOf(share)]);
}

function call(url, options) {
  // Browsers of 2021 have no such signal: there a call has the browser's own limit.
  return fetch(url, { method: 'POST', signal: AbortSignal.timeout?.(CALL_MS), ...options });
}

async function requestHold(share, body) {
  const session = await call('/session/token', { headers: { accept: 'application/json' } });
  if (!session.ok) return { problem: problemOfStatus(session.status) };
  const { token } = await session.json();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = () => call(`/v1/public/shares/${share}/hold`, { headers, body: JSON.stringify(body) });
  let response = await post();
  // An earlier hold of this share may still be in release, so wait and retry.
  for (let tries = 0; response.status === 503 && tries < 3; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    response = await post();
  }
  const reply = await response.json();
  if (response.ok) return reply;
  // Paid on another device, or covered in the meantime: the updated page says so.
  if (reply.error.reason === 'share_already_held') return {};
  return { problem: PROBLEM_OF_REASON[reply.error.reason] ?? problemOfStatus(response.status) };
}

const PROBLEM_OF_REASON = { card_not_saved: 'card_again', venue_not_payable: 'venue_not_payable' };

function problemOfStatus(status) {
  if (status === 401) return 'signed_out';
  if (status === 429) return 'too_many';
  return status >= 500 ? 'not_now' : 'closed';
}

const PROCESSOR_PROBLEMS = {
  insufficient_funds: { problem: 'insufficient_funds' },
  test_mode_live_card: { problem: 'test_cards_only', field: 'number' },
  expired_card: { problem: 'expired_card', field: 'expiry' },
  incorrect_cvc: { problem: 'incorrect_cvc', field: 'cvc' },
  incorrect_number: { problem: 'incorrect_number', field: 'number' },
  processing_error: { problem: 'processing_error' },
  payment_intent_authentication_failure: { problem: 'authentication_failed' },
};

/** What the issuer advises, where its code does not say what is wrong. Absent: another try may work. */
const PROBLEM_OF_ADVICE = { do_not_try_again: 'use_another_card', confirm_card_data: 'check_card' };

/** Maps the processor's error to one of our problems. */
function problemOfProcessor({ code, decline_code, advice_code, type }) {
  // Already confirmed, in another tab or before the connection was lost: the server knows the result.
  if (code === 'payment_intent_unexpected_state') return {};
  const match = PROCESSOR_PROBLEMS[decline_code] ?? PROCESSOR_PROBLEMS[code];
  if (match !== undefined)
    return form.querySelector(`[data-field="${match.field}"]`) ? match : { problem: match.problem };
  if (type === 'validation_error') return { problem: 'card_incomplete' };
  return { problem: type === 'card_error' ? (PROBLEM_OF_ADVICE[advice_code] ?? 'declined') : 'not_now' };
}

/** Makes the server ask the processor; it does not trust the browser's result. */
async function requestStatusCheck(share) {
  const body = new URLSearchParams({ share });
  await call(`${form.dataset.pay}/look`, { body, headers: { accept: 'application/json' } });
}

/** The guest returns from the bank's page: ask for the result immediately. */
async function resumeAfterRedirect() {
  const { paid } = document.body.dataset;
  if (paid === undefined || form === null) return;
  showWaiting(textFor('wait', 'checking'));
  try {
    await requestStatusCheck(paid);
  } catch {
    showProblem({ problem: 'lost_connection' });
  }
  requestPoll();
  enableAfter(4_000);
}

document.addEventListener('everyshare:renewed', prepare);
prepare();
await resumeAfterRedirect();
