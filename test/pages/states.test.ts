// Every state of the hosted pages, in each of its variants: axe finds no violation, and nothing is wider than the screen. No
// request goes to another origin, and the content security policy is never violated. With SCREENS=<folder> the test also
// takes a picture of each variant (`npm run screens`).

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { ALL_RULES, type AxeRules, axeFindings, COLOR_RULES, WIDTH_RULES } from './axe.ts';
import { browserPath } from './browser.ts';
import { type BrowserFixture, openBrowserFixture } from './browser-fixture.ts';
import { STATES } from './states.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000 });

const path = browserPath();
const screenshotFolder = process.env.SCREENS ?? null;

interface Variant {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
  /** On paper, or in the few colours that the guest's system allows. */
  readonly look?: 'print' | 'forced';
  /** What axe checks; null: nothing that another variant has not checked. */
  readonly rules: AxeRules | null;
}

/** A state is opened once and shown in each variant: the first runs every rule, the others those that they can break. */
const ESSENTIAL_VARIANTS: readonly Variant[] = [
  { width: 390, colorScheme: 'light', rules: ALL_RULES },
  { width: 390, colorScheme: 'dark', rules: COLOR_RULES },
  { width: 1280, colorScheme: 'light', rules: WIDTH_RULES },
  { width: 320, colorScheme: 'light', rules: WIDTH_RULES },
  { width: 320, colorScheme: 'light', look: 'print', rules: null },
  { width: 390, colorScheme: 'dark', look: 'forced', rules: COLOR_RULES },
];

/** Each repeats a width of one variant in the colours of another: `npm run screens` and `npm run test:long` show them too. */
const OTHER_VARIANTS: readonly Variant[] = [
  { width: 390, colorScheme: 'dark', look: 'print', rules: null },
  { width: 320, colorScheme: 'dark', rules: null },
  { width: 320, colorScheme: 'light', look: 'forced', rules: null },
  { width: 1280, colorScheme: 'dark', rules: null },
  { width: 1280, colorScheme: 'light', look: 'forced', rules: null },
  { width: 1280, colorScheme: 'dark', look: 'print', rules: null },
];

/**
 * One state for each arrangement of the page, shown in every variant. The others consist of the same parts: `npm test` leaves
 * them out, in `npm run test:proofs` axe checks their first variant, and in `npm run screens` and `npm run test:long` all.
 */
const ARRANGEMENTS = [
  'invited',
  'held',
  'declined',
  'choosing',
  'organizer-waiting',
  'completed',
  'refunded',
  'expired',
];

const SHOWN_STATES = STATES.filter(({ name }) => !inject('isUsual') || ARRANGEMENTS.includes(name));

/** Without axe a variant shows only whether the page fits, which does not depend on its colours. */
const isOfOwnWidth = ({ look, colorScheme }: Variant): boolean => look === undefined && colorScheme === 'light';

function variantsOf(name: string): readonly Variant[] {
  if (screenshotFolder !== null || inject('isLong')) return [...ESSENTIAL_VARIANTS, ...OTHER_VARIANTS];
  const arrangement = ARRANGEMENTS.indexOf(name);
  // Every second variant of one arrangement, and the others of the next.
  if (arrangement >= 0)
    return ESSENTIAL_VARIANTS.map((variant, i) =>
      i === 0 || (i + arrangement) % 2 === 0 ? variant : { ...variant, rules: null },
    );
  return ESSENTIAL_VARIANTS.filter(isOfOwnWidth).map((variant, i) => (i === 0 ? variant : { ...variant, rules: null }));
}

/** What is wrong with a page on paper: a thing to press, a text that is not black, a colour behind it. */
const PRINT_PROBLEMS = `(() => {
  const isInk = (color) => color === 'rgb(0, 0, 0)';
  const isPaper = (color) => color === 'rgba(0, 0, 0, 0)' || color === 'rgb(255, 255, 255)';
  const problems = document.querySelector('h1')?.checkVisibility() ? [] : ['the page has no heading'];
  for (const element of document.querySelectorAll('body, body *')) {
    if (!element.checkVisibility() || element.matches('.i, .segments *, svg *')) continue;
    const { color, backgroundColor } = getComputedStyle(element);
    const name = element.outerHTML.slice(0, 80);
    if (element.matches('button, .button, summary, .card input')) problems.push('to press: ' + name);
    if (!isInk(color)) problems.push(color + ': ' + name);
    if (!isPaper(backgroundColor)) problems.push('behind ' + backgroundColor + ': ' + name);
  }
  return problems.slice(0, 5);
})()`;

describe.runIf(path !== null)('every state of the pages', () => {
  let fixture: BrowserFixture;
  /** One page for all states: a page in a new context starts a process, which compiles every script again. */
  let page: Page;
  let errors: string[];
  let otherOrigins: string[];
  beforeAll(async () => {
    fixture = await openBrowserFixture(path ?? '', { worker: false });
    if (screenshotFolder !== null) mkdirSync(screenshotFolder, { recursive: true });
    page = await fixture.openPage(null);
    page.on('console', (message) => {
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('request', (request) => {
      if (![fixture.url, fixture.world.processor.url].some((allowed) => request.url().startsWith(allowed)))
        otherOrigins.push(request.url());
    });
  });
  afterAll(() => fixture.close());
  // Each state begins as in a new browser. The page in between is one of ours: the opener policy of the pages starts a
  // process for each that comes after about:blank.
  beforeEach(async () => {
    await page.context().setOffline(false);
    await page.goto(`${fixture.url}/s/this-is-no-invite`);
    await page.context().clearCookies();
    errors = [];
    otherOrigins = [];
  });

  const show = async ({ width, colorScheme, look }: Variant): Promise<void> => {
    if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: width < 600 ? 844 : 900 });
    await page.emulateMedia({
      colorScheme,
      media: look === 'print' ? 'print' : 'screen',
      forcedColors: look === 'forced' ? 'active' : 'none',
    });
  };

  it.each(SHOWN_STATES.map((state) => [state.name, state] as const))(
    '%s is accessible on a phone and on a desktop, in light, dark and forced colours, and prints black on white',
    async (name, state) => {
      await show(ESSENTIAL_VARIANTS[0] as Variant);
      await state.open(fixture, page);
      await state.then?.(page);
      await page.getByText(state.text).filter({ visible: true }).first().waitFor();
      await page.waitForLoadState();
      for (const variant of variantsOf(name)) {
        await show(variant);
        const label = [variant.width, variant.look ?? variant.colorScheme].join('-');
        const isTooWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
        const violations = variant.rules === null ? [] : await axeFindings(page, variant.rules);
        const onPaper =
          variant.look === 'print' && !state.isOfTheBank ? await page.evaluate<string[]>(PRINT_PROBLEMS) : [];
        const found = { label, isTooWide, violations, onPaper };
        expect(found).toEqual({ label, isTooWide: false, violations: [], onPaper: [] });
        if (screenshotFolder !== null)
          await page.screenshot({ path: join(screenshotFolder, `${name}-${label}.png`), fullPage: true });
      }
      expect({ errors, otherOrigins }).toEqual({ errors: [], otherOrigins: [] });
    },
  );
});
