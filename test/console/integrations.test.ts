// Venue systems and agents in the console: connect a system, see what its deliveries came to, and apply one again.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { applyDueDeliveries } from '../../src/domain/hooks/apply-due-deliveries.ts';
import { createVenue } from '../../src/domain/venues/create-venue.ts';
import { connectVenueSystem } from '../hooks/venue-system.ts';
import { ConsoleBrowser, executable, look, screenUrl } from './console-browser.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

describe.runIf(executable !== null)('the screens of integrations and agents', () => {
  let console_: ConsoleBrowser;
  let venueId: string;
  beforeAll(async () => {
    console_ = await ConsoleBrowser.open();
    venueId = (await console_.world.venue()).venue.id;
  });
  afterAll(() => console_.close());

  it('connect a system, show its address and secret once, and disconnect it', async () => {
    const visitor = await console_.signedIn(venueId, 'developer');
    const { page } = visitor;
    await page.goto(screenUrl(venueId, '/integrations'));
    await page.getByText('No system is connected.').waitFor();
    await page.getByRole('button', { name: 'Connect a system' }).click();
    await page.getByLabel('System', { exact: true }).selectOption('Square');
    await page.getByRole('button', { name: 'Connect Square' }).click();
    await page.locator('dialog .field.wrong .error').first().waitFor();
    await look(visitor, 'integration-new');
    await page.getByLabel('System', { exact: true }).selectOption('A system of your own');
    await page.getByRole('button', { name: 'Connect it' }).click();
    expect(await page.getByRole('textbox', { name: 'Address for its webhooks' }).inputValue()).toContain(
      '/v1/hooks/custom/',
    );
    expect(await page.getByRole('textbox', { name: 'Signing secret' }).inputValue()).not.toBe('');
    expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    await page.getByLabel('I’ve stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Nothing arrived yet.').waitFor();
    await page.getByRole('button', { name: 'Disconnect…' }).click();
    await page.getByRole('button', { name: 'Disconnect it' }).click();
    await page.getByText('Disconnected').first().waitFor();
  });

  it('take credentials for a system that is read, show that they are set, and start to read its catalogue', async () => {
    const { world } = console_;
    const system = await connectVenueSystem(world, 'eventbrite', { kind: 'ticketed_event' }, venueId);
    const visitor = await console_.signedIn(venueId, 'developer');
    const { page } = visitor;
    await page.goto(screenUrl(venueId, `/integrations/${system.id}`));
    await page.getByRole('button', { name: 'Set credentials' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('dialog .field.wrong .error').first().waitFor();
    await page.getByLabel('Private token').fill('EVENTBRITETOKEN');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The credentials are being tried.').waitFor();
    await world.db.query('update integration_readers set is_checked = true where venue_id = $1', [venueId]);
    await page.getByText('Reads are on.').waitFor();
    await page.getByRole('button', { name: 'Read the whole catalogue' }).click();
    await page.getByText('0 of 0 objects read').waitFor();
    await look(visitor, 'integration-reads');
    await world.db.query(
      `update integration_readers set paused_at = now(), pause_reason = 'credentials_refused' where venue_id = $1`,
      [venueId],
    );
    await page.getByText('refused the credentials').waitFor();
  });

  it('show what a delivery came to and why, and apply it again', async () => {
    const { world } = console_;
    const system = await connectVenueSystem(world, 'custom', {}, venueId);
    await system.send({ external_id: 'no-title' });
    await applyDueDeliveries(world.context, 10);
    const [delivery] = await system.deliveries();
    const visitor = await console_.signedIn(venueId, 'developer');
    const { page } = visitor;
    await page.goto(screenUrl(venueId, `/integrations/${system.id}`));
    await page.getByText(delivery.reason.slice(0, 40)).waitFor();
    await look(visitor, 'integration');
    await page.getByRole('button', { name: `Try again: ${delivery.id}` }).click();
    await page.getByText('It is applied again.').first().waitFor();
    expect((await system.deliveries())[0].status).toBe('pending');
    const viewer = await console_.signedIn(venueId, 'viewer');
    await viewer.page.goto(screenUrl(venueId, `/integrations/${system.id}`));
    await viewer.page.getByRole('cell', { name: 'Waiting', exact: true }).first().waitFor();
    expect(await viewer.page.getByRole('button', { name: /^Try again|Disconnect/ }).count()).toBe(0);
  });

  it('tell a sandbox in words that it must go live first', async () => {
    const { world } = console_;
    const options = { name: 'Harbor Club', origins: [], sandbox: true };
    const sandbox = (await world.db.transaction((tx) => createVenue(tx, world.command(), options))).id;
    const visitor = await console_.signedIn(sandbox);
    await visitor.page.goto(screenUrl(sandbox, '/integrations'));
    await visitor.page.getByText('A sandbox cannot connect a venue system.').waitFor();
    expect(await visitor.page.getByRole('button', { name: 'Connect a system' }).count()).toBe(0);
    await look(visitor, 'integrations-sandbox');
  });

  it('give an agent its configuration without a key in it', async () => {
    const visitor = await console_.signedIn(venueId);
    const { page } = visitor;
    await page.goto(screenUrl(venueId, '/agents'));
    await page.getByText('claude mcp add').waitFor();
    await look(visitor, 'agents');
    for (const [agent, text] of [
      ['Cursor', '.cursor/mcp.json'],
      ['Visual Studio Code', '.vscode/mcp.json'],
    ] as const) {
      await page.getByRole('button', { name: agent }).click();
      await page.getByText(text).waitFor();
    }
    expect(await page.locator('main').innerText()).not.toMatch(/svc_(test|live)_\w{8}/);
  });
});
