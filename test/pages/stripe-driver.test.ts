// With the real processor the page loads Stripe's script from Stripe and confirms through it. The test replaces that
// script with one of the documented interface, and confirms at the sandbox processor. It proves our side: the content
// security policy allows that script and nothing else, the page mounts and then confirms, and the server's answer
// decides.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CARDS } from '../support/test-venue.ts';
import { browserPath } from './browser.ts';
import { type BrowserFixture, openBrowserFixture } from './browser-fixture.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000 });

const path = browserPath();

const SCRIPT = `window.Stripe = (key, { locale }) => ({
  elements: ({ clientSecret }) => ({
    create: (kind) => {
      const heard = {};
      return {
        on: (name, hear) => { heard[name] = hear; },
        mount: (place) => { place.textContent = [kind, key, locale].join(' '); heard.ready(); },
        focus: () => undefined,
      };
    },
    submit: async () => ({}),
    clientSecret,
  }),
  confirmPayment: async ({ elements, redirect, confirmParams }) => window.confirmAtBank(elements.clientSecret, redirect, confirmParams.return_url),
});`;

describe.runIf(path !== null)('the card form of the real processor', () => {
  let fixture: BrowserFixture;
  beforeAll(async () => {
    fixture = await openBrowserFixture(path ?? '', { worker: true, hidesProcessor: true });
  });
  afterAll(() => fixture.close());

  it('is loaded when a guest wants to pay, and the server decides whether the share is held', async () => {
    const [ada, ben] = [await fixture.createPerson('Ada'), await fixture.createPerson('Ben')];
    const checkout = await fixture.createCheckout();
    const [, invite] = await fixture.chooseParty(checkout, [ada, ben]);
    const page = await fixture.openPage(ben, { language: 'de-DE' });
    const requested: string[] = [];
    const cards: string[] = [CARDS.noFunds, CARDS.good];
    await page.route('https://js.stripe.com/**', async (route) => {
      requested.push(route.request().url());
      await route.fulfill({ contentType: 'text/javascript', body: SCRIPT });
    });
    const confirmations: unknown[] = [];
    await page.exposeFunction('confirmAtBank', async (clientSecret: string, redirect: string, returnUrl: string) => {
      confirmations.push([redirect, new URL(returnUrl).pathname]);
      const publishableKey = fixture.world.context.services.processors.test?.publishableKey ?? '';
      const { error } = await fixture.venue.confirmDirectly({ clientSecret, publishableKey }, cards.shift() ?? '');
      return error === undefined ? {} : { error };
    });
    const refused: string[] = [];
    page.on('console', (message) => {
      if (/Content.Security.Policy/i.test(message.text())) refused.push(message.text());
    });
    const policy = (await page.goto(invite.url))?.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("script-src 'self' https://js.stripe.com");
    expect(requested).toEqual([]);
    const hold = page.getByRole('button', { name: '120,00' });
    await hold.click();
    await page.getByText('payment pk_test_for_tests de').waitFor();
    expect(requested).toEqual(['https://js.stripe.com/v3/']);
    await hold.click();
    await page.getByRole('alert').filter({ hasText: 'Auf dieser Karte' }).waitFor();
    await hold.click();
    await page.getByText(/reserviert\. Du bist dabei/).waitFor();
    expect(confirmations).toEqual([
      ['if_required', new URL(invite.url).pathname],
      ['if_required', new URL(invite.url).pathname],
    ]);
    expect(refused).toEqual([]);
  });
});
