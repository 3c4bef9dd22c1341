// The card form of the sandbox: it takes the published test cards and nothing else, so that no real card is ever sent from
// it. It speaks to the sandbox's processor as the real one's script does to the real one.

let known = null;

async function testCards() {
  if (known === null) {
    const answer = await fetch('/sandbox/processor/cards.json');
    const { cards } = await answer.json();
    known = new Set(cards.map(({ number }) => number));
  }
  return known;
}

const TROUBLES = {
  insufficient_funds: 'insufficient_funds',
  expired_card: 'expired_card',
  incorrect_cvc: 'incorrect_cvc',
  incorrect_number: 'incorrect_number',
  processing_error: 'processing_error',
  payment_intent_authentication_failure: 'authentication_failed',
};
const FIELDS = { incorrect_number: 'number', incorrect_cvc: 'cvc', expired_card: 'expiry' };

export function makeDriver(form) {
  const field = (name) => form.querySelector(`[name="${name}"]`);
  const digits = (name) => field(name).value.replace(/\D/g, '');

  field('number').addEventListener('input', () => spread(field('number'), /(\d{4})(?=\d)/g, '$1 '));
  field('expiry').addEventListener('input', () => spread(field('expiry'), /^(\d{2})(\d)/, '$1 / $2'));
  for (const chip of form.querySelectorAll('[data-card]')) {
    chip.addEventListener('click', () => {
      field('number').value = chip.dataset.card;
      field('expiry').value = '12 / 34';
      field('cvc').value = '123';
    });
  }

  return {
    /** What is missing or wrong before anything is sent; null: nothing. */
    async check() {
      if (digits('number') === '') return { trouble: 'number_missing', field: 'number' };
      if (!(await testCards()).has(digits('number'))) return { trouble: 'test_cards_only', field: 'number' };
      if (!/^(0[1-9]|1[0-2])\d{2}$/.test(digits('expiry'))) return { trouble: 'expiry_missing', field: 'expiry' };
      if (!/^\d{3,4}$/.test(digits('cvc'))) return { trouble: 'cvc_missing', field: 'cvc' };
      return null;
    },

    async confirm({ clientSecret, key, returnUrl, leaving }) {
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
      const answer = await fetch(`/sandbox/processor/v1/payment_intents/${intent}/confirm`, { method: 'POST', body });
      const { status, next_action, error } = await answer.json();
      if (error !== undefined) return troubleOf(error);
      if (status !== 'requires_action') return {};
      leaving();
      location.assign(next_action.redirect_to_url.url);
      // The page is being left: nothing more happens here.
      return new Promise(() => undefined);
    },
  };
}

function troubleOf({ code, decline_code, type }) {
  // Confirmed before, in another tab or before the connection broke: the server knows more than this form.
  if (code === 'payment_intent_unexpected_state') return {};
  const trouble = TROUBLES[decline_code] ?? TROUBLES[code] ?? (type === 'card_error' ? 'declined' : 'not_now');
  const field = FIELDS[trouble];
  return field === undefined ? { trouble } : { trouble, field };
}

/** Groups the digits, unless somebody types in their middle. */
function spread(input, pattern, to) {
  if (input.selectionStart !== input.value.length) return;
  input.value = input.value.replace(/\D/g, '').replace(pattern, to);
}
