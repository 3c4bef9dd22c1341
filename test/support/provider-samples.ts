// Realistic deliveries of each provider, built from the fields that it documents, and the expected outcome of each.

import type { Defaults } from '../../src/domain/hooks/integration.ts';

export interface ProviderSample {
  readonly provider: string;
  readonly description: string;
  readonly defaults?: Defaults;
  /** An offering that the venue has sent before. */
  readonly knownOffering?: object;
  /** Deliveries that come before `body`. */
  readonly earlierDeliveries?: readonly object[];
  readonly body: object;
  readonly status: string;
  /** The expected reason, where there is one. */
  readonly reason?: RegExp;
  /** The expected offering afterwards. */
  readonly offering?: Readonly<Record<string, unknown>>;
}

const BOAT: Defaults = { kind: 'boat_day', timezone: 'America/New_York', currency: 'usd', category: 'boating' };

export const fareharborBooking = (capacity: number, overrides: object = {}): object => ({
  booking: {
    pk: 456,
    uuid: 'ef5ff7c4-8cc1-4c5b-9d60-6c0a2d4f3a11',
    display_id: '#456',
    status: 'booked',
    customer_count: 2,
    contact: { name: 'Sam', phone: '+15550100042', email: 'sam@example.com' },
    company: { name: 'Hawaiian Adventures', shortname: 'hawaiianadventures', currency: 'usd' },
    receipt_total: 21000,
    confirmation_url: 'https://fareharbor.com/embeds/book/x/',
    availability: {
      pk: 88001,
      start_at: '2027-06-12T09:30:00-1000',
      end_at: '2027-06-12T11:30:00-1000',
      capacity,
      minimum_party_size: 1,
      maximum_party_size: 6,
      headline: '',
      item: { pk: 1867, name: 'Jet Ski Tour' },
      customer_type_rates: [
        {
          pk: 1,
          total: 10500,
          capacity: null,
          customer_type: { pk: 7, singular: 'Adult', plural: 'Adults' },
          customer_prototype: { pk: 70, display_name: 'Adult', note: '', total: 10500 },
        },
        {
          pk: 2,
          total: 8000,
          capacity: null,
          customer_type: { pk: 8, singular: 'Child', plural: 'Children' },
          customer_prototype: { pk: 80, display_name: 'Child', note: '', total: 8000 },
        },
      ],
    },
    ...overrides,
  },
});

export const mindbody = (
  eventId: string,
  eventData: object,
  at = '2027-01-15T18:04:05Z',
  messageId = eventId + at,
): object => ({
  messageId,
  eventId,
  eventSchemaVersion: 1,
  eventInstanceOriginationDateTime: at,
  eventData,
});

export const CLASS = {
  siteId: -99,
  locationId: 1,
  classId: 201,
  classScheduleId: 2,
  isCancelled: false,
  startDateTime: '2027-06-12T09:30:00',
  endDateTime: '2027-06-12T10:30:00',
  classDescriptionId: 69,
};
export const ROSTER = {
  siteId: -99,
  locationId: 1,
  classId: 201,
  classRosterBookingId: 11,
  classStartDateTime: '2027-06-12T09:30:00',
  classEndDateTime: '2027-06-12T10:30:00',
  maxCapacity: 20,
  webCapacity: 15,
  totalBooked: 12,
  webBooked: 7,
  totalWaitlisted: 0,
};
export const YOGA = {
  external_id: '69',
  kind: 'class',
  title: 'Power Yoga',
  tiers: [{ amount: 2500, currency: 'usd', unit: 'per_person' }],
};

/** The offering of the OCTO bookings below, as a venue sends it. */
export const SAIL = {
  external_id: 'av_123',
  kind: 'boat_day',
  title: 'Sunset Sail',
  tiers: [{ amount: 7500, currency: 'usd', unit: 'per_person' }],
  availability: { timezone: 'America/New_York', slots: [{ starts_at: '2027-06-12T22:00:00Z', capacity: 10 }] },
};

