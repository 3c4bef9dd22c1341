// Limits and retention of inbound deliveries: bytes a day, bodies of ignored deliveries for a day, the last refusal;
// and two systems of one venue never write the same offering.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyDueDeliveries } from '../../src/domain/hooks/apply-due-deliveries.ts';
import { deleteOldInbound } from '../../src/domain/hooks/deliveries/retention-queries.ts';
import { YOGA } from '../support/provider-samples.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { CLASS, fareharborBooking, mindbody, octo, ROSTER } from '../support/venue-bodies.ts';
import { connectVenueSystem, type VenueSystem } from './venue-system.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const GB = 1024 ** 3;
const DAY = 24 * 3_600_000;
const BOAT = { kind: 'boat_day', timezone: 'Pacific/Honolulu', currency: 'usd' };
const applyAll = (): Promise<number> => applyDueDeliveries(world.context, 1_000);
const shown = async ({ id, key }: VenueSystem) => {
  const { json } = await world.call('GET', '/v1/integrations', { key });
  return json.data.find((one: { id: string }) => one.id === id);
};
const offering = async ({ key }: VenueSystem, id: string) =>
  (await world.call('GET', `/v1/offerings/${id}`, { key })).json?.data;

describe('the daily limit of a venue', () => {
  it('is 2 GB from all its systems; more is 429 until the day ends, and a repetition of an earlier one still succeeds', async () => {
    const tock = await connectVenueSystem(world, 'tock');
    const peek = await connectVenueSystem(world, 'peek', {}, tock.venueId);
    const other = await connectVenueSystem(world, 'peek');
    const first = await peek.send({ n: 1 });
    const store = (bytes: number) =>
      world.db.query(
        `update integrations set stored_bytes = $2, stored_on = (now() at time zone 'UTC')::date where integration_id = $1`,
        [tock.id, bytes],
      );
    await store(2 * GB);
    const refused = await peek.send({ n: 2 });
    expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limited']);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds > 0 && seconds <= 86_400).toBe(true);
    expect(refused.json.error.message).toContain('2 GB');
    expect((await peek.send({ n: 1 })).json).toEqual({ received: true, id: first.json.id, duplicate: true });
    expect((await other.send({ n: 2 })).status).toBe(200);
    await store(2 * GB - 10_000);
    expect((await peek.send({ n: 2 })).status).toBe(200);
  });

  it('resets with the day', async () => {
    const tock = await connectVenueSystem(world, 'tock');
    await world.db.query(
      `update integrations set stored_bytes = $2, stored_on = (now() at time zone 'UTC')::date - 1 where integration_id = $1`,
      [tock.id, 3 * GB],
    );
    await tock.send({ n: 1 });
    const [row] = await world.db.query<{ bytes: number; size: number }>(
      `select i.stored_bytes as bytes, octet_length(d.body) as size
       from integrations i join inbound_deliveries d using (venue_id, integration_id) where i.integration_id = $1`,
      [tock.id],
    );
    expect(row?.bytes).toBe(row?.size);
  });
});

describe('an ignored delivery', () => {
  it('can be replayed for a day; then only its body is deleted', async () => {
    const peek = await connectVenueSystem(world, 'peek', BOAT);
    await peek.send(octo('booking_update', { status: 'CANCELLED' }));
    await peek.send(octo('booking_update', { uuid: 'another' }));
    await applyAll();
    const [applied, ignored] = await peek.deliveries();
    expect([applied.status, ignored.status]).toEqual(['applied', 'ignored']);
    const replay = ({ id }: { id: string }) =>
      world.call('POST', `/v1/integrations/${peek.id}/deliveries/${id}/replay`, { key: peek.key });
    await deleteOldInbound(world.db, Date.now(), 1_000);
    expect((await replay(ignored)).status).toBe(200);
    await deleteOldInbound(world.db, Date.now() + 2 * DAY, 1_000);
    expect(await applyAll()).toBe(1);
    await deleteOldInbound(world.db, Date.now() + 2 * DAY, 1_000);
    const again = await replay(ignored);
    expect([again.status, again.json.error.reason]).toEqual([409, 'body_gone']);
    expect((await peek.deliveries()).map(({ id }) => id)).toEqual([applied.id, ignored.id]);
    expect((await replay(applied)).status).toBe(200);
    expect((await replay({ id: 'hkd_none' })).status).toBe(404);
    await applyAll();
  });
});

