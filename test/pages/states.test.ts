// Every state of the pages, one by one: axe finds nothing in light or dark, nothing is asked of another origin, the policy is
// never violated, and nothing is wider than the phone. With SCREENS=<folder> each is also photographed at 390 and 1280
// pixels, light and dark (`npm run screens`), to be looked at.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath } from './browser.ts';
import { type BrowserFixture, openBrowserFixture } from './browser-fixture.ts';
import { STATES } from './states.ts';

const path = browserPath();
const folder = process.env.SCREENS ?? null;
/** The short one: each page reads it anew. */
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface Finding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** WCAG 2.2 AA, and what by night can be otherwise than by day: colors alone. */
const BY_DAY = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const BY_NIGHT = { type: 'rule', values: ['color-contrast'] };

/** What axe finds, as lines. */
async function findings(page: Page, isDark: boolean): Promise<string[]> {
  const runOnly = JSON.stringify(isDark ? BY_NIGHT : BY_DAY);
  const found = await page.evaluate<Finding[]>(
    `axe.run(document, { runOnly: ${runOnly} }).then(({ violations }) => violations)`,
  );
  return found.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(' ')}`);
}

describe.runIf(path !== null)('every state of the pages', () => {
  let fixture: BrowserFixture;
  beforeAll(async () => {
    fixture = await openBrowserFixture(path ?? '', { worker: false });
    if (folder !== null) mkdirSync(folder, { recursive: true });
  });
  afterAll(() => fixture.close());

  it.each(STATES.map((state) => [state.name, state] as const))(
    '%s is readable for everybody, on a phone and on a desk, by day and by night',
    async (name, state) => {
      const page = await state.open(fixture, {});
      const troubles: string[] = [];
      const elsewhere: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
          troubles.push(message.text());
      });
      page.on('pageerror', (error) => troubles.push(error.message));
      page.on('request', (request) => {
        if (![fixture.url, fixture.world.processor.url].some((ours) => request.url().startsWith(ours)))
          elsewhere.push(request.url());
      });
      await page.reload();
      await state.then?.(page);
      await page.getByText(state.says).first().waitFor();
      await page.waitForLoadState();
      await page.evaluate(axe);
      for (const dark of [false, true]) {
        await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' });
        expect(await findings(page, dark)).toEqual([]);
        if (folder === null) continue;
        for (const width of [390, 1280]) {
          await page.setViewportSize({ width, height: width < 600 ? 844 : 900 });
          await page.screenshot({
            path: join(folder, `${name}-${width}-${dark ? 'dark' : 'light'}.png`),
            fullPage: true,
          });
        }
        await page.setViewportSize({ width: 390, height: 844 });
      }
      await page.setViewportSize({ width: 320, height: 640 });
      const isTooWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      expect({ troubles, elsewhere, isTooWide }).toEqual({ troubles: [], elsewhere: [], isTooWide: false });
      await page.context().close();
    },
  );
});
