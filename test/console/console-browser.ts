// A browser in front of the console: a server of its own, the built console, people with roles, and axe over every screen.
// With SCREENS=<folder> `look` also takes pictures, at 390 and 1280 pixels, in light and dark.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Role } from '../../src/domain/accounts/roles.ts';
import { browserPath, openBrowser } from '../pages/browser.ts';
import { createAccount, createSession } from '../support/console-client.ts';
import { openTestWorld, type TestWorld, type TestWorldOptions } from '../support/test-world.ts';

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const screenshotFolder = process.env.SCREENS ?? null;
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
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
    await this.#browser.close();
    await this.world.close();
  }

  /** A browser without a session. */
  async visit(width = 1280): Promise<Visitor> {
    const context = await this.#browser.newContext({
      viewport: { width, height: 844 },
      baseURL: this.base,
      reducedMotion: 'reduce',
    });
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

/** axe over what is shown, at both widths, in light and dark; nothing may be wider than the window. */
export async function look({ page, faults }: Visitor, name: string): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 844 };
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: before.height });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      // A light page at 1280 pixels gets every rule, the others what their width or their colours can break.
      const isFirst = width === 1280 && colorScheme === 'light';
      const rules = ['color-contrast', 'target-size', 'scrollable-region-focusable'];
      const only = isFirst ? { type: 'tag', values: RULES } : { type: 'rule', values: rules };
      if (isFirst || (width === 390) === (colorScheme === 'dark') || screenshotFolder !== null)
        expect(await violations(page, only), `${name}, ${width}, ${colorScheme}`).toEqual([]);
      await picture(page, `${name}-${width}-${colorScheme}`);
    }
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect(overflow, `${name} is wider than ${width} pixels`).toBeLessThanOrEqual(0);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(before);
  expect(faults).toEqual([]);
}

async function violations(page: Page, runOnly: object): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(`axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'] })})`);
  const { violations: list } = found as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return list.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
  );
}

async function picture(page: Page, name: string): Promise<void> {
  if (screenshotFolder === null) return;
  mkdirSync(screenshotFolder, { recursive: true });
  await page.screenshot({ path: join(screenshotFolder, `${name}.png`), fullPage: true });
}
