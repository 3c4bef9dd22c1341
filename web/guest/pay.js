// Paying a share: requests a hold, sends the card to the processor through a driver, and makes the server ask the
// processor for the result. This script's view decides nothing. A second tap, a second tab or a lost connection never
// creates a second hold: the server returns the same one.

const CALL_MS = 30_000;

let form = null;
let driver = null;

function words(kind, name) {
  const found = form.querySelector(`template[data-${kind}="${name}"]`);
  return (found ?? form.querySelector(`template[data-${kind}="unknown"]`))?.content.textContent ?? '';
}

const lookAgain = () => document.dispatchEvent(new CustomEvent('everyshare:look'));

async function prepare() {
  const found = document.querySelector('form[data-pay]');
  if (found === form) return;
  form = found;
  if (form === null) return;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    pay();
  });
  const { makeDriver } = await import(form.dataset.driver);
  driver = makeDriver(form);
  // Only now: before the driver is ready, the form must not send a card number anywhere.
  form.querySelector('[data-pay-button]').type = 'submit';
}

function wait(text) {
  form.toggleAttribute('data-busy', text !== null);
  form.setAttribute('aria-busy', String(text !== null));
  for (const one of form.querySelectorAll('button, input')) one.disabled = text !== null;
  form.querySelector('[data-wait-line]').textContent = text ?? '';
}

function clearTroubles() {
  for (const old of form.querySelectorAll('p.error')) old.hidden = true;
  for (const old of form.querySelectorAll('[aria-invalid]')) {
    old.removeAttribute('aria-invalid');
    old.removeAttribute('aria-describedby');
  }
}

/** Shows the error beside its field or above the form; the typed values stay. */
function showTrouble({ trouble, field = null }) {
  wait(null);
  clearTroubles();
  const input = field === null ? null : form.querySelector(`[data-field="${field}"]`);
  const place = form.querySelector(input === null ? '[data-trouble-line]' : `#${field}-error`);
  place.textContent = words('trouble', trouble);
  place.hidden = false;
  input?.setAttribute('aria-invalid', 'true');
  input?.setAttribute('aria-describedby', `${field}-error`);
  (input ?? place).focus();
}

async function pay() {
  if (form.hasAttribute('data-busy') || driver === null) return;
  // The page does not update this form until all of its shares are processed.
  form.toggleAttribute('data-paying', true);
  try {
    const wrong = await driver.check();
    if (wrong !== null) showTrouble(wrong.error === undefined ? wrong : troubleOf(wrong.error));
    else await payAll(form.dataset.shares.split(' '));
  } catch {
    showTrouble({ trouble: 'lost_connection' });
  }
  form.toggleAttribute('data-paying', false);
  lookAgain();
}

async function payAll(shares) {
  clearTroubles();
  wait(words('wait', 'holding'));
  for (const share of shares) {
    const came = await payShare(share);
    if (came.trouble !== undefined) {
      showTrouble(came);
      return;
    }
    if (came.isReady) {
      const button = form.querySelector('[data-pay-button]');
      button.textContent = button.dataset.hold;
      wait(null);
      return;
    }
  }
  wait(words('wait', 'checking'));
  freeAfter(20_000);
}

/** Enables the form again if the page has not changed by then; a retry uses the same hold. */
function freeAfter(ms) {
  const waiting = form;
  setTimeout(() => {
    if (waiting === form && form.isConnected) wait(null);
  }, ms);
}

async function payShare(share) {
  const asked = await askForHold(share);
  if (asked.client_secret === undefined) return asked;
  const returnUrl = new URL(location.href);
  returnUrl.searchParams.set('paid', share);
  const came = await driver.confirm({
    clientSecret: asked.client_secret,
    key: asked.publishable_key,
    returnUrl: returnUrl.href,
    leaving: () => wait(words('wait', 'bank')),
  });
  if (came.isReady) return came;
  await tellServer(share);
  return came.error === undefined ? {} : troubleOf(came.error);
}

function call(url, more) {
  return fetch(url, { method: 'POST', signal: AbortSignal.timeout(CALL_MS), ...more });
}

async function askForHold(share) {
  const session = await call('/session/token', { headers: { accept: 'application/json' } });
  if (!session.ok) return { trouble: troubleBy(session.status) };
  const { token } = await session.json();
  const ask = () => call(`/v1/public/shares/${share}/hold`, { headers: { authorization: `Bearer ${token}` } });
  let answer = await ask();
  // An earlier hold of this share may still be in release, so wait and retry.
  for (let tries = 0; answer.status === 503 && tries < 3; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    answer = await ask();
  }
  const said = await answer.json();
  if (answer.ok) return said;
  // Paid on another device, or covered in the meantime: the updated page says so.
  return said.error.reason === 'share_already_held' ? {} : { trouble: troubleBy(answer.status) };
}

function troubleBy(status) {
  if (status === 401) return 'signed_out';
  if (status === 429) return 'too_many';
  return status >= 500 ? 'not_now' : 'closed';
}

const TROUBLES = {
  insufficient_funds: { trouble: 'insufficient_funds' },
  expired_card: { trouble: 'expired_card', field: 'expiry' },
  incorrect_cvc: { trouble: 'incorrect_cvc', field: 'cvc' },
  incorrect_number: { trouble: 'incorrect_number', field: 'number' },
  processing_error: { trouble: 'processing_error' },
  payment_intent_authentication_failure: { trouble: 'authentication_failed' },
};

/** Maps the processor's error to one of ours. */
function troubleOf({ code, decline_code, type }) {
  // Already confirmed, in another tab or before the connection was lost: the server knows the result.
  if (code === 'payment_intent_unexpected_state') return {};
  const known = TROUBLES[decline_code] ?? TROUBLES[code];
  if (known !== undefined)
    return form.querySelector(`[data-field="${known.field}"]`) ? known : { trouble: known.trouble };
  if (type === 'validation_error') return { trouble: 'card_incomplete' };
  return { trouble: type === 'card_error' ? 'declined' : 'not_now' };
}

/** Makes the server ask the processor; it does not trust the browser's result. */
async function tellServer(share) {
  const body = new URLSearchParams({ share });
  await call(`${form.dataset.pay}/look`, { body, headers: { accept: 'application/json' } });
}

/** The guest returns from the bank's page: ask for the result immediately. */
async function comeBack() {
  const { paid } = document.body.dataset;
  if (paid === undefined || form === null) return;
  wait(words('wait', 'checking'));
  try {
    await tellServer(paid);
  } catch {
    showTrouble({ trouble: 'lost_connection' });
  }
  lookAgain();
  freeAfter(4_000);
}

document.addEventListener('everyshare:renewed', prepare);
await prepare();
await comeBack();
