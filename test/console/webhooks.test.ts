// Webhooks and events in the console: a failing address is found, fixed and recovered; who may not change sees no button.

import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { deliverDue, dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import { type Listening, startHttpsReceiver } from '../support/test-receivers.ts';
import { openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { runUntilIdle } from '../support/wait-for.ts';
import { ConsoleBrowser, executable, look, screenUrl } from './console-browser.ts';

// Drives a browser.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

describe.runIf(executable !== null)('the screens of webhooks and events', () => {
  let console_: ConsoleBrowser;
  let venue: TestVenue;
  let receiver: Listening;
  let respond: (response: ServerResponse) => void;
  /** The events that the failing address got. */
  const received: string[] = [];
  beforeAll(async () => {
    console_ = await ConsoleBrowser.open({ env: { ALLOW_INSECURE_TARGETS: '1' } });
    venue = await openTestVenue(console_.world);
    receiver = await startHttpsReceiver((request, response, body) => {
      if (request.url === '/failing') received.push(JSON.parse(body).id);
      respond(response);
    });
  });
  beforeEach(() => {
    respond = (response) => response.end('ok');
  });
  afterAll(async () => {
    await receiver.close();
    await console_.close();
  });

  /** What the worker does. */
  async function deliver(): Promise<void> {
    const { services } = console_.world.context;
    await runUntilIdle('dispatch', () => dispatchDue(services, 500));
    await runUntilIdle('delivery', () => deliverDue(services, new AbortController().signal));
  }

  const url = (path: string): string => `https://127.0.0.1:${receiver.port}${path}`;

  it('add an address, show its secret once, and send it a test event', async () => {
    const visitor = await console_.signedIn(venue.venueId, 'developer');
    const { page } = visitor;
    await page.goto(screenUrl(venue.venueId, '/webhooks'));
    await page.getByText('No address yet.').waitFor();
    await look(visitor, 'webhooks-empty');
    await page.getByRole('button', { name: 'Add an address' }).click();
    await page.getByRole('textbox', { name: 'Address' }).fill('http://harbor.example/hooks');
    await page.getByRole('button', { name: 'Add the address' }).click();
    await page.locator('dialog .field.wrong .error').waitFor();
    await look(visitor, 'webhook-new');
    await page.getByRole('textbox', { name: 'Address' }).fill(url('/hooks/everyshare'));
    await page.getByRole('button', { name: 'Add the address' }).click();
    expect(await page.getByRole('textbox', { name: 'Signing secret' }).inputValue()).toMatch(/^whsec_/);
    await page.getByLabel('I’ve stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('Delivered: your server answered 200').waitFor();
    await page.getByRole('link', { name: /^checkout.completed/ }).waitFor();
  });

  it('find a failing address, see its answers, and recover what failed after it is fixed', async () => {
    const { world } = console_;
    const made = await venue.post('/v1/webhook_endpoints', { url: url('/failing'), events: ['checkout.created'] });
    const { id } = made.json;
    for (let i = 0; i < 3; i++) await venue.create();
    await deliver();
    respond = (response) => {
      response.writeHead(503, { 'content-type': 'application/json' });
      response.end('{"error":"unknown booking"}');
    };
    for (let i = 0; i < 2; i++) await venue.create();
    await deliver();
    const visitor = await console_.signedIn(venue.venueId, 'developer');
    const { page } = visitor;
    await page.goto(screenUrl(venue.venueId, `/webhooks/${id}`));
    await page.getByText('2 not delivered at once').waitFor();
    await page.getByText('your server answered 503').waitFor();
    await page
      .getByRole('link', { name: /^checkout.created/ })
      .first()
      .click();
    await page.getByText('HTTP 503').waitFor();
    await page.getByText('unknown booking').waitFor();
    await page.getByText(/Next in/).waitFor();
    await look(visitor, 'webhook');

    // The worker disables an address after 72 hours of failures.
    await world.db.query(
      `update webhook_endpoints set status = 'disabled', disabled_at = now() - interval '1 second',
         disabled_reason = 'failed_for_72_hours' where endpoint_id = $1`,
      [id],
    );
    await world.db.query(
      `update deliveries set status = 'failed', due_at = null, end_reason = 'endpoint_disabled'
       where endpoint_id = $1 and status = 'pending'`,
      [id],
    );
    await page.goto(screenUrl(venue.venueId, '/webhooks'));
    await page.getByText('gets no events.').waitFor();
    await look(visitor, 'webhooks');
    await page.getByRole('link', { name: 'See what failed' }).click();
    await page.getByText('Every delivery failed for 72 hours.').waitFor();
    await look(visitor, 'webhook-disabled');

    respond = (response) => response.end('ok');
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Recover since…' }).click();
    received.length = 0;
    await page.getByRole('button', { name: 'Send them again' }).click();
    await page.getByText('2 events sent again.').first().waitFor();
    await deliver();
    expect(received).toHaveLength(2);
    await page.getByRole('link', { name: 'Delivered' }).click();
    await expect.poll(() => page.getByRole('link', { name: /^checkout.created/ }).count(), { timeout: 20_000 }).toBe(5);
  });

  it('rotate the secret, disable and delete an address by its name', async () => {
    const made = await venue.post('/v1/webhook_endpoints', { url: url('/rotated'), events: ['checkout.created'] });
    const { page } = await console_.signedIn(venue.venueId);
    await page.goto(screenUrl(venue.venueId, `/webhooks/${made.json.id}`));
    await page.getByRole('button', { name: 'Rotate secret…' }).click();
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    expect(await page.getByRole('textbox', { name: 'Signing secret' }).inputValue()).not.toBe(made.json.secret);
    await page.getByText(/signed with the old secret as well/).waitFor();
    await page.getByLabel('I’ve stored it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Disable…' }).click();
    await page.getByRole('button', { name: 'Disable the address' }).click();
    await page.getByText('It was disabled by hand.').waitFor();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByLabel(/^Type 127/).fill(`127.0.0.1:${receiver.port}`);
    await page.getByRole('button', { name: 'Delete the address' }).click();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    expect(await page.getByText('/rotated').count()).toBe(0);
  });

  it('list events by type, and resend one from its page', async () => {
    const visitor = await console_.signedIn(venue.venueId, 'developer');
    const { page } = visitor;
    await page.goto(screenUrl(venue.venueId, '/events'));
    await page.getByLabel('Type').selectOption('checkout.created');
    await expect.poll(() => page.url()).toContain('type=checkout.created');
    await look(visitor, 'events');
    await page
      .getByRole('link', { name: /^checkout.created/ })
      .first()
      .click();
    await page.getByRole('link', { name: url('/failing') }).waitFor();
    await look(visitor, 'event');
    const eventId = page.url().split('/').at(-1) ?? '';
    received.length = 0;
    await page.getByRole('button', { name: 'Resend now' }).first().click();
    await page.getByText('It is sent again.').first().waitFor();
    await deliver();
    expect(received).toContain(eventId);
    await page.goto(screenUrl(venue.venueId, '/events/evt_unknown'));
    await page.getByText('There is no such event').waitFor();
  });

  it('save events, deliveries, keys and the team as CSV, with the filters of the screen', async () => {
    const other = await openTestVenue(console_.world);
    const endpoint = await other.post('/v1/webhook_endpoints', { url: url('/saved'), events: ['checkout.created'] });
    const checkout = await other.create({ description: '=Cabana 3, Saturday' });
    await deliver();
    const { page } = await console_.signedIn(other.venueId);
    const savedFrom = async (screen: string): Promise<{ name: string; lines: string[] }> => {
      await page.goto(screenUrl(other.venueId, screen));
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'CSV', exact: true }).click();
      const file = await download;
      const text = readFileSync(await file.path(), 'utf8');
      return { name: file.suggestedFilename(), lines: text.trimEnd().split('\r\n') };
    };

    const events = await savedFrom('/events?type=checkout.created');
    expect(events.name).toBe('events.csv');
    expect(events.lines).toEqual([
      'id,type,created_at,subject,subject_name,external_booking_id',
      expect.stringMatching(/^evt_\w+,checkout\.created,[^,]+,chk_\w+,"'=Cabana 3, Saturday",bk-\w+-\d+$/),
    ]);
    expect(events.lines[1]).toContain(checkout.id);
    expect((await savedFrom('/events?type=checkout.expired')).lines).toHaveLength(1);

    const deliveries = await savedFrom(`/webhooks/${endpoint.json.id}?status=delivered`);
    expect(deliveries.name).toBe('deliveries.csv');
    const eventId = events.lines[1]?.split(',')[0] ?? '';
    expect(deliveries.lines.slice(1)).toEqual([
      expect.stringContaining(`,${endpoint.json.id},${eventId},checkout.created,false,delivered,1,200,`),
    ]);
    expect((await savedFrom(`/webhooks/${endpoint.json.id}?status=failed`)).lines).toHaveLength(1);

    const keys = await savedFrom('/keys');
    expect(keys.name).toBe('keys.csv');
    const keyLine = new RegExp(`^key_\\w+,.*,secret,test,[^,]*${other.key.slice(-4)},active,`);
    expect(keys.lines).toContainEqual(expect.stringMatching(keyLine));
    expect(keys.lines.join('\n')).not.toContain(other.key);

    await page.goto(screenUrl(other.venueId, '/team'));
    await page.getByRole('button', { name: 'Invite a person' }).click();
    await page.getByLabel('Mail').fill('sam@harbor.example');
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByRole('cell', { name: 'sam@harbor.example', exact: true }).waitFor();
    const team = await savedFrom('/team');
    expect(team.name).toBe('team.csv');
    expect(team.lines).toContainEqual(expect.stringMatching(/^person,[^,]+,[^,]*,owner-[^,]+@harbor\.example,owner,/));
    expect(team.lines).toContainEqual(expect.stringMatching(/^invitation,[^,]+,,sam@harbor\.example,developer,/));
    // The file has what the search leaves.
    expect((await savedFrom('/team?q=sam')).lines).toHaveLength(2);
  });

  it('show a viewer deliveries without a way to send them again', async () => {
    const { page } = await console_.signedIn(venue.venueId, 'viewer');
    await page.goto(screenUrl(venue.venueId, '/webhooks'));
    await page.getByRole('link', { name: url('/failing') }).click();
    await page
      .getByRole('link', { name: /^checkout.created/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Tries' }).waitFor();
    for (const name of ['Resend now', 'Recover since…', 'Rotate secret…', 'Send a test event', 'Delete…'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
  });
});
