// The driver of Stripe's card form. It is mounted as the page opens, before the share has a hold, so that the guest's
// first press pays. Above the card are the wallets that this browser has (Apple Pay, Google Pay, Link). Stripe refuses to
// confirm an intent whose amount, currency, capture method or future use differ from the mounted form's. If the bank asks
// for authentication, it does so on top of this page if possible.

/** The version of Stripe.js that belongs to the server's API version. */
const SCRIPT = 'https://js.stripe.com/endive/stripe.js';
const LOAD_MS = 30_000;
const WALLET_HEIGHT = 48;
const darkMode = matchMedia('(prefers-color-scheme: dark)');

function loadStripe() {
  return new Promise((resolve, reject) => {
    if (window.Stripe !== undefined) {
      resolve(window.Stripe);
      return;
    }
    const script = document.createElement('script');
    script.src = SCRIPT;
    // A script that has failed is removed, so that another attempt loads it again.
    const fail = () => {
      script.remove();
      reject(new Error('the card form could not be loaded'));
    };
    const timer = setTimeout(fail, LOAD_MS);
    script.addEventListener('load', () => {
      clearTimeout(timer);
      if (window.Stripe === undefined) fail();
      else resolve(window.Stripe);
    });
    script.addEventListener('error', fail);
    document.head.append(script);
  });
}

/** The page's own tokens, as Stripe's Appearance API names them. */
function appearanceOf(form) {
  const style = getComputedStyle(form);
  const rootPixels = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const token = (name) => style.getPropertyValue(name).trim();
  // Stripe's frame has a root font size of its own, so rem becomes px.
  const pixels = (name) =>
    token(name).endsWith('rem') ? `${Number.parseFloat(token(name)) * rootPixels}px` : token(name);
  const border = `1px solid ${token('--field')}`;
  return {
    theme: darkMode.matches ? 'night' : 'stripe',
    inputs: 'condensed',
    variables: {
      colorPrimary: token('--venue'),
      colorBackground: token('--sheet'),
      colorText: token('--text'),
      colorTextSecondary: token('--quiet'),
      colorTextPlaceholder: token('--quiet'),
      colorDanger: token('--red'),
      iconColor: token('--quiet'),
      fontFamily: token('--sans'),
      fontSizeBase: pixels('--text-size'),
      borderRadius: pixels('--field-radius'),
      buttonExpressCheckoutBorderRadius: pixels('--button-radius'),
      gridRowSpacing: pixels('--field-gap'),
      gridColumnSpacing: pixels('--field-gap'),
    },
    rules: {
      '.Input': { border, boxShadow: 'none' },
      '.Input--invalid': { border: `1px solid ${token('--red')}`, boxShadow: 'none' },
      '.Label': { color: token('--quiet') },
    },
  };
}

/** Resolves when the element can be used. */
function mountElement(element, place) {
  return new Promise((resolve, reject) => {
    element.on('ready', resolve);
    element.on('loaderror', ({ error } = {}) => reject(error ?? new Error('the card form could not be loaded')));
    setTimeout(() => reject(new Error('the card form took too long to load')), LOAD_MS);
    element.mount(place);
  });
}

export function makeDriver(form, { canPay, payWithWallet }) {
  const closing = new AbortController();
  let stripe = null;
  let elements = null;
  // Of several shares each is a payment of its own. The card form confirms the first.
  const payment = {
    amount: Number(form.dataset.amounts.split(' ')[0]),
    setupFutureUsage: form.dataset.savesCard === 'true' ? 'off_session' : null,
  };
  let isSubmitted = false;

  function createElements() {
    return stripe.elements({
      mode: 'payment',
      ...payment,
      currency: form.dataset.currency,
      captureMethod: 'manual',
      // As the server's intent. Link pays as a card too, so that its hold has the times of a card's.
      allowedPaymentMethodTypes: ['card'],
      appearance: appearanceOf(form),
    });
  }

  function followAppearance() {
    const update = () => elements?.update({ appearance: appearanceOf(form) });
    darkMode.addEventListener('change', update, { signal: closing.signal });
  }

  function create(kind, options) {
    const element = elements.create(kind, options);
    closing.signal.addEventListener('abort', () => element.destroy());
    return element;
  }

  /** Without a wallet, or when wallets cannot be loaded, the card alone is shown: that is no error. */
  async function mountWallets() {
    const place = form.querySelector('[data-wallets]');
    place.hidden = false;
    try {
      const wallets = create('expressCheckout', {
        buttonHeight: WALLET_HEIGHT,
        layout: { maxColumns: 2, maxRows: 0, overflow: 'never' },
        paymentMethods: { amazonPay: 'never', klarna: 'never', paypal: 'never' },
      });
      // Stripe waits one second for the answer to a click. A guest who closes the wallet has changed their mind: no hold
      // was requested, and nothing is shown.
      wallets.on('click', (event) => (canPay() ? event.resolve() : event.reject()));
      wallets.on('confirm', (event) => payWithWallet(() => event.paymentFailed({ reason: 'fail' })));
      const { availablePaymentMethods } = await mountElement(wallets, place);
      form.querySelector('[data-or]').hidden = availablePaymentMethods === undefined;
    } catch {
      place.hidden = true;
    }
  }

  /** Another share is paid, or what the hold needs has changed since the page was opened. */
  function matchHold(hold) {
    const changed = Object.entries(hold).filter(([name, value]) => payment[name] !== value);
    if (changed.length === 0) return;
    Object.assign(payment, hold);
    elements.update(Object.fromEntries(changed));
    isSubmitted = false;
  }

  /** Stripe validates the form, and collects what a wallet has. Needed before each confirmation. */
  async function submit() {
    const { error } = await elements.submit();
    isSubmitted = error === undefined;
    return error;
  }

  return {
    /** Resolves when a guest can pay by card. */
    async mount() {
      const Stripe = await loadStripe();
      stripe = Stripe(form.dataset.key, { locale: form.dataset.language });
      elements = createElements();
      followAppearance();
      // A wallet shows one amount, and several shares are several payments: then only a card is offered.
      const isOnePayment = !form.dataset.shares.includes(' ');
      if (isOnePayment) mountWallets();
      const card = create('payment', { wallets: { applePay: 'never', googlePay: 'never', link: 'auto' } });
      await mountElement(card, form.querySelector('[data-mount]'));
    },

    async check() {
      const error = await submit();
      return error === undefined ? null : { error };
    },

    async confirm({ clientSecret, returnUrl, amount, savesCard }) {
      matchHold({ amount, setupFutureUsage: savesCard ? 'off_session' : null });
      const invalid = isSubmitted ? undefined : await submit();
      if (invalid !== undefined) return { error: invalid };
      isSubmitted = false;
      const { error } = await stripe.confirmPayment({
        elements,
        clientSecret,
        redirect: 'if_required',
        confirmParams: { return_url: returnUrl },
      });
      return error === undefined ? {} : { error };
    },

    /** The bank asks about a card that the server has confirmed. */
    async authenticate({ clientSecret }) {
      const { error } = await stripe.handleNextAction({ clientSecret });
      return error === undefined ? {} : { error };
    },

    close() {
      closing.abort();
    },
  };
}
