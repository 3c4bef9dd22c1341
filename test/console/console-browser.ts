// A browser in front of the console: a server of its own, the built console, people with roles, and axe over every screen.
// With SCREENS=<folder> (`npm run screens`) `look` also takes pictures, at 390 and 1280 pixels, in light and dark.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import type { Role } from '../../src/domain/accounts/roles.ts';
import { ALL_RULES, axeFindings } from '../pages/axe.ts';
import { browserPath, closeContexts, MAX_WAIT_MS, openBrowser } from '../pages/browser.ts';
import { createAccount, createSession } from '../support/console-client.ts';
import { openTestWorld, type TestWorld, type TestWorldOptions } from '../support/test-world.ts';

const screenshotFolder = process.env.SCREENS ?? null;
const WIDTHS = [1280, 390] as const;

export const executable = browserPath();

export interface Visitor {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Failed scripts and violations of the content policy. Refusals of the API are no faults. */
  readonly faults: string[];
}

export class ConsoleBrowser {
  readonly world: TestWorld;
  readonly base: string;
  readonly #browser: Browser;

  private constructor(world: TestWorld, browser: Browser) {
    this.world = world;
    this.base = world.urls[0] ?? '';
    this.#browser = browser;
  }

  static async open(options: TestWorldOptions = {}): Promise<ConsoleBrowser> {
    if (executable === null) throw new Error('there is no browser');
    return new ConsoleBrowser(await openTestWorld(options), await openBrowser(executable));
  }

  async close(): Promise<void> {
    await closeContexts(this.#browser);
    await this.world.close();
  }

  /** A browser without a session, open until the test ends. */
  async visit(width = 1280): Promise<Visitor> {
    const context = await this.#browser.newContext({
      viewport: { width, height: 844 },
      baseURL: this.base,
      reducedMotion: 'reduce',
    });
    // An open page asks the server for changes, which takes time from the tests that follow.
    onTestFinished(() => context.close());
    context.setDefaultTimeout(MAX_WAIT_MS);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    return { page, context, faults };
  }

  /** A browser in which a person with this role is signed in; it is at no page yet. */
  async signedIn(venueId: string, role: Role = 'owner', width = 1280, base = this.base): Promise<Visitor> {
    const visitor = await this.visit(width);
    const { context } = this.world;
    const account = await createAccount(context, `${role}-${context.ids.uuid()}@harbor.example`, [[venueId, role]]);
    const { token } = await createSession(context, account);
    await visitor.context.addCookies([{ name: 'everyshare_console', value: token, url: base }]);
    return visitor;
  }
}

/** The address of a screen: `/checkouts`. */
export const screenUrl = (venueId: string, screen = '', mode: 'test' | 'live' = 'test'): string =>
  `/console/v/${venueId}/${mode}${screen}`;

interface Variant {
  readonly width: (typeof WIDTHS)[number];
  readonly colorScheme: 'light' | 'dark';
}

const VARIANTS: readonly Variant[] = WIDTHS.flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);
const shownWithAxe = new Map<string, number>();

/**
 * axe with every rule over what is shown, and nothing may be wider than the window. In `npm test` axe sees a state in one
 * variant, the next state in the next, so that a file shows each variant several times. In `npm run test:long`, and when
 * pictures are taken, axe sees a state in all of them.
 */
export async function look({ page, faults }: Visitor, name: string): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 844 };
  const isInFull = inject('isLong') || screenshotFolder !== null;
  const { testPath = '' } = expect.getState();
  const count = shownWithAxe.get(testPath) ?? 0;
  shownWithAxe.set(testPath, count + 1);
  // Before the scripts have run the page is empty, and axe would check a page without a heading.
  await page.locator('h1').first().waitFor();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: before.height });
    for (const [index, variant] of VARIANTS.entries()) {
      if (variant.width !== width || (!isInFull && index !== count % VARIANTS.length)) continue;
      await page.emulateMedia({ colorScheme: variant.colorScheme });
      expect(await axeFindings(page, ALL_RULES), `${name}, ${width}, ${variant.colorScheme}`).toEqual([]);
      await picture(page, `${name}-${width}-${variant.colorScheme}`);
    }
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect(overflow, `${name} is wider than ${width} pixels`).toBeLessThanOrEqual(0);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(before);
  expect(faults).toEqual([]);
}

async function picture(page: Page, name: string): Promise<void> {
  if (screenshotFolder === null) return;
  mkdirSync(screenshotFolder, { recursive: true });
  await page.screenshot({ path: join(screenshotFolder, `${name}.png`), fullPage: true });
}
