// What the mapping files read from published and captured bodies, and what a change makes of a known offering. No
// database: the worker's own functions, called with a body.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { readBody } from '../../src/domain/hooks/mapping/body.ts';
import { extractEvent } from '../../src/domain/hooks/mapping/event.ts';
import { type Change, interpret } from '../../src/domain/hooks/mapping/interpret.ts';
import { placesOf } from '../../src/domain/hooks/mapping/read-fields.ts';
import { mappingOf, readMappings } from '../../src/domain/hooks/mapping/read-mappings.ts';
import { mergeOffering } from '../../src/domain/hooks/merge.ts';
import type { OfferingContent } from '../../src/domain/offerings/offering.ts';
import { priceOf } from '../../src/domain/offerings/price.ts';
import {
  checkfrontBooking,
  fareharborBooking,
  fareharborItems,
  fareharborRental,
  mewsEvents,
  mindbody,
  peekBooking,
  ROSTER,
  rezdyOrder,
  rezdyProduct,
  tockReservation,
  ventrataBooking,
  ventrataVacancies,
  xolaItem,
  xolaPurchase,
} from '../support/venue-bodies.ts';

const mappings = readMappings(join(packageRoot, 'schemas', 'v1', 'mappings'));
const DEFAULTS = { kind: 'rental', timezone: 'UTC', currency: 'usd' };
const bodyOf = (body: object): unknown => readBody(JSON.stringify(body));
const interpreted = (provider: string, body: object) =>
  interpret(mappingOf(mappings, provider), bodyOf(body), DEFAULTS);

function changesOf(provider: string, body: object): readonly Change[] {
  const result = interpreted(provider, body);
  if (result.result !== 'change') throw new Error(`${result.result}: no change`);
  return result.changes.map((change) => {
    if ('problem' in change) throw new Error(change.problem);
    return change;
  });
}

function changeOf(provider: string, body: object): Change {
  const [change] = changesOf(provider, body);
  if (change === undefined) throw new Error('no change');
  return change;
}

const merged = (before: OfferingContent | null, change: Change): OfferingContent => {
  const result = mergeOffering(before, change.externalId ?? '', change, change.slot, DEFAULTS);
  if ('missing' in result) throw new Error(result.missing.join());
  return result.content;
};

describe('an equal body is a repetition', () => {
  const windowOf = (provider: string, body: object) =>
    extractEvent(mappingOf(mappings, provider), body).dedupWindowSeconds;

  it('only within ten seconds if it has no id and no version: a state can come back', () => {
    for (const [provider, body] of [
      ['ventrata', ventrataVacancies(7)],
      ['ventrata', ventrataVacancies(7, 'CLOSED')],
      ['checkfront', checkfrontBooking('PAID')],
      ['fareharbor', fareharborBooking(4)],
      ['peek', peekBooking()],
    ] as const)
      expect([provider, windowOf(provider, body)]).toEqual([provider, 10]);
  });

  it('within a day if it has a version, or changes nothing', () => {
    for (const [provider, body] of [
      ['ventrata', ventrataBooking()],
      ['rezdy', rezdyOrder('CONFIRMED', '2027-01-02T00:00:00Z')],
      ['xola', xolaPurchase('purchase.update', [xolaItem(1)])],
      ['peek', peekBooking({ testMode: true })],
    ] as const)
      expect([provider, windowOf(provider, body)]).toEqual([provider, 86_400]);
  });
});

describe('the tax that a FareHarbor price includes', () => {
  const tierOf = (before: OfferingContent | null, body: object) => merged(before, changeOf('fareharbor', body)).tiers;
  const items = (total: number, withTax: number) => ({
    items: [
      {
        pk: 1867,
        name: 'Jet Ski Tour',
        customer_prototypes: [{ pk: 70, display_name: 'Adult', total, total_including_tax: withTax }],
      },
    ],
  });

  it('is a percentage, so that it grows with the party and with another price of a time', () => {
    const [, eight] = tierOf(null, fareharborRental);
    expect(eight).toMatchObject({ amount: 1500, fees: [{ type: 'tax', percent: 21, included: true }] });
    if (eight === undefined) throw new Error('no tier');
    const tier = { ...eight, unit: 'per_person' as const };
    expect(priceOf(tier, 1500, 0, 1)).toMatchObject({ total: 1500, fees: [{ amount: 260 }] });
    expect(priceOf(tier, 1500, 0, 4)).toMatchObject({ total: 6000, fees: [{ amount: 1041 }] });
    expect(priceOf(tier, 200, 0, 1)).toMatchObject({ total: 200, fees: [{ amount: 35 }] });
    expect(tierOf(null, fareharborItems)).toMatchObject([{ amount: 10471, fees: [{ percent: 4.71 }] }]);
  });

  it('gives the stated amount for one unit, for any price and rate', () => {
    for (let total = 1; total < 20_000; total += 1237)
      for (const rate of [0.01, 4.712, 7.25, 10, 21, 99]) {
        const withTax = Math.round(total * (1 + rate / 100));
        const [tier] = tierOf(null, items(total, withTax));
        if (tier === undefined) throw new Error('no tier');
        const [fee] = priceOf(tier, tier.amount, 0, 1).fees;
        expect([total, rate, fee?.amount ?? 0]).toEqual([total, rate, withTax - total]);
      }
  });

  it('replaces the tax of an earlier delivery and keeps the fees that the venue has added', () => {
    const gratuity = { type: 'gratuity' as const, percent: 18, included: false };
    const first = merged(null, changeOf('fareharbor', items(1240, 1500)));
    const [tier] = first.tiers;
    if (tier === undefined) throw new Error('no tier');
    const known = { ...first, tiers: [{ ...tier, fees: [...(tier.fees ?? []), gratuity] }] } as OfferingContent;
    const taxed = tierOf(known, items(1000, 1100));
    expect(taxed[0]?.fees).toEqual([gratuity, { type: 'tax', percent: 10, included: true }]);
    expect(tierOf({ ...known, tiers: taxed } as OfferingContent, items(1240, 1240))[0]).toMatchObject({
      amount: 1240,
      fees: [gratuity],
    });
  });
});

