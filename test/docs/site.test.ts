// The documentation in a browser: readable on a phone and on a wide screen, in light and dark, with and without a
// script. With SCREENS=<folder> it also takes a picture of each page.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ALL_RULES, axeFindings, COLOR_RULES, WIDTH_RULES } from '../pages/axe.ts';
import { browserPath, closeContexts, MAX_WAIT_MS, openBrowser } from '../pages/browser.ts';
import { makeDocsSite } from '../support/docs-site.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000 });

const executable = browserPath();
const screenshotFolder = process.env.SCREENS ?? null;

/** A page of each kind. */
const PAGES = ['/docs', '/docs/guides/quickstart', '/docs/reference/getMe', '/docs/search?q=hold'];

/** More of the same kinds, checked when pictures are taken: axe takes seconds for a long page. */
const MORE_PAGES = [
  '/docs/errors/conflict',
  '/docs/guides/payments',
  '/docs/guides/webhooks',
  '/docs/reference',
  '/docs/reference/createCheckout',
  '/docs/errors',
  '/docs/providers/square',
  '/docs/changelog',
];

/** The later variants check only what they can break. */
const ESSENTIAL_VARIANTS = [
  { width: 390, colorScheme: 'light', rules: ALL_RULES },
  { width: 1280, colorScheme: 'dark', rules: COLOR_RULES },
] as const;
/** Each repeats a width of one variant in the colours of another: checked when pictures are taken. */
const OTHER_VARIANTS = [
  { width: 390, colorScheme: 'dark', rules: COLOR_RULES },
  { width: 1280, colorScheme: 'light', rules: WIDTH_RULES },
] as const;
const VARIANTS = screenshotFolder === null ? ESSENTIAL_VARIANTS : [...ESSENTIAL_VARIANTS, ...OTHER_VARIANTS];

let app: FastifyInstance;
let browser: Browser | null = null;
let base: string;
beforeAll(async () => {
  app = makeDocsSite('http://127.0.0.1:8080');
  base = await app.listen({ port: 0, host: '127.0.0.1' });
  if (executable !== null) browser = await openBrowser(executable);
});
afterEach(async () => {
  if (browser !== null) await closeContexts(browser);
});
afterAll(async () => {
  await app.close();
});

interface Opened {
  readonly page: Page;
  /** Violations of the content policy, failed scripts, and requests to another origin. */
  readonly faults: readonly string[];
}

async function open(path: string, options: { hasScript?: boolean; width?: number } = {}): Promise<Opened> {
  if (browser === null) throw new Error('there is no browser');
  const { hasScript = true, width = 390 } = options;
  const context = await browser.newContext({ viewport: { width, height: 844 }, javaScriptEnabled: hasScript });
  context.setDefaultTimeout(MAX_WAIT_MS);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('request', (request) => request.url().startsWith(base) || faults.push(request.url()));
  await page.goto(`${base}${path}`);
  return { page, faults };
}

