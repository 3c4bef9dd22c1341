// Bookings and cancellations change the capacity of slots: each booking counts once, for any deliveries, any number of
// times and in which order, and a slot never shows more places than it has.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyDueDeliveries } from '../../src/domain/hooks/apply-due-deliveries.ts';
import {
  CLASS,
  fareharborBooking,
  mindbody,
  octo,
  ROSTER,
  SAIL,
  tockReservation,
  YOGA,
} from '../support/provider-samples.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { connectVenueSystem, type VenueSystem } from './venue-system.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const BOAT = { kind: 'boat_day', timezone: 'America/New_York', currency: 'usd' };
const START = '2027-06-12T22:00:00Z';
const applyAll = (): Promise<number> => applyDueDeliveries(world.context, 1_000);
const post = (system: VenueSystem, body: object) => world.call('POST', '/v1/offerings', { key: system.key, body });
const read = async (system: VenueSystem, id: string) =>
  (await world.call('GET', `/v1/offerings/${encodeURIComponent(id)}`, { key: system.key })).json?.data;
const capacities = async (system: VenueSystem, id: string): Promise<(number | undefined)[]> =>
  (await read(system, id)).availability.slots.map(({ capacity }: { capacity?: number }) => capacity);
const sail = async (capacity = 10): Promise<VenueSystem> => {
  const system = await connectVenueSystem(world, 'peek', BOAT);
  await post(system, { ...SAIL, availability: { ...SAIL.availability, slots: [{ starts_at: START, capacity }] } });
  return system;
};
const units = (count: number) => ({ unitItems: Array.from({ length: count }, () => ({ unitId: 'adult' })) });
const capacitiesAfter = async (system: VenueSystem, ...bodies: object[]): Promise<(number | undefined)[]> => {
  for (const body of bodies) await system.send(body);
  await applyAll();
  return capacities(system, 'av_123');
};

