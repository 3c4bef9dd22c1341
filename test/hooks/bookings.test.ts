// Bookings and cancellations change the capacity of slots: each booking counts once, for any deliveries, any number of
// times and in which order, and a slot never shows more places than it has.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyDueDeliveries } from '../../src/domain/hooks/apply-due-deliveries.ts';
import { SAIL, YOGA } from '../support/provider-samples.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import {
  CHECKFRONT_START,
  CLASS,
  checkfrontBooking,
  fareharborBooking,
  fareharborOptimized,
  mindbody,
  octo,
  ROSTER,
  rezdyOrder,
  rezdyProduct,
  rosterCancellation,
  squareBooking,
  tockReservation,
  ventrataBooking,
  ventrataVacancies,
  xolaOrder,
  xolaOrderItem,
} from '../support/venue-bodies.ts';
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

  it('counts once at all addresses of the same system, also after the first was revoked', async () => {
    const first = await sail();
    expect(await capacitiesAfter(first, octo('booking_update'))).toEqual([7]);
    // Another subscription sends the same booking; then the first one is replaced, as for a new signing secret.
    const second = await connectVenueSystem(world, 'peek', BOAT, first.venueId);
    expect(await capacitiesAfter(second, octo('booking_update'))).toEqual([7]);
    const revoked = await world.call('POST', `/v1/integrations/${first.id}/revoke`, { key: first.key });
    expect(revoked.status).toBe(200);
    expect(await capacitiesAfter(second, octo('booking_update', { ...units(5), note: 'two more' }))).toEqual([5]);
    // Another venue knows nothing of it: there it is another booking.
    expect(await capacitiesAfter(await sail(), octo('booking_update'))).toEqual([7]);
    const third = await connectVenueSystem(world, 'peek', BOAT, first.venueId);
    expect(await capacitiesAfter(third, octo('booking_update', { status: 'CANCELLED' }))).toEqual([10]);
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
    expect((await system.deliveries()).map(({ status }) => status)).toEqual(['ignored', 'applied', 'applied']);
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
  const tock = (sequenceId: number, more: object = {}) => tockReservation(sequenceId, more);
  const KAYAK = '2027-06-12T20:25:00Z';
  const kayak = (quantity: number, more: object = {}) => xolaOrderItem(quantity, { amount: 0, ...more });
  const order = (eventName: string, ...items: object[]) => xolaOrder(eventName, items);

  it.each([
    [
      'square',
      'GUN7HNQBH7ZRARYZN52E7O4B',
      '2027-06-12T13:30:00Z',
      [squareBooking('ACCEPTED', 1)],
      9,
      [squareBooking('CANCELLED_BY_CUSTOMER', 2)],
    ],
    ['xola', 'exp1', KAYAK, [order('order.create', kayak(4))], 6, [order('order.cancel', kayak(4))]],
    ['xola', 'exp1', KAYAK, [order('order.create', kayak(4), kayak(2))], 4, [order('order.update')]],
    ['xola', 'exp1', KAYAK, [order('order.create', kayak(4))], 6, [order('order.update', kayak(4, { status: 700 }))]],
    [
      'rezdy',
      'PWQF1Y',
      '2027-06-12T00:00:00Z',
      [rezdyOrder('PROCESSING', '2027-01-02T00:00:00Z'), rezdyOrder('CONFIRMED', '2027-01-03T00:00:00Z')],
      7,
      [rezdyOrder('CANCELLED', '2027-01-04T00:00:00Z')],
    ],
    [
      'checkfront',
      '6',
      new Date(Number(CHECKFRONT_START) * 1000).toISOString(),
      [checkfrontBooking('PAID')],
      8,
      [checkfrontBooking('VOID')],
    ],
    ['tock', '5150', new Date(1812825000000).toISOString(), [tock(0)], 6, [tock(1, { isCancelled: true })]],
    ['ventrata', 'av_123', START, [octo('booking_update')], 7, [octo('booking_update', { status: 'REJECTED' })]],
  ] as const)('%s: %s subtracts its party from the slot at %s, and returns it', async (...row) => {
    const [provider, id, start, bookings, placesLeft, cancellations] = row;
    const system = await connectVenueSystem(world, provider, BOAT);
    const tiers = [{ amount: 7500, currency: provider === 'rezdy' ? 'aud' : 'usd', unit: 'per_person' }];
    expect((await post(system, { ...SAIL, external_id: id, tiers, ...slot(start) })).status).toBe(201);
    for (const body of bookings) await system.send(body);
    await applyAll();
    expect(await capacities(system, id)).toEqual([placesLeft]);
    const free = (await read(system, id)).tiers.filter(({ amount }: { amount: number }) => amount === 0);
    expect(free).toEqual([]);
    for (const body of cancellations) await system.send(body);
    await applyAll();
    const [delivery] = await system.deliveries();
    expect([delivery.status, await capacities(system, id)]).toEqual(['applied', [10]]);
  });

  it('create no offering and no price when they are canceled', async () => {
    const system = await connectVenueSystem(world, 'tock', { kind: 'dining' });
    await system.send(tockReservation(0, { isCancelled: true }));
    await applyAll();
    expect((await system.deliveries())[0].status).toBe('ignored');
    expect(await read(system, '5150')).toBeUndefined();
    const orders = await connectVenueSystem(world, 'xola', BOAT);
    await orders.send(order('order.update', kayak(2, { status: 700 })));
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
    await system.send(mindbody('classRosterBooking.cancelled', rosterCancellation(), at(3)));
    await applyAll();
    expect(await capacities(system, '69')).toEqual([0]);
    await system.send(mindbody('class.updated', CLASS, at(4)));
    await applyAll();
    expect(await capacities(system, '69')).toEqual([9]);
  });
});