describe.runIf(executable !== null)('the documentation', () => {
  it.each(screenshotFolder === null ? PAGES : [...PAGES, ...MORE_PAGES])(
    'has no fault that axe finds, and fits the screen: %s',
    async (path) => {
      const { page, faults } = await open(path);
      for (const { width, colorScheme, rules } of VARIANTS) {
        await page.setViewportSize({ width, height: width < 600 ? 844 : 900 });
        await page.emulateMedia({ colorScheme });
        const name = `${path.replace(/[^a-z]+/gi, '-').slice(1)}-${width}-${colorScheme}`;
        if (screenshotFolder !== null) {
          mkdirSync(screenshotFolder, { recursive: true });
          await page.screenshot({ path: join(screenshotFolder, `${name}.png`) });
        }
        const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
        expect(wide, name).toBe(0);
        expect(await axeFindings(page, rules), name).toEqual([]);
      }
      expect(faults).toEqual([]);
    },
  );

  it('works without a script: the menu, the tabs and the search', async () => {
    const { page } = await open('/docs/guides/quickstart', { hasScript: false });
    const menu = page.locator('#menu');
    expect(await menu.isVisible()).toBe(false);
    await page.click('text=Menu');
    expect(await menu.isVisible()).toBe(true);
    if (screenshotFolder !== null) await page.screenshot({ path: join(screenshotFolder, 'docs-menu-390.png') });
    await menu.locator('text=Take a booking').click();
    await page.waitForURL('**/docs/guides/payments');
    expect(await menu.isVisible()).toBe(false);

    const tabs = page.locator('.tabs').first();
    await tabs.locator('label', { hasText: 'agent' }).click();
    expect(await tabs.locator('.panel:visible').count()).toBe(1);
    expect(await tabs.locator('.panel:visible').innerText()).toContain('"create_checkout"');

    await page.click('.to-search');
    await page.fill('#q', 'refund');
    await page.press('#q', 'Enter');
    await page.waitForURL('**/docs/search?q=refund');
    await page.click('.results a >> nth=0');
    await expect.poll(() => page.locator('h1').innerText()).not.toBe('Search');
  });

  it('copies a block of code, with the address of this server', async () => {
    const { page } = await open('/docs/guides/quickstart', { width: 1280 });
    const block = page.locator('.tabs .code:visible').first();
    await block.hover();
    await block.locator('.copy').click();
    await block.locator('text=Copied').waitFor();
    const copied = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(copied).toMatch(/^curl http:\/\/127\.0\.0\.1:8080\/v1\/checkouts \\\n {2}-H "Authorization: Bearer \$KEY"/);
    expect(copied).not.toContain('Copy');
  });

  it('puts the reader’s own test key into the examples when they want it, and forgets it with the session', async () => {
    const { page, faults } = await open('/docs/guides/quickstart');
    const isShown = (text: string) => page.evaluate(`document.querySelector('main').textContent.includes('${text}')`);
    expect(await isShown('Bearer $KEY')).toBe(true);
    const keep = async (keys: object, until: number): Promise<void> => {
      const kept = JSON.stringify(JSON.stringify({ keys, until }));
      await page.evaluate(`localStorage.setItem('everyshare.test_keys', ${kept})`);
      await page.reload();
    };
    const later = Date.now() + 60_000;
    await keep({ a: 'svc_test_one', b: 'svc_test_two' }, later);
    expect(await isShown('svc_test_two')).toBe(false);
    await page.getByRole('button', { name: 'Show it' }).click();
    expect(await isShown('Bearer svc_test_two')).toBe(true);
    expect(await isShown('Bearer $KEY')).toBe(false);
    await page.getByRole('button', { name: 'Hide it' }).click();
    expect(await isShown('svc_test_two')).toBe(false);
    // A live key, or a key of a session that is over, is never filled in.
    await keep({ a: 'svc_live_one' }, later);
    expect(await page.getByRole('button', { name: 'Show it' }).count()).toBe(0);
    await keep({ a: 'svc_test_one' }, Date.now() - 1_000);
    expect(await page.getByRole('button', { name: 'Show it' }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('remembers the chosen tab, on every group and on the next page', async () => {
    const { page } = await open('/docs/guides/quickstart');
    await page.locator('.tabs label', { hasText: 'agent' }).first().click();
    await page.goto(`${base}/docs/guides/publish`);
    expect(await page.locator('.tabs .panel:visible').first().innerText()).toContain('"upsert_offerings"');
  });

  it('suggests sections while a reader types, by keyboard too', async () => {
    const { page } = await open('/docs', { width: 1280 });
    await page.keyboard.press('/');
    await page.keyboard.type('verify sign');
    await page.locator('.suggestions a').first().waitFor();
    if (screenshotFolder !== null) await page.screenshot({ path: join(screenshotFolder, 'docs-suggestions.png') });
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.hash')).toBe('#verify-the-signature');
    await page.keyboard.press('Escape');
    expect(await page.locator('.suggestions').isVisible()).toBe(false);
    await page.keyboard.type('ature');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/search?q=verify+signature');
  });

  it('loads the index of the search again after a failure, and opens no list when the focus is elsewhere', async () => {
    const { page } = await open('/docs', { width: 1280 });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.keyboard.press('Control+/');
    expect(await page.evaluate('document.activeElement.id')).not.toBe('search');
    await page.route('**/docs/search-index.json', (route) => route.abort(), { times: 1 });
    const failed = page.waitForEvent('requestfailed');
    await page.focus('#search');
    await failed;
    await page.keyboard.type('verify');
    await page.locator('.suggestions a').first().waitFor();
    await page.keyboard.type(' sign');
    await page.evaluate('document.activeElement.blur()');
    expect(await page.locator('.suggestions').isVisible()).toBe(false);
    expect(errors).toEqual([]);
  });

  it('has an explorer, to which its old addresses lead', async () => {
    const { page, faults } = await open('/docs#tag/checkouts', { width: 1280 });
    await page.waitForURL('**/docs/explorer#tag/checkouts');
    await page.locator('#explorer', { hasText: 'Create a checkout for a party' }).waitFor();
    if (screenshotFolder !== null) await page.screenshot({ path: join(screenshotFolder, 'docs-explorer.png') });
    expect(faults).toEqual([]);
  });
});
