// The states of a booking and of a slot, in the order in which venue systems really send them: states that come back,
// arrive late, at the same second, without a version or without items. A slot never shows more places than it has, and
// no delivery is `applied` with nothing done.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyDueDeliveries } from '../../src/domain/hooks/apply-due-deliveries.ts';
import { SAIL, YOGA } from '../support/provider-samples.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import {
  CHECKFRONT_START,
  CLASS,
  checkfrontBooking,
  fareharborOptimized,
  mindbody,
  peekBooking,
  ROSTER,
  rezdyOrder,
  rosterCancellation,
  ventrataBooking,
  ventrataVacancies,
  xolaItem,
  xolaPurchase,
} from '../support/venue-bodies.ts';
import { connectVenueSystem, type VenueSystem } from './venue-system.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const BOAT = { kind: 'boat_day', timezone: 'America/New_York', currency: 'usd' };

interface KnownVenue {
  readonly system: VenueSystem;
  /** Sends and applies bodies one by one; returns the last outcome and the places left. */
  send(...bodies: object[]): Promise<[string, ...(number | undefined)[]]>;
}

async function connect(provider: string, offering: { readonly external_id: string }): Promise<KnownVenue> {
  const system = await connectVenueSystem(world, provider, BOAT);
  expect((await world.call('POST', '/v1/offerings', { key: system.key, body: offering })).status).toBe(201);
  return {
    system,
    send: async (...bodies) => {
      for (const body of bodies) {
        await system.forgetArrivals();
        await system.send(body);
        await applyDueDeliveries(world.context, 100);
      }
      const path = `/v1/offerings/${offering.external_id}`;
      const { data } = (await world.call('GET', path, { key: system.key })).json;
      const slots: { capacity?: number }[] = data.availability?.slots ?? [];
      return [(await system.deliveries())[0].status, ...slots.map(({ capacity }) => capacity)];
    },
  };
}

const at = (starts_at: string, capacity = 10) => ({
  availability: { timezone: 'UTC', slots: [{ starts_at, capacity }] },
});
const REEF = {
  ...SAIL,
  external_id: 'PWQF1Y',
  tiers: [{ amount: 29900, currency: 'aud', unit: 'per_person' }],
  ...at('2027-06-12T00:00:00Z', 20),
};
const lastReason = async ({ system }: KnownVenue): Promise<string> => (await system.deliveries())[0].reason;

describe('a state that comes back', () => {
  it('is applied again: closed and opened with the same number, sold out a second time', async () => {
    const venue = await connect('ventrata', SAIL);
    const open = ventrataVacancies(7);
    expect(await venue.send(open, ventrataVacancies(7, 'CLOSED'), open)).toEqual(['applied', 7]);
    const soldOut = ventrataVacancies(0, 'SOLD_OUT');
    expect(await venue.send(soldOut, ventrataVacancies(4), soldOut)).toEqual(['applied', 0]);
  });

  it('is applied again: a booking that is void, and paid again', async () => {
    const start = new Date(Number(CHECKFRONT_START) * 1000);
    const venue = await connect('checkfront', { ...SAIL, external_id: '6', ...at(start.toISOString()) });
    const [paid, canceled] = [checkfrontBooking('PAID'), checkfrontBooking('VOID')];
    expect(await venue.send(paid, canceled)).toEqual(['applied', 10]);
    expect(await venue.send(paid)).toEqual(['applied', 8]);
  });
});

