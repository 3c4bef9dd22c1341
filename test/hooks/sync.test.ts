// Credentials of an integration, and the run that reads a whole catalogue: progress, reasons, one run at a time, and a run
// that goes on after a crash.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EventbriteApi, eventbriteEvent, eventbritePing, TOKEN } from '../support/venue-apis/eventbrite.ts';
import { openReadingWorld, type ReadingWorld } from './reading-world.ts';
import type { VenueSystem } from './venue-system.ts';

const eventbrite = new EventbriteApi();
let reading: ReadingWorld;

beforeAll(async () => {
  reading = await openReadingWorld([eventbrite]);
});
afterAll(() => reading.close());
beforeEach(() => {
  eventbrite.reset();
  reading.reset();
});

const connected = (): Promise<VenueSystem> =>
  reading.connect('eventbrite', { kind: 'ticketed_event' }, { token: TOKEN });
const call = ({ id, key }: VenueSystem, method: string, path: string, body?: object) =>
  reading.world.call(method, `/v1/integrations/${id}/${path}`, { key, ...(body === undefined ? {} : { body }) });
const syncOf = async (system: VenueSystem) => (await call(system, 'GET', 'sync')).json.data;

describe('credentials', () => {
  it('are never shown, are stored sealed and are audited by the names of their fields', async () => {
    const system = await connected();
    const { json } = await reading.world.call('GET', '/v1/integrations', { key: system.key });
    expect(JSON.stringify(json)).not.toContain(TOKEN);
    const fields = json.data[0].reads.credential_fields.map((field: { name: string; is_set: boolean }) => [
      field.name,
      field.is_set,
    ]);
    expect(fields).toEqual([
      ['token', true],
      ['organization_id', false],
    ]);
    const [row] = await reading.world.db.query<{ credentials: Buffer }>(
      'select credentials from integration_readers where venue_id = $1',
      [system.venueId],
    );
    expect(row?.credentials.includes(TOKEN)).toBe(false);
    const audited = await reading.world.db.query(
      `select action, detail from audit_log where venue_id = $1 and action like 'integration.%credentials'`,
      [system.venueId],
    );
    expect(audited).toEqual([
      { action: 'integration.set_credentials', detail: { provider: 'eventbrite', fields: ['token'] } },
    ]);
  });

  it('that lack a field or have an unknown one are refused with the field and the remedy', async () => {
    const system = await reading.connect('eventbrite', {}, null);
    const { status, json } = await reading.setCredentials(system, { api_key: 'x' });
    expect(status).toBe(422);
    expect(json.errors).toMatchObject([
      { code: 'unknown_field', field: '/credentials/api_key' },
      { code: 'missing_field', field: '/credentials/token', message: expect.stringContaining('Developer Links') },
    ]);
  });

  it('of a system that is not read, or of a revoked integration, are a conflict', async () => {
    const other = await reading.connect('fareharbor', {}, null);
    expect((await reading.setCredentials(other, { token: 'x' })).json.error).toMatchObject({ reason: 'no_reader' });
    const system = await connected();
    await call(system, 'POST', 'revoke');
    expect((await reading.setCredentials(system, { token: 'x' })).json.error.reason).toBe('integration_revoked');
  });

  it('when deleted end every read: waiting deliveries are needs_api_read again, and nothing is called', async () => {
    const system = await connected();
    await system.send(eventbritePing('601'));
    await reading.apply();
    await call(system, 'POST', 'sync');
    expect((await call(system, 'DELETE', 'credentials')).json.data.reads.status).toBe('no_credentials');
    expect(await reading.statuses(system)).toEqual(['needs_api_read']);
    expect((await syncOf(system)).status).toBe('canceled');
    await reading.readAll();
    expect(reading.apis.requests).toEqual([]);
    expect((await call(system, 'DELETE', 'credentials')).status).toBe(200);
  });
});