describe('a refused delivery', () => {
  it('is shown on the integration, with its time and error code', async () => {
    const custom = await connectVenueSystem(world, 'custom');
    expect((await shown(custom)).last_refused).toBeNull();
    const refusals = [
      ['unauthorized', () => world.call('POST', custom.path, { body: { id: '1' } })],
      ['invalid_json', () => custom.send('[]')],
      ['payload_too_large', () => world.call('POST', custom.path, { body: `{"a":"${'x'.repeat(256 * 1024)}"}` })],
    ] as const;
    for (const [code, send] of refusals) {
      expect((await send()).json.error.code).toBe(code);
      const data = await shown(custom);
      expect(data.last_refused).toEqual({ code, at: expect.any(String) });
      const candidate = { value: data, text: JSON.stringify(data), badTexts: [] };
      expect(world.context.validator.problems('stored_integration', candidate)).toEqual([]);
    }
    await custom.send({ id: '1', type: 'offering.cancel', data: { external_id: 'x' } });
    expect((await shown(custom)).last_refused.code).toBe('payload_too_large');
    expect((await shown(custom)).delivery_count).toBe(1);
  });
});

describe('two systems of one venue', () => {
  const item = (pk: number) => {
    const { booking } = fareharborBooking(4) as { booking: { availability: object } };
    return { booking: { ...booking, availability: { ...booking.availability, item: { pk, name: 'Jet Ski Tour' } } } };
  };

  it('that use the same id never write the same offering: the second gets the name of the owner', async () => {
    const boats = await connectVenueSystem(world, 'fareharbor', BOAT);
    const classes = await connectVenueSystem(world, 'mindbody', { timezone: 'America/New_York' }, boats.venueId);
    await boats.send(item(69));
    await applyAll();
    const before = await offering(boats, '69');
    await classes.send(mindbody('classDescription.updated', { siteId: -99, id: 69, name: 'Slow Yoga' }));
    await classes.send(mindbody('class.updated', CLASS));
    await classes.send(mindbody('classRosterBooking.created', ROSTER));
    await applyAll();
    const deliveries = await classes.deliveries();
    expect(deliveries.map(({ status }) => status)).toEqual(['needs_api_read', 'failed', 'failed']);
    expect(deliveries[1].reason).toContain('"69" of this venue comes from FareHarbor');
    expect(await offering(boats, '69')).toEqual(before);
  });

  it('take over offerings after the first is revoked; a custom system may write any offering', async () => {
    const boats = await connectVenueSystem(world, 'fareharbor', BOAT);
    const classes = await connectVenueSystem(world, 'mindbody', { timezone: 'America/New_York' }, boats.venueId);
    const own = await connectVenueSystem(world, 'custom', {}, boats.venueId);
    await boats.send(item(69));
    await applyAll();
    await own.send({ id: '1', type: 'offering.upsert', data: YOGA });
    await world.call('POST', `/v1/integrations/${boats.id}/revoke`, { key: boats.key });
    await applyAll();
    await classes.send(mindbody('classDescription.updated', { siteId: -99, id: 69, name: 'Slow Yoga' }));
    await applyAll();
    expect((await own.deliveries())[0].status).toBe('applied');
    expect((await classes.deliveries())[0].status).toBe('applied');
    expect((await offering(classes, '69')).title).toBe('Slow Yoga');
  });

  it('of the same provider count as one: a second integration writes the same offerings', async () => {
    const one = await connectVenueSystem(world, 'fareharbor', BOAT);
    const two = await connectVenueSystem(world, 'fareharbor', BOAT, one.venueId);
    await one.send(item(70));
    await two.send(fareharborBooking(2, { uuid: 'other' }));
    await two.send(item(70));
    await applyAll();
    expect((await two.deliveries()).map(({ status }) => status)).toEqual(['applied', 'applied']);
  });
});

describe('content that is left out', () => {
  it('is named in the reason: slots beyond a thousand, and the end of a title that is too long', async () => {
    const own = await connectVenueSystem(world, 'custom');
    const start = Date.parse('2027-06-01T00:00:00Z');
    const slot = (n: number) => ({ starts_at: new Date(start + n * 3_600_000).toISOString(), capacity: 4 });
    const slots = Array.from({ length: 1000 }, (_, n) => slot(n));
    await own.send({ id: '1', type: 'offering.upsert', data: { ...YOGA, availability: { timezone: 'UTC', slots } } });
    await own.send({ id: '2', type: 'slots.update', data: { external_id: '69', slots: [slot(1000), slot(1001)] } });
    const boats = await connectVenueSystem(world, 'fareharbor', BOAT);
    await boats.send({ item: { pk: 5, name: 'x'.repeat(130), company: { currency: 'usd' } } });
    await world.call('POST', '/v1/offerings', { key: boats.key, body: { ...YOGA, external_id: '5' } });
    await applyAll();
    expect((await own.deliveries())[0]).toMatchObject({
      status: 'applied',
      reason: expect.stringMatching(/1000 slots: .* 2 in number/),
    });
    const slotsAfter = (await offering(own, '69')).availability.slots;
    expect([slotsAfter.length, slotsAfter[0].starts_at]).toEqual([1000, '2027-06-01T02:00:00Z']);
    expect((await boats.deliveries())[0]).toMatchObject({
      status: 'applied',
      reason: expect.stringMatching(/^The title is too long/),
    });
    expect((await offering(boats, '5')).title).toBe(`${'x'.repeat(119)}…`);
  });
});