describe('a number that is stated', () => {
  it('includes earlier bookings, even if it equals the number that is shown: a cancellation gives nothing back', async () => {
    const venue = await connect('ventrata', SAIL);
    const booking = (status: string, utcUpdatedAt: string) => ventrataBooking({ status, utcUpdatedAt });
    expect(await venue.send(booking('CONFIRMED', '2027-01-02T00:00:00Z'))).toEqual(['applied', 8]);
    expect(await venue.send(ventrataVacancies(8))).toEqual(['applied', 8]);
    expect(await venue.send(booking('CANCELLED', '2027-01-03T00:00:00Z'))).toEqual(['ignored', 8]);
  });

  it('ends an overbooking: a stated 0 is 0, and the next place that is free is offered', async () => {
    const venue = await connect('ventrata', { ...SAIL, ...at('2027-06-12T22:00:00Z', 1) });
    expect(await venue.send(ventrataBooking())).toEqual(['applied', 0]);
    await venue.send(ventrataVacancies(0, 'SOLD_OUT'));
    const other = (status: string, utcUpdatedAt: string) => ventrataBooking({ uuid: 'other', status, utcUpdatedAt });
    await venue.send(other('CONFIRMED', '2027-01-02T00:00:00Z'));
    expect(await venue.send(other('CANCELLED', '2027-01-03T00:00:00Z'), ventrataVacancies(1))).toEqual(['applied', 1]);
  });
});

describe('a delivery without a version', () => {
  it('does not erase the known one: a stale confirmation after it takes nothing', async () => {
    const venue = await connect('rezdy', REEF);
    expect(await venue.send(rezdyOrder('CONFIRMED', '2027-01-03T00:00:00Z'))).toEqual(['applied', 17]);
    const { dateUpdated: _, ...canceled } = rezdyOrder('CANCELLED', '') as { dateUpdated: string };
    expect(await venue.send(canceled)).toEqual(['applied', 20]);
    expect(await venue.send(rezdyOrder('CONFIRMED', '2027-01-02T00:00:00Z'))).toEqual(['superseded', 20]);
    expect(await venue.send(rezdyOrder('CONFIRMED', '2027-01-04T00:00:00Z'))).toEqual(['applied', 17]);
  });

  it('does not erase the version of the booking: an older state with an item of another product takes nothing', async () => {
    const venue = await connect('rezdy', REEF);
    const other = { ...REEF, external_id: 'PWQF2Y' };
    expect((await world.call('POST', '/v1/offerings', { key: venue.system.key, body: other })).status).toBe(201);
    expect(await venue.send(rezdyOrder('CONFIRMED', '2027-01-03T00:00:00Z'))).toEqual(['applied', 17]);
    const { dateUpdated: _, ...same } = rezdyOrder('CONFIRMED', '') as { dateUpdated: string };
    expect((await venue.send(same))[1]).toBe(17);
    const stale = rezdyOrder('CONFIRMED', '2027-01-02T00:00:00Z', { productCode: 'PWQF2Y' });
    expect(await venue.send(stale)).toEqual(['superseded', 17]);
  });

  it('of a system where a cancellation is final does not make the booking active again', async () => {
    const venue = await connect('peek', SAIL);
    expect(await venue.send(peekBooking())).toEqual(['applied', 8]);
    expect(await venue.send(peekBooking({ status: 'CANCELLED' }))).toEqual(['applied', 10]);
    expect(await venue.send(peekBooking())).toEqual(['superseded', 10]);
    expect(await lastReason(venue)).toContain('canceled by a delivery that came before');
  });
});

describe('an update of the same second as the cancellation', () => {
  it('does not undo it, in either order, and a replay of either changes nothing', async () => {
    const venue = await connect('xola', { ...SAIL, external_id: 'prod9', ...at('2027-06-12T17:00:00Z') });
    const update = xolaPurchase('purchase.update', [xolaItem(1)]);
    const cancel = xolaPurchase('purchase.cancel', [xolaItem(1, { status: 'canceled' })]);
    expect(await venue.send(cancel)).toEqual(['ignored', 10]);
    expect(await venue.send(update)).toEqual(['superseded', 10]);
    const second = await connect('xola', { ...SAIL, external_id: 'prod9', ...at('2027-06-12T17:00:00Z') });
    expect(await second.send(update)).toEqual(['applied', 9]);
    expect(await second.send(cancel)).toEqual(['applied', 10]);
    const [, first] = await second.system.deliveries();
    const path = `/v1/integrations/${second.system.id}/deliveries/${first.id}/replay`;
    await world.call('POST', path, { key: second.system.key });
    expect((await second.send())[1]).toBe(10);
  });
});