describe('a roster booking of Mindbody', () => {
  const at = (minute: number) => `2027-01-15T18:0${minute}:00Z`;
  const created = (id: number, totalBooked: number, minute: number) =>
    mindbody('classRosterBooking.created', { ...ROSTER, classRosterBookingId: id, totalBooked }, at(minute), `c${id}`);
  const canceled = (id: number, minute: number, message = `x${id}`) =>
    mindbody('classRosterBooking.cancelled', rosterCancellation(id), at(minute), message);
  const yoga = async (): Promise<VenueSystem> => {
    const system = await connectVenueSystem(world, 'mindbody', { timezone: 'America/New_York' });
    await post(system, YOGA);
    await system.send(mindbody('class.updated', CLASS, at(0)));
    return system;
  };
  const left = async (system: VenueSystem, ...bodies: object[]): Promise<unknown[]> => {
    for (const body of bodies) await system.send(body);
    await applyAll();
    return [(await system.deliveries())[0].status, ...(await capacities(system, '69'))];
  };

  it('gives its one place back by its id, also after later bookings, and only once', async () => {
    const system = await yoga();
    expect(await left(system, created(11, 12, 1), created(12, 13, 2))).toEqual(['applied', 7]);
    expect(await left(system, canceled(11, 3))).toEqual(['applied', 8]);
    expect(await left(system, canceled(11, 3, 'again'))).toEqual(['ignored', 8]);
  });

  it('gives nothing back that a newer count already has without it', async () => {
    const system = await yoga();
    expect(await left(system, created(11, 12, 1), created(12, 12, 5), canceled(11, 3))).toEqual(['superseded', 8]);
    expect(await left(system, canceled(12, 5))).toEqual(['superseded', 8]);
  });

  it('takes the number of an older count that comes late: too few places, never too many', async () => {
    const system = await yoga();
    expect(await left(system, created(11, 12, 1), canceled(11, 5))).toEqual(['applied', 9]);
    expect(await left(system, created(12, 13, 4))).toEqual(['applied', 7]);
  });

  it('is never applied with nothing done: the cancellation of an unknown booking needs a read', async () => {
    const system = await yoga();
    expect(await left(system, created(11, 12, 1), canceled(99, 2))).toEqual(['needs_api_read', 8]);
    expect((await system.deliveries())[0].reason).toContain('only ids');
    expect(await left(system, created(99, 13, 1))).toEqual(['superseded', 8]);
  });

  it('gives nothing back after the venue has stated another number', async () => {
    const system = await yoga();
    await left(system, created(11, 12, 1));
    const { availability } = await read(system, '69');
    await post(system, {
      ...YOGA,
      availability: { ...availability, slots: [{ ...availability.slots[0], capacity: 3 }] },
    });
    expect(await left(system, canceled(11, 3))).toEqual(['ignored', 3]);
  });
});