describe('a booking', () => {
  it('subtracts its party, then the difference when it changes, and returns all of it when canceled', async () => {
    const system = await sail();
    expect(await capacitiesAfter(system, octo('booking_update'))).toEqual([7]);
    expect(await capacitiesAfter(system, octo('booking_update', { ...units(5), note: 'two more' }))).toEqual([5]);
    expect(await capacitiesAfter(system, octo('booking_update', { uuid: 'other', ...units(2) }))).toEqual([3]);
    expect(await capacitiesAfter(system, octo('booking_update', { status: 'CANCELLED' }))).toEqual([8]);
    expect((await system.deliveries()).map(({ status }) => status)).toEqual(Array(4).fill('applied'));
  });

  it('counts once, however often it is sent and replayed', async () => {
    const system = await sail();
    const bodies = Array.from({ length: 6 }, (_, n) => octo('booking_update', { checkedIn: n }));
    expect(await capacitiesAfter(system, ...bodies)).toEqual([7]);
    const [delivery] = await system.deliveries();
    await world.call('POST', `/v1/integrations/${system.id}/deliveries/${delivery.id}/replay`, { key: system.key });
    expect(await capacitiesAfter(system)).toEqual([7]);
  });

  it('moves from one slot to another when its time changes', async () => {
    const system = await connectVenueSystem(world, 'peek', BOAT);
    const later = '2027-06-13T22:00:00Z';
    const slots = [START, later].map((starts_at) => ({ starts_at, capacity: 10 }));
    await post(system, { ...SAIL, availability: { slots } });
    expect(await capacitiesAfter(system, octo('booking_update'))).toEqual([7, 10]);
    expect(
      await capacitiesAfter(system, octo('booking_update', { availability: { localDateTimeStart: later } })),
    ).toEqual([10, 7]);
  });

  it('with an invalid time takes nothing, and is reported as unreadable', async () => {
    const system = await sail();
    const at = (localDateTimeStart: string) => octo('booking_update', { availability: { localDateTimeStart } });
    expect(await capacitiesAfter(system, at('2027-06-12T25:00:00Z'), at('2027-06-12T22:00:60+00:00'))).toEqual([10]);
    expect((await system.deliveries()).map(({ status }) => status)).toEqual(['unmapped', 'unmapped']);
  });

  it('of an offering with an invalid external id takes nothing, and is reported', async () => {
    const system = await sail();
    expect(await capacitiesAfter(system, octo('booking_update', { productId: 'av_\0' }))).toEqual([10]);
    expect(await system.deliveries()).toMatchObject([
      { status: 'failed', reason: expect.stringContaining('cannot be an external_id') },
    ]);
  });

  it('never makes a capacity negative, and overbooked places do not become free again', async () => {
    const system = await sail(10);
    expect(await capacitiesAfter(system, octo('booking_update', { uuid: 'a', ...units(8) }))).toEqual([2]);
    expect(await capacitiesAfter(system, octo('booking_update', { uuid: 'b', ...units(5) }))).toEqual([0]);
    expect(await capacitiesAfter(system, octo('booking_update', { uuid: 'a', status: 'CANCELLED' }))).toEqual([5]);
  });

  it('that a newer stated capacity includes returns nothing: too few places, never too many', async () => {
    const system = await sail(10);
    await capacitiesAfter(system, octo('booking_update'));
    await post(system, { ...SAIL, availability: { slots: [{ starts_at: START, capacity: 9 }] } });
    expect(await capacitiesAfter(system, octo('booking_update', { status: 'CANCELLED' }))).toEqual([9]);
    const [delivery] = await system.deliveries();
    expect([delivery.status, delivery.reason]).toEqual(['ignored', expect.stringContaining('Nothing is given back')]);
    expect(await capacitiesAfter(system, octo('booking_update', { uuid: 'new', ...units(4) }))).toEqual([5]);
  });

  it('that is unknown returns nothing, and an older one that arrives late takes nothing', async () => {
    const system = await sail();
    const at = (utcUpdatedAt: string, more: object = {}) => octo('booking_update', { utcUpdatedAt, ...more });
    expect(await capacitiesAfter(system, at('2027-01-02T00:00:00Z', { status: 'CANCELLED' }))).toEqual([10]);
    expect(await capacitiesAfter(system, at('2027-01-01T00:00:00Z'))).toEqual([10]);
    expect((await system.deliveries())[0].status).toBe('superseded');
  });

  it('creates no slot, and takes nothing from a slot without a capacity', async () => {
    const system = await connectVenueSystem(world, 'peek', BOAT);
    await post(system, { ...SAIL, availability: { slots: [{ starts_at: START }] } });
    expect(await capacitiesAfter(system, octo('booking_update'))).toEqual([undefined]);
    const elsewhere = { availability: { localDateTimeStart: '2027-07-01T10:00:00Z' } };
    expect(await capacitiesAfter(system, octo('booking_update', elsewhere))).toEqual([undefined]);
  });

  it('takes from a slot of a recurrence rule, and from that one only', async () => {
    const system = await connectVenueSystem(world, 'peek', BOAT);
    const recurring = [
      { rrule: 'FREQ=DAILY', starts_at: '2027-06-01T18:00:00-04:00', duration_minutes: 120, capacity: 12 },
    ];
    await post(system, { ...SAIL, availability: { timezone: 'America/New_York', recurring } });
    await capacitiesAfter(system, octo('booking_update'));
    const { slots } = (await read(system, 'av_123')).availability;
    expect(slots).toEqual([{ starts_at: START, ends_at: '2027-06-13T00:00:00Z', capacity: 9 }]);
    expect(await capacitiesAfter(system, octo('booking_update', { status: 'EXPIRED' }))).toEqual([12]);
  });

  it('never renames a known offering or changes its prices; a missing price is added', async () => {
    const system = await connectVenueSystem(world, 'peek', BOAT);
    const tiers = [{ external_id: 'adult', amount: 1, currency: 'usd', unit: 'per_group' }];
    await post(system, { ...SAIL, title: 'Our fine title', tiers });
    await capacitiesAfter(system, octo('booking_update'));
    expect(await read(system, 'av_123')).toMatchObject({
      title: 'Our fine title',
      tiers: [
        { external_id: 'adult', amount: 1, unit: 'per_group' },
        { external_id: 'child', amount: 4950 },
      ],
    });
  });

  it('of last year does not restore an old price when it is changed', async () => {
    const system = await connectVenueSystem(world, 'rezdy', BOAT);
    const product = (price: number) => ({ productCode: 'P1', name: 'Reef', priceOptions: [{ label: 'Adult', price }] });
    const quantities = [{ optionLabel: 'Adult', optionPrice: 299.0, value: 2 }];
    const items = [{ productCode: 'P1', productName: 'Reef', startTime: START, totalQuantity: 2, quantities }];
    for (const body of [
      product(299),
      product(349),
      { orderNumber: 'R1', status: 'CONFIRMED', totalCurrency: 'USD', items },
    ])
      await system.send(body);
    await applyAll();
    expect((await system.deliveries()).map(({ status }) => status)).toEqual(['applied', 'applied', 'applied']);
    expect((await read(system, 'P1')).tiers).toMatchObject([{ label: 'Adult', amount: 34900 }]);
  });

  it('for more people than any slot can have is refused and takes nothing; an unlimited slot has the largest capacity', async () => {
    const system = await connectVenueSystem(world, 'tock', { kind: 'dining' });
    const starts_at = new Date(1812825000000).toISOString();
    await post(system, {
      ...SAIL,
      external_id: '5150',
      availability: { timezone: 'UTC', slots: [{ starts_at, capacity: 10 }] },
    });
    await system.send(tockReservation(0, { partySize: 999_999_999_999 }));
    await applyAll();
    expect((await system.deliveries())[0]).toMatchObject({
      status: 'unmapped',
      reason: '999999999999 are more than a slot has places for.',
    });
    expect(await capacities(system, '5150')).toEqual([10]);
    const boats = await connectVenueSystem(world, 'fareharbor', BOAT);
    await boats.send(fareharborBooking(5_000_000));
    await applyAll();
    expect(await capacities(boats, '1867')).toEqual([100_000]);
  });

  it('at a time without an offset is stored with its reason if no time zone is known', async () => {
    const system = await connectVenueSystem(world, 'mindbody');
    await post(system, YOGA);
    await system.send(mindbody('class.updated', CLASS));
    await system.send(mindbody('classRosterBooking.created', ROSTER));
    await applyAll();
    for (const { status, reason } of await system.deliveries())
      expect([status, reason]).toEqual(['unmapped', expect.stringContaining('defaults.timezone')]);
  });
});