describe('the places of a Rezdy order', () => {
  const option = (value: number | undefined, optionSeatsUsed?: number, optionId = 1) => ({
    optionId,
    optionLabel: `Option ${optionId}`,
    optionPrice: 10,
    value,
    optionSeatsUsed,
  });
  const placesFor = (totalQuantity: number | undefined, ...quantities: object[]) =>
    changeOf('rezdy', rezdyOrder('CONFIRMED', '2027-01-02T00:00:00Z', { totalQuantity, quantities })).booking?.party;

  it('are the seats of its options where all are known: an infant without a seat takes none', () => {
    expect(placesFor(3, option(2, 1), option(1, 0, 2))).toBe(2);
    expect(placesFor(2, option(2, 6))).toBe(12);
  });

  it('are the guests while the seats of one option are not known, and the quantities where the guests are not stated', () => {
    expect(placesFor(3, option(2, 1), option(1, undefined, 2))).toBe(3);
    expect(placesFor(3, option(2, 1), option(undefined, 0, 2))).toBe(3);
    expect(placesFor(undefined, option(2), option(1, undefined, 2))).toBe(3);
    expect(placesFor(undefined)).toBeNull();
  });

  it('follow the product by the id of the option, else by its label', () => {
    const { optionSeats } = changeOf('rezdy', rezdyProduct('2027-01-01T00:00:00Z'));
    const booked = (id: string | null, label: string) => [{ id, label, quantity: 2, seats: null }];
    expect(placesOf(2, booked('2', 'Renamed'), optionSeats ?? {})).toBe(12);
    expect(placesOf(2, booked(null, 'Boat'), optionSeats ?? {})).toBe(12);
    expect(placesOf(2, booked('9', 'Other'), optionSeats ?? {})).toBe(2);
  });
});

describe('the options of a Rezdy product', () => {
  const group = (id: number | undefined, price: number, minQuantity: number, maxQuantity: number, label = 'Group') => ({
    id,
    label,
    price,
    priceGroupType: 'TOTAL',
    minQuantity,
    maxQuantity,
  });
  const product = (...priceOptions: object[]) =>
    changeOf('rezdy', rezdyProduct('2027-01-01T00:00:00Z', { currency: 'AUD', priceOptions }));

  it('with one label and two ids are two prices', () => {
    expect(merged(null, product(group(1, 400, 1, 4), group(2, 700, 5, 8))).tiers).toMatchObject([
      { external_id: '1', amount: 40000, min_party: 1, max_party: 4 },
      { external_id: '2', amount: 70000, min_party: 5, max_party: 8 },
    ]);
  });

  it('take over a price that was stored by its label, and keep their id when they are renamed', () => {
    const stored = merged(null, product(group(undefined, 400, 1, 4)));
    const named = merged(stored, product(group(1, 500, 1, 4)));
    expect(named.tiers).toMatchObject([{ external_id: '1', amount: 50000 }]);
    const renamed = merged(named, product(group(1, 600, 1, 4, 'Boat')));
    expect(renamed.tiers).toMatchObject([{ external_id: '1', label: 'Boat', amount: 60000 }]);
    const order = rezdyOrder('CONFIRMED', '2027-01-02T00:00:00Z', {
      quantities: [{ optionId: 1, optionLabel: 'Group', optionPrice: 400, value: 1 }],
    });
    expect(merged(renamed, changeOf('rezdy', order)).tiers).toHaveLength(1);
  });

  it('that are priced for each keep the limits that the venue has set', () => {
    const each = { id: 1, label: 'Adult', price: 10, priceGroupType: 'EACH', minQuantity: 1, maxQuantity: 9 };
    const known = merged(null, product(each));
    const [tier] = known.tiers;
    const limited = { ...known, tiers: [{ ...tier, min_party: 2, max_party: 8 }] } as OfferingContent;
    expect(merged(limited, product({ ...each, price: 12 })).tiers).toMatchObject([
      { amount: 1200, min_party: 2, max_party: 8 },
    ]);
  });
});

