// From a delivery to an offering: each provider's sample through its hook URL and the worker. A delivery is applied
// once, an older one never overwrites a newer, an offering is never written in part, and a delivery that fails is
// stored with its reason. OUTCOMES=file.md writes what became of each sample as a table.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyDueDeliveries } from '../../src/domain/hooks/apply-due-deliveries.ts';
import { PROVIDERS } from '../../src/domain/hooks/providers.ts';
import { SAMPLES, YOGA } from '../support/provider-samples.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import {
  CLASS,
  fareharborBooking,
  mindbody,
  octo,
  ROSTER,
  rezdyOrder,
  tockReservation,
} from '../support/venue-bodies.ts';
import { type OutcomeRow, outcomeTable } from './outcome-table.ts';
import { connectVenueSystem, type VenueSystem } from './venue-system.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
const outcomes: OutcomeRow[] = [];
afterAll(async () => {
  if (process.env.OUTCOMES !== undefined) writeFileSync(process.env.OUTCOMES, outcomeTable(outcomes));
  await world.close();
});

const applyAll = (): Promise<number> => applyDueDeliveries(world.context, 1_000);
const offering = async ({ key }: VenueSystem, id: string) =>
  (await world.call('GET', `/v1/offerings/${encodeURIComponent(id)}`, { key })).json?.data;
const slotsOf = async (system: VenueSystem, id: string) => (await offering(system, id)).availability.slots;
const BOAT = { kind: 'boat_day', timezone: 'Pacific/Honolulu' };

describe('a sample of each provider', () => {
  it('exists for all fifteen providers', () => {
    expect([...new Set(SAMPLES.map(({ provider }) => provider))].sort()).toEqual([...PROVIDERS].sort());
  });

  it('names its source: published by the provider, captured, or built from types', () => {
    for (const { provider, description, source } of SAMPLES)
      expect([provider, description, source.from, source.where]).toEqual([
        provider,
        description,
        expect.stringMatching(/^(published|captured|types)$/),
        expect.stringMatching(/.{10}/),
      ]);
  });

  it.each(SAMPLES.map((sample) => [`${sample.provider}: ${sample.description}`, sample] as const))(
    '%s',
    async (_name, {
      provider,
      description,
      source,
      changed,
      defaults,
      knownOffering: known,
      earlierDeliveries: first = [],
      body,
      status,
      reason,
      offering: expected,
    }) => {
      const system = await connectVenueSystem(world, provider, defaults);
      if (known !== undefined)
        expect((await world.call('POST', '/v1/offerings', { key: system.key, body: known })).status).toBe(201);
      for (const one of first) await system.send(one);
      const response = await system.send(body);
      expect(response.status).toBe(200);
      await applyAll();
      const [delivery] = await system.deliveries();
      outcomes.push({ provider, description, source, changed, status: delivery.status, reason: delivery.reason });
      expect([delivery.id, delivery.status, delivery.reason]).toEqual([
        response.json.id,
        status,
        reason === undefined ? (status === 'applied' ? null : expect.any(String)) : expect.stringMatching(reason),
      ]);
      const candidate = { value: delivery, text: JSON.stringify(delivery), badTexts: [] };
      expect(world.context.validator.problems('inbound_delivery', candidate)).toEqual([]);
      if (expected === undefined) return;
      const data = await offering(system, delivery.offering_external_id);
      expect(data).toMatchObject(expected);
      const stored = { value: data, text: JSON.stringify(data), badTexts: [] };
      expect(world.context.validator.problems('stored_offering', stored)).toEqual([]);
    },
  );
});

