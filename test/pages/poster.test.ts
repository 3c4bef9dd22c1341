// The head of a booking's page in a browser: readable over any photo, whole with the longest title, visible focus. The
// colours are read from pictures of the page: axe cannot see what is behind a text.

import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { contrast } from '../../src/base/oklch.ts';
import { fetchDueImages } from '../../src/domain/images/fetch-images.ts';
import { CARDS, type Json } from '../support/test-venue.ts';
import { runUntilIdle } from '../support/wait-for.ts';
import { browserPath } from './browser.ts';
import { type BrowserFixture, openBrowserFixture, type Person } from './browser-fixture.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000 });

const path = browserPath();
/** As long as a description may be. */
const LONG_TITLE = `${'A long evening under sail with everyone aboard, '.repeat(5)}`.slice(0, 199).trim();
const OFFERING = 'sail-over-snow';

type Rgb = readonly [red: number, green: number, blue: number];
const hexOf = (rgb: Rgb): string => `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
const rgbOf = (css: string): Rgb => (css.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number) as unknown as Rgb;

describe.runIf(path !== null)('the poster', () => {
  let fixture: BrowserFixture;
  let page: Page;
  let ada: Person;
  beforeAll(async () => {
    fixture = await openBrowserFixture(path ?? '', { worker: false });
    ada = await fixture.createPerson('Ada');
    page = await fixture.openPage(ada);
    const tiers = [{ amount: 1, currency: 'usd', unit: 'per_group' }];
    const media = [{ url: 'https://harbor.example/snow.jpg' }];
    await fixture.venue.post('/v1/offerings', { external_id: OFFERING, kind: 'cabana', title: 'Sail', tiers, media });
  });
  afterAll(() => fixture.close());

  interface Booking {
    readonly id: string;
    readonly url: string;
    readonly shares: readonly Json[];
  }

  /** A booking of Ada and two more, whose photo is white. */
  async function createBooking(description: string): Promise<Booking> {
    const checkout = await fixture.createCheckout({ description, offering_external_id: OFFERING });
    const people = [ada, await fixture.createPerson('Ben'), await fixture.createPerson('Cleo')];
    const shares = await fixture.chooseParty(checkout, people);
    const url = `${fixture.url}/c/${checkout.id}`;
    await page.goto(url);
    const body = await sharp({ create: { width: 1280, height: 720, channels: 3, background: '#fff' } })
      .jpeg()
      .toBuffer();
    const outbound = { request: async () => ({ status: 200, body }) } as never;
    const { db, clock } = fixture.world.context;
    await runUntilIdle('fetching pictures', () => fetchDueImages({ db, outbound, clock }, 8));
    return { id: checkout.id, url, shares };
  }

  async function show(width: number, height: number, colorScheme: 'light' | 'dark' = 'light'): Promise<void> {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
  }

  const styleOf = async (selector: string, property: string): Promise<string> =>
    (
      await page.evaluate<string>(
        `getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${property}')`,
      )
    ).trim();

  /** The policy of the page allows no style element. */
  const hideTexts = (isHidden: boolean): Promise<void> =>
    page.evaluate(`(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('.poster * { color: transparent !important } .poster .i { visibility: hidden !important }');
      document.adoptedStyleSheets = ${isHidden} ? [sheet] : [];
    })()`);

  /** The lightest pixel of the picture behind each text, and the colour of the text. */
  async function readColors(
    selectors: readonly string[],
  ): Promise<{ readonly selector: string; readonly color: Rgb; readonly behind: Rgb }[]> {
    const colors = await Promise.all(selectors.map(async (selector) => rgbOf(await styleOf(selector, 'color'))));
    await hideTexts(true);
    // All of it is on the screen: a picture of the whole page takes several times as long.
    const picture = await page.screenshot();
    await hideTexts(false);
    return Promise.all(
      selectors.map(async (selector, index) => {
        const { x, y, width, height } = (await page.locator(selector).boundingBox()) ?? {
          x: 0,
          y: 0,
          width: 0,
          height: 0,
        };
        const [left, top] = [Math.floor(x), Math.floor(y)];
        const box = { left, top, width: Math.floor(width), height: Math.floor(height) };
        const data = await sharp(picture).extract(box).removeAlpha().raw().toBuffer();
        let behind: Rgb = [0, 0, 0];
        for (let at = 0; at < data.length; at += 3) {
          const rgb: Rgb = [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0];
          if (rgb[0] + rgb[1] + rgb[2] > behind[0] + behind[1] + behind[2]) behind = rgb;
        }
        return { selector, color: colors[index] ?? [0, 0, 0], behind };
      }),
    );
  }

  /** How much of the venue's dark colour a mixture with white has. */
  const shareOf = (dark: Rgb, mixed: Rgb): number =>
    Math.min(...dark.map((part, index) => (255 - (mixed[index] ?? 255)) / (255 - part)));

  it('keeps its texts readable over a white photo, with a title of any length', async () => {
    for (const [title, screen] of [
      ['Sail', 'pay'],
      [LONG_TITLE, 'pay'],
      [LONG_TITLE, 'moment'],
    ] as const) {
      const { id, url, shares } = await createBooking(title);
      if (screen === 'moment') await fixture.venue.pay(id, shares[0]?.id, CARDS.good);
      await page.goto(`${url}?pay=own`);
      for (const width of [320, 1280]) {
        await show(width, 720);
        const deep = rgbOf(await styleOf('.poster', 'background-color'));
        const [heading, below] = screen === 'pay' ? ['.what', '.meta'] : ['.poster h1', '.said'];
        const texts = [heading, below, ...(width < 900 ? [] : ['.wide .tally'])];
        for (const { selector, color, behind } of await readColors(texts)) {
          const label = `${screen} ${width} ${selector} ${title.length}`;
          expect(shareOf(deep, behind), label).toBeGreaterThan(selector === heading ? 0.67 : 0.84);
          expect(contrast(hexOf(color), hexOf(behind)), label).toBeGreaterThanOrEqual(4.5);
        }
      }
    }
  });

  it('shows the seats and the time left on a wide window, also below the longest title', async () => {
    const { url } = await createBooking(LONG_TITLE);
    await page.goto(`${url}?pay=own`);
    for (const [width, height] of [
      [1280, 720],
      [900, 620],
    ] as const) {
      await show(width, height);
      const [poster, tally] = [await page.locator('.poster').boundingBox(), await page.locator('.wide').boundingBox()];
      expect((tally?.y ?? 0) + (tally?.height ?? 0), `${width}`).toBeLessThanOrEqual((poster?.height ?? 0) - 20);
      expect((await page.locator('.pills').boundingBox())?.y, `${width}`).toBeGreaterThanOrEqual(0);
    }
  });

  it('loads the thumbnail for the compact head of a phone, and the cover for a wide window', async () => {
    const { url } = await createBooking('Sail');
    const widthOf = (): Promise<unknown> =>
      page.evaluate(`(async (image) => {
        await image.decode();
        return image.naturalWidth;
      })(document.querySelector('.photo img'))`);
    await show(390, 844);
    await page.goto(url);
    expect(await widthOf()).toBe(112);
    expect(await page.locator('.photo img').boundingBox()).toMatchObject({ width: 52, height: 52 });
    await show(1280, 720);
    await expect.poll(widthOf).toBe(1280);
    await show(390, 844);
    await page.goto(`${url}?pay=own`);
    expect(await widthOf()).toBe(1280);
  });

  it('shows where the focus is: on the photo, on the list of languages, and in the compact head', async () => {
    const { url } = await createBooking('Sail');
    /** The colours of the ring around the focused element, and of what is below the ring. */
    const ring = (): Promise<{ readonly outline: string; readonly shadow: string; readonly surface: string }> =>
      page.evaluate(`(() => {
        const { outlineColor, outlineStyle, boxShadow } = getComputedStyle(document.activeElement);
        if (!document.activeElement.matches(':focus-visible') || outlineStyle !== 'solid') return null;
        const surface = getComputedStyle(document.querySelector('main')).getPropertyValue('--sheet');
        return { outline: outlineColor, shadow: boxShadow, surface };
      })()`);
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await show(390, 844);
    await page.goto(`${url}?pay=own`);
    await page.locator('.languages summary').focus();
    // White in a dark ring: one of them is seen on any photo.
    const onPhoto = await ring();
    expect(contrast(hexOf(rgbOf(onPhoto.outline)), hexOf(rgbOf(onPhoto.shadow)))).toBeGreaterThan(10);
    for (const colorScheme of ['light', 'dark'] as const) {
      await show(390, 844, colorScheme);
      await page.goto(`${url}?pay=own`);
      await page.locator('.languages summary').focus();
      await press('Enter', 'Tab');
      const inList = await ring();
      expect(contrast(hexOf(rgbOf(inList.outline)), inList.surface.trim()), colorScheme).toBeGreaterThanOrEqual(3);
      await page.goto(url);
      await page.locator('.languages summary').focus();
      const inCompactHead = await ring();
      const ratio = contrast(hexOf(rgbOf(inCompactHead.outline)), inCompactHead.surface.trim());
      expect(ratio, colorScheme).toBeGreaterThanOrEqual(3);
    }
  });
});
