// Passkeys in a browser with a virtual authenticator: one is made, signs in after a sign-out, and confirms a change instead
// of a code. Passkeys need a domain name, so the console is at localhost.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { mailedCode } from '../support/console-client.ts';
import { ConsoleBrowser, executable, look, screenUrl } from './console-browser.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
}

describe.runIf(executable !== null)('passkeys', () => {
  let console_: ConsoleBrowser;
  let venueId: string;
  beforeAll(async () => {
    console_ = await ConsoleBrowser.open();
    venueId = (await console_.world.venue({ sandbox: true, name: 'Harbor Club', origins: [] })).venue.id;
  });
  afterAll(() => console_.close());

  it('are made, sign in, and confirm a change', async () => {
    const { world } = console_;
    const base = console_.base.replace('127.0.0.1', 'localhost');
    const visitor = await console_.signedIn(venueId, 'owner', 1280, base);
    const { page } = visitor;
    await addAuthenticator(page);
    await page.goto(`${base}/console/account`);
    await page.getByText('None yet.').waitFor();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: /^Rename/ }).waitFor();
    await look(visitor, 'account');
    await page.getByRole('button', { name: /^Rename/ }).click();
    await page.getByLabel('Name', { exact: true }).fill('Desk laptop');
    await page.getByRole('button', { name: 'Rename', exact: true }).last().click();
    await page
      .getByRole('cell', { name: /Desk laptop/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('button', { name: /^Rename/ }).waitFor();
    // A change that needs a fresh proof is confirmed by the passkey, without a code.
    await world.db.query(`update account_sessions set created_at = created_at - interval '1 hour'`);
    await page.goto(`${base}${screenUrl(venueId, '/team')}`);
    await page.getByRole('button', { name: 'Invite a person' }).click();
    await page.getByLabel('Mail').fill('sam@harbor.example');
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByRole('cell', { name: 'sam@harbor.example', exact: true }).waitFor();
  });

  it('are offered once, after a sign-in by code', async () => {
    const base = console_.base.replace('127.0.0.1', 'localhost');
    const visitor = await console_.visit();
    const { page } = visitor;
    await addAuthenticator(page);
    const signIn = async (): Promise<void> => {
      await page.goto(`${base}/console`);
      await page.getByLabel('Work mail').fill('robin@covepine.example');
      const answered = page.waitForResponse('**/console/api/sign_in');
      await page.keyboard.press('Enter');
      const { challenge_id } = (await (await answered).json()) as { challenge_id: string };
      await page.getByLabel('Code').fill(await mailedCode(console_.world, challenge_id));
    };
    // Whether to offer one is asked before the console is shown.
    let asked = 0;
    page.on('request', (request) => {
      if (request.method() === 'GET' && request.url().endsWith('/console/api/passkeys')) asked += 1;
    });
    await signIn();
    await page.getByText('Next time, one touch').waitFor();
    expect(asked).toBe(1);
    await look(visitor, 'passkey-offer');
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.locator('.sidebar').waitFor();
    await page.getByText('Sandbox venue').first().click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.step').first().waitFor();
    expect(asked).toBe(1);
    expect(await page.getByText('Next time, one touch').count()).toBe(0);
  });

  it('are named as a way in at localhost, where the page is at an address without a name', async () => {
    const { page } = await console_.visit();
    await page.goto('/console');
    await page.getByText('Passkeys work at').waitFor();
  });
});