describe('an applied delivery', () => {
  it('is applied once, even if it arrives a hundred times at once and four workers run', {
    tags: ['slow'],
  }, async () => {
    const system = await connectVenueSystem(world, 'fareharbor', BOAT);
    const responses = await Promise.all(Array.from({ length: 100 }, () => system.send(fareharborBooking(4))));
    expect(new Set(responses.map(({ json }) => json.id)).size).toBe(1);
    await Promise.all([applyAll(), applyAll(), applyAll(), applyAll()]);
    const deliveries = await system.deliveries();
    expect(deliveries.map(({ status }) => status)).toEqual(['applied']);
    expect((await offering(system, '1867')).updated_at).toBe((await offering(system, '1867')).created_at);
  });

  it('adjusts the capacity of a slot with bookings and cancellations, and keeps fields that the venue has added', async () => {
    const system = await connectVenueSystem(world, 'fareharbor', BOAT);
    await system.send(fareharborBooking(4));
    await applyAll();
    const { id, object, mode, status, review_note, created_at, updated_at, reviewed_at, ...mine } = await offering(
      system,
      '1867',
    );
    const body = { ...mine, description: 'Our own words.', metadata: { dock: '7' } };
    await world.call('POST', '/v1/offerings', { key: system.key, body });
    await system.send(fareharborBooking(2, { pk: 457, uuid: 'b' }));
    await system.send(fareharborBooking(4, { pk: 457, uuid: 'b', status: 'cancelled' }));
    await system.send(fareharborBooking(3, { pk: 458, uuid: 'c' }));
    await applyAll();
    expect((await slotsOf(system, '1867')).map(({ capacity }: { capacity: number }) => capacity)).toEqual([3]);
    expect(await offering(system, '1867')).toMatchObject({ description: 'Our own words.', metadata: { dock: '7' } });
  });

  it('is never undone by an older delivery that arrives late', async () => {
    const system = await connectVenueSystem(world, 'mindbody', { timezone: 'America/New_York' });
    await world.call('POST', '/v1/offerings', { key: system.key, body: YOGA });
    await system.send(mindbody('class.updated', CLASS));
    await system.send(mindbody('classRosterBooking.created', { ...ROSTER, totalBooked: 15 }, '2027-01-15T19:00:00Z'));
    await system.send(mindbody('classRosterBooking.created', { ...ROSTER, totalBooked: 13 }, '2027-01-15T18:30:00Z'));
    await applyAll();
    expect((await slotsOf(system, '69'))[0].capacity).toBe(5);
    const [late] = await system.deliveries();
    expect([late.status, late.reason]).toEqual(['superseded', expect.stringContaining('newer')]);
    await system.send(mindbody('class.updated', { ...CLASS, isCancelled: true }, '2027-01-15T20:00:00Z'));
    await applyAll();
    expect((await slotsOf(system, '69'))[0].capacity).toBe(0);
    const tock = await connectVenueSystem(world, 'tock', { kind: 'dining' });
    await tock.send(
      tockReservation(2, { experience: { id: '5', name: 'New name', amountCents: '100', variety: 'PREPAID' } }),
    );
    await tock.send(
      tockReservation(1, { experience: { id: '5', name: 'Old name', amountCents: '100', variety: 'PREPAID' } }),
    );
    await applyAll();
    expect((await offering(tock, '5')).title).toBe('New name');
  });

  it('is applied in order: an offering and its slots, sent one after the other, give both', async () => {
    const system = await connectVenueSystem(world, 'custom');
    const { availability: _, ...data } = { ...YOGA, availability: null };
    await system.send({ id: '1', type: 'offering.upsert', data });
    for (let n = 2; n <= 12; n++) {
      const slots = [{ external_id: 's', starts_at: '2027-06-12T09:30:00Z', capacity: n }];
      await system.send({ id: String(n), type: 'slots.update', data: { external_id: '69', slots } });
    }
    await Promise.all([applyAll(), applyAll(), applyAll()]);
    await applyAll();
    expect((await slotsOf(system, '69'))[0].capacity).toBe(12);
    expect((await system.deliveries()).map(({ status }) => status)).toEqual(Array(12).fill('applied'));
  });

  it('of slots replaces each slot with the same id or start, also when it is the same as two', async () => {
    const [first, second] = ['2027-06-12T09:30:00Z', '2027-06-13T09:30:00Z'];
    const rows = [
      {
        before: [{ external_id: 'a', starts_at: first }, { starts_at: second }],
        sent: { external_id: 'a', starts_at: second, capacity: 3 },
      },
      {
        before: [
          { external_id: 'a', starts_at: first },
          { external_id: 'b', starts_at: first },
        ],
        sent: { starts_at: first, capacity: 0 },
      },
    ];
    for (const { before, sent } of rows) {
      const system = await connectVenueSystem(world, 'custom');
      await system.send({ id: '1', type: 'offering.upsert', data: { ...YOGA, availability: { slots: before } } });
      await system.send({ id: '2', type: 'slots.update', data: { external_id: '69', slots: [sent] } });
      await applyAll();
      expect(await slotsOf(system, '69')).toEqual([sent]);
    }
  });

  it('is reviewed like any other: a new offering waits for review, a change of capacity does not', async () => {
    const system = await connectVenueSystem(world, 'fareharbor', BOAT);
    await system.send(fareharborBooking(4));
    await applyAll();
    const { id, status } = await offering(system, '1867');
    expect(status).toBe('pending');
    await world.call('POST', '/v1/test_helpers/review', { key: system.key, body: { id, status: 'approved' } });
    await system.send(fareharborBooking(1));
    await applyAll();
    expect((await offering(system, '1867')).status).toBe('approved');
  });

  it('never rounds a price: one that the currency cannot express is refused', async () => {
    const system = await connectVenueSystem(world, 'rezdy', { kind: 'boat_day', currency: 'jpy' });
    const product = (price: string) =>
      `{"productCode":"P","name":"Tour","priceOptions":[{"label":"A","price":${price}}]}`;
    await system.send(product('1200.5'));
    await applyAll();
    const [first] = await system.deliveries();
    expect([first.status, first.reason]).toEqual(['unmapped', expect.stringContaining('1200.5 has more decimals')]);
    expect(await offering(system, 'P')).toBeUndefined();
    await system.send(product('1200.000'));
    await applyAll();
    expect((await offering(system, 'P')).tiers[0].amount).toBe(1200);
  });
});

