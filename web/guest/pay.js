// Paying a share: a hold is asked for, the card goes from here to the processor through a driver, and then the server is
// asked what came of it. What this script believes decides nothing. A second tap, a second tab, or a connection that breaks
// in the middle never makes a second hold: the server gives the same one again.

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

/** Beside its field, or above the form; what was typed stays. */
function showTrouble({ trouble, field = null }) {
  wait(null);
  clearTroubles();
  const input = field === null ? null : form.querySelector(`[name="${field}"]`);
  const place = form.querySelector(input === null ? '[data-trouble-line]' : `#${field}-error`);
  place.textContent = words('trouble', trouble);
  place.hidden = false;
  input?.setAttribute('aria-invalid', 'true');
  input?.setAttribute('aria-describedby', `${field}-error`);
  (input ?? place).focus();
}

async function pay() {
  if (form.hasAttribute('data-busy') || driver === null) return;
  try {
    const wrong = await driver.check();
    if (wrong !== null) {
      showTrouble(wrong);
      return;
    }
    clearTroubles();
    wait(words('wait', 'holding'));
    for (const share of form.dataset.shares.split(' ')) {
      const came = await payShare(share);
      if (came.trouble !== undefined) showTrouble(came);
      if (came.isReady) wait(null);
      if (came.trouble !== undefined || came.isReady) return;
    }
    wait(words('wait', 'checking'));
    lookAgain();
    freeAfter(20_000);
  } catch {
    showTrouble({ trouble: 'lost_connection' });
    lookAgain();
  }
}

/** Should the page not have changed by then, it can be tried again: it would be the same hold. */
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
  if (!came.isReady) await tellServer(share);
  if (came.trouble !== undefined) lookAgain();
  return came;
}

async function askForHold(share) {
  const session = await fetch('/session/token', { method: 'POST', headers: { accept: 'application/json' } });
  if (!session.ok) return { trouble: troubleOf(session.status) };
  const { token } = await session.json();
  const answer = await fetch(`/v1/public/shares/${share}/hold`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  const said = await answer.json();
  if (answer.ok) return said;
  lookAgain();
  // Paid on another phone, or covered meanwhile: the page will say so.
  return said.error.reason === 'share_already_held' ? {} : { trouble: troubleOf(answer.status) };
}

function troubleOf(status) {
  if (status === 429) return 'too_many';
  return status >= 500 ? 'not_now' : 'closed';
}

/** The server asks the processor itself; that a browser says so is only a reason to ask. */
async function tellServer(share) {
  await fetch(`${form.dataset.pay}/look`, {
    method: 'POST',
    body: new URLSearchParams({ share }),
    headers: { accept: 'application/json' },
  });
}

/** Back from the bank's own page: what came of it is asked at once. */
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
