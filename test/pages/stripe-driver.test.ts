// With the real processor the page loads Stripe's script from Stripe and confirms through it. These tests drive the page
// in a browser with a model of that script, which makes its payments at the sandbox processor (stripe-model.ts). They
// prove our side: what the page asks of Stripe.js, when, and that the server's answer decides.

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { addFriends } from '../../src/domain/members/queries.ts';
import { CARDS, type Json } from '../support/test-venue.ts';
import { browserPath } from './browser.ts';
import { type BrowserFixture, type BrowserOptions, openBrowserFixture, type Person } from './browser-fixture.ts';
import {
  integrationErrors,
  type StripeModelRecord,
  type StripeModelSettings,
  serveStripeModel,
  typeCard,
} from './stripe-model.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000 });

const path = browserPath();
const DAY = 86_400_000;

describe.runIf(path !== null)('the card form of the real processor', () => {
  let fixture: BrowserFixture;
  beforeAll(async () => {
    fixture = await openBrowserFixture(path ?? '', { worker: true, hidesProcessor: true });
  });
  afterEach(() => fixture.closePages());
  afterAll(() => fixture.close());

  interface Opened {
    readonly page: Page;
    readonly record: StripeModelRecord;
    readonly checkout: Json;
    readonly invite: Json;
    readonly policy: string;
  }

  /** Ben opens his invite. Of two shares his is 120.00. */
  async function openInvite(
    settings: StripeModelSettings = {},
    options: BrowserOptions = {},
    overrides: Readonly<Record<string, unknown>> = {},
  ): Promise<Opened> {
    const people: Person[] = [await fixture.createPerson('Ada'), await fixture.createPerson('Ben')];
    const checkout = await fixture.createCheckout(overrides);
    const [, invite] = await fixture.chooseParty(checkout, people);
    const page = await fixture.openPage(people[1] ?? null, options);
    const record = await serveStripeModel(page, fixture, settings);
    const response = await page.goto(invite.url);
    return { page, record, checkout, invite, policy: response?.headers()['content-security-policy'] ?? '' };
  }

  const holdButton = (page: Page) => page.getByRole('button', { name: /^Hold / });
  const holdsOf = async (checkout: Json): Promise<number> =>
    (await fixture.world.db.query('select 1 from holds where checkout_id = $1', [checkout.id])).length;
  const trouble = (page: Page) => page.locator('[data-trouble-line]');

  it('is mounted as the page opens it, requests a hold on the first press, and the server decides', async () => {
    const refused: string[] = [];
    const { page, record, checkout, invite, policy } = await openInvite({}, { language: 'de-DE' });
    page.on('console', (message) => {
      if (/Content.Security.Policy/i.test(message.text())) refused.push(message.text());
    });
    // docs.stripe.com/security/guide#content-security-policy, without the maps of the Address Element.
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self' data:",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "script-src 'self' https://js.stripe.com https://*.js.stripe.com",
      'frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
      "connect-src 'self' https://api.stripe.com",
    ]);
    const hold = page.getByRole('button', { name: '120,00' });
    await hold.waitFor();
    await page.locator('[data-mount] [name=number]').waitFor();
    expect(record.requested).toEqual(['https://js.stripe.com/endive/stripe.js']);
    expect(await page.evaluate('window.stripeModel.key')).toBe('pk_test_for_tests de');
    expect(await page.evaluate('window.stripeModel.options')).toMatchObject({
      mode: 'payment',
      amount: 12_000,
      currency: 'usd',
      captureMethod: 'manual',
      allowedPaymentMethodTypes: ['card'],
      setupFutureUsage: null,
    });
    await hold.click();
    await trouble(page).filter({ hasText: 'nicht vollständig' }).waitFor();
    expect(await holdsOf(checkout)).toBe(0);
    await typeCard(page, CARDS.noFunds);
    await hold.click();
    await trouble(page).filter({ hasText: 'Auf dieser Karte' }).waitFor();
    await typeCard(page, CARDS.good);
    await hold.click();
    await page.locator('.said', { hasText: 'reserviert. Noch wurde nichts abgebucht' }).waitFor();
    const { pathname } = new URL(invite.url);
    expect(record.confirmed.map(({ returnPath }) => returnPath)).toEqual([pathname, pathname]);
    expect(await holdsOf(checkout)).toBe(1);
    expect(await integrationErrors(page)).toEqual([]);
    expect(refused).toEqual([]);
  });

  it('shows nothing to press until it is ready, and a double press holds once', async () => {
    const { page, record, checkout } = await openInvite({ readyAfterMs: 1_500 });
    await page.getByText('Loading the card form.').waitFor();
    expect(await holdButton(page).isVisible()).toBe(false);
    await holdButton(page).waitFor();
    expect(await page.getByText('Loading the card form.').isVisible()).toBe(false);
    await typeCard(page, CARDS.good);
    await holdButton(page).dblclick();
    await page.locator('.said', { hasText: 'Nothing is charged yet' }).waitFor();
    expect(record.confirmed).toHaveLength(1);
    expect(await holdsOf(checkout)).toBe(1);
    expect(await integrationErrors(page)).toEqual([]);
  });

  it('says so when Stripe’s script is blocked, and another try loads it', async () => {
    const { page, record } = await openInvite({ blockedLoads: 1, loadErrors: ['payment'] });
    await trouble(page).filter({ hasText: 'could not be loaded' }).waitFor();
    expect(await holdButton(page).isVisible()).toBe(false);
    // The second try loads the script, and its card form fails to load. The third works.
    const retry = page.getByRole('button', { name: 'Try again' });
    await retry.click();
    await expect.poll(() => page.evaluate('window.stripeModel !== undefined')).toBe(true);
    await trouble(page).filter({ hasText: 'could not be loaded' }).waitFor();
    await retry.click();
    await holdButton(page).waitFor();
    expect(await trouble(page).isVisible()).toBe(false);
    expect(record.requested).toHaveLength(2);
    await typeCard(page, CARDS.good);
    await holdButton(page).click();
    await page.locator('.said', { hasText: 'Nothing is charged yet' }).waitFor();
    expect(await integrationErrors(page)).toEqual([]);
  });

  it('has the wallets of the browser above the card, and a dismissed wallet shows no error and requests no hold', async () => {
    const { page, checkout } = await openInvite({ wallets: ['Apple Pay', 'Link'], walletCards: [CARDS.declined] });
    await page.getByText('or pay by card').waitFor();
    await page.getByRole('button', { name: 'Apple Pay' }).click();
    await page.getByText('Apple Pay: 12000 usd').waitFor();
    await page.getByRole('button', { name: 'Close sheet' }).click();
    expect(await trouble(page).isVisible()).toBe(false);
    expect(await holdsOf(checkout)).toBe(0);
    await page.getByRole('button', { name: 'Apple Pay' }).click();
    await page.getByRole('button', { name: 'Pay with wallet' }).click();
    await trouble(page).filter({ hasText: 'Your bank declined this card' }).waitFor();
    await expect.poll(() => page.evaluate('window.stripeModel.walletFailure')).toBe('fail');
    await page.getByRole('button', { name: 'Link' }).click();
    await page.getByRole('button', { name: 'Pay with wallet' }).click();
    await page.locator('.said', { hasText: 'Nothing is charged yet' }).waitFor();
    expect(await holdsOf(checkout)).toBe(1);
    expect(await integrationErrors(page)).toEqual([]);
  });

  it('shows the card alone where there is no wallet, or where wallets fail to load', async () => {
    for (const settings of [{}, { wallets: ['Apple Pay'], loadErrors: ['expressCheckout'] }]) {
      const { page } = await openInvite(settings);
      await holdButton(page).waitFor();
      await page.locator('[data-mount] [name=number]').waitFor();
      expect(await page.getByText('or pay by card').isVisible()).toBe(false);
      expect(await trouble(page).isVisible()).toBe(false);
      expect(await integrationErrors(page)).toEqual([]);
    }
  });

  it('looks like the page, in light and dark and after a change', async () => {
    const { page } = await openInvite();
    await holdButton(page).waitFor();
    const tokens = (): Promise<unknown> =>
      page.evaluate(`['--venue', '--sheet', '--text', '--red', '--sans'].map((name) =>
        getComputedStyle(document.documentElement).getPropertyValue(name).trim())`);
    const mounted = (): Promise<unknown> =>
      page.evaluate(`(({ colorPrimary, colorBackground, colorText, colorDanger, fontFamily }) =>
        [colorPrimary, colorBackground, colorText, colorDanger, fontFamily])(window.stripeModel.appearance.variables)`);
    const light = await tokens();
    expect(await mounted()).toEqual(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => page.evaluate('window.stripeModel.appearance.theme')).toBe('night');
    expect(await mounted()).toEqual(await tokens());
    expect(await tokens()).not.toEqual(light);
    expect(await integrationErrors(page)).toEqual([]);
  });

  it('has the sizes of the page in pixels, also where the browser has larger text', async () => {
    const { page } = await openInvite();
    await holdButton(page).waitFor();
    const sizes = (): Promise<unknown> =>
      page.evaluate(`(({ fontSizeBase, borderRadius, buttonExpressCheckoutBorderRadius, gridRowSpacing, gridColumnSpacing }) =>
        [fontSizeBase, borderRadius, buttonExpressCheckoutBorderRadius, gridRowSpacing, gridColumnSpacing])(window.stripeModel.appearance.variables)`);
    expect(await sizes()).toEqual(['16px', '14px', '14px', '12px', '12px']);
    await page.evaluate("document.documentElement.style.fontSize = '20px'");
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(sizes).toEqual(['20px', '14px', '14px', '12px', '12px']);
    expect(await integrationErrors(page)).toEqual([]);
  });

  it('says that the card is saved exactly when the hold saves it', async () => {
    const payBy = new Date(Date.now() + 5 * DAY).toISOString();
    const long = await openInvite({}, {}, { pay_by: payBy });
    await holdButton(long.page).waitFor();
    expect(await long.page.evaluate('window.stripeModel.options')).toMatchObject({ setupFutureUsage: 'off_session' });
    await typeCard(long.page, CARDS.good);
    await holdButton(long.page).click();
    await long.page.locator('.said', { hasText: 'Nothing is charged yet' }).waitFor();
    expect(await integrationErrors(long.page)).toEqual([]);

    // The hold needs no saved card any more when the guest, whose page is open for days, presses.
    const { page, checkout } = await openInvite({}, {}, { pay_by: payBy });
    await holdButton(page).waitFor();
    await fixture.venue.runTestHelper(checkout.id, 'advance', { to: new Date(Date.now() + 2 * DAY).toISOString() });
    await typeCard(page, CARDS.good);
    await holdButton(page).click();
    await page.locator('.said', { hasText: 'Nothing is charged yet' }).waitFor();
    await expect.poll(() => page.evaluate('window.stripeModel.updates')).toEqual([{ setupFutureUsage: null }]);
    expect(await integrationErrors(page)).toEqual([]);
  });

  /** Ada covers the shares of her friends Ben, Cleo and Dan, of 50.00, 60.00 and 70.00. */
  async function openCover(settings: StripeModelSettings = {}): Promise<Pick<Opened, 'page' | 'record' | 'checkout'>> {
    const people: Person[] = [];
    for (const name of ['Ada', 'Ben', 'Cleo', 'Dan']) people.push(await fixture.createPerson(name));
    const [ada, ...others] = people.map(({ id }) => id);
    await addFriends(fixture.world.db, ada ?? '', others, Date.now());
    const checkout = await fixture.createCheckout();
    const amounts = [6_000, 5_000, 6_000, 7_000];
    const custom = Object.fromEntries(people.map(({ id }, at) => [at === 0 ? 'organizer' : id, amounts[at]]));
    await fixture.chooseParty(checkout, people, { custom });
    const page = await fixture.openPage(people[0] ?? null);
    const record = await serveStripeModel(page, fixture, settings);
    await page.goto(`${fixture.url}/c/${checkout.id}?cover=rest`);
    await holdButton(page).waitFor();
    return { page, record, checkout };
  }

  const coveredShares = async (checkout: Json): Promise<string[]> =>
    (await fixture.venue.read(checkout.id)).shares.slice(1).map(({ status }: Json) => status);

  it('holds every share that the organizer covers with one card, which is entered once', async () => {
    const { page, record, checkout } = await openCover({ wallets: ['Apple Pay'] });
    // A wallet shows one amount, and these are three payments.
    expect(await page.getByRole('button', { name: 'Apple Pay' }).isVisible()).toBe(false);
    expect(await page.evaluate('window.stripeModel.options')).toMatchObject({
      amount: 5_000,
      setupFutureUsage: 'off_session',
    });
    await typeCard(page, CARDS.good);
    await page.getByRole('button', { name: 'Hold $180.00' }).dblclick();
    await expect.poll(() => coveredShares(checkout), { timeout: 20_000 }).toEqual(['held', 'held', 'held']);
    expect(record.confirmed).toHaveLength(1);
    expect(await holdsOf(checkout)).toBe(3);
    expect(await integrationErrors(page)).toEqual([]);
  });

  it('says which shares are held when the card is declined for the next, and another card goes on', async () => {
    const { page, record, checkout } = await openCover();
    await typeCard(page, CARDS.oneHoldAtATime);
    await holdButton(page).click();
    await trouble(page).filter({ hasText: 'Held: Ben. Not held: Cleo and Dan.' }).waitFor();
    await page.getByRole('button', { name: 'Hold $130.00', exact: true }).waitFor();
    expect(await trouble(page).textContent()).toContain('Held: Ben. Not held: Cleo and Dan.');
    expect(await page.getByRole('button', { name: 'with the same card' }).count()).toBe(0);
    expect(await coveredShares(checkout)).toEqual(['held', 'failed', 'invited']);
    await typeCard(page, CARDS.good);
    await page.getByRole('button', { name: 'Hold $130.00', exact: true }).click();
    await expect.poll(() => coveredShares(checkout), { timeout: 20_000 }).toEqual(['held', 'held', 'held']);
    expect(record.confirmed).toHaveLength(2);
    expect(await holdsOf(checkout)).toBe(3);
    expect(await integrationErrors(page)).toEqual([]);
  });

  it('leads through the bank’s question for each share on the same page', async () => {
    const { page, record, checkout } = await openCover();
    await typeCard(page, '4000002760003184');
    await holdButton(page).click();
    for (const held of [1, 2, 3]) {
      await page.getByRole('button', { name: 'Bank: approve' }).click();
      await expect
        .poll(async () => (await coveredShares(checkout)).filter((status) => status === 'held').length)
        .toBe(held);
    }
    expect(record.confirmed).toHaveLength(1);
    expect(await integrationErrors(page)).toEqual([]);
  });

  it('goes on with the card form when the first share was paid by its guest meanwhile', async () => {
    const { page, record, checkout } = await openCover();
    await page.route(/\/c\/[^/]+\?cover=rest$/, (route) => route.abort());
    const { shares } = await fixture.venue.read(checkout.id);
    await fixture.venue.runTestHelper(checkout.id, 'hold', { share_id: shares[1].id });
    await typeCard(page, CARDS.good);
    await holdButton(page).click();
    await expect.poll(() => coveredShares(checkout), { timeout: 20_000 }).toEqual(['held', 'held', 'held']);
    // The form was mounted for another amount.
    await expect.poll(() => page.evaluate('window.stripeModel.updates')).toEqual([{ amount: 6_000 }]);
    expect(record.confirmed).toHaveLength(1);
    expect(await integrationErrors(page)).toEqual([]);
  });
});
