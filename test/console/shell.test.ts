// What every screen of the console has around it, in a browser: palette, menus, the line with the call, titles and focus
// while data is read or cannot be, and a phone.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { ConsoleBrowser, executable, look, screenUrl } from './console-browser.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describe.runIf(executable !== null)('around the screens', () => {
  let console_: ConsoleBrowser;
  let venue: TestVenue;
  beforeAll(async () => {
    console_ = await ConsoleBrowser.open();
    venue = await openTestVenue(console_.world);
  });
  afterAll(() => console_.close());

  const at = (screen: string): string => screenUrl(venue.venueId, screen);

  it('the palette opens the checkout of a share or a payout by its id, and never above a dialog or without a venue', async () => {
    const { id, shares } = await venue.completed({ party_size: 2, description: 'Harbor tour' });
    const payout = (await venue.get('/v1/payouts')).json.data[0];
    const { page } = await console_.signedIn(venue.venueId);
    await page.goto('/console/venues');
    await page.getByLabel('Name of the venue').waitFor();
    await page.keyboard.press('Control+k');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.goto(at('/team'));
    for (const wanted of [shares[0].id, payout.id]) {
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search or jump to' }).fill(wanted);
      await page.getByRole('option', { name: /Harbor tour/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /Harbor tour/ }).waitFor();
      expect(page.url()).toContain(id);
      await page.goto(at('/team'));
    }
    await page.getByRole('button', { name: 'Invite a person' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Control+k');
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('the palette opens nothing that was found for an earlier text', async () => {
    const { page } = await console_.signedIn(venue.venueId, 'viewer');
    await page.goto(at('/team'));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search or jump to' });
    await field.fill('harbor');
    await page.getByRole('option', { name: /Harbor tour/ }).waitFor();
    await field.fill('audit');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  });

  it('a menu closes by a click outside, by Esc and by navigation; a sign-out that failed is said in words', async () => {
    const { page } = await console_.signedIn(venue.venueId, 'viewer');
    await page.goto(at('/team'));
    const help = page.locator('.help-menu');
    const open = async (): Promise<void> => {
      await help.locator('summary').click();
      await help.getByRole('link', { name: 'Documentation' }).waitFor();
    };
    const closed = (): Promise<void> => help.locator('.menu').waitFor({ state: 'hidden' });
    await open();
    await page.getByRole('heading', { name: 'Team' }).click();
    await closed();
    await open();
    await page.keyboard.press('Escape');
    await closed();
    await open();
    await page.getByRole('link', { name: 'First steps' }).click();
    await page.getByRole('heading', { name: 'Take your first group payment' }).waitFor();
    await closed();
    await page.route('**/console/api/sign_out', (route) => route.abort());
    await page.locator('.venue-menu summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator('.toast').getByText('You are still signed in.').waitFor();
  });

  it('a page keeps its title and the focus while its data is read, and where it cannot be read', async () => {
    const { id } = await console_.world.key(venue.venueId, { mode: 'test', name: 'Till' });
    const visitor = await console_.signedIn(venue.venueId, 'viewer');
    const { page } = visitor;
    await page.goto(at('/team'));
    await page.getByRole('heading', { name: 'Team' }).waitFor();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/console/api/keys?*', async (route) => {
      await held;
      await route.fulfill({ status: 503, json: { error: { code: 'unavailable', message: 'Not now.' } } });
    });
    await page.goto(at(`/keys/${id}`));
    await page.getByRole('heading', { name: 'Key', exact: true }).waitFor();
    await page.locator('.waiting').waitFor();
    const focused = (): Promise<unknown> => page.evaluate('document.activeElement.textContent');
    expect([await page.title(), await focused()]).toEqual(['Key · Everyshare', 'Key']);
    await look(visitor, 'key-loading');
    release();
    await page.locator('.failed').waitFor();
    expect([await page.title(), await focused()]).toEqual(['Key · Everyshare', 'Key']);
    visitor.faults.splice(0);
    await look(visitor, 'key-failed');
    await page.unroute('**/console/api/keys?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Till' }).waitFor();
    await expect.poll(() => page.title()).toBe('Till · Everyshare');
  });

  it('a slow read is not begun again by the next look: it arrives', async () => {
    const { page } = await console_.signedIn(venue.venueId, 'viewer');
    await page.route('**/console/api/first_steps', async (route) => {
      // Longer than the two seconds between two looks.
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      await route.continue();
    });
    await page.goto(at('/first-steps'));
    await page.getByRole('heading', { name: 'Your test key' }).waitFor();
  });

  it('a screen that fails says so and can be tried again, while the frame stays', async () => {
    const { page } = await console_.signedIn(venue.venueId, 'viewer');
    await page.route('**/console/api/audit?*', (route) => route.fulfill({ json: { data: null, next_before: null } }));
    await page.goto(at('/audit'));
    await page.getByRole('heading', { name: 'This page failed' }).waitFor();
    await page.unroute('**/console/api/audit?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    // A wrongly encoded address is a page that does not exist, and no fault.
    await page.evaluate(`history.pushState(null, '', '${at('/events/%E0%A4%A')}')`);
    await page.evaluate(`dispatchEvent(new PopStateEvent('popstate'))`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  });

  it('the line with the call writes no curl for a call of the console alone, and shows a refusal in red', async () => {
    const { page } = await console_.signedIn(venue.venueId);
    await page.goto(at('/team'));
    await page.getByText('A call of the console alone').waitFor();
    expect(await page.getByRole('button', { name: 'Copy as curl' }).count()).toBe(0);
    await page.keyboard.press('.');
    const drawer = page.locator('.drawer');
    await drawer.getByText('"is_you": true').waitFor();
    expect(await drawer.innerText()).not.toContain('curl');
    // A list whose own read has filters shows the answer of that read.
    await page.getByRole('link', { name: 'Checkouts' }).first().click();
    await drawer.getByText('"searched_since"').waitFor();
    expect(await drawer.locator('.chip').getAttribute('class')).toContain('green');
    await page.goto(at('/checkouts/chk_01jz3k8q7v5m2n9t4w6x8y0abc'));
    await drawer.locator('.chip', { hasText: '404' }).waitFor();
    expect(await drawer.locator('.chip').getAttribute('class')).toContain('red');
    // A browser that refuses the clipboard is said in words.
    await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))`);
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.locator('.toast').getByText('does not let this page copy').waitFor();
  });

  it('on a phone a page begins at its top, every filter is in reach, and the documentation is under More', async () => {
    const visitor = await console_.signedIn(venue.venueId, 'viewer', 390);
    const { page } = visitor;
    for (let i = 0; i < 12; i++) await venue.create({ party_size: 2, description: `Row ${i}` });
    await page.goto(at('/checkouts'));
    await page.getByRole('link', { name: 'Row 0' }).scrollIntoViewIfNeeded();
    expect(await page.evaluate('scrollY')).toBeGreaterThan(200);
    await page.getByRole('link', { name: 'Row 0' }).click();
    await page.getByRole('heading', { name: 'Row 0' }).waitFor();
    await page.waitForFunction('scrollY === 0');
    await page.goto(at('/checkouts'));
    await page.getByText('More filters').click();
    await page.getByLabel('Created').last().selectOption('7');
    await page.waitForURL(/days=7$/);
    await page.getByRole('button', { name: 'Search or jump to' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'More', exact: true }).click();
    await page.getByRole('link', { name: 'API reference' }).waitFor();
    await look(visitor, 'more');
  });
});
