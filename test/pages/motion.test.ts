// What moves on the pages: paper falls once over the photo of a booked checkout, and a seat fills when its guest comes in.
// With reduced motion nothing moves.

import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { CARDS, type Json } from '../support/test-venue.ts';
import { browserPath } from './browser.ts';
import { type BrowserFixture, openBrowserFixture, type Person, payWith } from './browser-fixture.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000 });

const path = browserPath();

/** The name, length and delay of each animation of the elements, as the stylesheet says it. */
const styleOf = (selector: string): string => `[...document.querySelectorAll('${selector}')].map((element) => {
  const { animationName, animationDuration, animationDelay } = getComputedStyle(element);
  return [animationName, parseFloat(animationDuration) * 1000, parseFloat(animationDelay) * 1000];
})`;

describe.runIf(path !== null)('motion', () => {
  let fixture: BrowserFixture;
  beforeAll(async () => {
    fixture = await openBrowserFixture(path ?? '', { worker: false });
  });
  afterEach(() => fixture.closePages());
  afterAll(() => fixture.close());

  interface Group {
    readonly checkout: Json;
    readonly shares: readonly Json[];
    readonly ben: Person;
  }
  const createGroup = async (): Promise<Group> => {
    const [ada, ben, cleo] = [
      await fixture.createPerson('Ada'),
      await fixture.createPerson('Ben'),
      await fixture.createPerson('Cleo'),
    ];
    const checkout = await fixture.createCheckout({ party_size: 3 });
    return { checkout, ben, shares: await fixture.chooseParty(checkout, [ada, ben, cleo]) };
  };
  const pay = ({ checkout, shares }: Group, index: number): Promise<unknown> =>
    fixture.venue.pay(checkout.id, shares[index]?.id ?? '', CARDS.good);
  const openAs = async (person: Person, motion: 'reduce' | 'no-preference'): Promise<Page> => {
    const page = await fixture.openPage(person);
    await page.emulateMedia({ reducedMotion: motion });
    return page;
  };
  const styles = (page: Page, selector: string): Promise<[string, number, number][]> =>
    page.evaluate<[string, number, number][]>(styleOf(selector));

  it('celebrates a booked checkout once for a person: paper over the photo, never over text, within 1400 ms', async () => {
    const group = await createGroup();
    for (const index of [0, 1, 2]) await pay(group, index);
    await fixture.world.work();
    const page = await openAs(group.ben, 'no-preference');
    await page.goto(`${fixture.url}/c/${group.checkout.id}`);
    await page.getByText('It’s booked. Everyone’s in.').waitFor();
    const bits = await styles(page, '.photo .paper rect');
    expect(bits).toHaveLength(40);
    for (const [name, ms, delay] of bits) {
      expect(name).toMatch(/^fall(-away)?$/);
      expect(ms + delay).toBeLessThanOrEqual(1_400);
    }
    // The bits are in the layer of the photo, below all text.
    expect(await page.evaluate("getComputedStyle(document.querySelector('.photo')).zIndex")).toBe('-1');
    const few = await page.evaluate<number>("document.querySelectorAll('.paper rect:not(.gone)').length");
    await page.reload();
    await page.getByText('It’s booked. Everyone’s in.').waitFor();
    const still = await styles(page, '.paper rect');
    expect(still).toHaveLength(few);
    expect(new Set(still.map(([name]) => name))).toEqual(new Set(['none']));
    // Of one person and one booking: the next booking of the same person has its own.
    const next = await createGroup();
    for (const index of [0, 1, 2]) await pay(next, index);
    await fixture.world.work();
    await page.context().clearCookies({ name: 'everyshare_session' });
    await fixture.beginSession(page.context(), next.ben);
    await page.goto(`${fixture.url}/c/${next.checkout.id}`);
    expect(await styles(page, '.paper rect')).toHaveLength(40);
    await page.goto(`${fixture.url}/c/${next.checkout.id}`);
    expect(await styles(page, '.paper rect')).toHaveLength(few);
  });

  it('fills the seat of a guest who comes in while another looks, and the own seat after paying', async () => {
    const group = await createGroup();
    const page = await openAs(group.ben, 'no-preference');
    await page.goto(`${fixture.url}/c/${group.checkout.id}`);
    await page.getByText('0 of 3 in').filter({ visible: true }).first().waitFor();
    await pay(group, 0);
    await page.getByText('1 of 3 in').filter({ visible: true }).first().waitFor({ timeout: 45_000 });
    expect((await styles(page, '.narrow .just-in > .face'))[0]).toEqual(['fill', 360, 0]);
    expect((await styles(page, '.narrow .just-in > .face > .mark'))[0]).toEqual(['tick', 200, 360]);
    expect(await page.locator('.narrow .just-in .who').textContent()).toContain('Ada');
    await payWith(page, 'Works');
    await page.locator('[data-moment]').waitFor({ timeout: 45_000 });
    expect((await styles(page, '.headline .just-in > .face'))[0]).toEqual(['fill', 360, 0]);
  });

  it('does not happen with reduced motion: states change at once, and a few bits lie there', async () => {
    const group = await createGroup();
    const page = await openAs(group.ben, 'reduce');
    await page.goto(`${fixture.url}/c/${group.checkout.id}`);
    await page.getByText('0 of 3 in').filter({ visible: true }).first().waitFor();
    await pay(group, 0);
    await page.getByText('1 of 3 in').filter({ visible: true }).first().waitFor({ timeout: 45_000 });
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
    for (const index of [1, 2]) await pay(group, index);
    await fixture.world.work();
    await page.goto(`${fixture.url}/c/${group.checkout.id}`);
    await page.getByText('It’s booked. Everyone’s in.').waitFor();
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
    const shown = `[...document.querySelectorAll('.paper rect')].filter((one) => getComputedStyle(one).opacity !== '0').length`;
    expect(await page.evaluate<number>(shown)).toBeGreaterThan(3);
    expect(await page.evaluate<number>(shown)).toBeLessThan(12);
  });
});