describe('several objects in one delivery', () => {
  const order = (...prices: (string | number)[]) => ({
    ...rezdyOrder('CONFIRMED', '2027-01-02T00:00:00Z'),
    totalCurrency: 'JPY',
    items: prices.map((optionPrice, n) => ({
      productCode: `P${n}`,
      productName: 'Tour',
      totalQuantity: 1,
      quantities: [{ optionId: 1, optionLabel: 'Adult', optionPrice, value: 1 }],
    })),
  });

  it('are applied one by one: an unreadable one is named with its reason, and no offering is written in part', async () => {
    const system = await connectVenueSystem(world, 'rezdy', BOAT);
    await system.send(order(1200, '1200.5', 3000));
    await applyAll();
    const [delivery] = await system.deliveries();
    expect([delivery.status, delivery.offering_external_id]).toEqual(['applied', 'P0']);
    expect(delivery.reason).toMatch(/^"P1": 1200\.5 has more decimals/);
    expect([await offering(system, 'P0'), await offering(system, 'P2')]).toMatchObject([
      { tiers: [{ amount: 1200 }] },
      { tiers: [{ amount: 3000 }] },
    ]);
    expect(await offering(system, 'P1')).toBeUndefined();
    await system.send(order('0.5', '0.25'));
    await applyAll();
    expect((await system.deliveries())[0].status).toBe('unmapped');
  });

  it('are limited in number', async () => {
    const system = await connectVenueSystem(world, 'rezdy', BOAT);
    await system.send(order(...Array(101).fill(100)));
    await applyAll();
    const [delivery] = await system.deliveries();
    expect([delivery.status, delivery.reason]).toEqual(['unmapped', expect.stringContaining('101 objects')]);
  });
});

