// The services of Square's catalogue, read after a booking of an unknown one and after the catalogue has changed: titles
// and prices.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { YOGA } from '../support/provider-samples.ts';
import {
  SQUARE_CREDENTIALS,
  SQUARE_RATE_LIMIT,
  SquareApi,
  squareCatalogUpdated,
} from '../support/venue-apis/square.ts';
import { squareBooking } from '../support/venue-bodies.ts';
import { openReadingWorld, type ReadingWorld } from './reading-world.ts';

const square = new SquareApi();
let reading: ReadingWorld;

beforeAll(async () => {
  reading = await openReadingWorld([square]);
});
afterAll(() => reading.close());
beforeEach(() => reading.reset());

describe('Square', () => {
  beforeEach(() => {
    square.services = [
      { item: 'I1', variation: 'V1', name: 'Massage', version: 100, amount: 9_500 },
      { item: 'I2', variation: 'V2', name: 'Facial', version: 100, amount: 12_000 },
      { item: 'I3', variation: 'V3', name: 'On request', version: 100, amount: null },
    ];
  });
  const connected = () => reading.connect('square', { kind: 'spa_treatment' }, SQUARE_CREDENTIALS);
  const booking = (variation: string, version: number): object => {
    const body = structuredClone(squareBooking('ACCEPTED', version)) as {
      data: { object: { booking: { id: string; appointment_segments: { service_variation_id: string }[] } } };
    };
    body.data.object.booking.id = `b-${variation}-${version}`;
    for (const segment of body.data.object.booking.appointment_segments) segment.service_variation_id = variation;
    return { ...body, event_id: `e-${variation}-${version}` };
  };

  it('a booking of an unknown service reads its title and price', async () => {
    const system = await connected();
    await system.send(booking('V1', 1));
    await reading.applyAndRead();
    expect(await reading.statuses(system)).toEqual(['applied']);
    expect(await reading.offering(system, 'V1')).toMatchObject({
      title: 'Massage',
      description: 'One hour with warm stones.',
      tiers: [{ external_id: 'V1', label: 'Regular', amount: 9_500, currency: 'usd' }],
    });
    expect(reading.apis.requests.map(({ path }) => path)).toEqual(['/catalog/object/V1']);
  });

  const bookingOf = (variations: readonly string[], version: number): object => {
    const body = structuredClone(booking(variations[0] ?? '', version)) as {
      data: { object: { booking: { appointment_segments: { service_variation_id: string }[] } } };
    };
    const { booking: booked } = body.data.object;
    const [segment] = booked.appointment_segments;
    booked.appointment_segments = variations.map((id) => ({ ...segment, service_variation_id: id }));
    return body;
  };

  it('a booking of several services of which the first is not known reads all of them', async () => {
    const system = await connected();
    await system.send(bookingOf(['V1', 'V2'], 3));
    await reading.applyAndRead();
    const titles = [await reading.offering(system, 'V1'), await reading.offering(system, 'V2')];
    expect(titles.map(({ title }) => title)).toEqual(['Massage', 'Facial']);
  });

  it('a booking of a known service and of others takes its place at once, and reads the others once', async () => {
    const system = await connected();
    await system.send(booking('V1', 1));
    await reading.applyAndRead();
    const { tiers } = await reading.offering(system, 'V1');
    const times = [{ starts_at: '2027-06-12T13:30:00Z', capacity: 2 }];
    const body = { external_id: 'V1', kind: 'spa_treatment', title: 'Massage', tiers, availability: { slots: times } };
    expect((await reading.world.call('POST', '/v1/offerings', { key: system.key, body })).status).toBe(200);
    reading.apis.requests.length = 0;
    reading.apis.faults.push(SQUARE_RATE_LIMIT);
    const warnings: unknown[] = [];
    const log = { ...reading.services.log, warn: (line: unknown) => void warnings.push(line) };
    await system.send(bookingOf(['V1', 'V2', 'V3', 'V2'], 2));
    await reading.apply();
    await reading.makeDue();
    await reading.readOnce({ ...reading.services, log });
    expect(warnings).toEqual([{ integration: system.id, read: 'service', reason: expect.stringContaining('429') }]);
    expect((await reading.outcomes(system))[0]).toEqual(['applied', expect.stringMatching(/"V[23]" and "V[23]"/)]);
    expect((await reading.offering(system, 'V1')).availability.slots).toMatchObject([{ capacity: 1 }]);
    await reading.makeReadsDue();
    await reading.readAll();
    expect((await reading.offering(system, 'V2')).title).toBe('Facial');
    expect(await reading.offering(system, 'V3')).toBeUndefined();
    expect((await reading.statuses(system))[0]).toBe('applied');
    const before = reading.apis.requests.length;
    expect(before).toBe(3);
    await system.send(bookingOf(['V1', 'V2'], 4));
    await reading.applyAndRead();
    expect([reading.apis.requests.length, (await reading.outcomes(system))[0]?.[0]]).toEqual([before, 'applied']);
  });

  it('a booking of a known service and of an unknown one keeps its outcome without credentials', async () => {
    const system = await reading.connect('square', { kind: 'spa_treatment' }, null);
    const body = { ...YOGA, external_id: 'V1' };
    expect((await reading.world.call('POST', '/v1/offerings', { key: system.key, body })).status).toBe(201);
    await system.send(bookingOf(['V1', 'V2'], 2));
    await reading.applyAndRead();
    expect(await reading.outcomes(system)).toEqual([['ignored', expect.not.stringContaining('V2')]]);
    expect(reading.apis.requests).toEqual([]);
  });

  it('a booking of a known service reads nothing', async () => {
    const system = await connected();
    await system.send(booking('V2', 1));
    await reading.applyAndRead();
    const before = reading.apis.requests.length;
    await system.send(booking('V2', 2));
    await reading.applyAndRead();
    expect(reading.apis.requests.length).toBe(before);
  });

  it('a change of the catalogue reads every page of services, once for each version', async () => {
    const system = await connected();
    await system.send(squareCatalogUpdated('c-1', '2027-01-01T00:00:00Z'));
    await reading.applyAndRead();
    expect([(await reading.offering(system, 'V1')).title, (await reading.offering(system, 'V2')).title]).toEqual([
      'Massage',
      'Facial',
    ]);
    expect(await reading.offering(system, 'V3')).toBeUndefined();
    square.services[0] = { item: 'I1', variation: 'V1', name: 'Long massage', version: 200, amount: 14_000 };
    await system.send(squareCatalogUpdated('c-2', '2027-01-02T00:00:00Z'));
    await reading.applyAndRead();
    expect(await reading.offering(system, 'V1')).toMatchObject({ title: 'Long massage', tiers: [{ amount: 14_000 }] });
    const before = reading.apis.requests.length;
    await system.send(squareCatalogUpdated('c-3', '2027-01-02T00:00:00Z'));
    await reading.applyAndRead();
    expect([reading.apis.requests.length, (await reading.statuses(system))[0]]).toEqual([before, 'superseded']);
  });

  it.each(['isDeleted', 'isArchived', 'isClosed'] as const)(
    'a service with %s is no longer on sale, and an unknown one makes no offering',
    async (state) => {
      const system = await connected();
      await system.send(squareCatalogUpdated(`f-${state}-1`, '2027-03-01T00:00:00Z'));
      await reading.applyAndRead();
      const times = [{ starts_at: '2027-06-12T18:00:00Z', capacity: 1 }];
      const { tiers } = await reading.offering(system, 'V1');
      const body = {
        external_id: 'V1',
        kind: 'spa_treatment',
        title: 'Massage',
        tiers,
        availability: { slots: times },
      };
      expect((await reading.world.call('POST', '/v1/offerings', { key: system.key, body })).status).toBe(200);
      square.services = square.services.map((one) => ({ ...one, version: 300, [state]: one.variation === 'V1' }));
      square.services.push({ item: 'I4', variation: 'V4', name: 'New', version: 300, amount: 100, [state]: true });
      await system.send(squareCatalogUpdated(`f-${state}-2`, '2027-03-02T00:00:00Z'));
      await system.send(booking('V4', 1));
      await reading.applyAndRead();
      expect((await reading.offering(system, 'V1')).availability.slots).toEqual([]);
      expect(await reading.offering(system, 'V4')).toBeUndefined();
      expect(await reading.statuses(system)).toEqual(['ignored', 'applied', 'applied']);
    },
  );

  it('a catalogue without any service, whose list Square leaves out, takes every service off sale', async () => {
    const system = await connected();
    await system.send(squareCatalogUpdated('f-1', '2027-01-01T00:00:00Z'));
    await reading.applyAndRead();
    reading.apis.faults.push({ status: 200, body: {} });
    await system.send(squareCatalogUpdated('f-2', '2027-01-02T00:00:00Z'));
    await reading.applyAndRead();
    const reason = expect.stringContaining('"V2": Square no longer lists it. It can no longer be booked.');
    expect((await reading.outcomes(system))[0]).toEqual(['applied', reason]);
  });

  it('an answer that is older than what was applied changes nothing', async () => {
    const system = await connected();
    await system.send(squareCatalogUpdated('d-1', '2027-02-01T00:00:00Z'));
    await reading.applyAndRead();
    square.services[0] = { item: 'I1', variation: 'V1', name: 'Old name', version: 50, amount: 100 };
    await system.send(squareCatalogUpdated('d-2', '2027-02-02T00:00:00Z'));
    await reading.applyAndRead();
    expect((await reading.offering(system, 'V1')).title).toBe('Massage');
  });

  it('a catalogue run reads all services, and says which have no price', async () => {
    const { id, key } = await connected();
    await reading.world.call('POST', `/v1/integrations/${id}/sync`, { key });
    await reading.readAll();
    const { json } = await reading.world.call('GET', `/v1/integrations/${id}/sync`, { key });
    expect(json.data).toMatchObject({ status: 'finished', created: 2, skipped: 1 });
    expect(json.data.skipped_objects).toMatchObject([{ object: 'V3', reason: expect.stringContaining('tiers') }]);
    expect(reading.apis.requests.filter(({ method }) => method === 'POST').length).toBe(2);
  });
});
