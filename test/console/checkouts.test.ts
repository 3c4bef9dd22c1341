// Checkouts in the console, in a browser: one checkout with its money and history, refunds, cancelling, and what roles see.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CARDS, DAY, HOUR, inFuture, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
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
    // The sums decide whether there is something to refund: the page is whole before the button is looked for.
    await page.getByText('can still be refunded').waitFor();
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

  it('offers a refund where the guests paid while the cancel dialog was open', async () => {
    const { id } = await venue.collecting({ amount: 20_000, party_size: 2, description: 'Late cancel' });
    const { page } = await console_.signedIn(venue.venueId);
    await page.goto(addressOf(id));
    await page.getByRole('button', { name: 'Cancel checkout…' }).click();
    expect((await venue.post(`/v1/test_helpers/checkouts/${id}/complete`, {})).status).toBe(200);
    // The page sees it by itself, or when the server refuses.
    await page.getByRole('button', { name: 'Refund it instead…' }).click();
    await page.getByRole('button', { name: 'Refund $200.00' }).waitFor();
  });

  it('names the guests whose cards are not charged yet, and copies the organizer’s link and the ids of shares', async () => {
    const { id, shares } = await venue.collecting({ amount: 30_000, party_size: 3, description: 'Slow bank' });
    await venue.payAll(await venue.read(id), [CARDS.good, CARDS.captureFailsForAWhile, CARDS.good]);
    await venue.finishDueWork(id);
    const { page } = await console_.signedIn(venue.venueId, 'viewer');
    await page.goto(addressOf(id));
    const name = (await venue.read(id)).shares[1].display_name ?? 'a guest';
    await page.getByText(`2 of 3 cards charged. Still waiting for the bank: ${name}.`).waitFor();
    await page.getByText('waits for the bank', { exact: false }).first().waitFor();
    await page.getByRole('button', { name: `Copy ${shares[0].id}` }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(shares[0].id);
    const open = await venue.create({ party_size: 2 });
    await page.goto(addressOf(open.id));
    await page.getByRole('button', { name: 'Copy the organizer’s link' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(open.url);
  });

  it('says that a checkout is not there', async () => {
    const visitor = await console_.signedIn(venue.venueId);
    await visitor.page.goto(addressOf('chk_01jz3k8q7v5m2n9t4w6x8y0abc'));
    await visitor.page.locator('.failed').waitFor();
    await look(visitor, 'checkout-unknown');
  });
});

describe.runIf(executable !== null)('the list of checkouts and Home', () => {
  let console_: ConsoleBrowser;
  let venue: TestVenue;
  beforeAll(async () => {
    console_ = await ConsoleBrowser.open();
    venue = await openTestVenue(console_.world);
    await venue.completed({
      amount: 57_000,
      party_size: 6,
      description: 'Sunset sail',
      external_booking_id: 'bk-8830',
    });
    await venue.completed({
      amount: 87_000,
      party_size: 6,
      description: 'Chef’s table',
      external_booking_id: 'bk-8829',
    });
    await venue.create({
      amount: 145_000,
      party_size: 10,
      description: 'Catamaran day',
      external_booking_id: 'bk-8853',
    });
    const { id, shares } = await venue.collecting({
      amount: 18_000,
      party_size: 4,
      description: 'Daybed for two',
      external_booking_id: 'bk-8861',
      pay_by: inFuture(HOUR),
      starts_at: inFuture(2 * DAY),
    });
    await venue.pay(id, shares[0].id, CARDS.good);
    await venue.pay(id, shares[1].id, CARDS.declined);
  });
  afterAll(() => console_.close());

  it('is filtered by state and words, which are in the address, and saved as CSV', async () => {
    const visitor = await console_.signedIn(venue.venueId, 'viewer');
    const { page } = visitor;
    await page.goto(screenUrl(venue.venueId, '/checkouts'));
    await page.getByRole('link', { name: 'Catamaran day' }).waitFor();
    expect(await page.getByRole('button', { name: 'New checkout' }).count()).toBe(0);
    await look(visitor, 'checkouts');
    await page.getByRole('navigation', { name: 'State' }).getByRole('link', { name: 'Completed 2' }).click();
    await page.getByRole('link', { name: 'Catamaran day' }).waitFor({ state: 'detached' });
    await page.keyboard.press('f');
    await page.keyboard.type('8829');
    await page.getByText('No checkout matches these filters.').waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('chef');
    await page.getByText('1 of 1, newest first').waitFor();
    await expect.poll(() => page.url()).toMatch(/\?status=completed&q=chef$/);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const csv = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\n');
    expect(csv).toHaveLength(2);
    expect(csv[1]).toContain('bk-8829');
    // Two filters that are typed one after the other within a moment both count.
    await page.goto(screenUrl(venue.venueId, '/checkouts'));
    await page.getByText('More filters').click();
    await page.getByRole('searchbox', { name: 'At least' }).fill('500');
    await page.getByRole('searchbox', { name: 'At most' }).fill('600');
    await page.getByText('1 of 1, newest first').waitFor();
    await expect.poll(() => page.url()).toMatch(/\?min=500&max=600$/);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('bk-8853');
    await page.getByRole('option', { name: /Catamaran day/ }).click();
    await page.getByRole('heading', { name: /Catamaran day/ }).waitFor();
  });

  it('gets a new checkout by the key C, with the API’s problems at their fields', async () => {
    const visitor = await console_.signedIn(venue.venueId);
    const { page } = visitor;
    await page.goto(screenUrl(venue.venueId, '/checkouts'));
    await page.getByRole('link', { name: 'Catamaran day' }).waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What for').fill('Rooftop yoga');
    await dialog.getByLabel('Amount for the whole party').fill('0.50');
    await dialog.getByLabel('Guests, at most').fill('5');
    await dialog.getByLabel('Your booking id').fill('bk-8864');
    await dialog.getByRole('button', { name: 'Make the checkout' }).click();
    await dialog.locator('.wrong').getByLabel('Amount for the whole party').waitFor();
    await look(visitor, 'new-checkout');
    await dialog.getByLabel('Amount for the whole party').fill('160.00');
    await dialog.getByRole('button', { name: 'Make the checkout' }).click();
    await page.getByRole('heading', { name: /Rooftop yoga/ }).waitFor();
    await page.getByText('Created by').first().waitFor();
  });

  it('stands beside Home: money, what needs a person, the funnel, 30 days and the latest events', async () => {
    const visitor = await console_.signedIn(venue.venueId, 'finance');
    const { page } = visitor;
    await page.goto(screenUrl(venue.venueId));
    await page.getByText('Held on cards').waitFor();
    await page.getByText('3 shares missing').waitFor();
    await expect.poll(() => page.locator('.stats').innerText()).toContain('$1,440');
    await page.getByText('From booking to money').waitFor();
    await look(visitor, 'home');
  });

  it('is used on a phone: from Home to a checkout by thumb', async () => {
    const { page } = await console_.signedIn(venue.venueId, 'finance', 390);
    await page.goto(screenUrl(venue.venueId));
    await page.getByRole('navigation', { name: 'Console on a phone' }).getByRole('link', { name: 'Checkouts' }).click();
    await page.getByRole('link', { name: 'Sunset sail' }).click();
    await page.getByRole('button', { name: 'Refund…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Refund $570.00' }).click();
    await page.getByText('Refunded', { exact: true }).first().waitFor();
  });
});