describe('an optimized booking of FareHarbor', () => {
  it('takes its customers from the slot, by the difference when they change, and gives them back', async () => {
    const system = await connectVenueSystem(world, 'fareharbor', BOAT);
    await system.send(fareharborBooking(6));
    await applyAll();
    const left = async (body: object) => {
      await system.send(body);
      await applyAll();
      return [(await system.deliveries())[0].status, ...(await capacities(system, '1867'))];
    };
    expect(await left(fareharborOptimized(2))).toEqual(['applied', 4]);
    expect(await left(fareharborOptimized(3))).toEqual(['applied', 3]);
    expect(await left(fareharborOptimized(3, { status: 'rebooked' }))).toEqual(['applied', 6]);
  });

  it('says that nothing was taken if the slot is not known', async () => {
    const system = await connectVenueSystem(world, 'fareharbor', BOAT);
    await post(system, { ...SAIL, external_id: '1867' });
    await system.send(fareharborOptimized(2));
    await applyAll();
    expect((await system.deliveries())[0]).toMatchObject({
      status: 'ignored',
      reason: expect.stringContaining('takes no places'),
    });
  });
});

describe('an order of Rezdy', () => {
  const reef = async (): Promise<VenueSystem> => {
    const system = await connectVenueSystem(world, 'rezdy', BOAT);
    const slots = [{ starts_at: '2027-06-12T00:00:00Z', capacity: 20 }];
    await post(system, { ...SAIL, external_id: 'PWQF1Y', availability: { timezone: 'UTC', slots } });
    return system;
  };

  it('that is stale takes nothing: confirmed, as it was before the cancellation that came first', async () => {
    const system = await reef();
    await system.send(rezdyOrder('CANCELLED', '2027-01-03T00:00:00Z'));
    await system.send(rezdyOrder('CONFIRMED', '2027-01-02T00:00:00Z'));
    await applyAll();
    expect((await system.deliveries())[0].status).toBe('superseded');
    expect(await capacities(system, 'PWQF1Y')).toEqual([20]);
  });

  it('takes the seats that its options use', async () => {
    const system = await reef();
    const quantities = [{ optionId: 2, optionLabel: 'Boat', optionPrice: 900.0, value: 2, optionSeatsUsed: 6 }];
    await system.send(rezdyOrder('CONFIRMED', '2027-01-02T00:00:00Z', { totalQuantity: 2, quantities }));
    await applyAll();
    expect(await capacities(system, 'PWQF1Y')).toEqual([8]);
  });
});

describe('an option of Rezdy that uses several seats', () => {
  const option = { id: 2, label: 'Boat', price: 900.0, priceGroupType: 'TOTAL', minQuantity: 1, maxQuantity: 6 };
  const product = (seatsUsed: number) =>
    rezdyProduct('2027-01-01T00:00:00Z', {
      productCode: 'PWQF1Y',
      currency: 'AUD',
      priceOptions: [{ ...option, seatsUsed }],
    });
  const quantities = [{ optionId: 2, optionLabel: 'Boat', optionPrice: 900.0, value: 2 }];
  const order = (status: string, at: string) => rezdyOrder(status, at, { totalQuantity: 2, quantities });

  it('takes the seats that the product stated, where the order does not say them, and gives them back', async () => {
    const system = await connectVenueSystem(world, 'rezdy', BOAT);
    await system.send(product(6));
    await applyAll();
    const { tiers } = await read(system, 'PWQF1Y');
    const slots = [{ starts_at: '2027-06-12T00:00:00Z', capacity: 20 }];
    await post(system, { ...SAIL, external_id: 'PWQF1Y', tiers, availability: { timezone: 'UTC', slots } });
    await system.send(order('CONFIRMED', '2027-01-02T00:00:00Z'));
    await applyAll();
    expect(await capacities(system, 'PWQF1Y')).toEqual([8]);
    await system.send(order('CANCELLED', '2027-01-03T00:00:00Z'));
    await applyAll();
    expect(await capacities(system, 'PWQF1Y')).toEqual([20]);
  });

  it('is refused if it would take more places than any slot has', async () => {
    const system = await connectVenueSystem(world, 'rezdy', BOAT);
    await system.send(product(90_000));
    await system.send(order('CONFIRMED', '2027-01-02T00:00:00Z'));
    await applyAll();
    expect((await system.deliveries())[0]).toMatchObject({
      status: 'unmapped',
      reason: '180000 are more than a slot has places for.',
    });
  });
});