describe('bookings of the other systems', () => {
  const slot = (starts_at: string) => ({ availability: { timezone: 'UTC', slots: [{ starts_at, capacity: 10 }] } });
  const square = (status: string, version: number) => ({
    type: 'booking.updated',
    event_id: `e-${version}`,
    data: {
      object: {
        booking: { id: 'b', version, status, start_at: START, appointment_segments: [{ service_variation_id: 'V1' }] },
      },
    },
  });
  const xola = (eventName: string, items: object[]) => ({ eventName, data: { id: 'o1', currency: 'USD', items } });
  const kayak = (quantity: number, more: object = {}) => ({
    experience: { id: 'exp1' },
    name: 'Kayak',
    amount: 0,
    quantity,
    arrival: '2027-06-12',
    arrivalTime: 1800,
    ...more,
  });
  const rezdy = (status: string, totalQuantity: number) => ({
    orderNumber: 'R1',
    status,
    totalCurrency: 'USD',
    items: [{ productCode: 'P1', productName: 'Reef', startTime: START, totalQuantity, quantities: [] }],
  });
  const checkfront = (status: string) => ({
    booking: {
      '@attributes': { booking_id: '9' },
      status,
      order: {
        '@attributes': { currency_id: 'CAD' },
        items: {
          item: { '@attributes': { item_id: '4' }, qty: '3', start_date: String(Date.parse(START) / 1000), slip: {} },
        },
      },
    },
  });
  const tock = (sequenceId: number, more: object = {}) => tockReservation(sequenceId, more);

  it.each([
    ['square', 'V1', START, [square('ACCEPTED', 1)], 9, [square('CANCELLED_BY_CUSTOMER', 2)]],
    ['xola', 'exp1', START, [xola('order.create', [kayak(4)])], 6, [xola('order.cancel', [kayak(4)])]],
    ['xola', 'exp1', START, [xola('order.create', [kayak(4), kayak(2)])], 4, [xola('order.update', [])]],
    ['xola', 'exp1', START, [xola('order.create', [kayak(4)])], 6, [xola('order.update', [kayak(4, { status: 700 })])]],
    ['rezdy', 'P1', START, [rezdy('PROCESSING', 3), rezdy('CONFIRMED', 3)], 7, [rezdy('CANCELLED', 3)]],
    ['checkfront', '4', START, [checkfront('PAID')], 7, [checkfront('VOID')]],
    ['tock', '5150', new Date(1812825000000).toISOString(), [tock(0)], 6, [tock(1, { isCancelled: true })]],
    ['ventrata', 'av_123', START, [octo('booking.updated')], 7, [octo('booking_update', { status: 'REJECTED' })]],
  ] as const)('%s: %s subtracts its party from the slot at %s, and returns it', async (...row) => {
    const [provider, id, start, bookings, placesLeft, cancellations] = row;
    const system = await connectVenueSystem(world, provider, BOAT);
    expect((await post(system, { ...SAIL, external_id: id, ...slot(start) })).status).toBe(201);
    for (const body of bookings) await system.send(body);
    await applyAll();
    expect(await capacities(system, id)).toEqual([placesLeft]);
    const tiers = (await read(system, id)).tiers.filter(({ amount }: { amount: number }) => amount === 0);
    expect(tiers).toEqual([]);
    for (const body of cancellations) await system.send(body);
    await applyAll();
    const [delivery] = await system.deliveries();
    const isEmpty = JSON.stringify(cancellations[0]).includes('"items":[]');
    expect([delivery.status, await capacities(system, id)]).toEqual(
      isEmpty ? ['unmapped', [placesLeft]] : ['applied', [10]],
    );
  });

  it('create no offering and no price when they are canceled', async () => {
    const system = await connectVenueSystem(world, 'tock', { kind: 'dining' });
    await system.send(tockReservation(0, { isCancelled: true }));
    await applyAll();
    expect((await system.deliveries())[0].status).toBe('ignored');
    expect(await read(system, '5150')).toBeUndefined();
    const orders = await connectVenueSystem(world, 'xola', BOAT);
    await orders.send(xola('order.update', [kayak(2, { status: 700 })]));
    await applyAll();
    expect(await read(orders, 'exp1')).toBeUndefined();
  });
});