export const octo = (event: string, overrides: object = {}): object => ({
  webhook: { id: 'wh_1', event },
  booking: {
    uuid: '6f1f2f5a-0a0e-4a0b-8d29-0b2d6f4c9a01',
    supplierReference: 'PEEK-1',
    status: 'CONFIRMED',
    productId: 'av_123',
    optionId: 'op_1',
    product: { title: 'Sunset Sail', internalName: 'Sunset Sail' },
    availability: {
      localDateTimeStart: '2027-06-12T18:00:00-04:00',
      localDateTimeEnd: '2027-06-12T20:00:00-04:00',
      allDay: false,
    },
    pricing: { retail: 19950, currency: 'USD', currencyPrecision: 2 },
    unitItems: [
      { uuid: 'u1', unitId: 'adult', pricing: { retail: 7500, currency: 'USD', currencyPrecision: 2 } },
      { uuid: 'u2', unitId: 'adult', pricing: { retail: 7500, currency: 'USD', currencyPrecision: 2 } },
      { uuid: 'u3', unitId: 'child', pricing: { retail: 49500, currency: 'USD', currencyPrecision: 3 } },
    ],
    ...overrides,
  },
});

export const tockReservation = (sequenceId: number, overrides: object = {}): object => ({
  id: '8234567890123456789',
  sequenceId,
  confirmationCode: 'TOCK-R-ABC',
  partySize: 4,
  serviceDateTimestamp: '1812825000000',
  dateTime: '18:30',
  isCancelled: false,
  business: { id: '77', timeZone: 'America/Chicago', currencyCode: 'USD', domainName: 'harbortable' },
  experience: { id: '5150', name: 'Chef’s Counter', amountCents: '74000', variety: 'PREPAID' },
  totalPriceCents: 81000,
  ...overrides,
});

