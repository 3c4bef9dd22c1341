// Paying a share: mounts the card form through a driver, requests a hold when the guest pays, lets the driver send the
// card to the processor, and makes the server ask the processor for the result. This script's view decides nothing. A
// second tap, a second tab or a lost connection never creates a second hold: the server returns the same one.

const CALL_MS = 30_000;

let form = null;
let driver = null;

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
    made = makeDriver(opened, { canPay, payWithWallet: pay });
    // Now, because a wallet may be ready before the card form is.
    driver = made;
    await made.mount();
    const button = opened.querySelector('[data-pay-button]');
    button.type = 'submit';
    button.classList.remove('waiting');
  } catch {
    if (opened === form) showLoadFailure(made === null);
  }
  loading.hidden = true;
}

/** The card form could not be loaded: blocked, or no connection. */
function showLoadFailure(isOwnScript) {
  driver?.close();
  driver = null;
  const line = form.querySelector('[data-trouble-line]');
  line.textContent = textFor('trouble', 'form_unavailable');
  line.hidden = false;
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

/** Shows the error beside its field or above the form; the typed values stay. */
function showProblem({ problem, field = null }) {
  showWaiting(null);
  clearErrors();
  const input = field === null ? null : form.querySelector(`[data-field="${field}"]`);
  const line = form.querySelector(input === null ? '[data-trouble-line]' : `#${field}-error`);
  line.textContent = textFor('trouble', problem);
  line.hidden = false;
  input?.setAttribute('aria-invalid', 'true');
  input?.setAttribute('aria-describedby', `${field}-error`);
  (input ?? line).focus();
}

/** `onFailure`: tells the wallet, whose sheet is open on top of the page. */
async function pay(onFailure = () => undefined) {
  if (!canPay()) {
    onFailure();
    return;
  }
  // The page does not update this form until all of its shares are processed.
  form.toggleAttribute('data-paying', true);
  const problem = await payAll(form.dataset.shares.split(' ')).catch(() => ({ problem: 'lost_connection' }));
  if (problem !== null) {
    onFailure();
    showProblem(problem);
  }
  form.toggleAttribute('data-paying', false);
  requestPoll();
}

/** Holds each share. Null: all are confirmed, and the server is asking the processor. */
async function payAll(shares) {
  const invalid = await driver.check();
  if (invalid !== null) return invalid.error === undefined ? invalid : problemOfProcessor(invalid.error);
  clearErrors();
  showWaiting(textFor('wait', 'holding'));
  for (const share of shares) {
    const outcome = await payShare(share);
    if (outcome.problem !== undefined) return outcome;
  }
  showWaiting(textFor('wait', 'checking'));
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

async function payShare(share) {
  const hold = await requestHold(share);
  if (hold.client_secret === undefined) return hold;
  const returnUrl = new URL(location.href);
  returnUrl.searchParams.set('paid', share);
  const outcome = await driver.confirm({
    clientSecret: hold.client_secret,
    key: hold.publishable_key,
    savesCard: hold.saves_card,
    returnUrl: returnUrl.href,
    onRedirect: () => showWaiting(textFor('wait', 'bank')),
  });
  await requestStatusCheck(share);
  return outcome.error === undefined ? {} : problemOfProcessor(outcome.error);
}

function call(url, options) {
  return fetch(url, { method: 'POST', signal: AbortSignal.timeout(CALL_MS), ...options });
}

async function requestHold(share) {
  const session = await call('/session/token', { headers: { accept: 'application/json' } });
  if (!session.ok) return { problem: problemOfStatus(session.status) };
  const { token } = await session.json();
  const post = () => call(`/v1/public/shares/${share}/hold`, { headers: { authorization: `Bearer ${token}` } });
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
  const isUnpayable = reply.error.reason === 'venue_not_payable';
  return { problem: isUnpayable ? 'venue_not_payable' : problemOfStatus(response.status) };
}

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

/** Maps the processor's error to one of our problems. */
function problemOfProcessor({ code, decline_code, type }) {
  // Already confirmed, in another tab or before the connection was lost: the server knows the result.
  if (code === 'payment_intent_unexpected_state') return {};
  const match = PROCESSOR_PROBLEMS[decline_code] ?? PROCESSOR_PROBLEMS[code];
  if (match !== undefined)
    return form.querySelector(`[data-field="${match.field}"]`) ? match : { problem: match.problem };
  if (type === 'validation_error') return { problem: 'card_incomplete' };
  return { problem: type === 'card_error' ? 'declined' : 'not_now' };
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