describe('a cancellation without items', () => {
  it('gives back what the booking took, and an update without items too', async () => {
    for (const status of ['CANCELLED', 'CONFIRMED']) {
      const venue = await connect('rezdy', REEF);
      expect(await venue.send(rezdyOrder('CONFIRMED', '2027-01-02T00:00:00Z'))).toEqual(['applied', 17]);
      expect(await venue.send({ ...rezdyOrder(status, '2027-01-03T00:00:00Z'), items: [] })).toEqual(['applied', 20]);
      expect(await venue.send(rezdyOrder('CONFIRMED', '2027-01-02T00:00:01Z'))).toEqual(['superseded', 20]);
    }
  });

  it('changes nothing if the list is absent from an update, or the booking is not known', async () => {
    const venue = await connect('rezdy', REEF);
    await venue.send(rezdyOrder('CONFIRMED', '2027-01-02T00:00:00Z'));
    const { items: _, ...update } = rezdyOrder('CONFIRMED', '2027-01-03T00:00:00Z') as { items: unknown };
    expect(await venue.send(update)).toEqual(['unmapped', 17]);
    const unknown = { ...rezdyOrder('CANCELLED', '2027-01-03T00:00:00Z'), orderNumber: 'RZ2', items: [] };
    expect(await venue.send(unknown)).toEqual(['unmapped', 17]);
  });

  it('keeps the places of a booking whose list of units is absent', async () => {
    const venue = await connect('ventrata', SAIL);
    expect(await venue.send(ventrataBooking())).toEqual(['applied', 8]);
    const later = { utcUpdatedAt: '2027-01-05T00:00:00Z', unitItems: undefined };
    expect((await venue.send(ventrataBooking(later)))[1]).toBe(8);
  });
});

describe('a price that cannot be read', () => {
  it('does not keep the booking from taking its places: the outcome says both', async () => {
    const venue = await connect('xola', { ...SAIL, external_id: 'prod9', ...at('2027-06-12T17:00:00Z') });
    const lineItems = [{ type: 'demographic', code: 'guest', name: 'Guests', price: 33.333333, quantity: 3 }];
    expect(await venue.send(xolaPurchase('purchase.create', [xolaItem(3, { lineItems })]))).toEqual(['unmapped', 7]);
    expect(await lastReason(venue)).toMatch(/33\.333333 has more decimals.*The booking itself was counted/);
  });
});

describe('a roster booking of Mindbody that came before its class', () => {
  const time = (minute: number) => `2027-01-15T18:0${minute}:00Z`;
  const created = (id: number, totalBooked: number, minute: number) =>
    mindbody('classRosterBooking.created', { ...ROSTER, classRosterBookingId: id, totalBooked }, time(minute));

  it('has taken no place, so its cancellation needs a read and is not taken for a second one', async () => {
    const venue = await connect('mindbody', YOGA);
    expect(await venue.send(created(11, 12, 1))).toEqual(['needs_api_read']);
    await venue.send(mindbody('class.updated', CLASS, time(0)));
    expect(await venue.send(created(12, 13, 2))).toEqual(['applied', 7]);
    const canceled = mindbody('classRosterBooking.cancelled', rosterCancellation(11), time(3));
    expect(await venue.send(canceled)).toEqual(['needs_api_read', 7]);
    expect(await lastReason(venue)).toContain('only ids');
  });
});

describe('a time that the offering does not have', () => {
  it('is never applied with nothing done: it needs a read if it has no number, and is ignored if it is closed', async () => {
    const classes = await connect('mindbody', YOGA);
    expect(await classes.send(mindbody('class.updated', CLASS))).toEqual(['needs_api_read']);
    expect(await lastReason(classes)).toContain('does not say how many places');
    const venue = await connect('ventrata', { ...SAIL, ...at('2027-07-01T10:00:00Z') });
    expect(await venue.send(ventrataVacancies(7, 'CLOSED'))).toEqual(['ignored', 10]);
    expect(await lastReason(venue)).toContain('nothing to close');
    expect(await venue.send(ventrataVacancies(null, 'FREESALE'))).toEqual(['needs_api_read', 10]);
    expect(await venue.send(ventrataVacancies(7))).toEqual(['applied', 10, 7]);
  });
});

