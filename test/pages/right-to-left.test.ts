// The pages from right to left, with Arabic words for their frame in a language that is not offered.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { addUnlistedLanguage, languageOf, languages } from '../../src/base/translations.ts';
import { ARABIC_WORDS } from '../support/arabic-words.ts';
import { browserPath } from './browser.ts';
import { type BrowserFixture, openBrowserFixture } from './browser-fixture.ts';
import { STATES } from './states.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000 });

const path = browserPath();
const screenshotFolder = process.env.SCREENS ?? null;

/** The states that differ most in layout. */
const NAMES = [
  'sign-in',
  'code',
  'choosing',
  'invited',
  'many',
  'held',
  'organizer-waiting',
  'completed',
  'refunded-in-part',
];

/** The texts of the page that show an amount outside of an isolate, in which a sign or a currency would change its place. */
const AMOUNTS_IN_THE_OPEN = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { textContent: text, parentElement } = walker.currentNode;
    if (!/US\\$|\\$\\d/.test(text) || parentElement.closest('bdi, template, .bubble, noscript') !== null) continue;
    if (!/[\\u2066\\u2068][^\\u2069]*\\$/.test(text)) found.push(text);
  }
  return found;
})()`;

describe.runIf(path !== null)('a page from right to left', () => {
  let fixture: BrowserFixture;
  let page: Page;
  let removeArabic: () => void;
  beforeAll(async () => {
    removeArabic = addUnlistedLanguage('ar', ARABIC_WORDS);
    fixture = await openBrowserFixture(path ?? '', { worker: false });
    page = await fixture.openPage(null, { language: 'ar' });
    if (screenshotFolder !== null) mkdirSync(screenshotFolder, { recursive: true });
  });
  afterAll(async () => {
    removeArabic();
    await fixture.close();
  });
  beforeEach(() => page.context().clearCookies());

  const open = async (name: string): Promise<void> => {
    const state = STATES.find((one) => one.name === name);
    if (state === undefined) throw new Error(`there is no state ${name}`);
    await page.setViewportSize({ width: 390, height: 844 });
    // The code page is reached by its English labels.
    if (name === 'code') {
      await page.goto((await fixture.createCheckout()).url);
      await page.locator('#phone').fill(fixture.nextPhone());
      await page.locator('form.card button').click();
      await page.locator('#code').waitFor();
    } else await state.open(fixture, page);
    await page.waitForLoadState();
  };
  /** How far the middle of an element is from the left edge, as a part of the window. */
  const middleOf = (selector: string): Promise<number> =>
    page.evaluate(`(() => {
      const element = [...document.querySelectorAll(${JSON.stringify(selector)})].find((one) => one.checkVisibility());
      const { left, width } = element.getBoundingClientRect();
      return (left + width / 2) / innerWidth;
    })()`);

  it.each(NAMES)('%s has its direction, fits every width, and keeps amounts together', async (name) => {
    await open(name);
    expect(await page.evaluate('[document.documentElement.lang, document.documentElement.dir]')).toEqual(['ar', 'rtl']);
    for (const width of [320, 1280, 390]) {
      await page.setViewportSize({ width, height: 844 });
      const isTooWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
      expect({ width, isTooWide }).toEqual({ width, isTooWide: false });
      if (screenshotFolder !== null)
        await page.screenshot({ path: join(screenshotFolder, `${name}-rtl-${width}.png`), fullPage: true });
    }
    expect(await page.evaluate(AMOUNTS_IN_THE_OPEN)).toEqual([]);
  });

  it('is mirrored: what is read first is on the right, and an arrow back points to the right', async () => {
    await open('invited');
    expect(await middleOf('.languages')).toBeLessThan(0.3);
    expect(await middleOf('.pill.venue')).toBeGreaterThan(0.6);
    expect(await middleOf('.share .amount')).toBeGreaterThan(await middleOf('.share .of'));
    expect(await middleOf('.promise .i')).toBeGreaterThan(0.8);
    expect(await page.evaluate("getComputedStyle(document.querySelector('#number')).direction")).toBe('ltr');
    await open('refunded-in-part');
    expect(await page.evaluate("getComputedStyle(document.querySelector('.badge .i.back')).scale")).toBe('-1 1');
    expect(await middleOf('.steps .dot')).toBeGreaterThan(0.8);
    expect(await middleOf('.receipt dt')).toBeGreaterThan(await middleOf('.receipt dd'));
  });

  it('is not offered to guests, and is gone when its language is removed', async () => {
    await open('invited');
    expect(languages()).not.toContain('ar');
    expect(await page.locator('.languages a[lang="ar"]').count()).toBe(0);
    const add = (): (() => void) => addUnlistedLanguage('he', {});
    const remove = add();
    expect(languageOf('he')).toBe('he');
    remove();
    expect(languageOf('he')).toBe('en');
  });
});
