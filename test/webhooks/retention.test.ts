// What is kept and for how long: events, deliveries and the answers to idempotency keys go after their days and not before,
// and nothing that is owed goes. test/requests has the same for the request log.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/base/config.ts';
import { deleteOldEvents } from '../../src/domain/webhooks/delete-old-events.ts';
import { deleteOldDeliveries } from '../../src/domain/webhooks/deliveries/queries.ts';
import { LOOPS } from '../../src/worker/loops.ts';
import { checkoutBody, type Json, type TestVenue } from '../support/test-venue.ts';
import { runUntilIdle } from '../support/wait-for.ts';
import { DeliveryFixture } from './delivery-fixture.ts';

const DAY_MS = 86_400_000;
const EVENT_LOG_DAYS = '60';

let fixture: DeliveryFixture;
let venue: TestVenue;
beforeAll(async () => {
  fixture = await DeliveryFixture.open({ EVENT_LOG_DAYS, DELIVERY_LOG_DAYS: '50', IDEMPOTENCY_KEY_DAYS: '45' });
});
beforeEach(async () => {
  fixture.respond = (_request, response) => response.end('ok');
  venue = await fixture.openVenue();
  // Every test looks at the same past.
  await fixture.world.db.query(`update event_retention set trimmed_until = '2026-01-01'`);
});
afterAll(() => fixture.close());

/** Runs a loop of the worker with the settings of this world, so many days from now, until nothing is left to do. */
async function runLoop(name: string, days: number): Promise<void> {
  const { context, db } = fixture.world;
  const loop = LOOPS.find((one) => one.name === name);
  const clock = { now: () => Date.now() + days * DAY_MS };
  const services = { db, clock, retention: context.retention } as never;
  await runUntilIdle(name, async () => (await loop?.step(services, 1_000, AbortSignal.abort(), ignore, ignore)) ?? 0);
}

const ignore = (): void => undefined;
const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });

const sequences = async (checkout: Json): Promise<number[]> =>
  (await venue.events(checkout.id)).map(({ sequence }) => sequence);

