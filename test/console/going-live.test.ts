// Going live in a browser, end to end: the domain by a DNS record at a test name server, payouts at the embedded processor,
// a live origin and the terms; then a live mode, whose keys can be made.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { linkReadyVenues } from '../../src/domain/go-live/link-when-ready.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { ConsoleBrowser, executable, look, screenUrl } from './console-browser.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const TERMS = 'https://everyshare.example/terms';

describe.runIf(executable !== null)('going live', () => {
  let dns: DnsServer;
  let console_: ConsoleBrowser;
  beforeAll(async () => {
    dns = await startDnsServer();
    console_ = await ConsoleBrowser.open({ env: { DNS_SERVERS: dns.address, TERMS_URL: TERMS } });
  });
  afterAll(async () => {
    await console_.close();
    await dns.close();
  });

  it('leads an owner from the sandbox to live keys, and says what was found where a record is wrong', async () => {
    const { world } = console_;
    const { venue } = await world.venue({ sandbox: true, name: 'Cove & Pine', origins: [] });
    // The name under which the processor's form leads back.
    const base = console_.base.replace('127.0.0.1', 'localhost');
    const visitor = await console_.signedIn(venue.id, 'owner', 1280, base);
    const { page } = visitor;
    await page.goto(`${base}${screenUrl(venue.id, '/go-live')}`);
    await page.getByText('0 of 4').waitFor();
    await page.getByLabel('Domain', { exact: true }).fill('127.0.0.1');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.locator('.error').waitFor();
    await page.getByLabel('Domain', { exact: true }).fill('covepine.example');
    await page.getByRole('button', { name: 'Go on' }).click();
    const value = await page.getByText(/^everyshare-verification=/).innerText();
    dns.names.set('covepine.example', ['v=spf1 -all']);
    await page.getByRole('button', { name: 'Look now' }).click();
    await page.getByText('v=spf1 -all').waitFor();
    await look(visitor, 'go-live');
    dns.names.set('covepine.example', ['v=spf1 -all', value]);
    await page.getByRole('button', { name: 'Look now' }).click();
    await page.getByText('covepine.example is yours').waitFor();
    // The live website, and the terms.
    await page.getByLabel('Origin').fill('https://covepine.example');
    await page.getByRole('button', { name: 'Add it' }).click();
    await page.getByText('guests may return to https://covepine.example').waitFor();
    await page.getByRole('button', { name: 'Accept the terms' }).click();
    await page.getByText('3 of 4').waitFor();
    // Payouts: the processor's own form, and back.
    await page.getByRole('button', { name: 'Start with payouts' }).click();
    await page.locator('.field.wrong', { hasText: 'Country' }).waitFor();
    await look(visitor, 'go-live-country');
    await page.getByLabel('Country').selectOption({ label: 'Germany' });
    await page.getByRole('button', { name: 'Start with payouts' }).click();
    await page.getByRole('button', { name: 'Complete onboarding' }).click();
    await page.getByText('Payouts are set up').waitFor();
    // As the worker does.
    await linkReadyVenues(world.context.services, 100);
    await page.getByRole('link', { name: /Cove & Pine/ }).click();
    await page.getByText('This venue is live').waitFor();
    await page.getByRole('link', { name: /Switch to live/ }).waitFor();
    await look(visitor, 'go-live-done');
    await page.getByRole('link', { name: /Switch to live/ }).click();
    await page.getByText('Real guests, real money.').waitFor();
    await expect.poll(() => page.url()).toContain('/live/go-live');
    await page.getByRole('link', { name: 'Make a live key' }).click();
    await page.getByRole('button', { name: 'New key' }).first().click();
    await page.getByLabel('Name').fill('Booking server');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const key = await page.getByLabel('Secret key').inputValue();
    await page.getByLabel('I’ve stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    const { status, json, text } = await world.call('GET', '/v1/me', { key });
    expect(status, text).toBe(200);
    expect([json.data.mode, json.data.venue.id]).toEqual(['live', venue.id]);
  });

  it('leads a live address of a sandbox to its test mode, and says where live mode begins', async () => {
    const { venue } = await console_.world.venue({ sandbox: true, origins: [] });
    const { page } = await console_.signedIn(venue.id);
    await page.goto(screenUrl(venue.id, '/checkouts', 'live'));
    await page
      .getByText('This venue has no live mode yet: the checklist “Go live” says what is missing.')
      .first()
      .waitFor();
    await expect.poll(() => page.url()).toContain(screenUrl(venue.id, '/checkouts', 'test'));
    await page.getByRole('heading', { name: 'Checkouts' }).waitFor();
  });

  it('shows a viewer what is missing, and no button that they cannot use', async () => {
    const { venue } = await console_.world.venue({ sandbox: true, origins: [] });
    const { page } = await console_.signedIn(venue.id, 'viewer');
    await page.goto(screenUrl(venue.id, '/go-live'));
    await page.getByText('An owner or a developer does this.').first().waitFor();
    expect(await page.locator('.step .button').count()).toBe(0);
  });
});
