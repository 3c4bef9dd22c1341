// Checkouts in the console, in a browser: one checkout with its money and history, refunds, cancelling, and what roles see.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CARDS, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { ConsoleBrowser, executable, look, screenUrl } from './console-browser.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describe.runIf(executable !== null)('checkouts in the console', () => {
  let console_: ConsoleBrowser;
  let venue: TestVenue;
  beforeAll(async () => {
    console_ = await ConsoleBrowser.open({ env: { PAYOUT_DELAY_HOURS: '0' } });
    venue = await openTestVenue(console_.world);
  });
  afterAll(() => console_.close());

  const addressOf = (id: string): string => screenUrl(venue.venueId, `/checkouts/${id}`);

  it('shows the shares, money that adds up, events and the history of a checkout', async () => {
    const { id } = await venue.completed({
      amount: 64_000,
      party_size: 6,
      description: 'Poolside cabana 7',
      external_booking_id: 'bk-8817',
      metadata: { area: 'south-deck' },
    });
    const visitor = await console_.signedIn(venue.venueId);
    const { page } = visitor;
    await page.goto(addressOf(id));
    await page.getByRole('heading', { name: /Poolside cabana 7/ }).waitFor();
    await page.getByText('Completed: 6 cards charged').waitFor();
    const sums = await page.locator('.sums').first().innerText();
    expect(sums).toContain('$640.00');
    expect(sums).toContain('You keep');
    await page.getByRole('link', { name: 'checkout.completed', exact: true }).waitFor();
    await page.getByText('south-deck').waitFor();
    await look(visitor, 'checkout');
  });

  it('refunds what the preview said, guest by guest, to the cent', async () => {
    const { id } = await venue.completed({ amount: 64_001, party_size: 6, description: 'Sunset sail' });
    const visitor = await console_.signedIn(venue.venueId, 'finance');
    const { page } = visitor;
    await page.goto(addressOf(id));
    await page.getByText('Completed: 6 cards charged').waitFor();
    await page.getByRole('button', { name: 'Refund…' }).waitFor();
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Another amount').check();
    await dialog.getByLabel('Amount', { exact: true }).fill('9999.00');
    await dialog.locator('.error').waitFor();
    await dialog.getByLabel('Amount', { exact: true }).fill('100.01');
    await dialog.getByRole('button', { name: 'Refund $100.01' }).waitFor();
    await look(visitor, 'refund');
    const previewed = await dialog
      .getByRole('region', { name: 'What each guest gets back' })
      .locator('tbody tr')
      .allInnerTexts();
    const given = previewed.map((row) => /\t\$([\d.]+)\t\$[\d.]+$/.exec(row.trim())?.[1]);
    await dialog.getByLabel(/Reason/).fill('Storm warning');
    await dialog.getByRole('button', { name: 'Refund $100.01' }).click();
    await page.getByText('Storm warning').waitFor();
    const { shares, refunded_amount } = await venue.read(id);
    expect(refunded_amount).toBe(10_001);
    expect(shares.map((share: Json) => (share.refunded_amount / 100).toFixed(2))).toEqual(given);
  });

  it('shows a developer no way to refund or cancel, and says so in words where the server refuses', async () => {
    const { id } = await venue.completed({ party_size: 2 });
    const { page } = await console_.signedIn(venue.venueId, 'developer');
    await page.goto(addressOf(id));
    await page.getByText('Completed: 2 cards charged').waitFor();
    expect(await page.getByRole('button', { name: 'Refund…' }).count()).toBe(0);
    await page.keyboard.press('r');
    expect(await page.getByRole('dialog').count()).toBe(0);
    // The role was taken away while the page was open.
    const other = await console_.signedIn(venue.venueId, 'finance');
    await other.page.goto(addressOf(id));
    await other.page.getByRole('button', { name: 'Refund…' }).click();
    await other.page.getByRole('button', { name: 'Refund $240.01' }).waitFor();
    await console_.world.db.query(
      `update venue_people set role = 'developer' where venue_id = $1 and role = 'finance'`,
      [venue.venueId],
    );
    await other.page.getByRole('button', { name: 'Refund $240.01' }).click();
    await other.page.locator('dialog .failed').waitFor();
    expect((await venue.read(id)).refunded_amount).toBe(0);
  });

  it('cancels a checkout after listing the holds that this releases', async () => {
    const { id, shares } = await venue.collecting({ amount: 30_000, party_size: 3, description: 'Chef’s table' });
    await venue.pay(id, shares[0].id, CARDS.good);
    await venue.pay(id, shares[1].id, CARDS.declined);
    const visitor = await console_.signedIn(venue.venueId);
    const { page } = visitor;
    await page.goto(addressOf(id));
    await page.getByText(/card was declined/).waitFor();
    await look(visitor, 'checkout-collecting');
    await page.getByRole('button', { name: 'Cancel checkout…' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('region', { name: 'Holds that will be released' }).innerText()).toContain('$100.00');
    await look(visitor, 'cancel');
    await dialog.getByRole('button', { name: 'Cancel and release $100.00' }).click();
    await page.getByText('Canceled', { exact: true }).first().waitFor();
    expect((await venue.read(id)).status).toBe('canceled');
  });

  it('says that a checkout is not there', async () => {
    const visitor = await console_.signedIn(venue.venueId);
    await visitor.page.goto(addressOf('chk_01jz3k8q7v5m2n9t4w6x8y0abc'));
    await visitor.page.locator('.failed').waitFor();
    await look(visitor, 'checkout-unknown');
  });
});
