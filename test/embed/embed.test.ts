// The embed on a page of a partner, on another origin, in a real browser: it shows the group live under a strict policy, opens
// the hosted page, has a state for everything that can be the case, and asks the server no more than it must. With
// SCREENS=<folder> it takes a picture of each state.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { addOrigin } from '../../src/domain/venues/change-venue.ts';
import { ALL_RULES, axeFindings, COLOR_RULES } from '../pages/axe.ts';
import { browserPath } from '../pages/browser.ts';
import { type BrowserFixture, openBrowserFixture } from '../pages/browser-fixture.ts';
import { CARDS, type Json } from '../support/test-venue.ts';
import { type RealValues, reactScript, snippet, vueScript } from './guide-snippets.ts';
import { eventsOf, type HostSite, openHostSite, recordEvents, recordPage } from './host-page.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 60_000 });

const path = browserPath();
const screenshotFolder = process.env.SCREENS ?? null;

/** A script of another origin may read an answer with these. */
const READABLE = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after' };

describe.runIf(path !== null)('the embed', () => {
  let fixture: BrowserFixture;
  let site: HostSite;
  /** A site whose origin no venue has registered. */
  let foreignSite: HostSite;
  let key: string;
  let pages = 0;
  beforeAll(async () => {
    fixture = await openBrowserFixture(path ?? '', { worker: false });
    const { world, venue } = fixture;
    [site, foreignSite] = await Promise.all([openHostSite(() => fixture.url), openHostSite(() => fixture.url)]);
    await world.db.transaction((tx) => addOrigin(tx, world.command(), venue.venueId, site.origin));
    key = (await world.key(venue.venueId, { kind: 'publishable' })).key;
    if (screenshotFolder !== null) mkdirSync(screenshotFolder, { recursive: true });
  });
  /** One for all states: a page in a new context starts a process. */
  let statePage: Page | null = null;
  afterEach(async () => {
    for (const context of fixture.browser.contexts()) if (context !== statePage?.context()) await context.close();
  });
  afterAll(async () => {
    await Promise.all([site.close(), foreignSite.close()]);
    await fixture.close();
  });

  const tagOf = (id: string, attributes = ''): string =>
    `<everyshare-checkout id="${id}" key="${key}" ${attributes}><a href="/pay">Pay</a></everyshare-checkout>`;
  const embedIn = (page: Page): Locator => page.locator('everyshare-checkout');
  const reaches = (page: Page, state: string): Promise<void> =>
    page.locator(`everyshare-checkout[data-state="${state}"]`).waitFor();
  /** Opens a page with this body; a page of the site unless another is given. */
  const visit = async (body: string, options: { on?: HostSite; page?: Page; attributes?: string } = {}) => {
    const page = options.page ?? (await fixture.openPage(null));
    const record = recordPage(page, fixture.url);
    await recordEvents(page);
    await page.goto((options.on ?? site).show(`/${++pages}`, body, options.attributes));
    return { page, record };
  };
  const pay = (checkout: Json, index: number): Promise<unknown> =>
    fixture.venue.pay(checkout.id, checkout.shares[index].id, CARDS.good);
  const styleOf = (page: Page, name: string, property: string): Promise<string> =>
    page.evaluate(
      `getComputedStyle(document.querySelector('everyshare-checkout').shadowRoot.querySelector('${name}')).${property}`,
    );
  const setHidden = (page: Page, isHidden: boolean): Promise<void> =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);

  it('shows each payment live on another origin, under a strict policy, without a cookie, and tells the page by events', async () => {
    const checkout = await fixture.venue.collecting({ amount: 24_000 });
    const { page, record } = await visit(tagOf(checkout.id));
    await embedIn(page).getByText('0 of 3 in').waitFor();
    await expect.poll(() => record.streams.size).toBe(1);
    await pay(checkout, 0);
    await embedIn(page).getByText('1 of 3 in').waitFor();
    await embedIn(page).getByText('$80.00 of $240.00').waitFor();
    await expect.poll(() => embedIn(page).locator('.paid').count()).toBe(1);
    await fixture.venue.runTestHelper(checkout.id, 'complete');
    await reaches(page, 'completed');
    await embedIn(page).getByText('It’s booked. Everyone’s in.').waitFor();
    const events = await eventsOf(page);
    expect(events.slice(0, 2)).toEqual(['update collecting', 'collecting collecting']);
    expect(events.filter((event) => event.startsWith('completed '))).toHaveLength(1);
    expect(await page.evaluate("document.querySelector('everyshare-checkout').progress.held_count")).toBe(3);
    // One read and one stream, for all changes.
    expect(record.requests.map((url) => url.replace(checkout.id, 'ID'))).toEqual([
      '/v1/public/checkouts/ID/progress',
      '/v1/public/checkouts/ID/progress/stream',
    ]);
    expect(record.errors).toEqual([]);
    expect(await page.context().cookies()).toEqual([]);
    await expect.poll(() => record.streams.size).toBe(0);
  });

  it('opens the hosted page in a window, or here where the browser blocks windows or the partner wants it; the page can take over', async () => {
    const checkout = await fixture.venue.create();
    const { page } = await visit(tagOf(checkout.id));
    const button = embedIn(page).getByRole('link', { name: 'Choose the group (opens in a new window)' });
    const [popup] = await Promise.all([page.waitForEvent('popup'), button.click()]);
    await popup.waitForURL(checkout.url);
    expect(page.url()).toContain(site.origin);
    await popup.close();
    // One for the status and one for the button, not two of the same name.
    expect(await eventsOf(page)).toEqual(['update open', 'open']);
    await page.evaluate(
      "document.addEventListener('everyshare:open', (event) => event.preventDefault(), { once: true })",
    );
    await button.click();
    expect(page.context().pages()).toHaveLength(1);
    // What a browser that blocks the window returns.
    await page.evaluate('window.open = () => null');
    await button.click();
    await page.waitForURL(checkout.url);
    const redirecting = await visit(tagOf(checkout.id, 'open="redirect"'), { page });
    await embedIn(redirecting.page).getByRole('link', { name: 'Choose the group', exact: true }).click();
    await page.waitForURL(checkout.url);
    expect(page.context().pages()).toHaveLength(1);
  });

  it('says that the id, the key or the origin is wrong: to the guest in plain words, to the developer by code', async () => {
    const checkout = await fixture.venue.create();
    const cases = [
      ['not_found', 'not_found', tagOf(`chk_${'0'.repeat(26)}`), site],
      ['not_found', 'invalid_attribute', '<everyshare-checkout id="x"></everyshare-checkout>', site],
      ['refused', 'unauthorized', tagOf(checkout.id).replace(key, `pk_test_${'x'.repeat(32)}`), site],
      ['refused', 'origin_not_allowed', tagOf(checkout.id), foreignSite],
    ] as const;
    const page = await fixture.openPage(null);
    for (const [state, code, body, on] of cases) {
      const { record } = await visit(body, { on, page });
      await reaches(page, state);
      expect(await eventsOf(page)).toEqual([`error ${code}`]);
      expect(record.warnings.join()).toContain(`everyshare-checkout: ${code}. `);
      expect(await embedIn(page).innerText()).not.toMatch(/key|origin|unauthorized/);
      expect(record.requests.length).toBeLessThanOrEqual(1);
    }
  });

  it('keeps what it knew while the connection is away, says so, and shows the change when it is back', async () => {
    const checkout = await fixture.venue.collecting();
    const { page, record } = await visit(tagOf(checkout.id));
    await expect.poll(() => record.streams.size).toBe(1);
    await page.context().setOffline(true);
    // An open stream is not cut by the emulation.
    await setHidden(page, true);
    await setHidden(page, false);
    await embedIn(page).getByText('No connection. Trying again.').waitFor();
    await embedIn(page).getByText('0 of 3 in').waitFor();
    await pay(checkout, 0);
    await page.context().setOffline(false);
    await embedIn(page).getByText('1 of 3 in').waitFor();
    expect(await embedIn(page).getByText('No connection').isVisible()).toBe(false);
  });

  it('is offline from the start without a connection, and still leads to the hosted page', async () => {
    const checkout = await fixture.venue.create();
    const page = await fixture.openPage(null);
    await page.route(`${fixture.url}/v1/**`, (route) => route.abort());
    await page.route(`${fixture.url}/embed/v1.js`, (route) =>
      route.request().method() === 'HEAD' ? route.abort() : route.continue(),
    );
    await visit(tagOf(checkout.id), { page });
    await reaches(page, 'offline');
    // The link of the partner inside the element; the page of the script's own address without one.
    const hrefOf = (): Promise<unknown> =>
      page.evaluate("document.querySelector('everyshare-checkout').shadowRoot.querySelector('a').href");
    expect(await hrefOf()).toBe(`${site.origin}/pay`);
    await page.evaluate(`document.querySelector('everyshare-checkout > a').remove();
      document.querySelector('everyshare-checkout').setAttribute('lang', 'en')`);
    expect(await hrefOf()).toBe(checkout.url);
  });

  it('says that it is offline, not that the origin is wrong, when a server that has answered is away', async () => {
    const { page, record } = await visit(tagOf((await fixture.venue.collecting()).id));
    await expect.poll(() => record.streams.size).toBe(1);
    await page.route(`${fixture.url}/v1/**`, (route) => route.abort());
    await setHidden(page, true);
    await setHidden(page, false);
    await embedIn(page).getByText('No connection. Trying again.').waitFor();
    expect((await eventsOf(page)).at(-1)).toBe('error offline');
  });

  it('is refused when its key is revoked while it is open, and no longer shows the progress', async () => {
    const page = await fixture.openPage(null);
    await page.route('**/progress/stream', (route) =>
      route.fulfill({ status: 401, headers: READABLE, json: { error: { code: 'unauthorized', message: 'Revoked.' } } }),
    );
    await visit(tagOf((await fixture.venue.collecting()).id), { page });
    await reaches(page, 'refused');
    expect(await eventsOf(page)).toEqual(['update collecting', 'collecting collecting', 'error unauthorized']);
    expect(await embedIn(page).getByText('0 of 3 in').isVisible()).toBe(false);
  });

  it('loads until it has an id and a key, which a framework sets later', async () => {
    const checkout = await fixture.venue.collecting();
    const { page, record } = await visit('<everyshare-checkout id=""></everyshare-checkout>');
    await reaches(page, 'loading');
    await page.evaluate(`document.querySelector('everyshare-checkout').setAttribute('checkout', '${checkout.id}')`);
    await reaches(page, 'loading');
    expect([record.requests, await eventsOf(page)]).toEqual([[], []]);
    await page.evaluate(`document.querySelector('everyshare-checkout').setAttribute('publishable-key', '${key}')`);
    await embedIn(page).getByText('0 of 3 in').waitFor();
  });

  it('closes its stream in a hidden tab, and when it is removed or gets another checkout; keeps it when it is moved', async () => {
    const [one, two] = [await fixture.venue.collecting(), await fixture.venue.collecting({ party_size: 4 })];
    const { page, record } = await visit('<div id="a"></div><div id="b"></div>');
    await page.evaluate(`const made = document.createElement('everyshare-checkout');
      made.setAttribute('checkout', '${one.id}');
      made.setAttribute('publishable-key', '${key}');
      document.querySelector('#a').append(made);`);
    await embedIn(page).getByText('0 of 3 in').waitFor();
    await expect.poll(() => record.streams.size).toBe(1);
    await page.evaluate("document.querySelector('#b').append(document.querySelector('everyshare-checkout'))");
    await embedIn(page).getByText('0 of 3 in').waitFor();
    expect(record.requests).toHaveLength(2);
    await setHidden(page, true);
    await expect.poll(() => record.streams.size).toBe(0);
    await pay(one, 0);
    expect(record.requests).toHaveLength(2);
    await setHidden(page, false);
    await embedIn(page).getByText('1 of 3 in').waitFor();
    await expect.poll(() => record.streams.size).toBe(1);
    await page.evaluate(`document.querySelector('everyshare-checkout').setAttribute('checkout', '${two.id}')`);
    await embedIn(page).getByText('0 of 4 in').waitFor();
    await expect.poll(() => record.streams.size).toBe(1);
    await page.evaluate("document.querySelector('everyshare-checkout').remove()");
    await expect.poll(() => record.streams.size).toBe(0);
  });

  it('asks less and less often where streams are refused: at most 30 requests in ten minutes', async () => {
    const checkout = await fixture.venue.collecting();
    const page = await fixture.openPage(null);
    await page.clock.install();
    await page.route('**/progress/stream', (route) =>
      route.fulfill({ status: 429, headers: { ...READABLE, 'retry-after': '15' }, json: {} }),
    );
    const { record } = await visit(tagOf(checkout.id), { page });
    await embedIn(page).getByText('0 of 3 in').waitFor();
    await expect.poll(() => record.requests.length).toBe(2);
    // Not before Retry-After, and without a word about the connection, which is good.
    await page.clock.runFor(14_000);
    expect(record.requests).toHaveLength(2);
    expect(await embedIn(page).getByText('No connection').isVisible()).toBe(false);
    expect(await eventsOf(page)).toEqual(['update collecting', 'collecting collecting']);
    for (let second = 0; second < 600; second += 10) {
      await page.clock.runFor(10_000);
      // The answers come in real time.
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))').catch(() => undefined);
    }
    expect(record.requests.length).toBeGreaterThan(6);
    expect(record.requests.length).toBeLessThanOrEqual(30);
  });

  it('reads the language of every tag, also of one with an underscore or capitals, and is English for one it does not know', async () => {
    const { page, record } = await visit(tagOf((await fixture.venue.collecting()).id), { attributes: 'lang="en_US"' });
    await embedIn(page).getByText('0 of 3 in').waitFor();
    for (const [tag, title] of [
      ['DE', '0 von 3 dabei'],
      ['frr', '0 of 3 in'],
      ['fr_CA', '0 sur 3 de la partie'],
      ['not a tag', '0 of 3 in'],
    ]) {
      await page.evaluate(`document.querySelector('everyshare-checkout').lang = '${tag}'`);
      await embedIn(page)
        .getByText(title ?? '', { exact: true })
        .waitFor();
    }
    expect(record.errors).toEqual([]);
  });

  it('speaks the language of the page, follows its direction and colours, and takes the partner’s own', async () => {
    const checkout = await fixture.venue.collecting();
    const { page } = await visit(tagOf(checkout.id), { attributes: 'lang="de-AT" dir="rtl"' });
    await embedIn(page).getByText('0 von 3 dabei').waitFor();
    await embedIn(page).getByText(/€|\$/).first().waitFor();
    const seatAt = `(() => { const root = document.querySelector('everyshare-checkout').shadowRoot;
      const box = (name) => root.querySelector(name).getBoundingClientRect();
      return box('.seat').right > box('.card').left + box('.card').width / 2; })()`;
    expect(await page.evaluate(seatAt)).toBe(true);
    expect(await styleOf(page, '.card', 'backgroundColor')).toBe('rgb(255, 255, 255)');
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    expect(await styleOf(page, '.card', 'backgroundColor')).toBe('rgb(21, 26, 30)');
    expect(await styleOf(page, '.seat', 'transitionDuration')).toBe('0s');
    // A page's own property may have the name of one that the embed uses inside.
    await page.evaluate(`document.documentElement.style.setProperty('--accent', 'rgb(120, 0, 60)');
      document.querySelector('everyshare-checkout').style.setProperty('--everyshare-accent', 'var(--accent)');
      document.querySelector('everyshare-checkout').setAttribute('theme', 'light')`);
    expect(await styleOf(page, '.button', 'backgroundColor')).toBe('rgb(120, 0, 60)');
    expect(await styleOf(page, '.card', 'backgroundColor')).toBe('rgb(255, 255, 255)');
  });

  describe('as the guide shows it', () => {
    const valuesOf = ({ id }: Json): RealValues => ({ api: fixture.url, checkoutId: id, key });

    it('works on a plain page, with its colours and its listener', async () => {
      const checkout = await fixture.venue.collecting();
      const values = valuesOf(checkout);
      site.show('/bookings/8842', '');
      site.serve('/guide.css', snippet('css', values));
      site.serve('/guide.js', snippet('js', values));
      const own = '<link rel="stylesheet" href="/guide.css"><script src="/guide.js"></script>';
      const { page, record } = await visit(own + snippet('html', values));
      await embedIn(page).getByText('0 of 3 in').waitFor();
      expect(await styleOf(page, '.button', 'backgroundColor')).toBe('rgb(122, 31, 75)');
      expect(await styleOf(page, '.title', 'fontSize')).toBe('24px');
      expect(record.errors).toEqual([]);
      await fixture.venue.runTestHelper(checkout.id, 'complete');
      await page.waitForURL(`${site.origin}/bookings/8842`);
    });

    it.each([
      ['React', reactScript],
      ['Vue', vueScript],
    ] as const)('works in %s, whose listener hears of the completed checkout', async (name, scriptOf) => {
      const checkout = await fixture.venue.collecting();
      site.serve(`/${name}.js`, await scriptOf(valuesOf(checkout)));
      const { page, record } = await visit(`<div id="app"></div><script type="module" src="/${name}.js"></script>`);
      await embedIn(page).getByText('0 of 3 in').waitFor();
      await fixture.venue.runTestHelper(checkout.id, 'complete');
      await reaches(page, 'completed');
      await expect.poll(() => page.title()).toBe('Booked');
      expect(record.errors).toEqual([]);
    });

    it('shows what the progress answers, member by member', async () => {
      const checkout = await fixture.venue.collecting({ amount: 24_000, party_size: 6 });
      const { json } = await fixture.world.call('GET', `/v1/public/checkouts/${checkout.id}/progress`, {
        key,
        headers: { origin: site.origin },
      });
      const shown = JSON.parse(snippet('json', valuesOf(checkout)));
      expect(Object.keys(shown)).toEqual(Object.keys(json));
      expect({ ...shown, funded_amount: 0, held_count: 0, pay_by: json.pay_by }).toEqual(json);
    });
  });

  describe('in each state', () => {
    type Prepare = (page: Page) => Promise<string>;
    const STATES: Readonly<Record<string, Prepare>> = {
      loading: async (page) => {
        await page.route(`${fixture.url}/v1/**`, () => undefined);
        return tagOf((await fixture.venue.create()).id);
      },
      open: async () => tagOf((await fixture.venue.create({ amount: 24_000, party_size: 6 })).id),
      collecting: async () => {
        const checkout = await fixture.venue.collecting({ amount: 24_000, party_size: 6 });
        for (const { id } of checkout.shares.slice(0, 4))
          await fixture.venue.runTestHelper(checkout.id, 'hold', { share_id: id });
        return tagOf(checkout.id);
      },
      funded: async (page) => {
        const { id } = await fixture.venue.collecting({ party_size: 20 });
        // Funded lasts for less than a second.
        await page.route(`${fixture.url}/v1/public/**/progress`, async (route) => {
          const response = await route.fetch();
          const progress = await response.json();
          await route.fulfill({ response, json: { ...progress, status: 'funded', held_count: 20 } });
        });
        await page.route('**/progress/stream', () => undefined);
        return tagOf(id);
      },
      completed: async () => {
        const { id } = await fixture.venue.collecting({ amount: 24_000, party_size: 6 });
        await fixture.venue.runTestHelper(id, 'complete');
        return tagOf(id);
      },
      refunded: async () => {
        const { id } = await fixture.venue.collecting({ amount: 24_000, party_size: 6 });
        await fixture.venue.runTestHelper(id, 'complete');
        await fixture.venue.post(`/v1/checkouts/${id}/refund`);
        return tagOf(id);
      },
      expired: async () => {
        const { id } = await fixture.venue.collecting();
        await fixture.venue.runTestHelper(id, 'expire');
        return tagOf(id);
      },
      canceled: async () => {
        const { id } = await fixture.venue.collecting();
        await fixture.venue.post(`/v1/checkouts/${id}/cancel`);
        return tagOf(id);
      },
      not_found: async () => tagOf(`chk_${'0'.repeat(26)}`),
      refused: async () => tagOf((await fixture.venue.create()).id).replace(key, `pk_test_${'x'.repeat(32)}`),
      offline: async (page) => {
        await page.route(`${fixture.url}/v1/**`, (route) => route.abort());
        await page.route(`${fixture.url}/embed/v1.js`, (route) =>
          route.request().method() === 'HEAD' ? route.abort() : route.continue(),
        );
        return tagOf((await fixture.venue.create()).id);
      },
    };
    const takePictures = async (page: Page, name: string): Promise<void> => {
      if (screenshotFolder === null) return;
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 420 });
        await page.screenshot({ path: join(screenshotFolder, `embed-${name}-${width}.png`) });
      }
    };

    /** Between them they have every pair of colours. */
    const COLORED = ['collecting', 'completed'];

    it.each(Object.entries(STATES))('%s is accessible, and fits a phone', async (state, prepare) => {
      statePage ??= await fixture.openPage(null);
      const page = statePage;
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.setViewportSize({ width: 320, height: 844 });
      await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
      await visit(await prepare(page), { page });
      await reaches(page, state);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(await axeFindings(page, ALL_RULES)).toEqual([]);
      await takePictures(page, `${state}-light`);
      if (!COLORED.includes(state) && screenshotFolder === null) return;
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await axeFindings(page, COLOR_RULES), 'dark').toEqual([]);
      await takePictures(page, `${state}-dark`);
      await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
      expect(await axeFindings(page, COLOR_RULES), 'forced colours').toEqual([]);
      await takePictures(page, `${state}-forced`);
    });
  });
});