export const SAMPLES: readonly ProviderSample[] = [
  {
    provider: 'square',
    description: 'a booking that names only a variation',
    body: {
      merchant_id: 'M1',
      location_id: 'L1',
      type: 'booking.updated',
      event_id: 'e-1',
      created_at: '2027-01-01T00:00:00Z',
      data: {
        type: 'booking',
        id: 'i2id2g3enyspi7:1',
        object: {
          booking: {
            id: 'i2id2g3enyspi7',
            version: 1,
            status: 'ACCEPTED',
            start_at: '2027-06-12T13:30:00Z',
            appointment_segments: [{ duration_minutes: 60, service_variation_id: 'GUN7HNQBH7ZRARYZN52E7O4B' }],
          },
        },
      },
    },
    status: 'needs_api_read',
    reason: /no title and tiers/,
  },
  {
    provider: 'square',
    description: 'the catalogue changed',
    body: { event_id: 'e-2', type: 'catalog.version.updated', data: { type: 'catalog', object: {} } },
    status: 'needs_api_read',
  },
  {
    provider: 'square',
    description: 'a test',
    body: { event_id: 'e-3', type: 'webhooks.test_notification', data: { type: 'webhooks', id: 'x' } },
    status: 'ignored',
  },
  {
    provider: 'toast',
    description: 'stock',
    body: {
      timestamp: '2026-01-15T18:04:05.123Z',
      eventCategory: 'stock',
      eventType: 'low_quantity',
      guid: 'g-1',
      details: { itemGuid: 'i-1', restaurantGuid: 'r-1', status: 'QUANTITY', quantity: 5.0 },
    },
    status: 'needs_api_read',
  },
  {
    provider: 'toast',
    description: 'an order',
    body: {
      timestamp: '2026-01-15T18:04:05.123Z',
      eventCategory: 'order',
      eventType: 'order_updated',
      guid: 'g-2',
      details: {
        restaurantGuid: 'r-1',
        order: {
          guid: 'o-1',
          numberOfGuests: 4,
          checks: [
            { totalAmount: 48.3, selections: [{ item: { guid: 'i-1' }, displayName: 'Oysters', price: 24.15 }] },
          ],
        },
      },
    },
    status: 'ignored',
    reason: /eaten/,
  },
  {
    provider: 'mindbody',
    description: 'a booking of a class that is known',
    defaults: { timezone: 'America/New_York' },
    knownOffering: YOGA,
    earlierDeliveries: [mindbody('class.updated', CLASS)],
    body: mindbody('classRosterBooking.created', ROSTER),
    status: 'applied',
    offering: {
      external_id: '69',
      title: 'Power Yoga',
      availability: {
        timezone: 'America/New_York',
        slots: [
          { external_id: '201', starts_at: '2027-06-12T13:30:00Z', ends_at: '2027-06-12T14:30:00Z', capacity: 8 },
        ],
      },
    },
  },
  {
    provider: 'mindbody',
    description: 'a class whose description was never sent',
    body: mindbody('class.updated', CLASS),
    status: 'needs_api_read',
    reason: /no title and tiers/,
  },
  {
    provider: 'mindbody',
    description: 'a description with a new name',
    knownOffering: YOGA,
    body: mindbody('classDescription.updated', { siteId: -99, id: 69, name: 'Slow Yoga', description: 'Slower.' }),
    status: 'applied',
    offering: {
      title: 'Slow Yoga',
      description: 'Slower.',
      tiers: [{ amount: 2500, currency: 'usd', unit: 'per_person' }],
    },
  },
  {
    provider: 'mindbody',
    description: 'a schedule',
    body: mindbody('classSchedule.cancelled', { siteId: -99, classScheduleId: 2 }),
    status: 'needs_api_read',
  },
  {
    provider: 'fareharbor',
    description: 'a booking has all that an offering needs',
    defaults: { ...BOAT, timezone: 'Pacific/Honolulu' },
    body: fareharborBooking(4),
    status: 'applied',
    offering: {
      external_id: '1867',
      kind: 'boat_day',
      title: 'Jet Ski Tour',
      category: 'boating',
      tiers: [
        { external_id: '70', label: 'Adult', amount: 10500, currency: 'usd', unit: 'per_person' },
        { external_id: '80', label: 'Child', amount: 8000, currency: 'usd', unit: 'per_person' },
      ],
      availability: {
        timezone: 'Pacific/Honolulu',
        slots: [
          { external_id: '88001', starts_at: '2027-06-12T19:30:00Z', ends_at: '2027-06-12T21:30:00Z', capacity: 4 },
        ],
      },
    },
  },
  {
    provider: 'fareharbor',
    description: 'a booking, without a default for what is sold',
    body: fareharborBooking(4),
    status: 'unmapped',
    reason: /defaults\.kind/,
  },
  {
    provider: 'fareharbor',
    description: 'an item that is not known',
    defaults: BOAT,
    body: {
      item: {
        pk: 1867,
        name: 'Jet Ski Tour',
        company: { currency: 'usd' },
        external_api_url: 'https://fareharbor.com/api/',
      },
    },
    status: 'needs_api_read',
  },
  {
    provider: 'peek',
    description: 'a booking with prices',
    defaults: BOAT,
    body: octo('booking_update'),
    status: 'applied',
    offering: {
      external_id: 'av_123',
      title: 'Sunset Sail',
      tiers: [
        { external_id: 'adult', amount: 7500, currency: 'usd', unit: 'per_person' },
        { external_id: 'child', amount: 4950, currency: 'usd', unit: 'per_person' },
      ],
    },
  },
  {
    provider: 'peek',
    description: 'a booking without prices',
    defaults: BOAT,
    body: octo('booking_update', { pricing: undefined, unitItems: [{ unitId: 'adult' }] }),
    status: 'needs_api_read',
  },
  {
    provider: 'ventrata',
    description: 'a booking, with the event name in the other spelling',
    defaults: BOAT,
    body: octo('booking.updated'),
    status: 'applied',
    offering: { external_id: 'av_123', title: 'Sunset Sail' },
  },
  {
    provider: 'ventrata',
    description: 'an availability',
    defaults: BOAT,
    body: { webhook: { event: 'availability_update' }, productId: 'p', optionId: 'o', availabilityIds: ['a'] },
    status: 'needs_api_read',
  },
  {
    provider: 'ventrata',
    description: 'a canceled booking',
    defaults: BOAT,
    body: octo('booking_update', { status: 'CANCELLED' }),
    status: 'ignored',
  },
  {
    provider: 'xola',
    description: 'a purchase',
    defaults: BOAT,
    body: {
      eventName: 'purchase.update',
      data: {
        id: 'x1',
        currency: 'USD',
        amount: 150.54,
        updatedAt: '2027-01-01T00:00:00Z',
        status: 'committed',
        items: [
          {
            id: 'it1',
            name: 'Harbor Cruise',
            product: { id: 'prod9' },
            event: { id: 'ev1' },
            quantity: 3,
            amount: 149.97,
            arrivalDateTime: '2027-06-12T13:00:00-04:00',
            arrivalTime: 1300,
            duration: 60,
            status: 'confirmed',
          },
        ],
      },
    },
    status: 'applied',
    offering: {
      external_id: 'prod9',
      title: 'Harbor Cruise',
      tiers: [
        { external_id: 'party-3', amount: 14997, currency: 'usd', unit: 'per_group', min_party: 3, max_party: 3 },
      ],
    },
  },
  {
    provider: 'xola',
    description: 'an order',
    defaults: BOAT,
    body: {
      eventName: 'order.create',
      data: {
        id: 'o1',
        currency: 'USD',
        amount: 100,
        items: [
          {
            name: 'Kayak',
            experience: { id: 'exp1' },
            quantity: 2,
            amount: 100,
            arrival: '2027-06-12',
            arrivalTime: 1625,
          },
        ],
      },
    },
    status: 'applied',
    offering: { external_id: 'exp1', title: 'Kayak' },
  },
  {
    provider: 'xola',
    description: 'a deleted experience',
    knownOffering: {
      ...YOGA,
      external_id: 'exp9',
      availability: { timezone: 'UTC', slots: [{ starts_at: '2027-06-12T09:30:00Z' }] },
    },
    body: { eventName: 'experience.delete', data: { id: 'exp9', name: 'Kayak' } },
    status: 'applied',
    offering: { external_id: 'exp9', availability: { timezone: 'UTC', slots: [], recurring: [] } },
  },
  {
    provider: 'rezdy',
    description: 'a confirmed order',
    defaults: BOAT,
    body: {
      orderNumber: 'RZ1',
      status: 'CONFIRMED',
      totalCurrency: 'AUD',
      totalAmount: 897.0,
      items: [
        {
          productCode: 'PWQF1Y',
          productName: 'Reef Day',
          startTime: '2027-06-12T00:00:00Z',
          endTime: '2027-06-12T06:00:00Z',
          totalQuantity: 3,
          quantities: [
            { optionLabel: 'Adult', optionPrice: 299.0, value: 2 },
            { optionLabel: 'Child', optionPrice: 149.5, value: 1 },
          ],
        },
      ],
    },
    status: 'applied',
    offering: {
      external_id: 'PWQF1Y',
      title: 'Reef Day',
      tiers: [
        { label: 'Adult', amount: 29900, currency: 'aud', unit: 'per_person' },
        { label: 'Child', amount: 14950, currency: 'aud', unit: 'per_person' },
      ],
    },
  },
  {
    provider: 'rezdy',
    description: 'an order that is not confirmed yet',
    defaults: BOAT,
    body: { orderNumber: 'RZ2', status: 'PROCESSING', items: [] },
    status: 'ignored',
  },
  {
    provider: 'rezdy',
    description: 'a product',
    defaults: { ...BOAT, currency: 'jpy' },
    body: {
      productCode: 'PJP1',
      name: 'Bay Tour',
      timezone: 'Asia/Tokyo',
      priceOptions: [{ label: 'Adult', price: 12000.0, seatsUsed: 1 }],
    },
    status: 'applied',
    offering: {
      external_id: 'PJP1',
      tiers: [{ label: 'Adult', amount: 12000, currency: 'jpy', unit: 'per_person' }],
      availability: { timezone: 'Asia/Tokyo' },
    },
  },
  {
    provider: 'checkfront',
    description: 'a booking',
    defaults: BOAT,
    body: {
      '@attributes': { version: '3.0', host: 'demo.checkfront.com' },
      booking: {
        '@attributes': { booking_id: '9' },
        code: 'JGMX-160925',
        status: 'PAID',
        tid: {},
        start_date: '1812825000',
        end_date: '1812835800',
        order: {
          '@attributes': { currency_id: 'CAD' },
          sub_total: '46.00',
          total: '48.30',
          items: { item: { '@attributes': { item_id: '4' }, sku: 'canoe', qty: '1', total: '46.00' } },
        },
      },
    },
    status: 'needs_api_read',
  },
  {
    provider: 'checkfront',
    description: 'an item that the venue has sent',
    knownOffering: { ...YOGA, external_id: '4', title: 'Canoe' },
    body: {
      type: 'item',
      action: 'update',
      host: 'demo.checkfront.com',
      item: { '@attributes': { item_id: '4' }, name: 'Red Canoe', stock: '5', unlimited: '0', meta: '{}', rules: '[]' },
    },
    status: 'applied',
    offering: { external_id: '4', title: 'Red Canoe' },
  },
  {
    provider: 'eventbrite',
    description: 'a ping',
    body: {
      api_url: 'https://www.eventbriteapi.com/v3/orders/1/',
      config: { action: 'order.placed', user_id: '1', endpoint_url: 'https://x.example', webhook_id: '2' },
    },
    status: 'needs_api_read',
  },
  {
    provider: 'cloudbeds',
    description: 'a ping',
    body: {
      version: '1.0',
      event: 'reservation/created',
      timestamp: 1812825000.123,
      propertyID: 1,
      reservationID: '999',
      startDate: '2027-06-12',
      endDate: '2027-06-13',
    },
    status: 'needs_api_read',
  },
  {
    provider: 'tock',
    description: 'a reservation',
    defaults: { kind: 'dining' },
    body: tockReservation(0),
    status: 'applied',
    offering: {
      external_id: '5150',
      kind: 'dining',
      title: 'Chef’s Counter',
      booking_url: 'https://exploretock.com/harbortable/',
      tiers: [
        { external_id: 'party-4', amount: 74000, currency: 'usd', unit: 'per_group', min_party: 4, max_party: 4 },
      ],
      availability: { timezone: 'America/Chicago' },
    },
  },
  {
    provider: 'tock',
    description: 'a reservation in a wrapper, for an event',
    body: {
      reservation: tockReservation(3, {
        experience: { id: '6', name: 'Wine Fair', amountCents: '12000', variety: 'EVENT' },
      }),
    },
    status: 'applied',
    offering: { external_id: '6', kind: 'ticketed_event' },
  },
  {
    provider: 'tock',
    description: 'a walk-in',
    defaults: { kind: 'dining' },
    body: { id: '9', sequenceId: 0, partySize: 2, business: { id: '77' } },
    status: 'ignored',
  },
  {
    provider: 'foreup',
    description: 'a ping',
    body: { event: 'teetime.updated', course_id: '9039', teesheet_id: 12, id: '342234432' },
    status: 'needs_api_read',
  },
  {
    provider: 'mews',
    description: 'a ping',
    body: {
      EnterpriseId: 'e',
      IntegrationId: 'i',
      Events: [{ Discriminator: 'ServiceOrderUpdated', Value: { Id: 'x' } }],
    },
    status: 'needs_api_read',
  },
  {
    provider: 'custom',
    description: 'an offering in the format of the custom provider',
    body: {
      id: 'dlv-1',
      type: 'offering.upsert',
      data: {
        external_id: 'tee-18',
        kind: 'tee_time',
        title: 'Eighteen holes',
        tiers: [{ amount: 4500, currency: 'usd', unit: 'per_person' }],
      },
    },
    status: 'applied',
    offering: { external_id: 'tee-18', title: 'Eighteen holes' },
  },
  {
    provider: 'custom',
    description: 'slots of an offering that is known',
    knownOffering: {
      ...YOGA,
      availability: {
        timezone: 'UTC',
        slots: [
          { external_id: 'a', starts_at: '2027-06-12T09:30:00Z', capacity: 4 },
          { starts_at: '2027-06-13T09:30:00Z', capacity: 4 },
          { external_id: 'c', starts_at: '2027-06-14T09:30:00Z', capacity: 4 },
        ],
      },
    },
    body: {
      id: 'dlv-2',
      type: 'slots.update',
      data: {
        external_id: '69',
        slots: [
          { external_id: 'a', starts_at: '2027-06-12T10:00:00Z', capacity: 1 },
          { starts_at: '2027-06-13T05:30:00-04:00', capacity: 2 },
          { starts_at: '2027-06-15T09:30:00Z', capacity: 3 },
        ],
      },
    },
    status: 'applied',
    offering: {
      availability: {
        timezone: 'UTC',
        slots: [
          { external_id: 'a', starts_at: '2027-06-12T10:00:00Z', capacity: 1 },
          { starts_at: '2027-06-13T09:30:00Z', capacity: 2 },
          { external_id: 'c', starts_at: '2027-06-14T09:30:00Z', capacity: 4 },
          { starts_at: '2027-06-15T09:30:00Z', capacity: 3 },
        ],
      },
    },
  },
  {
    provider: 'custom',
    description: 'an offering that is no longer sold',
    knownOffering: { ...YOGA, availability: { timezone: 'UTC', slots: [{ starts_at: '2027-06-12T09:30:00Z' }] } },
    body: { id: 'dlv-3', type: 'offering.cancel', data: { external_id: '69' } },
    status: 'applied',
    offering: { title: 'Power Yoga', availability: { timezone: 'UTC', slots: [], recurring: [] } },
  },
  {
    provider: 'custom',
    description: 'an offering with three mistakes',
    body: { id: 'dlv-4', type: 'offering.upsert', data: { external_id: 'x', kind: 'yacht', title: '', tiers: [] } },
    status: 'failed',
    reason: /\/data\/kind: .*\/data\/title: .*\/data\/tiers: /,
  },
  {
    provider: 'custom',
    description: 'slots of an unknown offering',
    body: { id: 'dlv-5', type: 'slots.update', data: { external_id: 'nobody', slots: [] } },
    status: 'failed',
    reason: /no offering "nobody"/,
  },
  {
    provider: 'custom',
    description: 'a type that does not exist',
    body: { id: 'dlv-6', type: 'offering.explode', data: {} },
    status: 'unmapped',
  },
];
