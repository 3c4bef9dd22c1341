// The driver of the sandbox's card form. It accepts only the published test cards, so that no real card number is sent.
// It calls the sandbox processor as Stripe's script calls Stripe.

const CONFIRM_MS = 60_000;

let testCardNumbers = null;

async function loadTestCards() {
  if (testCardNumbers === null) {
    const response = await fetch('/sandbox/processor/cards.json');
    const { cards } = await response.json();
    testCardNumbers = new Set(cards.map(({ number }) => number));
  }
  return testCardNumbers;
}

export function makeDriver(form) {
  const field = (name) => form.querySelector(`[data-field="${name}"]`);
  const digits = (name) => field(name).value.replace(/\D/g, '');

  field('number').addEventListener('input', () => groupDigits(field('number'), /(\d{4})(?=\d)/g, '$1 '));
  field('expiry').addEventListener('input', () => groupDigits(field('expiry'), /^(\d{2})(\d)/, '$1 / $2'));
  for (const chip of form.querySelectorAll('[data-card]')) {
    chip.addEventListener('click', () => {
      field('number').value = chip.dataset.card;
      field('expiry').value = '12 / 34';
      field('cvc').value = '123';
    });
  }
  // Only now: a test card that is pressed before it can fill the fields would do nothing.
  form.querySelector('[data-test-cards]').hidden = false;

  return {
    /** The fields are in the page already. */
    async mount() {},

    close() {},

    /** The first error in the fields, found before anything is sent; null: none. */
    async check() {
      if (digits('number') === '') return { problem: 'number_missing', field: 'number' };
      if (!(await loadTestCards()).has(digits('number'))) return { problem: 'test_cards_only', field: 'number' };
      if (!/^(0[1-9]|1[0-2])\d{2}$/.test(digits('expiry'))) return { problem: 'expiry_missing', field: 'expiry' };
      if (!/^\d{3,4}$/.test(digits('cvc'))) return { problem: 'cvc_missing', field: 'cvc' };
      return null;
    },

    async confirm({ clientSecret, key, returnUrl, onRedirect }) {
      const intent = clientSecret.split('_secret_')[0];
      const body = new URLSearchParams({
        key,
        client_secret: clientSecret,
        return_url: returnUrl,
        'payment_method_data[type]': 'card',
        'payment_method_data[card][number]': digits('number'),
        'payment_method_data[card][exp_month]': digits('expiry').slice(0, 2),
        'payment_method_data[card][exp_year]': `20${digits('expiry').slice(2)}`,
        'payment_method_data[card][cvc]': digits('cvc'),
      });
      const response = await fetch(`/sandbox/processor/v1/payment_intents/${intent}/confirm`, {
        method: 'POST',
        body,
        signal: AbortSignal.timeout?.(CONFIRM_MS),
      });
      return followAction(await response.json(), onRedirect);
    },

    /** The bank asks about a card that the server has confirmed. */
    async authenticate({ clientSecret, key, onRedirect }) {
      const intent = clientSecret.split('_secret_')[0];
      const query = new URLSearchParams({ key, client_secret: clientSecret });
      const response = await fetch(`/sandbox/processor/v1/payment_intents/${intent}?${query}`, {
        signal: AbortSignal.timeout?.(CONFIRM_MS),
      });
      return followAction(await response.json(), onRedirect);
    },
  };
}

/** If the bank asks, the guest leaves the page and comes back. */
function followAction({ status, next_action, error }, onRedirect) {
  if (error !== undefined) return { error };
  if (status !== 'requires_action') return {};
  onRedirect();
  location.assign(next_action.use_stripe_sdk?.stripe_js ?? next_action.redirect_to_url.url);
  // The browser is leaving the page, so never resolve.
  return new Promise(() => undefined);
}

/** Groups the digits, unless the guest is typing in the middle. */
function groupDigits(input, pattern, replacement) {
  if (input.selectionStart !== input.value.length) return;
  input.value = input.value.replace(/\D/g, '').replace(pattern, replacement);
}