describe('a product of Rezdy', () => {
  it('that becomes a price for each loses the limits of the group, and an older one changes nothing', async () => {
    const system = await connectVenueSystem(world, 'rezdy', { ...BOAT, unit: 'per_unit' });
    const option = { id: 2, label: 'Boat', price: 15000.0, priceGroupType: 'EACH', minQuantity: 1, maxQuantity: 10 };
    await system.send(rezdyProduct('2027-01-01T00:00:00Z'));
    await system.send(rezdyProduct('2027-01-03T00:00:00Z', { priceOptions: [option] }));
    await system.send(rezdyProduct('2027-01-02T00:00:00Z'));
    await applyAll();
    expect((await read(system, 'PJP1')).tiers).toEqual([
      { external_id: '2', label: 'Boat', amount: 15000, currency: 'jpy', unit: 'per_unit' },
    ]);
    expect((await system.deliveries())[0].status).toBe('superseded');
  });
});

describe('Ventrata', () => {
  it('takes only units that stand, and gives back the one that is canceled alone', async () => {
    const system = await connectVenueSystem(world, 'ventrata', BOAT);
    await post(system, SAIL);
    const booking = (utcUpdatedAt: string, ...statuses: string[]) =>
      ventrataBooking({ utcUpdatedAt, unitItems: statuses.map((status) => ({ unitId: 'adult', status })) });
    expect(await capacitiesAfter(system, booking('2027-01-02T00:00:00Z', 'CONFIRMED', 'CONFIRMED', 'ON_HOLD'))).toEqual(
      [7],
    );
    expect(await capacitiesAfter(system, booking('2027-01-03T00:00:00Z', 'CONFIRMED', 'CANCELLED', 'EXPIRED'))).toEqual(
      [9],
    );
    expect(await capacitiesAfter(system, booking('2027-01-04T00:00:00Z', 'REJECTED', 'CANCELLED', 'EXPIRED'))).toEqual([
      10,
    ]);
  });

  it('states the places left, closes a time and opens it again, and keeps a number where it states none', async () => {
    const system = await connectVenueSystem(world, 'ventrata', BOAT);
    await post(system, SAIL);
    expect(await capacitiesAfter(system, ventrataVacancies(7))).toEqual([7]);
    expect(await capacitiesAfter(system, ventrataVacancies(7, 'CLOSED'))).toEqual([0]);
    await system.forgetArrivals();
    expect(await capacitiesAfter(system, ventrataVacancies(7))).toEqual([7]);
    expect(await capacitiesAfter(system, ventrataVacancies(6))).toEqual([6]);
    expect(await capacitiesAfter(system, ventrataVacancies(null, 'FREESALE'))).toEqual([6]);
  });
});

describe('a delivery that took places and then failed', () => {
  it('says both', async () => {
    const system = await sail();
    const pricing = { retail: 999_999_999, currency: 'USD', currencyPrecision: 2 };
    await system.send(octo('booking_update', { unitItems: [{ unitId: 'new', pricing }] }));
    await applyAll();
    const [delivery] = await system.deliveries();
    expect([delivery.status, await capacities(system, 'av_123')]).toEqual(['failed', [9]]);
    expect(delivery.reason).toMatch(/amount.*The booking itself was counted/);
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
