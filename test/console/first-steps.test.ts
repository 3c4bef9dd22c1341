// The first steps of a newcomer in a browser: from sign-up to a paid test checkout and its delivered event, without a shell.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { deliverDue, dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import { mailedCode } from '../support/console-client.ts';
import { checkoutBody, openTestVenue } from '../support/test-venue.ts';
import { runUntilIdle } from '../support/wait-for.ts';
import { ConsoleBrowser, executable, look, screenUrl } from './console-browser.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 });

describe.runIf(executable !== null)('the first steps', () => {
  let console_: ConsoleBrowser;
  beforeAll(async () => {
    console_ = await ConsoleBrowser.open({ env: { REQUEST_LOG: 'on' } });
  });
  afterAll(() => console_.close());

  /** As the worker does. */
  async function deliver(): Promise<void> {
    const { services } = console_.world.context;
    await runUntilIdle('dispatching', () => dispatchDue(services, 100));
    await runUntilIdle('delivering', () => deliverDue(services, new AbortController().signal));
  }

  it('lead a newcomer from sign-up to a completed test checkout and its delivered event, without a shell', async () => {
    const startedAt = Date.now();
    const visitor = await console_.visit();
    const { page } = visitor;
    await page.goto('/console');
    await page.getByLabel('Work mail').fill('robin@covepine.example');
    const answered = page.waitForResponse('**/console/api/sign_in');
    await page.keyboard.press('Enter');
    const { challenge_id } = (await (await answered).json()) as { challenge_id: string };
    await page.getByLabel('Code').fill(await mailedCode(console_.world, challenge_id));

    await page.getByText('Shown once: copy it now').waitFor();
    const key = await page.getByLabel('Your test key').inputValue();
    expect(key).toMatch(/^svc_test_/);
    await expect.poll(() => page.locator('.call pre').innerText()).toContain(`Authorization: Bearer ${key}`);
    await look(visitor, 'first-steps');
    await page.getByRole('button', { name: 'I’ve stored it' }).click();
    await expect.poll(() => page.getByLabel('Your test key').inputValue()).not.toBe(key);
    // What was masked stays masked: the call has the key when it is copied.
    await expect.poll(() => page.locator('.call pre').innerText()).not.toContain(key);
    await page.locator('.call').getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain(`Authorization: Bearer ${key}`);
    await page.getByRole('button', { name: 'Send it for me' }).click();

    await page.getByText('1 of 3').waitFor();
    await page.getByRole('button', { name: 'Use the built-in inbox' }).click();
    await page.getByText('The inbox listens').waitFor();
    await page.getByRole('button', { name: 'Let six test guests pay' }).click();
    await page.getByText('Test guest 5').waitFor();
    await page.getByText('2 of 3').waitFor();
    await deliver();
    await page.getByText('3 of 3').waitFor();
    const inbox = page.getByRole('list', { name: 'Received events' });
    await inbox.getByText('checkout.completed', { exact: true }).click();
    await inbox.getByText('"type": "checkout.completed"').waitFor();
    process.stdout.write(`newcomer to delivered event: ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
    await look(visitor, 'first-steps-done');
  });

  it('show a refused call with what to send instead, then the one that succeeds; a viewer gets no button', async () => {
    const venue = await openTestVenue(console_.world);
    const visitor = await console_.signedIn(venue.venueId, 'viewer');
    const { page } = visitor;
    await page.goto(screenUrl(venue.venueId, '/first-steps'));
    await page.getByText('Waiting for your first request…').waitFor();
    for (const name of ['Send it for me', 'Make a test key', 'Use the built-in inbox'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    await venue.post('/v1/checkouts', checkoutBody({ amount: '240.00' }));
    await page.getByRole('link', { name: 'See the whole request' }).waitFor();
    await expect.poll(() => page.locator('.step .failed').innerText()).toMatch(/422 [\s\S]*\/amount/);
    await look(visitor, 'first-steps-refused');
    await venue.create({ description: 'Rooftop yoga' });
    await page.getByText('Rooftop yoga').waitFor();
    await page.getByText('POST /v1/checkouts', { exact: true }).waitFor();
  });
});