describe('a slot that gets an id from a booking, and loses it when the venue sends it again', () => {
  it('keeps what its bookings took: a change counts by the difference, and a cancellation gives back', async () => {
    const JET_SKI = { ...SAIL, external_id: '1867', ...at('2027-06-12T19:30:00Z') };
    const venue = await connect('fareharbor', JET_SKI);
    const post = (body: object) => world.call('POST', '/v1/offerings', { key: venue.system.key, body });
    expect(await venue.send(fareharborOptimized(2))).toEqual(['applied', 8]);
    await post({ ...JET_SKI, ...at('2027-06-12T19:30:00Z', 8) });
    expect(await venue.send(fareharborOptimized(3))).toEqual(['applied', 7]);
    await post({ ...JET_SKI, ...at('2027-06-12T19:30:00Z', 7) });
    expect(await venue.send(fareharborOptimized(3, { status: 'cancelled' }))).toEqual(['applied', 10]);
    const purchases = await connect('xola', { ...SAIL, external_id: 'prod9', ...at('2027-06-12T17:00:00Z') });
    const bought = (quantity: number, second: number, status = 'confirmed') =>
      xolaPurchase('purchase.update', [xolaItem(quantity, { status })], `2027-01-29T07:37:3${second}+00:00`);
    expect(await purchases.send(bought(2, 1))).toEqual(['applied', 8]);
    expect(await purchases.send(bought(3, 2))).toEqual(['applied', 7]);
    expect(await purchases.send(bought(3, 3, 'canceled'))).toEqual(['applied', 10]);
  });
});

describe('a booking that was made before the offering was sent', () => {
  it('takes no places, because the places left include it; more guests take the difference', async () => {
    const venue = await connect('ventrata', SAIL);
    const old = (second: number, ...unitIds: string[]) =>
      ventrataBooking({
        utcCreatedAt: '2026-01-01T00:00:00Z',
        utcUpdatedAt: `2027-01-02T00:00:0${second}Z`,
        product: undefined,
        unitItems: unitIds.map((unitId) => ({ unitId, status: 'CONFIRMED' })),
      });
    expect(await venue.send(old(1, 'adult', 'adult'))).toEqual(['ignored', 10]);
    expect(await lastReason(venue)).toContain('made before the offering was sent');
    expect(await venue.send(old(2, 'adult', 'adult', 'adult'))).toEqual(['applied', 9]);
    expect(await venue.send(ventrataBooking({ uuid: 'new' }))).toEqual(['applied', 7]);
  });
});

describe('classes and rosters of one venue at two addresses', () => {
  it('know of each other', async () => {
    const classes = await connect('mindbody', YOGA);
    const rosters = await connectVenueSystem(world, 'mindbody', BOAT, classes.system.venueId);
    await classes.send(mindbody('class.updated', CLASS, '2027-01-15T18:00:00Z'));
    await rosters.send(mindbody('classRosterBooking.created', ROSTER, '2027-01-15T18:01:00Z'));
    expect((await classes.send())[1]).toBeUndefined();
    await applyDueDeliveries(world.context, 100);
    expect((await classes.send())[1]).toBe(8);
    const other = await connectVenueSystem(world, 'mindbody', BOAT);
    await other.send(mindbody('classRosterBooking.created', ROSTER, '2027-01-15T18:01:00Z'));
    await applyDueDeliveries(world.context, 100);
    expect((await other.deliveries())[0].status).toBe('needs_api_read');
  });
});

describe('a stale booking', () => {
  it('with an id that PostgreSQL cannot store is superseded at once', async () => {
    const venue = await connect('rezdy', REEF);
    await venue.send(rezdyOrder('CONFIRMED', '2027-01-03T00:00:00Z'));
    const stale = rezdyOrder('CONFIRMED', '2027-01-02T00:00:00Z', { productCode: 'a\0b' });
    expect(await venue.send(stale)).toEqual(['superseded', 17]);
  });
});
