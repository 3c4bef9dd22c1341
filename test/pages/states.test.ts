// Every state of the hosted pages: axe finds no violation in light or dark mode, no request goes to another origin, the
// content security policy is never violated, and nothing is wider than a phone. With SCREENS=<folder> the test also
// takes screenshots at 390 and 1280 pixels, light and dark (`npm run screens`).

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { browserPath } from './browser.ts';
import { type BrowserFixture, openBrowserFixture } from './browser-fixture.ts';
import { STATES } from './states.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000 });

const path = browserPath();
const screenshotFolder = process.env.SCREENS ?? null;
/** Minified, because every page loads it again. */
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface AxeViolation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** WCAG 2.2 AA. Dark mode differs only in colors, so only their contrast is checked again. */
const LIGHT_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const DARK_RULES = { type: 'rule', values: ['color-contrast'] };

/** The violations that axe finds, one line each. */
async function axeFindings(page: Page, isDark: boolean): Promise<string[]> {
  const runOnly = JSON.stringify(isDark ? DARK_RULES : LIGHT_RULES);
  const found = await page.evaluate<AxeViolation[]>(
    `axe.run(document, { runOnly: ${runOnly} }).then(({ violations }) => violations)`,
  );
  return found.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(' ')}`);
}

describe.runIf(path !== null)('every state of the pages', () => {
  let fixture: BrowserFixture;
  beforeAll(async () => {
    fixture = await openBrowserFixture(path ?? '', { worker: false });
    if (screenshotFolder !== null) mkdirSync(screenshotFolder, { recursive: true });
  });
  afterAll(() => fixture.close());

  it.each(STATES.map((state) => [state.name, state] as const))(
    '%s is accessible on a phone and on a desktop, in light and in dark mode',
    async (name, state) => {
      const page = await state.open(fixture, {});
      const errors: string[] = [];
      const otherOrigins: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) errors.push(message.text());
      });
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('request', (request) => {
        if (![fixture.url, fixture.world.processor.url].some((allowed) => request.url().startsWith(allowed)))
          otherOrigins.push(request.url());
      });
      await page.reload();
      await state.then?.(page);
      await page.getByText(state.text).first().waitFor();
      await page.waitForLoadState();
      await page.evaluate(axe);
      for (const isDark of [false, true]) {
        await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light', reducedMotion: 'reduce' });
        expect(await axeFindings(page, isDark)).toEqual([]);
        if (screenshotFolder === null) continue;
        for (const width of [390, 1280]) {
          await page.setViewportSize({ width, height: width < 600 ? 844 : 900 });
          await page.screenshot({
            path: join(screenshotFolder, `${name}-${width}-${isDark ? 'dark' : 'light'}.png`),
            fullPage: true,
          });
        }
        await page.setViewportSize({ width: 390, height: 844 });
      }
      await page.setViewportSize({ width: 320, height: 640 });
      const isTooWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      expect({ troubles: errors, elsewhere: otherOrigins, isTooWide }).toEqual({
        troubles: [],
        elsewhere: [],
        isTooWide: false,
      });
      await page.context().close();
    },
  );
});