describe('a canceled class', () => {
  it('stays full for any roster, and shows the places that are left when it is restored', async () => {
    const system = await connectVenueSystem(world, 'mindbody', { timezone: 'America/New_York' });
    await post(system, YOGA);
    const at = (minute: number) => `2027-01-15T18:0${minute}:00Z`;
    await system.send(mindbody('class.updated', CLASS, at(0)));
    await system.send(mindbody('classRosterBooking.created', ROSTER, at(1)));
    await applyAll();
    expect(await capacities(system, '69')).toEqual([8]);
    await system.send(mindbody('class.updated', { ...CLASS, isCancelled: true }, at(2)));
    await system.send(mindbody('classRosterBooking.cancelled', { ...ROSTER, totalBooked: 11 }, at(3)));
    await applyAll();
    expect(await capacities(system, '69')).toEqual([0]);
    await system.send(mindbody('class.updated', CLASS, at(4)));
    await applyAll();
    expect(await capacities(system, '69')).toEqual([9]);
  });
});

describe('prices of one FareHarbor time', () => {
  it('are stored with its slot, and do not change those of other times', async () => {
    const system = await connectVenueSystem(world, 'fareharbor', BOAT);
    await system.send(fareharborBooking(4));
    const night = JSON.parse(JSON.stringify(fareharborBooking(6)).replaceAll('10500', '30000')) as {
      booking: { availability: Record<string, unknown> };
    };
    Object.assign(night.booking.availability, { pk: 88002, start_at: '2027-06-12T21:30:00-1000', end_at: null });
    await system.send(night);
    await applyAll();
    const { tiers, availability } = await read(system, '1867');
    expect(tiers.map(({ amount }: { amount: number }) => amount)).toEqual([10500, 8000]);
    expect(availability.slots.map((one: Record<string, unknown>) => one.tier_overrides)).toEqual([
      undefined,
      [{ tier: '70', amount: 30000 }],
    ]);
  });
});