describe('a catalogue run and a delivery', () => {
  const started = async (system: VenueSystem): Promise<void> => {
    for (const id of ['771', '772', '773']) eventbrite.add(eventbriteEvent(id));
    await call(system, 'POST', 'sync');
    for (let steps = 0; (await syncOf(system)).listed === 0; steps++) {
      if (steps > 5) throw new Error('the run lists nothing');
      await reading.makeDue();
      await reading.readOnce();
    }
    eventbrite.add(eventbriteEvent('779'));
    await system.send(eventbritePing('779'));
    await reading.apply();
    await reading.makeDue();
  };

  it('what the delivery names is read before the objects that the run has listed', async () => {
    const system = await connected();
    await started(system);
    await reading.readOnce();
    expect([await reading.statuses(system), (await syncOf(system)).read]).toEqual([['applied'], 0]);
    await reading.readAll();
    expect(await syncOf(system)).toMatchObject({ status: 'finished', read: 4 });
  });

  it('the run leaves a fifth of the requests of a day to deliveries, and goes on the next day', async () => {
    const system = await connected();
    await started(system);
    const { requests_per_day: perDay } = await reading.readsOf(system);
    await reading.world.db.query(
      `update integration_readers set requests_count = $2, requests_on = (now() at time zone 'UTC')::date
       where integration_id = $1`,
      [system.id, Math.ceil(perDay * 0.8)],
    );
    await reading.readOnce();
    expect([await reading.statuses(system), (await syncOf(system)).read]).toEqual([['applied'], 0]);
    const [row] = await reading.world.db.query(
      `select due_at = ((now() at time zone 'UTC')::date + 1)::timestamp at time zone 'UTC' as is_tomorrow
       from integration_readers where integration_id = $1`,
      [system.id],
    );
    expect(row).toEqual({ is_tomorrow: true });
    await reading.makeDue();
    await reading.readOnce();
    expect(await syncOf(system)).toMatchObject({ status: 'running', read: 0 });
    await reading.world.db.query('update integration_readers set requests_count = 0 where integration_id = $1', [
      system.id,
    ]);
    await reading.readAll();
    expect(await syncOf(system)).toMatchObject({ status: 'finished', read: 4 });
  });
});