describe('a delivery that cannot be applied', () => {
  it('has text that PostgreSQL cannot store, in a field or an id: refused like POST /v1/offerings, and blocks no other', async () => {
    const system = await connectVenueSystem(world, 'rezdy', { ...BOAT, currency: 'usd' });
    const product = (productCode: string, name: string) => ({
      productCode,
      name,
      priceOptions: [{ label: 'A', price: 1 }],
    });
    for (const bad of ['a\u0000b', 'a\ud800b']) {
      await system.send(product('P1', bad));
      await system.send(product(bad, 'Tour'));
    }
    await system.send(product('P2', 'Tour'));
    await applyAll();
    const outcomes = (await system.deliveries()).map(({ status, reason }) => [status, reason]);
    const [inName, inId] = [expect.stringContaining('/title'), expect.stringContaining('external_id')];
    expect(outcomes).toEqual([
      ['applied', null],
      ['failed', inId],
      ['failed', inName],
      ['failed', inId],
      ['failed', inName],
    ]);
  });

  it('has a precision that no currency has, however large', async () => {
    const system = await connectVenueSystem(world, 'peek', BOAT);
    const pricing = { retail: 1, currency: 'USD', currencyPrecision: -10_000_000 };
    await system.send(octo('booking_update', { unitItems: Array(1000).fill({ unitId: 'a', pricing }) }));
    await applyAll();
    const [delivery] = await system.deliveries();
    expect([delivery.status, delivery.reason]).toEqual(['unmapped', expect.stringContaining('precision')]);
  });

  it('and is retried later delays no other integration, however small the batches of the worker are', async () => {
    const systems = [];
    while (systems.length < 4) systems.push(await connectVenueSystem(world, 'custom'));
    for (const [n, system] of systems.entries())
      await system.send({ id: String(n), type: 'offering.upsert', data: YOGA });
    const waiting = systems
      .map(({ venueId }) => venueId)
      .sort()
      .slice(0, 2);
    await world.db.query(
      "update inbound_deliveries set due_at = now() + interval '1 hour' where venue_id = any($1) and due_at is not null",
      [waiting],
    );
    expect(await applyDueDeliveries(world.context, 1)).toBe(1);
    expect(await applyDueDeliveries(world.context, 1)).toBe(1);
    expect(await applyDueDeliveries(world.context, 1)).toBe(0);
  });

  it('is listed with its reason, filtered by status, page by page, for its own venue only', async () => {
    const system = await connectVenueSystem(world, 'rezdy');
    for (let n = 0; n < 5; n++) await system.send({ productCode: `P${n}`, name: 'Tour', priceOptions: [] });
    await applyAll();
    expect((await system.deliveries('?status=unmapped')).length).toBe(5);
    expect(await system.deliveries('?status=applied')).toEqual([]);
    const path = `/v1/integrations/${system.id}/deliveries`;
    const { json: page } = await world.call('GET', `${path}?limit=3`, { key: system.key });
    const { json: rest } = await world.call('GET', `${path}?limit=3&before=${page.next_before}`, { key: system.key });
    expect(new Set([...page.data, ...rest.data].map(({ id }: { id: string }) => id)).size).toBe(5);
    expect(rest.next_before).toBeNull();
    const other = await world.venue();
    expect((await world.call('GET', path, { key: other.secretTest })).status).toBe(404);
  });

  it('can be replayed after its cause is fixed, and the replay is in the audit log', async () => {
    const system = await connectVenueSystem(world, 'mindbody', { timezone: 'America/New_York' });
    await system.send(
      mindbody('classDescription.updated', { siteId: -99, id: 69, name: 'Slow Yoga', description: 'Slower.' }),
    );
    await applyAll();
    const [stuck] = await system.deliveries();
    expect(stuck.status).toBe('needs_api_read');
    await world.call('POST', '/v1/offerings', { key: system.key, body: YOGA });
    const path = `/v1/integrations/${system.id}/deliveries/${stuck.id}/replay`;
    const other = await world.venue();
    expect((await world.call('POST', path, { key: other.secretTest })).status).toBe(404);
    const replayed = await world.call('POST', path, { key: system.key });
    expect([replayed.status, replayed.json.data.status]).toEqual([200, 'pending']);
    await applyAll();
    expect((await system.deliveries())[0].status).toBe('applied');
    expect((await offering(system, '69')).title).toBe('Slow Yoga');
    const rows = await world.db.query("select 1 from audit_log where action = 'integration.replay' and subject = $1", [
      system.id,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('does not overwrite a newer delivery when it is replayed', async () => {
    const system = await connectVenueSystem(world, 'custom');
    const send = (id: string, title: string) => system.send({ id, type: 'offering.upsert', data: { ...YOGA, title } });
    const old = await send('1', 'Old');
    await send('2', 'New');
    await applyAll();
    await world.call('POST', `/v1/integrations/${system.id}/deliveries/${old.json.id}/replay`, { key: system.key });
    await applyAll();
    expect((await offering(system, '69')).title).toBe('New');
    expect((await system.deliveries('?status=superseded')).map(({ id }) => id)).toEqual([old.json.id]);
  });

  it('never blocks the worker: a body that cannot be unsealed fails after a few attempts, and the next is applied', async () => {
    const system = await connectVenueSystem(world, 'custom');
    const bad = await system.send({ id: '1', type: 'offering.upsert', data: YOGA });
    await world.db.query("update inbound_deliveries set body = '\\x0102' where delivery_id = $1", [bad.json.id]);
    await system.send({ id: '2', type: 'offering.upsert', data: YOGA });
    for (let tries = 0; tries < 6; tries++) {
      await applyAll();
      await world.db.query(
        'update inbound_deliveries set due_at = received_at where delivery_id = $1 and due_at is not null',
        [bad.json.id],
      );
    }
    await applyAll();
    expect((await system.deliveries()).map(({ status }) => status)).toEqual(['applied', 'failed']);
  });
});
