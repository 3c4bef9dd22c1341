// The request log in the console: what was wrong with a call, what to send instead, and filters that can be linked to.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkoutBody, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { ConsoleBrowser, executable, look, screenUrl } from './console-browser.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describe.runIf(executable !== null)('the screen of requests', () => {
  let console_: ConsoleBrowser;
  let venue: TestVenue;
  beforeAll(async () => {
    console_ = await ConsoleBrowser.open({ env: { REQUEST_LOG: 'on' } });
    venue = await openTestVenue(console_.world);
  });
  afterAll(() => console_.close());

  it('is empty before the first call, and shows the first one by itself', async () => {
    const visitor = await console_.signedIn(venue.venueId, 'viewer');
    const { page } = visitor;
    await page.goto(screenUrl(venue.venueId, '/requests'));
    await page.getByText('Nothing called yet.').waitFor();
    await look(visitor, 'requests-empty');
    await venue.get('/v1/offerings');
    await page.getByRole('link', { name: 'GET /v1/offerings' }).waitFor();
  });

  it('shows what went wrong by field, the body with marks, and copies it with fixes', async () => {
    const { external_booking_id: _booking, ...body } = checkoutBody();
    const refused = await venue.post('/v1/checkouts', {
      ...body,
      amount: '240.00',
      currency: 'USD',
      booking_id: 'bk-2',
    });
    expect(refused.status).toBe(422);
    const visitor = await console_.signedIn(venue.venueId, 'developer');
    const { page } = visitor;
    await page.goto(screenUrl(venue.venueId, '/requests?outcome=refused'));
    await page.getByRole('link', { name: 'POST /v1/checkouts' }).first().click();
    await page.getByText('What went wrong').waitFor();
    await page.getByText('nothing was stored').waitFor();
    expect(page.url()).toContain(`/requests/${refused.headers.get('x-request-id')}?outcome=refused`);
    // The marks are at the wrong members, and at the object that lacks one.
    await expect
      .poll(() => page.locator('.json .marked').allInnerTexts())
      .toEqual(expect.arrayContaining([expect.stringContaining('"amount"'), expect.stringContaining('"currency"')]));
    await look(visitor, 'requests');
    await page.getByRole('button', { name: 'Copy with fixes' }).click();
    const fixed = JSON.parse((await page.evaluate('navigator.clipboard.readText()')) as string);
    expect(fixed).not.toHaveProperty('booking_id');
    // What was masked in the log is not known any more: the caller has it.
    expect((await venue.post('/v1/checkouts', { ...body, ...pick(fixed) })).status).toBe(201);
    await page.getByRole('link', { name: 'Close the request' }).click();
    await page.getByText('What went wrong').waitFor({ state: 'detached' });
  });

  const pick = ({ amount, currency, external_booking_id }: Record<string, unknown>): object => ({
    amount,
    currency,
    external_booking_id,
  });

  it('groups errors by kind, and finds calls by path, code and key', async () => {
    await venue.get('/v1/offerings?limit=1');
    expect((await venue.post('/v1/checkouts', { amount: 1 })).status).toBe(422);
    const visitor = await console_.signedIn(venue.venueId);
    const { page } = visitor;
    await page.goto(screenUrl(venue.venueId, '/requests'));
    await page.getByRole('link', { name: 'Errors by kind' }).click();
    await page.getByRole('cell', { name: 'createCheckout' }).first().waitFor();
    await look(visitor, 'requests-kinds');
    await page
      .getByRole('row', { name: /createCheckout/ })
      .getByRole('link')
      .first()
      .click();
    await page.getByRole('link', { name: 'POST /v1/checkouts' }).first().waitFor();
    await expect.poll(() => page.url()).toContain('code=');
    await page.goto(screenUrl(venue.venueId, '/requests'));
    await page.getByLabel('Path or request id').fill('offerings');
    await page.getByRole('link', { name: 'POST /v1/checkouts' }).first().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'GET /v1/offerings' }).first().waitFor();
    await page.getByLabel('Path or request id').fill('nothing-like-this');
    await page.getByText('No request of this time matches.').waitFor();
  });

  it('is saved as CSV with the filters of the screen', async () => {
    await venue.get('/v1/offerings?limit=2');
    expect((await venue.post('/v1/checkouts', { amount: 1 })).status).toBe(422);
    const { page } = await console_.signedIn(venue.venueId, 'viewer');
    await page.goto(screenUrl(venue.venueId, '/requests'));
    await page.getByRole('link', { name: 'POST /v1/checkouts' }).first().waitFor();
    await page.getByLabel('Path or request id').fill('offerings');
    await page.getByRole('link', { name: 'POST /v1/checkouts' }).first().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'GET /v1/offerings' }).first().waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    expect((await download).suggestedFilename()).toBe('requests.csv');
    const [names = '', ...lines] = readFileSync(await (await download).path(), 'utf8')
      .trim()
      .split(/\r?\n/);
    expect(names.split(',')).toEqual(expect.arrayContaining(['method', 'path', 'status']));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => !line.includes('/v1/offerings'))).toEqual([]);
  });

  it('opens one by its id, and says so when the log does not have it', async () => {
    const answered = await venue.get('/v1/offerings/unknown-offering');
    const { page } = await console_.signedIn(venue.venueId, 'finance');
    const id = answered.headers.get('x-request-id') ?? '';
    await expect
      .poll(
        async () => {
          await page.goto(screenUrl(venue.venueId, `/requests/${id}`));
          await page.locator('.split-open h2, .split-open .empty').first().waitFor();
          return page.getByText('What went wrong').count();
        },
        { timeout: 30_000 },
      )
      .toBe(1);
    await page.goto(screenUrl(venue.venueId, '/requests/req_unknown'));
    await page.getByText('There is no request req_unknown in this mode.').waitFor();
  });
});
