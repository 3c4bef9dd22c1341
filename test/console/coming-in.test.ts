// Coming in to the console in a browser: sign-up by mail, the link of the operator, the team, and a page without rights.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createConsoleLink } from '../../src/domain/accounts/console-link.ts';
import { createVenue } from '../../src/domain/venues/create-venue.ts';
import { mailedCode } from '../support/console-client.ts';
import { ConsoleBrowser, executable, look, screenUrl } from './console-browser.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describe.runIf(executable !== null)('the console', () => {
  let console_: ConsoleBrowser;
  let venueId: string;
  beforeAll(async () => {
    console_ = await ConsoleBrowser.open();
    const { world } = console_;
    const options = { name: 'Harbor Club', origins: [], sandbox: true };
    venueId = (await world.db.transaction((tx) => createVenue(tx, world.command(), options))).id;
  });
  afterAll(() => console_.close());

  it('signs a new mail address up with a code, and opens its sandbox', async () => {
    const visitor = await console_.visit();
    const { page } = visitor;
    await page.goto('/console');
    await look(visitor, 'sign-in');
    await page.getByLabel('Work mail').fill('robin@covepine');
    await page.getByRole('button', { name: 'Send me a code' }).click();
    await page.getByText('mail address').first().waitFor();
    await page.getByLabel('Work mail').fill('robin@covepine.example');
    const answered = page.waitForResponse('**/console/api/sign_in');
    await page.keyboard.press('Enter');
    const { challenge_id } = (await (await answered).json()) as { challenge_id: string };
    const code = await mailedCode(console_.world, challenge_id);
    await page.getByLabel('Code').fill(code === '000000' ? '111111' : '000000');
    await page.locator('.error').waitFor();
    await look(visitor, 'sign-in-code');
    await page.getByLabel('Code').fill(code);
    await page.getByText('Test cards only').first().waitFor();
    expect(page.url()).toMatch(/\/console\/v\/[0-9a-f-]{36}\/test$/);
    // The test key is kept for the snippets; the page is open in a second tab without another sign-in.
    await expect.poll(() => page.evaluate(`localStorage.getItem('everyshare.test_keys')`)).toContain('svc_test_');
    await page.getByText('Sandbox venue').first().click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Work mail').waitFor();
    await expect.poll(() => page.evaluate(`localStorage.getItem('everyshare.test_keys')`)).toBeNull();
  });

  it('signs in once by a link of the operator', async () => {
    const { world } = console_;
    const { token } = await world.db.transaction((tx) =>
      createConsoleLink(tx, world.command(), { email: 'dana@harbor.example', venueId }),
    );
    const { page } = await console_.visit();
    await page.goto(`/console#link=${token}`);
    await page.getByText('Harbor Club').first().waitFor();
    await expect.poll(() => page.url()).toContain(screenUrl(venueId));
    const other = await console_.visit();
    await other.page.goto(`/console#link=${token}`);
    await other.page.getByText('This link was used').waitFor();
    await look(other, 'link-used');
  });

  it('shows a venue to its people alone, and the same page for others', async () => {
    const visitor = await console_.signedIn(venueId);
    await visitor.page.goto(screenUrl('0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10', '/team'));
    await visitor.page.getByText('There is no such page').waitFor();
    await look(visitor, 'unknown');
  });

  it('lets an owner invite a person and withdraw it, with the API’s problems at their fields', async () => {
    const visitor = await console_.signedIn(venueId);
    const { page } = visitor;
    await page.goto(screenUrl(venueId, '/team'));
    await page.getByRole('button', { name: 'Invite a person' }).click();
    await page.getByLabel('Mail').fill('x');
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    await page.locator('dialog .error').waitFor();
    await look(visitor, 'team-invite');
    await page.getByLabel('Mail').fill('sam@harbor.example');
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByRole('cell', { name: 'sam@harbor.example', exact: true }).waitFor();
    await look(visitor, 'team');
    await page.getByRole('button', { name: 'Withdraw the invitation of sam@harbor.example' }).click();
    await page.getByText('No invitation is open.').waitFor();
  });

  it('shows a viewer the team without a way to change it, and lets them leave the venue', async () => {
    const { page } = await console_.signedIn(venueId, 'viewer');
    await page.goto(screenUrl(venueId, '/team'));
    await page.getByRole('cell', { name: 'You', exact: false }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Invite a person' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Remove/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Leave this venue…' }).click();
    await page.getByRole('button', { name: 'Leave the venue' }).click();
    await page.getByLabel('Name of the venue').waitFor();
    await page.goto(screenUrl(venueId, '/team'));
    await page.getByText('There is no such page').waitFor();
  });

  it('shows an owner who gives up the role what they may still do, at once', async () => {
    // A venue keeps an owner.
    await console_.signedIn(venueId);
    const { page } = await console_.signedIn(venueId);
    await page.goto(screenUrl(venueId, '/team'));
    await page
      .getByRole('row')
      .filter({ hasText: 'You' })
      .getByRole('button', { name: /^Change role/ })
      .click();
    await page.getByRole('dialog').getByLabel('Role').selectOption('viewer');
    await page.getByRole('button', { name: 'Change the role' }).click();
    await page.getByRole('button', { name: 'Invite a person' }).waitFor({ state: 'detached' });
  });

  it('lets a person correct a mistyped new mail address before the code is entered', async () => {
    const { page } = await console_.signedIn(venueId, 'viewer');
    await page.goto('/console/account');
    await page.getByLabel('Another mail address').fill('mistyped@harbor.example');
    await page.getByRole('button', { name: 'Change the mail address' }).click();
    await page.getByLabel('Code that we sent to mistyped@harbor.example').waitFor();
    await page.getByRole('button', { name: 'Use another address' }).click();
    await expect.poll(() => page.getByLabel('Another mail address').inputValue()).toBe('mistyped@harbor.example');
  });

  it('forgets the kept test keys when the session has expired', async () => {
    const { world } = console_;
    const { page } = await console_.signedIn(venueId, 'viewer');
    await page.goto(screenUrl(venueId, '/team'));
    await page.getByRole('heading', { name: 'Team' }).waitFor();
    const kept = JSON.stringify(JSON.stringify({ keys: { a: 'svc_test_one' }, until: Date.now() + 3_600_000 }));
    await page.evaluate(`localStorage.setItem('everyshare.test_keys', ${kept})`);
    await world.db.query(`delete from account_sessions`);
    // The page may have noticed already: then there is no link to click.
    await page.goto(screenUrl(venueId, '/audit'));
    await page.getByLabel('Work mail').waitFor();
    await expect.poll(() => page.evaluate(`localStorage.getItem('everyshare.test_keys')`)).toBeNull();
  });

  it('asks for a fresh code where the server wants one, and goes on with what was begun', async () => {
    const { world } = console_;
    const visitor = await console_.signedIn(venueId);
    const { page } = visitor;
    await world.db.query(`update account_sessions set created_at = created_at - interval '1 hour'`);
    await page.goto(screenUrl(venueId, '/team'));
    await page.getByRole('button', { name: 'Invite a person' }).click();
    await page.getByLabel('Mail').fill('late@harbor.example');
    const answered = page.waitForResponse('**/console/api/step_up');
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    const { challenge_id } = (await (await answered).json()) as { challenge_id: string };
    await page.getByText('Confirm that it is you').waitFor();
    await look(visitor, 'step-up');
    // A code that did not arrive is sent again: the new one counts.
    const again = page.waitForResponse('**/console/api/step_up');
    await page.getByRole('button', { name: 'Send a new code' }).click();
    const { challenge_id: second } = (await (await again).json()) as { challenge_id: string };
    expect(second).not.toBe(challenge_id);
    await page.getByLabel('Code').fill(await mailedCode(world, second));
    await page.getByRole('cell', { name: 'late@harbor.example', exact: true }).waitFor();
  });
});
