// The screens about a venue in a browser: analytics, payouts, catalogue, audit, settings, and another sandbox.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { disputeTools } from '../support/disputes.ts';
import { CARDS, intentIdOf, openTestVenue, type TestVenue } from '../support/test-venue.ts';
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
    // The window is in the address, so that it can be linked to.
    await page.getByLabel('From').fill('2026-01-05');
    await page.getByLabel('Until').fill('2026-02-03');
    const asked = page.waitForRequest(/\/v1\/analytics\?from=2026-01-05.*to=2026-02-04/);
    await page.getByRole('button', { name: 'Show' }).click();
    await asked;
    await expect.poll(() => page.url()).toContain('?from=2026-01-05&until=2026-02-03');
    await page.reload();
    await expect.poll(() => page.getByLabel('From').inputValue()).toBe('2026-01-05');
    await page.getByRole('button', { name: '7 days' }).click();
    await page.waitForURL(/\/analytics\?days=7$/);
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

  it('catalogue: a boat and an event have fields too; what has none is listed, and marked in the JSON', async () => {
    const visitor = await console_.signedIn(venue.venueId, 'developer');
    const { page } = visitor;
    const send = () => page.getByRole('button', { name: 'Send for review' }).click();
    await page.goto(screenUrl(venue.venueId, '/catalogue/boat/new'));
    await page.getByLabel('Name').fill('Second Wind');
    await page.getByLabel('Your id').fill('boat-17');
    await page.getByLabel('Price in USD').fill('1200');
    await send();
    await page.locator('.field.wrong', { has: page.getByLabel('City') }).waitFor();
    await page.locator('.failed code', { hasText: '/photo_urls' }).waitFor();
    await page.locator('.line.marked', { hasText: 'photo_urls' }).waitFor();
    await look(visitor, 'catalogue-edit-boat');
    await page.getByLabel('City').fill('Miami');
    await page.getByLabel('Address of a photo').fill('https://cdn.fleet.example/1.jpg');
    await send();
    await page.waitForURL(/\/catalogue$/);
    const { data: boat } = (await venue.get('/v1/boats/boat-17')).json;
    expect(boat).toMatchObject({
      name: 'Second Wind',
      location: { city: 'Miami' },
      pricing: [{ duration_hours: 4, amount: 120_000, currency: 'usd' }],
      photo_urls: ['https://cdn.fleet.example/1.jpg'],
    });
    await page.goto(screenUrl(venue.venueId, '/catalogue/event/new'));
    await page.getByLabel('Title').fill('Moonlight sail');
    await send();
    await page.locator('.field.wrong', { has: page.getByLabel(/^Starts/) }).waitFor();
    const starts = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 16);
    await page.getByLabel(/^Starts/).fill(starts);
    await page.getByLabel('Price in USD').fill('48.50');
    await page.getByLabel('Your id').fill('moon-1');
    await send();
    await page.waitForURL(/\/catalogue$/);
    const { data: events } = (await venue.get('/v1/experiences')).json;
    // The zone of this venue is UTC.
    expect(events[0]).toMatchObject({ title: 'Moonlight sail', starts_at: `${starts}:00Z`, tiers: [{ amount: 4850 }] });
  });

  it('payouts: a completed checkout is a line of its week, and the lines add up', async () => {
    const visitor = await console_.signedIn(venue.venueId, 'finance');
    const { page } = visitor;
    await page.goto(screenUrl(venue.venueId, '/payouts'));
    await page.getByText('The first payout comes after').waitFor();
    const { id } = await venue.create({ amount: 24_000, party_size: 2 });
    const path = `/v1/test_helpers/checkouts/${id}/complete`;
    expect((await console_.world.call('POST', path, { key: venue.key, body: {} })).status).toBe(200);
    await venue.completed({ amount: 31_007, party_size: 3 });
    await page.reload();
    await page.locator('.fold').first().click();
    await page
      .getByRole('link', { name: /Cabana 3/ })
      .first()
      .waitFor();
    await page.waitForURL(/day=\d{4}-\d\d-\d\d/);
    const cents = (text: string | undefined): number =>
      Number((text ?? '').replaceAll(/[^\d]/g, '')) * (/[−-]/.test(text ?? '') ? -1 : 1);
    const figures = (await page.locator('.sum .figure').allInnerTexts()).map(cents);
    const kept = figures.pop();
    const [paid = 0, ...taken] = figures;
    expect(paid).toBe(55_007);
    expect(taken.reduce((left, amount) => left - Math.abs(amount), paid)).toBe(kept);
    // Every column of the checkouts comes to that of the week: paid, fee, yours.
    const rows = page.getByRole('region', { name: 'Days of this week' });
    const columnOf = async (selector: string, n: number): Promise<number> =>
      (await rows.locator(`${selector} td:nth-child(${n})`).allInnerTexts())
        .map(cents)
        .reduce((sum, amount) => sum + amount, 0);
    for (const column of [3, 4, 6])
      expect(await columnOf('tr.detail', column), `column ${column}`).toBe(await columnOf('tfoot tr', column));
    await look(visitor, 'payouts');
    // The week and the day are in the address.
    await page.reload();
    await page.locator('tr.detail').first().waitFor();
    await page.getByRole('link', { name: 'Disputes' }).click();
    await page.getByText('No guest has disputed a charge.').waitFor();
    await page.getByRole('link', { name: 'Won' }).click();
    await page.getByText('No dispute is won.').waitFor();
    await expect.poll(() => page.url()).toContain('/payouts?tab=disputes&outcome=won');
  });

  it('payouts: weeks and disputes are saved as CSV', async () => {
    const { world } = console_;
    const other = await openTestVenue(world);
    const checkout = await other.collecting({ party_size: 2, amount: 20_000, description: 'Cabana 3' });
    const [secret] = await other.payAll(checkout, [CARDS.good]);
    await world.work();
    expect((await other.read(checkout.id)).status).toBe('completed');
    const tools = disputeTools(world, other);
    const intent = secret === undefined ? '' : intentIdOf(secret);
    await tools.open(intent, 10_000);
    await tools.deliverEvents(intent);
    const { page } = await console_.signedIn(other.venueId, 'finance');
    const saved = async (button: string): Promise<[string, Record<string, string>[]]> => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: button, exact: true }).click();
      const file = await download;
      const [names = '', ...lines] = readFileSync(await file.path(), 'utf8')
        .trim()
        .split(/\r?\n/);
      const columns = names.split(',');
      const row = (line: string) => Object.fromEntries(line.split(',').map((value, n) => [columns[n] ?? '', value]));
      return [file.suggestedFilename(), lines.map(row)];
    };
    await page.goto(screenUrl(other.venueId, '/payouts'));
    expect(await saved('CSV of all weeks')).toEqual([
      'weeks.csv',
      [expect.objectContaining({ paid: '20000', checkouts: '1' })],
    ]);
    await page.getByRole('link', { name: 'Disputes' }).click();
    await page.locator('tbody tr').first().waitFor();
    expect(await saved('CSV')).toEqual([
      'disputes.csv',
      [expect.objectContaining({ checkout_id: checkout.id, amount: '10000', outcome: 'open' })],
    ]);
    // The file has what the screen is filtered by.
    await page.getByRole('link', { name: 'Won' }).click();
    await page.getByText('No dispute is won.').waitFor();
    expect(await saved('CSV')).toEqual(['disputes.csv', []]);
  });

  it('payouts: a lost dispute has a column, so every row adds up, and the call below gives the same sums', async () => {
    const { world } = console_;
    const other = await openTestVenue(world);
    const checkout = await other.collecting({ party_size: 2, amount: 20_000, description: 'Cabana 3' });
    const [secret] = await other.payAll(checkout, [CARDS.good]);
    await world.work();
    const tools = disputeTools(world, other);
    const intent = secret === undefined ? '' : intentIdOf(secret);
    const dispute = await tools.open(intent, 10_000);
    await tools.deliverEvents(intent);
    await tools.close(dispute, 'lost');
    await tools.deliverEvents(intent);
    const visitor = await console_.signedIn(other.venueId, 'finance');
    const { page } = visitor;
    await page.goto(screenUrl(other.venueId, '/payouts'));
    await page.locator('.fold').first().click();
    await page.locator('tr.detail').first().waitFor();
    await page.getByRole('columnheader', { name: 'Disputed' }).waitFor();
    const cents = (text: string): number => Number(text.replaceAll(/[^\d]/g, '')) * (/[−-]/.test(text) ? -1 : 1);
    for (const row of ['tr.open', 'tr.detail', 'tfoot tr']) {
      const cells = await page.locator(`.week ${row} td.number`).allInnerTexts();
      const [, paid = 0, fee = 0, refunded = 0, disputed = 0, yours = 0] = cells.map((text) =>
        text === '–' ? 0 : cents(text),
      );
      expect([row, disputed]).toEqual([row, -10_000]);
      expect(paid + fee + refunded + disputed, row).toBe(yours);
    }
    await look(visitor, 'payouts-dispute');
    const call = await page.locator('.api-line code').innerText();
    expect(call).toMatch(/^GET \/v1\/payouts\?from=.+&to=.+/);
    const { totals } = (await other.get(call.slice('GET '.length))).json;
    expect([totals.count, totals.amount + totals.fee_amount]).toEqual([1, 20_000]);
    await page.getByRole('link', { name: 'Disputes' }).click();
    await expect.poll(() => page.locator('.api-line code').innerText()).toBe('GET /console/api/disputes?limit=50');
  });

  it('catalogue: a viewer reads it, and the editor has neither a field nor a button', async () => {
    const other = await openTestVenue(console_.world);
    const tiers = [{ unit: 'per_group', amount: 48_000, currency: 'usd' }];
    const body = { external_id: 'cabana-1', kind: 'cabana', title: 'Cabana one', tiers };
    expect((await other.post('/v1/offerings', body)).status).toBe(201);
    const visitor = await console_.signedIn(other.venueId, 'viewer');
    const { page } = visitor;
    await page.goto(screenUrl(other.venueId, '/catalogue'));
    await page.getByRole('link', { name: /Cabana one/ }).click();
    await page.getByRole('heading', { name: 'Cabana one' }).waitFor();
    const writes = page.getByRole('main').getByRole('link', { name: /^(New|Edit)/ });
    expect(await writes.count()).toBe(0);
    for (const screen of ['/catalogue/offering/new', `${new URL(page.url()).pathname.split('/test')[1]}/edit`]) {
      await page.goto(screenUrl(other.venueId, screen));
      await page.getByText('An owner or a developer changes the catalogue.').waitFor();
      const fields = page.getByRole('main').locator('input, textarea, select, button[type=submit]');
      expect(await fields.count(), screen).toBe(0);
    }
    await look(visitor, 'catalogue-edit-viewer');
  });

  it('exports have every page of the list, with one line of names', async () => {
    const { db } = console_.world;
    const { venueId } = await openTestVenue(console_.world);
    // More than the 100 lines of a page.
    await db.query(
      `insert into audit_log (venue_id, audit_id, at, actor, via, action, subject)
       select $1, gen_random_uuid(), now() - i * interval '1 second', 'operator', 'shell', 'key.create', 'key_' || i
       from generate_series(1, 230) i`,
      [venueId],
    );
    const { page } = await console_.signedIn(venueId, 'viewer');
    await page.goto(screenUrl(venueId, '/audit?action=key.'));
    await page.locator('tbody tr').first().waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const lines = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split('\n');
    expect(lines.filter((line) => /,key\.create,/.test(line)).length).toBeGreaterThanOrEqual(230);
    expect(lines.filter((line) => line === lines[0])).toHaveLength(1);
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
    await page.getByLabel('Name', { exact: true }).fill('Harbor Club Two');
    await page.getByRole('button', { name: 'Save the settings' }).click();
    await page.locator('.sidebar').getByText('Harbor Club Two').first().waitFor();
    const other = await console_.signedIn(venue.venueId, 'finance');
    await other.page.goto(screenUrl(venue.venueId, '/settings'));
    await other.page.getByText('An owner changes these.').waitFor();
    await other.page.getByText('Europe/Paris').waitFor();
    expect(await other.page.getByLabel('Time zone').count()).toBe(0);
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
    await expect.poll(() => page.url()).not.toContain(venue.venueId);
  });
});