describe('an event', () => {
  it('goes after EVENT_LOG_DAYS, apart from the first and the newest of its object', async () => {
    const checkout = await venue.completed();
    const all = await sequences(checkout);
    expect(all.length).toBeGreaterThan(3);
    await runLoop('delete-old-events', 59);
    expect(await sequences(checkout)).toEqual(all);
    await runLoop('delete-old-events', 61);
    expect(await sequences(checkout)).toEqual([1, all.length]);
    await venue.post(`/v1/checkouts/${checkout.id}/refund`, { amount: 100 });
    await fixture.world.work();
    expect((await sequences(checkout)).slice(0, 3)).toEqual([1, all.length, all.length + 1]);
  });

  it('is looked at once: a second look begins where the first ended', async () => {
    const checkout = await venue.completed();
    await runLoop('delete-old-events', 61);
    const before = fixture.world.statements.length;
    await runLoop('delete-old-events', 61);
    const statements = fixture.world.statements.slice(before).filter((text) => text.includes('from events'));
    expect(statements.length).toBeLessThan(4);
    expect((await sequences(checkout)).length).toBe(2);
  });

  it('still answers a repeated create, with a key and with the booking alone', async () => {
    for (const call of [{}, withKey('again')]) {
      const body = checkoutBody();
      const first = await venue.post('/v1/checkouts', body, call);
      await venue.runTestHelper(first.json.id, 'collect');
      await runLoop('delete-old-events', 61);
      const again = await venue.post('/v1/checkouts', body, call);
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
  });

  it('that waits for dispatch stays, and so does every later one', async () => {
    await fixture.endpoint(venue);
    const checkout = await venue.completed();
    const all = await sequences(checkout);
    await runLoop('delete-old-events', 61);
    expect(await sequences(checkout)).toEqual(all);
    await fixture.deliver();
    await runLoop('delete-old-events', 61);
    expect(await sequences(checkout)).toEqual([1, all.length]);
  });

  it('that waits for an attempt stays until its delivery has ended', async () => {
    await fixture.endpoint(venue);
    fixture.respond = (_request, response) => response.writeHead(500).end();
    const checkout = await venue.completed();
    const all = await sequences(checkout);
    await fixture.deliver();
    await runLoop('delete-old-events', 61);
    expect(await sequences(checkout)).toEqual(all);
    await runLoop('delete-old-deliveries', 61);
    await runLoop('delete-old-events', 61);
    expect(await sequences(checkout)).toEqual([1, all.length]);
  });

  it('is never deleted without the setting, and never by another statement', async () => {
    const checkout = await venue.completed();
    const all = await sequences(checkout);
    expect(await deleteOldEvents(fixture.world.db, Date.now() + 4_000 * DAY_MS, null)).toBe(0);
    const { db } = fixture.world;
    await expect(db.query('delete from events where venue_id = $1', [venue.venueId])).rejects.toThrow(/append-only/);
    const first = db.transaction(async (tx) => {
      await tx.query(`select set_config('everyshare.trim_events', 'on', true)`);
      await tx.query('delete from events where venue_id = $1', [venue.venueId]);
    });
    await expect(first).rejects.toThrow(/append-only/);
    expect(await sequences(checkout)).toEqual(all);
  });
});

describe('a delivery', () => {
  it('goes after DELIVERY_LOG_DAYS, and can be recovered until then', async () => {
    const { id } = await fixture.endpoint(venue);
    await venue.create();
    await fixture.deliver();
    await runLoop('delete-old-deliveries', 49);
    expect(await fixture.deliveries(venue, id)).toHaveLength(1);
    const recover = (days: number) =>
      venue.post(`/v1/webhook_endpoints/${id}/recover`, { since: new Date(Date.now() - days * DAY_MS).toISOString() });
    expect((await recover(49)).status).toBe(202);
    expect((await recover(51)).text).toContain('within the last 50 days');
    await runLoop('delete-old-deliveries', 51);
    expect(await fixture.deliveries(venue, id)).toHaveLength(0);
  });

  it('that has attempts to come stays', async () => {
    const { id } = await fixture.endpoint(venue);
    fixture.respond = (_request, response) => response.writeHead(500).end();
    await venue.create();
    await fixture.deliver();
    const { db } = fixture.world;
    await db.query(
      `update deliveries set ends_at = (ends_at at time zone 'UTC' + interval '60 days') at time zone 'UTC' where endpoint_id = $1`,
      [id],
    );
    await deleteOldDeliveries(db, Date.now() + 51 * DAY_MS, 50, 1_000);
    expect(await fixture.deliveries(venue, id)).toHaveLength(1);
  });
});

describe('the answer to an idempotency key', () => {
  const age = (days: number) =>
    fixture.world.db.query(
      `update idempotency_keys set created_at = (created_at at time zone 'UTC' - make_interval(days => $2)) at time zone 'UTC' where venue_id = $1`,
      [venue.venueId, days],
    );
  const keys = async (): Promise<number> =>
    (await fixture.world.db.query('select from idempotency_keys where venue_id = $1', [venue.venueId])).length;

  it('goes after IDEMPOTENCY_KEY_DAYS and not before', async () => {
    await venue.post('/v1/checkouts', checkoutBody(), withKey('one'));
    await runLoop('delete-old-responses', 44);
    expect(await keys()).toBe(1);
    await runLoop('delete-old-responses', 46);
    expect(await keys()).toBe(0);
  });

  it.each([
    ['a create', '/v1/checkouts', () => checkoutBody()],
    ['another call', '/v1/webhook_endpoints', () => ({ url: fixture.url('/kept'), events: ['checkout.created'] })],
  ])('of %s is given for as long', async (_name, path, makeBody) => {
    const body = makeBody();
    const call = (key: string) => venue.post(path, body, withKey(key));
    const first = await call('kept');
    expect(first.status, first.text).toBe(201);
    await age(44);
    expect((await call('kept')).headers.get('idempotent-replayed')).toBe('true');
    await age(2);
    expect((await call('kept')).headers.get('idempotent-replayed')).toBeNull();
  });
});

describe('the settings', () => {
  it('have defaults that keep what partners are promised', () => {
    expect(readConfig({}).retention).toEqual({
      eventLogDays: null,
      deliveryLogDays: 30,
      idempotencyKeyDays: 30,
      requestLogDays: 7,
    });
  });

  it('refuse less than partners are promised, and events that go before what refers to them', () => {
    expect(() => readConfig({ DELIVERY_LOG_DAYS: '29' })).toThrow(/from 30 to 400/);
    expect(() => readConfig({ IDEMPOTENCY_KEY_DAYS: '29' })).toThrow(/from 30 to 400/);
    expect(() => readConfig({ EVENT_LOG_DAYS: '36' })).toThrow(/at least 37.*or to 0/);
    expect(() => readConfig({ EVENT_LOG_DAYS: '60', IDEMPOTENCY_KEY_DAYS: '60' })).toThrow(/at least 67/);
    expect(readConfig({ EVENT_LOG_DAYS: '37' }).retention.eventLogDays).toBe(37);
  });
});