describe('a catalogue run', () => {
  it('reads every page and object once, and says what was created, the same, changed and skipped, and why', async () => {
    const system = await connected();
    for (const id of ['701', '702']) eventbrite.add(eventbriteEvent(id));
    eventbrite.add(eventbriteEvent('705', { tickets: [{ id: '1', name: 'Free', value: null }] }));
    eventbrite.add(eventbriteEvent('706', { status: 'draft' }));
    const started = await call(system, 'POST', 'sync');
    expect([started.status, started.json.data.status]).toEqual([202, 'running']);
    await reading.readAll();
    expect(await syncOf(system)).toMatchObject({
      id: started.json.data.id,
      status: 'finished',
      listed: 3,
      read: 3,
      created: 2,
      changed: 0,
      unchanged: 0,
      skipped: 1,
      skipped_objects: [{ object: '705', reason: expect.stringContaining('tiers') }],
    });
    eventbrite.add(eventbriteEvent('701', { name: 'Renamed', changed: '2027-03-01T00:00:00Z' }));
    await call(system, 'POST', 'sync');
    await reading.readAll();
    expect(await syncOf(system)).toMatchObject({ created: 0, changed: 1, unchanged: 1, skipped: 1 });
    expect((await reading.offering(system, '701')).title).toBe('Renamed');
  });

  it('that is started twice is one run', async () => {
    const system = await connected();
    const [one, two] = await Promise.all([call(system, 'POST', 'sync'), call(system, 'POST', 'sync')]);
    expect(one.json.data.id).toBe(two.json.data.id);
    expect((await call(await reading.connect('eventbrite', {}, null), 'POST', 'sync')).json.error.reason).toBe(
      'no_credentials',
    );
    await reading.readAll();
  });

  it('goes on after a crash where it was: no page is listed twice and every object is counted once', async () => {
    const system = await connected();
    for (const id of ['711', '712', '713']) eventbrite.add(eventbriteEvent(id));
    await call(system, 'POST', 'sync');
    const { db } = reading.world.context;
    // A killed worker has read, and writes nothing: neither a result nor an error.
    const dead: typeof db = { ...db, transaction: () => Promise.reject(new Error('killed')) };
    for (let rounds = 0; rounds < 20; rounds++) {
      await reading.makeDue();
      await db.query(
        `update integration_readers set leased_until = now() - interval '1 second' where lease_token is not null`,
      );
      const services = rounds % 2 === 0 ? { ...reading.services, db: dead } : reading.services;
      await reading.readOnce(services).catch(() => 0);
      if ((await syncOf(system)).status === 'finished') break;
    }
    expect(await syncOf(system)).toMatchObject({ status: 'finished', listed: 3, read: 3, created: 3, skipped: 0 });
  });

  it('waits while the provider is down, and fails with a reason if the catalogue is not there', async () => {
    const system = await connected();
    await call(system, 'POST', 'sync');
    reading.apis.faults.push({ status: 500, body: {} });
    await step();
    expect((await syncOf(system)).status).toBe('running');
    reading.apis.faults.push({ status: 404, body: {} });
    await step();
    expect(await syncOf(system)).toMatchObject({ status: 'failed', reason: 'The venue system answered 404.' });
  });

  it('ends with a reason if the provider has failed for three days', async () => {
    const system = await connected();
    await call(system, 'POST', 'sync');
    for (const days of [2, 4]) {
      reading.apis.faults.push({ status: 500, body: {} });
      await step();
      expect((await syncOf(system)).status).toBe('running');
      await reading.world.db.query(
        `update hook_syncs set failing_since = now() - make_interval(days => $2) where venue_id = $1`,
        [system.venueId, days],
      );
    }
    reading.apis.faults.push({ status: 500, body: {} });
    await step();
    expect(await syncOf(system)).toMatchObject({
      status: 'failed',
      reason: 'The venue system answered 500. The server has tried for three days. Start another run later.',
    });
  });

  it.each([
    ['first again', 'The venue system names a page again that was read before.'],
    ['not named', 'The venue system says that there are more pages, and does not name the next one.'],
  ] as const)('whose next page is "%s" reads what was listed and ends with a reason', async (nextPage, reason) => {
    const system = await connected();
    for (const id of ['721', '722', '723']) eventbrite.add(eventbriteEvent(id));
    eventbrite.nextPage = nextPage;
    await call(system, 'POST', 'sync');
    await reading.readAll();
    expect(await syncOf(system)).toMatchObject({ status: 'failed', reason, created: 2 });
  });

  it('of more pages than the limit ends with a reason', async () => {
    const system = await connected();
    for (const id of ['731', '732', '733']) eventbrite.add(eventbriteEvent(id));
    await call(system, 'POST', 'sync');
    await step();
    await reading.world.db.query(`update hook_syncs set cursor = cursor || '{"pages": 999}' where venue_id = $1`, [
      system.venueId,
    ]);
    await reading.readAll();
    expect(await syncOf(system)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('more than 1000 pages'),
      created: 2,
    });
  });

  it('lists every organization of the account, and skips one that it may not read, with the reason', async () => {
    const system = await connected();
    eventbrite.organizations = ['77', '78', '79'];
    eventbrite.forbidden = ['78'];
    eventbrite.add(eventbriteEvent('741'));
    eventbrite.add(eventbriteEvent('742', { organization: '79' }));
    await call(system, 'POST', 'sync');
    await reading.readAll();
    expect(await syncOf(system)).toMatchObject({
      status: 'finished',
      created: 2,
      skipped_objects: [{ object: 'list 78', reason: expect.stringContaining('answered 403') }],
    });
    await reading.setCredentials(system, { token: TOKEN, organization_id: '79' });
    reading.apis.requests.length = 0;
    await call(system, 'POST', 'sync');
    await reading.readAll();
    expect(await syncOf(system)).toMatchObject({ status: 'finished', listed: 1, unchanged: 1 });
  });

  it('does not wait for a read that is not due, also if the clock of a server is ahead', async () => {
    const system = await connected();
    eventbrite.add(eventbriteEvent('751'));
    await system.send(eventbritePing('751'));
    await reading.applyAndRead();
    await reading.world.db.query(
      `update hook_reads set read_at = now() + interval '1 hour', wanted_at = now() + interval '1 hour' where venue_id = $1`,
      [system.venueId],
    );
    await call(system, 'POST', 'sync');
    await reading.readAll();
    expect(await syncOf(system)).toMatchObject({ status: 'finished', read: 1, unchanged: 1 });
  });

  it('ends with a reason after six internal errors, which are no failures of the provider', async () => {
    const system = await connected();
    await call(system, 'POST', 'sync');
    for (let tries = 0; tries < 6; tries++) await step(reading.withFailingTransaction(new Error('a fault of ours')));
    expect(await syncOf(system)).toMatchObject({
      status: 'failed',
      reason: 'An internal error occurred: start another run, or contact us.',
    });
    expect(await reading.readsOf(system)).toMatchObject({ status: 'active', reason: null });
  });
});

async function step(services = reading.services): Promise<void> {
  await reading.makeDue();
  await reading.readOnce(services);
}
