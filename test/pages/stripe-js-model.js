// A model of Stripe.js for the tests of the card form, from Stripe's reference (docs.stripe.com/js) and the types of the
// package @stripe/stripe-js: a group of elements without an intent, the Payment Element, the Express Checkout Element,
// elements.submit, confirmPayment and handleNextAction. It is harsher than Stripe.js: what Stripe.js warns about, and
// every parameter that its types do not name, is an error here. Its payments are made at the sandbox processor, by
// functions that the test exposes (stripe-model.ts).

(() => {
  const errors = [];
  const settings = window.stripeModelSettings ?? {};
  window.stripeModel = { errors, updates: [], options: null, appearance: null };

  function integrationError(message) {
    errors.push(message);
    const error = new Error(message);
    error.name = 'IntegrationError';
    return error;
  }

  function requireNames(what, given, names) {
    const unknown = Object.keys(given ?? {}).filter((name) => !names.includes(name));
    if (unknown.length > 0) throw integrationError(`${what}: ${unknown.join(', ')} is not an accepted parameter.`);
  }

  const APPEARANCE = ['theme', 'variables', 'rules', 'labels', 'inputs', 'disableAnimations'];
  const VARIABLES =
    `fontFamily fontSizeBase fontLineHeight spacingUnit gridRowSpacing gridColumnSpacing colorPrimary colorBackground
    colorText colorSuccess colorDanger colorWarning colorTextSecondary colorTextPlaceholder iconColor borderRadius buttonBorderRadius
    buttonExpressCheckoutBorderRadius`.split(/\s+/);
  const PAYMENT_OPTIONS = `mode amount currency captureMethod setupFutureUsage onBehalfOf paymentMethodTypes
    allowedPaymentMethodTypes excludedPaymentMethodTypes paymentMethodConfiguration paymentMethodOptions`.split(/\s+/);
  const COMMON_OPTIONS = [
    'appearance',
    'fonts',
    'locale',
    'loader',
    'paymentMethodCreation',
    'customerSessionClientSecret',
  ];
  const ELEMENT_OPTIONS = {
    payment: ['layout', 'wallets', 'fields', 'terms', 'defaultValues', 'business', 'paymentMethodOrder', 'readOnly'],
    expressCheckout: [
      'buttonHeight',
      'buttonTheme',
      'buttonType',
      'layout',
      'paymentMethods',
      'paymentMethodOrder',
      'business',
    ],
  };

  function checkAppearance(appearance) {
    requireNames('appearance', appearance, APPEARANCE);
    requireNames('appearance.variables', appearance.variables, VARIABLES);
    if (!['stripe', 'night', 'flat'].includes(appearance.theme))
      throw integrationError('appearance.theme is not a theme.');
    for (const [name, value] of Object.entries(appearance.variables)) {
      if (typeof value !== 'string' || value === '' || /var\(|NaN|rem$/.test(value)) {
        throw integrationError(`appearance.variables.${name} is not a usable value: ${value}`);
      }
    }
    window.stripeModel.appearance = appearance;
  }

  function checkPaymentOptions(options) {
    if ('clientSecret' in options) throw integrationError('clientSecret and mode cannot be used together.');
    requireNames('stripe.elements()', options, [...PAYMENT_OPTIONS, ...COMMON_OPTIONS]);
    if (options.mode !== 'payment') throw integrationError('mode must be payment.');
    if (!Number.isInteger(options.amount) || options.amount <= 0)
      throw integrationError('amount must be greater than 0.');
    if (!/^[a-z]{3}$/.test(options.currency)) throw integrationError('currency must be a lower-case code.');
    if (!['manual', 'automatic', 'automatic_async', undefined].includes(options.captureMethod)) {
      throw integrationError('captureMethod is not valid.');
    }
    if (!['off_session', 'on_session', null, undefined].includes(options.setupFutureUsage)) {
      throw integrationError('setupFutureUsage is not valid.');
    }
  }

  /** An element is drawn in a shadow root, which the page's own style and script do not reach, like Stripe's frames. */
  class ModelElement {
    constructor(group, kind, options) {
      requireNames(`elements.create('${kind}')`, options, ELEMENT_OPTIONS[kind] ?? []);
      Object.assign(this, { group, kind, options, handlers: new Map(), place: null, isDestroyed: false });
    }

    on(name, handler) {
      this.handlers.set(name, handler);
      return this;
    }

    emit(name, event = {}) {
      this.handlers.get(name)?.({ elementType: this.kind, ...event });
    }

    focus() {}

    mount(place) {
      if (this.isDestroyed || this.place !== null)
        throw integrationError('This Element was mounted or destroyed already.');
      if (!(place instanceof Element) || !place.isConnected)
        throw integrationError('The place of an Element must be in the page.');
      if (place.childElementCount > 0) throw integrationError('The place of an Element must be empty.');
      this.place = place;
      const host = document.createElement('div');
      place.append(host);
      this.root = host.attachShadow({ mode: 'open' });
      setTimeout(() => this.draw(), settings.readyAfterMs ?? 0);
    }

    destroy() {
      if (this.isDestroyed) throw integrationError('This Element was destroyed already.');
      this.isDestroyed = true;
      this.place?.replaceChildren();
    }

    draw() {
      if (this.isDestroyed) return;
      if (settings.loadErrors?.includes(this.kind)) {
        settings.loadErrors = settings.loadErrors.filter((kind) => kind !== this.kind);
        this.emit('loaderror', { error: { type: 'api_connection_error', message: 'could not be loaded' } });
        return;
      }
      this.restyle();
      if (this.kind === 'payment') this.drawCard();
      else this.drawWallets();
    }

    restyle() {
      const { variables, rules } = this.group.appearance;
      const sheet = new CSSStyleSheet();
      const border = rules?.['.Input']?.border ?? '1px solid grey';
      sheet.replaceSync(`:host { color: ${variables.colorText}; font: ${variables.fontSizeBase} ${variables.fontFamily}; }
        .frame { display: grid; grid-template-columns: 1fr 1fr; border: ${border}; border-radius: ${variables.borderRadius}; background: ${variables.colorBackground}; overflow: hidden; }
        label { display: grid; padding: 8px 14px; font-size: 14px; color: ${variables.colorTextSecondary}; } label:first-child { grid-column: 1 / -1; }
        input { border: 0; padding: 4px 0; font: inherit; font-size: ${variables.fontSizeBase}; background: none; color: ${variables.colorText}; outline: none; min-width: 0; }
        input::placeholder { color: ${variables.colorTextPlaceholder}; }
        .wallets { display: grid; grid-template-columns: 1fr 1fr; gap: 8px; } .wallets button { height: ${this.options?.buttonHeight ?? 44}px; border-radius: ${variables.buttonExpressCheckoutBorderRadius ?? '4px'}; background: black; color: white; border: 0; font: inherit; font-weight: 600; }
        .wallets button:only-child { grid-column: 1 / -1; }
        dialog { font: inherit; }`);
      if (this.root) this.root.adoptedStyleSheets = [sheet];
    }

    drawCard() {
      const frame = document.createElement('div');
      frame.className = 'frame';
      const names = {
        number: ['Card number', '1234 1234 1234 1234'],
        expiry: ['Expiration date', 'MM / YY'],
        cvc: ['Security code', 'CVC'],
      };
      for (const [name, [label, placeholder]] of Object.entries(names)) {
        const field = document.createElement('label');
        const input = document.createElement('input');
        Object.assign(input, { name, placeholder });
        field.append(label, input);
        frame.append(field);
      }
      this.root.replaceChildren(frame);
      this.emit('ready');
    }

    /** The card as typed; null: not complete. */
    get card() {
      const value = (name) => this.root?.querySelector(`[name=${name}]`)?.value.replace(/\D/g, '') ?? '';
      const card = { number: value('number'), expiry: value('expiry'), cvc: value('cvc') };
      return card.number.length >= 15 && card.expiry.length === 4 && card.cvc.length >= 3 ? card : null;
    }

    drawWallets() {
      const wallets = settings.wallets ?? [];
      const buttons = document.createElement('div');
      buttons.className = 'wallets';
      for (const wallet of wallets) {
        const button = document.createElement('button');
        Object.assign(button, { type: 'button', textContent: wallet });
        button.addEventListener('click', () => this.press(wallet));
        buttons.append(button);
      }
      this.root.replaceChildren(buttons);
      const has = (name) => wallets.includes(name);
      const availablePaymentMethods =
        wallets.length === 0
          ? undefined
          : { applePay: has('Apple Pay'), googlePay: has('Google Pay'), link: has('Link') };
      this.emit('ready', { availablePaymentMethods });
    }

    /** The page must answer a click within a second, or the wallet does not open. */
    press(wallet) {
      let isAnswered = false;
      const answer = (open) => () => {
        if (isAnswered) throw integrationError('A click was answered twice.');
        isAnswered = true;
        if (open) this.openSheet(wallet);
      };
      if (!this.handlers.has('click') || !this.handlers.has('confirm'))
        throw integrationError('confirm is not handled.');
      this.emit('click', { expressPaymentType: wallet, resolve: answer(true), reject: answer(false) });
      setTimeout(() => isAnswered || integrationError('A click was not answered within a second.'), 1_000);
    }

    openSheet(wallet) {
      const sheet = document.createElement('dialog');
      const act = (label, run) => {
        const button = document.createElement('button');
        Object.assign(button, { type: 'button', textContent: label });
        button.addEventListener('click', run);
        return button;
      };
      const close = () => {
        sheet.remove();
        this.group.wallet = null;
      };
      const { amount, currency } = this.group.options;
      sheet.append(
        `${wallet}: ${amount} ${currency}`,
        act('Close sheet', () => {
          close();
          this.emit('cancel');
        }),
        act('Pay with wallet', () => {
          this.group.wallet = { close, card: settings.walletCards?.shift() ?? '4242424242424242' };
          this.emit('confirm', {
            expressPaymentType: wallet,
            paymentFailed: ({ reason } = {}) => {
              window.stripeModel.walletFailure = reason ?? 'fail';
              close();
            },
          });
        }),
      );
      this.root.append(sheet);
      sheet.showModal();
    }
  }

  class ModelElements {
    constructor(options) {
      checkPaymentOptions(options);
      checkAppearance(options.appearance ?? { theme: 'stripe', variables: {} });
      this.options = options;
      this.appearance = options.appearance;
      this.elements = new Map();
      this.isSubmitted = false;
      this.wallet = null;
      window.stripeModel.options = options;
    }

    create(kind, options) {
      if (this.elements.has(kind)) throw integrationError(`Can only create one Element of type ${kind}.`);
      const element = new ModelElement(this, kind, options);
      this.elements.set(kind, element);
      return element;
    }

    update(options) {
      requireNames('elements.update()', options, [...PAYMENT_OPTIONS, 'appearance', 'fonts', 'locale']);
      window.stripeModel.updates.push(options);
      if (options.appearance !== undefined) {
        checkAppearance(options.appearance);
        this.appearance = options.appearance;
        for (const element of this.elements.values()) element.restyle();
      }
      const { appearance, ...payment } = options;
      if (Object.keys(payment).length === 0) return;
      this.options = { ...this.options, ...payment };
      checkPaymentOptions(this.options);
      this.isSubmitted = false;
    }

    async submit() {
      this.isSubmitted = true;
      if (this.wallet !== null || this.elements.get('payment')?.card) return { selectedPaymentMethod: 'card' };
      this.isSubmitted = false;
      return {
        error: { type: 'validation_error', code: 'incomplete_number', message: 'Your card number is incomplete.' },
      };
    }
  }

  /** The bank asks on top of the page. */
  function askOwner(intentId, url) {
    return new Promise((resolve) => {
      const dialog = document.createElement('dialog');
      for (const answer of ['approve', 'fail']) {
        const button = document.createElement('button');
        Object.assign(button, { type: 'button', textContent: `Bank: ${answer}` });
        button.addEventListener('click', async () => {
          dialog.remove();
          resolve(await window.stripeModelAnswer(intentId, url, answer));
        });
        dialog.append(button);
      }
      document.body.append(dialog);
      dialog.showModal();
    });
  }

  async function finish(clientSecret, result) {
    const { paymentIntent } = result;
    if (paymentIntent?.status !== 'requires_action') return result;
    const { use_stripe_sdk: forScript, redirect_to_url: redirect } = paymentIntent.next_action;
    await askOwner(paymentIntent.id, forScript?.stripe_js ?? redirect.url);
    const answered = await window.stripeModelRetrieve(clientSecret);
    return answered.last_payment_error ? { error: answered.last_payment_error } : { paymentIntent: answered };
  }

  async function confirmPayment({ elements, clientSecret, redirect, confirmParams, ...rest }) {
    requireNames('stripe.confirmPayment()', rest, []);
    requireNames('confirmParams', confirmParams, ['return_url', 'payment_method_data', 'receipt_email', 'shipping']);
    if (!(elements instanceof ModelElements)) throw integrationError('elements must be an Elements group.');
    if (typeof clientSecret !== 'string')
      throw integrationError('clientSecret is required with a group that has no intent.');
    if (redirect !== 'if_required') throw integrationError('redirect must be if_required here.');
    if (!URL.canParse(confirmParams?.return_url ?? '')) throw integrationError('return_url must be a URL.');
    if (!elements.isSubmitted)
      throw integrationError('elements.submit() must be called before stripe.confirmPayment().');
    elements.isSubmitted = false;
    const { wallet } = elements;
    const card =
      wallet === null ? elements.elements.get('payment').card : { number: wallet.card, expiry: '1234', cvc: '123' };
    const { amount, currency, captureMethod, setupFutureUsage = null } = elements.options;
    const types = elements.options.allowedPaymentMethodTypes ?? elements.options.paymentMethodTypes ?? null;
    const expected = {
      amount,
      currency,
      capture_method: captureMethod ?? 'automatic',
      setup_future_usage: setupFutureUsage,
    };
    const answer = await window.stripeModelConfirm(clientSecret, card, {
      expected,
      types,
      returnUrl: confirmParams.return_url,
    });
    if (answer.mismatch !== undefined) errors.push(answer.mismatch);
    const result = await finish(clientSecret, answer);
    if (result.error === undefined) wallet?.close();
    return result;
  }

  async function handleNextAction({ clientSecret, ...rest }) {
    requireNames('stripe.handleNextAction()', rest, []);
    const paymentIntent = await window.stripeModelRetrieve(clientSecret);
    if (paymentIntent.status !== 'requires_action') throw integrationError('The PaymentIntent requires no action.');
    return finish(clientSecret, { paymentIntent });
  }

  window.Stripe = (key, options) => {
    if (!/^pk_/.test(key)) throw integrationError('The publishable key is not one.');
    requireNames('Stripe()', options, ['locale', 'apiVersion', 'stripeAccount', 'betas']);
    window.stripeModel.key = `${key} ${options?.locale}`;
    return { elements: (given) => new ModelElements(given), confirmPayment, handleNextAction };
  };
})();
