// The screens about a venue in a browser: analytics, payouts, catalogue, audit, settings, and another sandbox.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { ConsoleBrowser, executable, look, screenUrl } from './console-browser.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describe.runIf(executable !== null)('the screens of a venue', () => {
  let console_: ConsoleBrowser;
  let venue: TestVenue;
  beforeAll(async () => {
    console_ = await ConsoleBrowser.open();
    venue = await openTestVenue(console_.world);
  });
  afterAll(() => console_.close());

  it('analytics says when figures come, and refuses a window that is too long in the picker', async () => {
    const visitor = await console_.signedIn(venue.venueId, 'viewer');
    const { page } = visitor;
    await page.goto(screenUrl(venue.venueId, '/analytics'));
    await page.getByText('Figures come after').waitFor();
    await page.getByRole('button', { name: 'Dates…' }).click();
    await page.getByLabel('From').fill('2020-01-01');
    await page.getByText('At most 366 days at once.').waitFor();
    await look(visitor, 'analytics-empty');
  });

  it('catalogue: a developer sends an offering, with the API’s problems at their fields, and sees it wait', async () => {
    const visitor = await console_.signedIn(venue.venueId, 'developer');
    const { page } = visitor;
    await page.goto(screenUrl(venue.venueId, '/catalogue'));
    await page.getByText('Nothing to sell here yet.').waitFor();
    await look(visitor, 'catalogue-empty');
    await page.getByRole('link', { name: 'New offering' }).first().click();
    await page.getByLabel('Your id').fill('cabana-day');
    await page.getByLabel('Price in USD').fill('480');
    await page.getByRole('button', { name: 'Send for review' }).click();
    await page.locator('.field.wrong').first().waitFor();
    await look(visitor, 'catalogue-edit');
    await page.getByLabel('Title').fill('Poolside cabana');
    await page.getByLabel('Description').fill('Shade, towels and fruit.');
    await page.getByRole('button', { name: 'Send for review' }).click();
    await page.getByRole('link', { name: /Poolside cabana/ }).click();
    await page.getByText('Waiting for review').first().waitFor();
    await look(visitor, 'catalogue-item');
  });

  it('payouts: a completed checkout is a line of its week, and the lines add up', async () => {
    const visitor = await console_.signedIn(venue.venueId, 'finance');
    const { page } = visitor;
    await page.goto(screenUrl(venue.venueId, '/payouts'));
    await page.getByText('The first payout comes after').waitFor();
    const { id } = await venue.create({ amount: 24_000, party_size: 2 });
    const path = `/v1/test_helpers/checkouts/${id}/complete`;
    expect((await console_.world.call('POST', path, { key: venue.key, body: {} })).status).toBe(200);
    await page.reload();
    await page.locator('.fold').click();
    await page.getByRole('link', { name: /Cabana 3/ }).waitFor();
    await look(visitor, 'payouts');
    await page.getByRole('button', { name: 'Disputes' }).click();
    await page.getByText('No guest has disputed a charge.').waitFor();
  });

  it('settings: an owner changes the name; another role reads them', async () => {
    const visitor = await console_.signedIn(venue.venueId);
    const { page } = visitor;
    await page.goto(screenUrl(venue.venueId, '/settings'));
    await page.getByLabel('Time zone').fill('Mars/Olympus');
    await page.getByRole('button', { name: 'Save the settings' }).click();
    await page.locator('.error').waitFor();
    await look(visitor, 'settings');
    await page.getByLabel('Time zone').fill('Europe/Paris');
    await page.getByLabel('Name', { exact: true }).fill('Harbor House Two');
    await page.getByRole('button', { name: 'Save the settings' }).click();
    await page.locator('.sidebar').getByText('Harbor House Two').first().waitFor();
    const other = await console_.signedIn(venue.venueId, 'finance');
    await other.page.goto(screenUrl(venue.venueId, '/settings'));
    await other.page.getByText('An owner changes these.').waitFor();
    expect(await other.page.getByLabel('Time zone').isDisabled()).toBe(true);
  });

  it('audit: every change is there with who made it', async () => {
    const visitor = await console_.signedIn(venue.venueId, 'viewer');
    const { page } = visitor;
    await page.goto(screenUrl(venue.venueId, '/audit'));
    await page
      .getByRole('cell', { name: /Venue update/ })
      .first()
      .waitFor();
    await look(visitor, 'audit');
    await page.getByLabel('Show').selectOption('integration.');
    await page.getByText('Nothing of this kind').waitFor();
  });

  it('another sandbox is made with its keys, and opened', async () => {
    const visitor = await console_.signedIn(venue.venueId);
    const { page } = visitor;
    await page.goto('/console/venues');
    await look(visitor, 'venues');
    await page.getByLabel('Name of the venue').fill('Cove & Pine');
    await page.getByRole('button', { name: 'Make the sandbox' }).click();
    await page.locator('.sidebar').getByText('Cove & Pine').first().waitFor();
    expect(page.url()).not.toContain(venue.venueId);
  });
});
