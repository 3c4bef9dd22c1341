// The driver of Stripe's card form, loaded from Stripe when the guest wants to pay. The first press requests the hold and
// mounts the element with its client secret; the second confirms. If the bank asks for authentication, it does so on top
// of this page if possible.

const SCRIPT = 'https://js.stripe.com/v3/';

function loadStripe() {
  return new Promise((resolve, reject) => {
    if (window.Stripe !== undefined) {
      resolve(window.Stripe);
      return;
    }
    const script = document.createElement('script');
    script.src = SCRIPT;
    script.addEventListener('load', () => resolve(window.Stripe));
    script.addEventListener('error', () => reject(new Error('the card form could not be loaded')));
    document.head.append(script);
  });
}

export function makeDriver(form) {
  let mounted = null;

  async function mount(clientSecret, key) {
    const Stripe = await loadStripe();
    const stripe = Stripe(key, { locale: form.dataset.language });
    const theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'night' : 'stripe';
    const elements = stripe.elements({ clientSecret, appearance: { theme } });
    const element = elements.create('payment');
    await new Promise((resolve, reject) => {
      element.on('ready', resolve);
      element.on('loaderror', () => reject(new Error('the card form could not be loaded')));
      element.mount(form.querySelector('[data-mount]'));
    });
    element.focus();
    mounted = { stripe, elements, clientSecret };
  }

  return {
    async check() {
      if (mounted === null) return null;
      const { error } = await mounted.elements.submit();
      return error === undefined ? null : { error };
    },

    async confirm({ clientSecret, key, returnUrl }) {
      if (mounted?.clientSecret !== clientSecret) {
        await mount(clientSecret, key);
        return { isReady: true };
      }
      const { error } = await mounted.stripe.confirmPayment({
        elements: mounted.elements,
        redirect: 'if_required',
        confirmParams: { return_url: returnUrl },
      });
      return error === undefined ? {} : { error };
    },
  };
}