describe('a Ventrata body', () => {
  it('has its time in the booking itself if it comes without the availability', () => {
    const times = {
      availability: null,
      localDateTimeStart: '2027-06-12T18:00:00-04:00',
      localDateTimeEnd: '2027-06-12T20:00:00-04:00',
    };
    expect(changeOf('ventrata', ventrataBooking(times)).slot).toEqual({
      starts_at: '2027-06-12T18:00:00-04:00',
      ends_at: '2027-06-12T20:00:00-04:00',
    });
  });

  it('without a list of units does not state a party; with an empty list it states none', () => {
    expect(changeOf('ventrata', ventrataBooking({ unitItems: undefined })).booking?.party).toBeNull();
    expect(changeOf('ventrata', ventrataBooking({ unitItems: [] })).booking?.party).toBe(0);
  });

  it('that is not available has no places, also without a number', () => {
    const capacityOf = (available: boolean, vacancies: number | null) => {
      const body = ventrataVacancies(vacancies, available ? 'FREESALE' : 'SOLD_OUT') as { availability: object };
      return changeOf('ventrata', { ...body, availability: { ...body.availability, available } }).slot?.capacity;
    };
    expect([capacityOf(false, null), capacityOf(true, null), capacityOf(true, 5)]).toEqual([0, undefined, 5]);
  });
});

describe('a booking of Ventrata or Peek', () => {
  it('takes the places of all people of a unit, such as a family ticket', () => {
    const unit = (paxCount: number) => ({ id: 'u', restrictions: { paxCount } });
    const unitItems = [{ unitId: 'adult', unit: unit(1) }, { unitId: 'family', unit: unit(4) }, { unitId: 'child' }];
    expect(changeOf('peek', peekBooking({ unitItems })).booking?.party).toBe(6);
    expect(changeOf('ventrata', ventrataBooking({ unitItems })).booking?.party).toBe(6);
  });
});

describe('an amount in cents', () => {
  it('is not read for a currency without cents, and the booking still has its party', () => {
    const business = { id: '77', timeZone: 'Asia/Tokyo', currencyCode: 'JPY' };
    const change = changeOf('tock', tockReservation(0, { business }));
    expect([change.tiersProblem, change.booking?.party]).toEqual([expect.stringContaining('JPY has no cents'), 4]);
    expect(changeOf('tock', tockReservation(0)).tiers).toMatchObject([{ amount: 74000, currency: 'usd' }]);
  });
});

describe('the places left of a Mindbody class', () => {
  it('are those that can be booked online, if these are fewer', () => {
    const left = (more: object) =>
      changeOf('mindbody', mindbody('classRosterBooking.created', { ...ROSTER, ...more })).slot?.capacity;
    expect(left({ maxCapacity: 20, totalBooked: 12, webCapacity: 10, webBooked: 10 })).toBe(0);
    expect(left({ maxCapacity: 20, totalBooked: 18, webCapacity: 10, webBooked: 0 })).toBe(2);
    expect(left({ maxCapacity: 20, totalBooked: 12, webCapacity: null })).toBe(8);
  });
});

describe('a slot', () => {
  it('has no end if the system sends its start as its end, as Checkfront does for a whole day', () => {
    const slots = changesOf('checkfront', checkfrontBooking('HOLD')).map(({ slot }) => slot);
    expect(slots).toEqual([{ starts_at: '2027-06-12T18:00:00.000Z' }, { starts_at: '2027-06-12T08:00:00.000Z' }]);
  });
});

describe('an event that is known and irrelevant', () => {
  it('is ignored with its own reason', () => {
    for (const [provider, body, reason] of [
      ['mews', mewsEvents(), /no events/],
      ['rezdy', { id: 1, firstName: 'Sam' }, /person/],
      ['xola', xolaPurchase('purchase.create', [xolaItem(1, { object: 'gift_purchase_item' })]), null],
      [
        'xola',
        { eventName: 'order.create', data: { id: 'o', currency: 'USD', items: [{ name: 'Gift', amount: 50 }] } },
        null,
      ],
    ] as const) {
      const result = interpreted(provider, body);
      if (reason === null)
        expect(result).toMatchObject({ result: 'emptied', emptied: { otherwise: { result: 'ignored' } } });
      else expect(result).toEqual({ result: 'ignored', reason: expect.stringMatching(reason) });
    }
  });
});
