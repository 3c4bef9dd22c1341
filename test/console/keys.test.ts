// Keys and origins in the console: a key is made, shown once, rolled and revoked; who may not change keys sees no button.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ConsoleBrowser, executable, look, screenUrl } from './console-browser.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describe.runIf(executable !== null)('the screens of keys and origins', () => {
  let console_: ConsoleBrowser;
  let venueId: string;
  beforeAll(async () => {
    console_ = await ConsoleBrowser.open();
    venueId = (await console_.world.venue()).venue.id;
  });
  afterAll(() => console_.close());

  const statusOf = async (key: string): Promise<number> => (await console_.world.call('GET', '/v1/me', { key })).status;

  it('make a test key, show it once, roll it with an overlap, and revoke it by its name', async () => {
    const visitor = await console_.signedIn(venueId, 'developer');
    const { page } = visitor;
    await page.goto(screenUrl(venueId, '/keys'));
    await page.getByRole('button', { name: 'New key' }).first().click();
    await page.getByLabel('Name').fill('Booking server');
    await page.getByLabel('Allowed addresses').fill('127.0.0.1 203.0.113.0/28');
    await page.getByText('17 addresses.').waitFor();
    await page.getByLabel('Allowed addresses').fill('127.0.0.300');
    await page.getByText('127.0.0.300 is no address').waitFor();
    await page.getByRole('button', { name: 'Make the key' }).click();
    // The API's problem at its field.
    await page.locator('dialog .field.wrong .error').waitFor();
    await look(visitor, 'key-new');
    await page.getByLabel('Allowed addresses').fill('127.0.0.1');
    await page.getByRole('button', { name: '90 d' }).click();
    await page.getByRole('button', { name: 'Make the key' }).click();
    const first = await page.getByLabel('Secret key').inputValue();
    expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    // Nothing but its own button closes what is shown once: a browser closes a dialog at the second Esc.
    for (const key of ['Escape', 'Escape', 'Escape', 'Control+k', 'Escape']) await page.keyboard.press(key);
    expect(await page.getByRole('dialog').count()).toBe(1);
    expect(await page.getByLabel('Secret key').inputValue()).toBe(first);
    expect(await page.getByRole('button', { name: 'Close' }).count()).toBe(0);
    await look(visitor, 'key-created');
    // Screen readers hear nothing from outside of an open dialog.
    await page.getByRole('button', { name: 'Copy', exact: true }).first().click();
    await page.getByRole('dialog').getByRole('status').getByText('Copied.').waitFor({ state: 'attached' });
    await page.getByLabel('I’ve stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await statusOf(first)).toBe(200);
    await expect.poll(() => page.evaluate(`localStorage.getItem('everyshare.test_keys')`)).toContain(first);

    await page.getByRole('link', { name: 'Booking server' }).click();
    await page.getByRole('button', { name: 'Roll…' }).click();
    await page.getByLabel('Both keys work for').selectOption('1 hour');
    await page.getByRole('button', { name: 'Roll the key' }).click();
    const second = await page.getByLabel('Secret key').inputValue();
    await page.getByLabel('I’ve stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'See the new key' }).waitFor();
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
    await look(visitor, 'key-rolled');

    await page.getByRole('button', { name: 'Revoke…' }).click();
    expect(await page.getByRole('button', { name: 'Revoke the key' }).isDisabled()).toBe(true);
    await page.getByLabel('Type Booking server').fill('Booking server');
    await look(visitor, 'key-revoke');
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByText('Revoked', { exact: true }).first().waitFor();
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
    // The kept test key is the new one; it is forgotten with its revocation.
    const kept = (): Promise<unknown> => page.evaluate(`localStorage.getItem('everyshare.test_keys')`);
    await expect.poll(kept).toContain(second);
    await page.getByRole('link', { name: 'See the new key' }).click();
    await page.getByRole('button', { name: 'Revoke…' }).click();
    await page.getByLabel('Type Booking server').fill('Booking server');
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByText('Revoked', { exact: true }).first().waitFor();
    await expect.poll(kept).toBeNull();
  });

  it('keep a key that is not stored yet when the browser goes back, and say that it is not shown again', async () => {
    const visitor = await console_.signedIn(venueId, 'developer');
    const { page } = visitor;
    await page.goto(screenUrl(venueId, '/webhooks'));
    await page.getByRole('navigation').getByRole('link', { name: 'Keys', exact: true }).first().click();
    await page.getByRole('button', { name: 'New key' }).first().click();
    await page.getByLabel('Name').fill('Kiosk');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const key = await page.getByLabel('Secret key').inputValue();
    for (let back = 0; back < 2; back++) {
      await page.evaluate('history.back()');
      await page.getByText('It is not shown again.').waitFor();
      await page.waitForURL(`**${screenUrl(venueId, '/keys')}`);
      expect(await page.getByLabel('Secret key').inputValue()).toBe(key);
    }
    await look(visitor, 'key-not-stored');
    await page.getByLabel('I’ve stored it').check();
    await page.getByText('It is not shown again.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'Kiosk' }).waitFor();
    // Back leads away now, and the page of the key shows no more than its end.
    await page.evaluate('history.back()');
    await page.waitForURL(`**${screenUrl(venueId, '/webhooks')}`);
    await page.evaluate('history.forward()');
    await page.getByRole('link', { name: 'Kiosk' }).click();
    await page.getByText(key.slice(-4)).first().waitFor();
    expect(await page.content()).not.toContain(key);
  });

  it('choose the scopes of a live key by preset, then one by one', async () => {
    const visitor = await console_.signedIn(venueId);
    const { page } = visitor;
    await page.goto(screenUrl(venueId, '/keys', 'live'));
    await page.getByRole('button', { name: 'New key' }).first().click();
    await page.getByText('Live: moves real money').waitFor();
    await page.getByLabel('Name').fill('Entrance app');
    await page.getByLabel('Read only').check();
    await page.getByRole('button', { name: 'analytics:read' }).click();
    await expect.poll(() => page.getByLabel('Choose scopes').isChecked()).toBe(true);
    await look(visitor, 'key-new-live');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await page.getByLabel('I’ve stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'Entrance app' }).click();
    await page.getByText('bookings:read').waitFor();
    expect(await page.getByText('analytics:read').count()).toBe(0);
    // A live key is never kept in the browser.
    await expect.poll(() => page.evaluate(`localStorage.getItem('everyshare.test_keys')`)).toBeNull();
  });

  it('change the name, the expiry and the addresses of a key', async () => {
    const { key } = await console_.world.key(venueId, { mode: 'test', name: 'Till' });
    const { page } = await console_.signedIn(venueId);
    await page.goto(screenUrl(venueId, '/keys'));
    await page.getByRole('link', { name: 'Till' }).click();
    await page.getByRole('button', { name: 'Change…' }).click();
    await page.getByLabel('Name').fill('Bar till');
    await page.getByLabel('Expires').selectOption('30 days from now');
    await page.getByLabel('Allowed addresses').fill('192.0.2.1');
    await page.getByRole('button', { name: 'Change the key' }).click();
    await page.getByRole('heading', { name: 'Bar till' }).waitFor();
    await page.getByText('192.0.2.1').waitFor();
    expect(await statusOf(key)).toBe(403);
  });

  it('name keys that are unused for 30 days, and mark those that expire within 14 days', async () => {
    const { world } = console_;
    const old = await world.key(venueId, { mode: 'test', name: 'Old import' });
    await world.db.query(
      `update keys set created_at = now() - interval '34 days', expires_at = now() + interval '12 days' where key_id = $1`,
      [old.id],
    );
    const visitor = await console_.signedIn(venueId);
    const { page } = visitor;
    await page.goto(screenUrl(venueId, '/keys'));
    await page.getByText('“Old import” was not used for 34 days').waitFor();
    await page.locator('td .amber', { hasText: 'in 1' }).first().waitFor();
    await look(visitor, 'keys');
    await page.getByRole('link', { name: 'Revoke…' }).click();
    await page.getByText('Revoke Old import?').waitFor();
  });

  it('show a viewer the keys without a way to change them', async () => {
    const { page } = await console_.signedIn(venueId, 'viewer');
    await page.goto(screenUrl(venueId, '/keys'));
    await page.getByRole('link', { name: 'Old import' }).first().click();
    await page.getByText('Allowed addresses').waitFor();
    for (const name of ['New key', 'Change…', 'Roll…', 'Revoke…'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
  });

  it('find a key by its name, the end of its text or its id, and keep the search in the address', async () => {
    const { world } = console_;
    const wanted = await world.key(venueId, { mode: 'test', name: 'Kitchen display' });
    await world.key(venueId, { mode: 'test', name: 'Front desk' });
    const visitor = await console_.signedIn(venueId, 'viewer');
    const { page } = visitor;
    await page.goto(screenUrl(venueId, '/keys'));
    const found = page.getByRole('link', { name: 'Kitchen display' });
    const other = page.getByRole('link', { name: 'Front desk' });
    const search = page.getByRole('searchbox', { name: 'Search' });
    for (const text of ['kitchen', wanted.key.slice(-4), wanted.id]) {
      await search.fill('');
      await other.waitFor();
      await search.fill(text);
      await other.waitFor({ state: 'detached' });
      await found.waitFor();
    }
    await search.fill('no such key');
    await page.getByText('No key matches the search.').waitFor();
    await look(visitor, 'keys-searched');
    await search.fill('kitchen');
    await expect.poll(() => page.url()).toContain('?q=kitchen');
    await page.reload();
    await found.waitFor();
    expect(await other.count()).toBe(0);
    expect(await search.inputValue()).toBe('kitchen');
  });

  it('add and remove the origins of each mode', async () => {
    const visitor = await console_.signedIn(venueId, 'developer');
    const { page } = visitor;
    await page.goto(screenUrl(venueId, '/origins'));
    await page.getByLabel('Add a live origin').fill('http://harbor.example');
    await page.getByRole('button', { name: 'Add' }).last().click();
    await page.locator('.field.wrong .error').waitFor();
    await look(visitor, 'origins');
    await page.getByLabel('Add a live origin').fill('https://shop.harbor.example');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove https://shop.harbor.example from live' }).click();
    await page.getByRole('button', { name: 'Remove the origin' }).click();
    await page
      .getByRole('button', { name: 'Remove https://shop.harbor.example from live' })
      .waitFor({ state: 'detached' });
  });
});
