// Bodies of venue systems as they are published by the provider, captured from a real delivery, or built from published
// types. Members, types and forms are those of the source that is named, some members are left out; names of people,
// texts and most ids are ours. `isSecondHand` marks forms that we know from notes about the source, not from reading it.

/** Where the form of a body comes from. */
export interface BodySource {
  readonly from: 'published' | 'captured' | 'types';
  /** The provider's page or specification, or the public repository with its path. */
  readonly where: string;
  readonly isSecondHand?: true;
}

const published = (where: string): BodySource => ({ from: 'published', where });
const captured = (where: string): BodySource => ({ from: 'captured', where });
const types = (where: string): BodySource => ({ from: 'types', where });

const secondHand = (source: BodySource): BodySource => ({ ...source, isSecondHand: true });

export const SOURCES = {
  squareBooking: secondHand(
    captured('a booking.updated in a public test script; members as in square/connect-api-specification'),
  ),
  squareEvent: published('square/connect-api-specification 5733f66, api.json: the examples of its events'),
  squareTest: published('square/square-nodejs-sdk tests/integration/webhooks.test.ts'),
  toast: secondHand(published('doc.toasttab.com: apiMessageDataSchema, apiStockWebhook, devOrdersWebhookRef')),
  toastMenus: published('doc.toasttab.com: apiMenusWebhook'),
  toastOther: secondHand(types('api-evangelist/toast event catalogue')),
  mindbody: types('SplitPass/mindbody-api src/webhooks/types'),
  fareharborFull: captured('nablabits/fareharbor-webhook flask_app/tests/sample_data'),
  fareharborSchema: published('FareHarbor/fareharbor-docs webhooks/schemas'),
  peek: published('octodocs.peek.com/capabilities/webhooks, in the catalogue of api-evangelist/peek'),
  octo: types('octotravel/octo-types src/models/Booking.ts'),
  ventrata: types('ventrata/octo-types src/models'),
  ventrataSupport: secondHand(published('a support article of Ventrata, which shows {diff, booking} alone')),
  ventrataIds: secondHand(published('docs.ventrata.com/capabilities/webhooks')),
  xolaCapture: captured('PipedreamHQ/pipedream components/xola/sources/purchase-updated-instant'),
  xolaExperience: types(
    'PipedreamHQ/pipedream components/xola/sources/experience-updated-instant, a fixture with made-up values',
  ),
  xolaOrder: secondHand(published('developers.xola.com: orders-introduction, calculations-api')),
  xolaEvent: secondHand(published('developers.xola.com/reference/webhook-introduction')),
  rezdy: types('bploeger/rezdy-api-v1 src/Rezdy/Requests'),
  rezdyOrder: secondHand(captured('a public order at rentry.co/md3czt, with the members of bploeger/rezdy-api-v1')),
  checkfront: published('Checkfront/API docs/examples/response'),
  eventbrite: secondHand(captured('public deliveries; members as in eventbrite.com/platform/docs/webhooks')),
  cloudbeds: secondHand(captured('four public receivers')),
  tock: types('api-evangelist/tock json-schema/reservation-*, from Tock’s own reservation model'),
  foreup: published('brendonbeebe/foreupapi apiary.apib, Webhook Events'),
  mews: published('MewsSystems/open-api-docs connector-api/events/wh-general.md'),
  mewsIntegration: published('MewsSystems/open-api-docs connector-api/events/wh-integration.md'),
  custom: published('docs/providers/custom.md of this project'),
} as const;

const PERSON = { name: 'Sam', email: 'sam@example.com', phone: '+15550100042' };

export const squarePublishedBooking = {
  merchant_id: 'GQQWA3J6A3AEZ',
  location_id: 'L9R0X9X5SGDBJ',
  type: 'booking.updated',
  event_id: 'd954ea4e-a393-52d4-bda6-bfd10cbd571f',
  created_at: '2020-12-08T20:05:00Z',
  data: {
    type: 'booking',
    id: 'i2id2g3enyspi7:1',
    object: {
      booking: {
        id: 'i2id2g3enyspi7',
        version: 1,
        status: 'ACCEPTED',
        start_at: '2020-12-17T16:00:00Z',
        location_id: 'L9R0X9X5SGDBJ',
        customer_id: 'SSKBT02ECWZXK6W3VWYC78E52R',
        customer_note: 'I would like to sit near the window please',
        seller_note: '',
        created_at: '2020-12-08T19:56:53Z',
        updated_at: '2020-12-08T20:05:00Z',
        appointment_segments: [
          {
            duration_minutes: 30,
            service_variation_id: 'T3WUWYFJOVW2EU6XGRU5YG4A',
            service_variation_version: 1605808735978,
            team_member_id: '_4GsfYnqGHyurOwzWdKj',
          },
        ],
      },
    },
  },
};

export const squareBooking = (status: string, version: number): object => ({
  merchant_id: 'M1',
  location_id: 'L1',
  type: 'booking.updated',
  event_id: `e-${version}`,
  created_at: '2027-01-01T00:00:00Z',
  data: {
    type: 'booking',
    id: `i2id2g3enyspi7:${version}`,
    object: {
      booking: {
        id: 'i2id2g3enyspi7',
        version,
        status,
        start_at: '2027-06-12T13:30:00Z',
        location_id: 'L1',
        customer_id: 'C1',
        all_day: false,
        transition_time_minutes: 0,
        location_type: 'BUSINESS_LOCATION',
        source: 'FIRST_PARTY_BUYER',
        creator_details: { creator_type: 'CUSTOMER', customer_id: 'C1' },
        appointment_segments: [
          {
            duration_minutes: 60,
            intermission_minutes: 0,
            service_variation_id: 'GUN7HNQBH7ZRARYZN52E7O4B',
            service_variation_client_id: 'GUN7HNQBH7ZRARYZN52E7O4B',
            service_variation_version: 1599775456731,
            team_member_id: 'T1',
            any_team_member: false,
          },
        ],
      },
    },
  },
});

const toastEnvelope = (eventCategory: string, eventType: string, details: object, guid: string): object => ({
  timestamp: '2026-01-15T18:04:05.123Z',
  eventCategory,
  eventType,
  guid,
  details,
});

export const toastStock = toastEnvelope(
  'stock',
  'low_quantity',
  {
    itemGuid: 'i-1',
    restaurantGuid: 'r-1',
    status: 'QUANTITY',
    quantity: 5.0,
    multiLocationId: '1',
    versionId: 'i-1',
  },
  'g-1',
);
export const toastOrder = toastEnvelope(
  'order',
  'order_updated',
  {
    restaurantGuid: 'r-1',
    order: {
      guid: 'o-1',
      numberOfGuests: 4,
      createdInTestMode: false,
      checks: [{ totalAmount: 48.3, selections: [{ item: { guid: 'i-1' }, displayName: 'Oysters', price: 24.15 }] }],
    },
  },
  'g-2',
);
export const toastMenus = {
  timestamp: '2019-09-16T21:01:53.685Z',
  eventCategory: 'menus',
  eventType: 'menus_updated',
  guid: '00000000-0000-0000-0000-000000000000',
  details: {
    restaurantGuid: '00000000-1111-2222-3333-444444444444',
    publishedDate: '2021-10-06T20:11:01.737Z',
  },
};
export const toastPartner = toastEnvelope('partners', 'partner_added', { restaurantGuid: 'r-1' }, 'g-3');

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
  isStaffASubstitute: false,
  isWaitlistAvailable: true,
  isIntendedForOnlineViewing: false,
  staffId: 12,
  staffName: 'Ana',
  startDateTime: '2027-06-12T09:30:00',
  endDateTime: '2027-06-12T10:30:00',
  classDescriptionId: 69,
  assistantOneId: null,
  assistantOneName: null,
  assistantTwoId: null,
  assistantTwoName: null,
  resources: [{ id: 1, name: 'Hall' }],
};
export const ROSTER = {
  siteId: -99,
  locationId: 1,
  classId: 201,
  classRosterBookingId: 11,
  classStartDateTime: '2027-06-12T09:30:00',
  classEndDateTime: '2027-06-12T10:30:00',
  signedInStatus: 'SignedIn',
  staffId: 12,
  staffName: 'Ana',
  maxCapacity: 20,
  webCapacity: 15,
  totalBooked: 12,
  webBooked: 7,
  totalWaitlisted: 0,
  clientId: '100',
  clientUniqueId: 100,
  itemId: 1193,
  itemName: 'Ten classes',
  itemSiteId: -99,
};
/** A cancellation has only these members: no time, no capacity, no counts. */
export const rosterCancellation = (classRosterBookingId = 11): object => ({
  siteId: -99,
  locationId: 1,
  classId: 201,
  classRosterBookingId,
  clientId: '100',
  clientUniqueId: 100,
});

const fareharborRate = (pk: number, label: string, total: number, withTax?: number): object => ({
  pk,
  total,
  ...(withTax === undefined ? {} : { total_including_tax: withTax }),
  capacity: null,
  minimum_party_size: null,
  maximum_party_size: null,
  customer_type: { pk: pk * 7, singular: label, plural: `${label}s`, note: '' },
  customer_prototype: { pk: pk * 10, display_name: label, note: '', total },
});

export const fareharborBooking = (capacity: number, overrides: object = {}): object => ({
  booking: {
    pk: 456,
    uuid: 'ef5ff7c4-8cc1-4c5b-9d60-6c0a2d4f3a11',
    display_id: '#456',
    status: 'booked',
    customer_count: 2,
    contact: PERSON,
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
      customer_type_rates: [fareharborRate(7, 'Adult', 10500), fareharborRate(8, 'Child', 8000)],
    },
    ...overrides,
  },
});

/** A bicycle rental: a rate is one bicycle for a time, and `total` is the price before tax. */
export const fareharborRental: object = {
  booking: {
    pk: 75125154,
    uuid: 'c6c1c394-3c31-4e30-bf9d-da3e1dde7d6e',
    display_id: '#75125154',
    voucher_number: '',
    status: 'booked',
    rebooked_to: null,
    rebooked_from: null,
    customer_count: 1,
    receipt_subtotal: 1240,
    receipt_total: 1500,
    company: { currency: 'eur', shortname: 'bikes', name: 'Bikes' },
    affiliate_company: { currency: 'eur', short_name: 'agency', name: 'Agency' },
    agent: null,
    pickup: null,
    availability: {
      pk: 619118440,
      capacity: 49,
      minimum_party_size: 1,
      maximum_party_size: null,
      start_at: '2027-04-05T12:30:00+0200',
      end_at: '2027-04-05T13:00:00+0200',
      item: { pk: 159068, name: 'City bicycle' },
      customer_type_rates: [fareharborRate(1, 'Two hours', 661, 800), fareharborRate(2, 'Eight hours', 1240, 1500)],
    },
    customers: [
      { pk: 224262373, custom_field_values: [], customer_type_rate: fareharborRate(2, 'Eight hours', 1240, 1500) },
    ],
  },
};

/** "Bookings only (optimized)": no capacity, no rates of the availability. */
export const fareharborOptimized = (customerCount: number, overrides: object = {}): object => ({
  booking: {
    pk: 457,
    uuid: 'b0a6c1f2-2f55-4a63-8a2c-3c8f7f7f0a02',
    display_id: '#457',
    external_id: '',
    status: 'booked',
    rebooked_from: null,
    rebooked_to: null,
    customer_count: customerCount,
    company: { name: 'Hawaiian Adventures', shortname: 'hawaiianadventures', currency: 'usd' },
    affiliate_company: null,
    contact: PERSON,
    availability: {
      pk: 88001,
      item: { pk: 1867, name: 'Jet Ski Tour' },
      start_at: '2027-06-12T09:30:00-1000',
      end_at: '2027-06-12T11:30:00-1000',
    },
    customers: Array.from({ length: customerCount }, (_, n) => ({
      pk: n,
      checkin_url: 'https://fhchk.co/x',
      invoice_cost: { total: 10500 },
      total_cost: { price: 10500, tax: 0, total: 10500 },
      customer_type_rate: {
        pk: 1,
        customer_type: { pk: 49, singular: 'Adult', plural: 'Adults' },
        customer_prototype: { pk: 70, display_name: 'Adult' },
      },
      custom_field_values: [],
    })),
    payments: [],
    ...overrides,
  },
});

export const fareharborItems: object = {
  items: [
    {
      pk: 1867,
      name: 'Jet Ski Tour',
      tax_percentage: 4.712,
      headline: '',
      description: '',
      description_text: 'Along the coast.',
      description_bullets: [],
      location: '',
      locations: [],
      images: [],
      customer_prototypes: [{ pk: 70, display_name: 'Adult', note: '', total: 10000, total_including_tax: 10471 }],
      is_pickup_ever_available: false,
    },
  ],
};

/** An OCTO booking with its product and prices, as the content and pricing capabilities add them. */
export const octo = (event: string, overrides: object = {}): object => ({
  webhook: { id: 'wh_1', event, url: 'https://example.com/hook' },
  booking: {
    uuid: '6f1f2f5a-0a0e-4a0b-8d29-0b2d6f4c9a01',
    testMode: false,
    supplierReference: 'PEEK-1',
    status: 'CONFIRMED',
    productId: 'av_123',
    optionId: 'op_1',
    product: { id: 'av_123', title: 'Sunset Sail', internalName: 'Sunset Sail' },
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

/** Peek's documented body: no product, no prices. */
export const peekBooking = (overrides: object = {}): object => ({
  webhook: { id: 'octohook_123', event: 'booking_update', url: 'https://example.com/webhooks/booking_update' },
  booking: {
    uuid: '6f1f2f5a-0a0e-4a0b-8d29-0b2d6f4c9a01',
    testMode: false,
    resellerReference: null,
    supplierReference: 'PEEK-1',
    status: 'CONFIRMED',
    utcExpiresAt: null,
    utcConfirmedAt: '2027-01-01T00:00:00Z',
    productId: 'av_123',
    optionId: 'op_1',
    cancellable: true,
    cancellation: null,
    freesale: false,
    notes: null,
    availability: {
      id: '2027-06-12T18:00:00-04:00',
      localDateTimeStart: '2027-06-12T18:00:00-04:00',
      localDateTimeEnd: '2027-06-12T20:00:00-04:00',
      allDay: false,
      openingHours: [],
    },
    contact: {
      fullName: 'Sam',
      emailAddress: 'sam@example.com',
      phoneNumber: '+15550100042',
      locales: ['en'],
      country: 'US',
    },
    voucher: { redemptionMethod: 'DIGITAL', utcRedeemedAt: null, deliveryOptions: [] },
    unitItems: [
      { uuid: 'u1', resellerReference: null, supplierReference: 'P-1', unitId: 'adult', ticket: null },
      { uuid: 'u2', resellerReference: null, supplierReference: 'P-2', unitId: 'adult', ticket: null },
    ],
    ...overrides,
  },
});

const VENTRATA_WEBHOOK = {
  id: '5c1f',
  url: 'https://example.com/hook',
  retryOnError: true,
  useContactLanguage: true,
  headers: {},
  capabilities: ['octo/pricing'],
};
const SUPPLIER = { id: 's1', name: 'City Cruises' };

const ventrataAvailability = (vacancies: number | null, status: string): object => ({
  id: '2027-06-12T18:00:00-04:00',
  localDateTimeStart: '2027-06-12T18:00:00-04:00',
  localDateTimeEnd: '2027-06-12T20:00:00-04:00',
  utcCutoffAt: '2027-06-12T22:00:00Z',
  allDay: false,
  available: !['CLOSED', 'SOLD_OUT'].includes(status) && vacancies !== 0,
  status,
  vacancies,
  capacity: 40,
  maxUnits: null,
  totalCapacity: 40,
  paxCount: 33,
});

const ventrataUnit = (unitId: string, internalName: string, retail: number, status = 'CONFIRMED'): object => ({
  uuid: `${unitId}-${status}-${retail}`,
  unitId,
  unitType: 'ADULT',
  unit: { id: unitId, internalName },
  status,
  pricing: { original: retail, retail, net: retail, currency: 'USD', currencyPrecision: 2, includedTaxes: [] },
});

/** Without the content capability: names only as internalName. Of three units one is canceled. */
export const ventrataBooking = (overrides: object = {}): object => ({
  webhook: { ...VENTRATA_WEBHOOK, event: 'booking_update' },
  booking: {
    id: 'b-1',
    uuid: '0d5b6b8e-6f3a-4a06-9c3b-1f4f6a3c7e11',
    testMode: false,
    status: 'CONFIRMED',
    utcCreatedAt: '2027-01-01T00:00:00Z',
    utcUpdatedAt: '2027-01-02T00:00:00Z',
    productId: 'av_123',
    product: {
      id: 'av_123',
      internalName: 'Evening cruise',
      timeZone: 'America/New_York',
      defaultCurrency: 'USD',
      pricingPer: 'UNIT',
      includeTax: true,
    },
    optionId: 'op_1',
    availabilityId: '2027-06-12T18:00:00-04:00',
    availability: ventrataAvailability(7, 'AVAILABLE'),
    unitItems: [
      ventrataUnit('adult', 'Adult', 7500),
      ventrataUnit('child', 'Child', 4950),
      ventrataUnit('adult', 'Adult', 7500, 'CANCELLED'),
    ],
    pricing: { original: 12450, retail: 12450, net: 12450, currency: 'USD', currencyPrecision: 2, includedTaxes: [] },
    ...overrides,
  },
  diff: [{ op: 'replace', path: '/status', was: 'ON_HOLD', value: 'CONFIRMED' }],
  supplier: SUPPLIER,
});

export const ventrataVacancies = (vacancies: number | null, status = 'AVAILABLE'): object => ({
  webhook: { ...VENTRATA_WEBHOOK, event: 'availability_update' },
  availability: ventrataAvailability(vacancies, status),
  productId: 'av_123',
  optionId: 'op_1',
  supplier: SUPPLIER,
});

export const ventrataIds = {
  webhook: { ...VENTRATA_WEBHOOK, event: 'availability_update' },
  productId: 'av_123',
  optionId: 'op_1',
  availabilityIds: ['2027-06-12T18:00:00-04:00'],
};

const lineItem = (type: string, code: string, name: string, price: number | null, quantity: number | null): object => ({
  id: `${type}-${code}`,
  object: 'line_item',
  type,
  name,
  code,
  visible: type === 'demographic',
  system: type !== 'demographic',
  includeInAmount: type === 'demographic',
  amount: (price ?? 0) * (quantity ?? 0),
  price,
  quantity,
  multiplier: 1,
});

export const xolaItem = (quantity: number, overrides: object = {}): object => ({
  id: '68ee843389795bbf8d051802',
  object: 'scheduled_experience_purchase_item',
  name: 'Harbor Cruise',
  status: 'confirmed',
  source: 'office',
  quantity,
  amount: 10.5 * quantity,
  product: { id: 'prod9' },
  event: { id: 'ev1' },
  arrivalDate: '2027-06-12',
  arrivalTime: 1300,
  arrivalDateTime: '2027-06-12T13:00:00-04:00',
  duration: 60,
  lineItems: [
    lineItem('demographic', 'guest', 'Guests', 10.5, quantity),
    lineItem('sub_total', 'demographic_subtotal', 'Demographic Subtotal', null, quantity),
  ],
  ...overrides,
});

export const xolaPurchase = (
  eventName: string,
  items: readonly object[],
  updatedAt = '2027-01-29T07:37:32+00:00',
): object => ({
  eventName,
  data: {
    id: '68ee843389795bbf8d051801',
    object: 'purchase',
    status: 'committed',
    source: 'office',
    customerName: 'Sam',
    currency: 'USD',
    amount: 31.5,
    balance: 0,
    createdAt: '2027-01-14T17:11:15+00:00',
    updatedAt,
    seller: { id: '68ee76c38d57715e1204bdae' },
    items,
    lineItems: [lineItem('processing_fee', 'processing_fees', 'Processing Fees', null, null)],
  },
});

export const xolaExperience = (updated: string, name: string): object => ({
  eventName: 'experience.update',
  data: {
    object: 'experience',
    id: 'exp9',
    name,
    desc: 'Along the river, for two hours.',
    excerpt: 'Along the river.',
    currency: 'USD',
    seller: { id: '5f8b3c9d2e4f5a6b7c8d9e10' },
    status: 'active',
    medias: [],
    group: { orderMin: 1, outingMin: 1, outingMinCutoff: 3600 },
    updated,
    priceSchemes: [],
    demographics: [],
    schedules: [],
    isScheduled: true,
    duration: 1,
    eventDuration: 1440,
    visible: true,
  },
});

export const xolaOrderItem = (quantity: number, overrides: object = {}): object => ({
  name: 'Kayak',
  experience: { id: 'exp1' },
  quantity,
  amount: 50 * quantity,
  arrival: '2027-06-12',
  arrivalTime: 1625,
  ...overrides,
});

export const xolaOrder = (eventName: string, items: readonly object[]): object => ({
  eventName,
  data: { id: 'o1', currency: 'USD', amount: 100, items },
});

export const rezdyOrder = (status: string, dateUpdated: string, overrides: object = {}): object => ({
  orderNumber: 'RZ1',
  status,
  supplierId: 1,
  customer: { id: 1, firstName: 'Sam', lastName: 'Reed' },
  totalAmount: 897.0,
  totalCurrency: 'AUD',
  totalPaid: 897.0,
  totalDue: 0.0,
  surcharge: 0.0,
  dateCreated: '2027-01-01T00:00:00Z',
  dateConfirmed: '2027-01-01T00:01:00Z',
  dateUpdated,
  items: [
    {
      productCode: 'PWQF1Y',
      productName: 'Reef Day',
      startTime: '2027-06-12T00:00:00Z',
      endTime: '2027-06-12T06:00:00Z',
      startTimeLocal: '2027-06-12 10:00:00',
      endTimeLocal: '2027-06-12 16:00:00',
      totalQuantity: 3,
      quantities: [
        { optionId: 1, optionLabel: 'Adult', optionPrice: 299.0, value: 2 },
        { optionId: 2, optionLabel: 'Child', optionPrice: 149.5, value: 1 },
      ],
      ...overrides,
    },
  ],
});

export const rezdyProduct = (dateUpdated: string, overrides: object = {}): object => ({
  productCode: 'PJP1',
  name: 'Bay Tour',
  productType: 'DAYTOUR',
  shortDescription: 'A tour of the bay on a small boat.',
  description: 'A tour of the bay on a small boat. '.repeat(5),
  currency: 'JPY',
  timezone: 'Asia/Tokyo',
  charter: false,
  unitLabel: 'Person',
  quantityRequired: true,
  quantityRequiredMin: 1,
  quantityRequiredMax: 12,
  cancellationPolicyDays: 3,
  minimumNoticeMinutes: 60,
  durationMinutes: 120,
  dateUpdated,
  priceOptions: [
    { id: 1, label: 'Adult', price: 12000.0, priceGroupType: 'EACH', minQuantity: 1, maxQuantity: 10, seatsUsed: 1 },
    { id: 2, label: 'Boat', price: 90000.0, priceGroupType: 'TOTAL', minQuantity: 2, maxQuantity: 6, seatsUsed: 6 },
  ],
  images: [],
  ...overrides,
});

export const checkfrontItem = (overrides: object = {}): object => ({
  version: '3.28.0.7',
  host: 'your-company.checkfront.com',
  type: 'item',
  action: 'update',
  item: {
    unit: '30M',
    item_id: '40',
    url: '',
    lock: 1,
    visibility: '*',
    name: 'Red Canoe',
    pos: 0,
    summary: '',
    details: '',
    meta: '{"display_mode":"dropdown","delay":0}',
    stock: 5,
    unlimited: 0,
    video: { id: '', start: 0 },
    image: [],
    category_id: 9,
    rated: 0,
    product_group_type: 'P',
    product_group_children: [
      {
        item_id: '41',
        sku: 'canoe_copy',
        stock: '1',
        name: 'Canoe, later',
        price: '{"0":{"participant":"5.00"}}',
        status: 'A',
      },
    ],
    type: 'I',
    status: 'A',
    alias_id: 0,
    len: 0,
    rules: '{"param":{"participant":{"MIN":"1","MAX":"10"}}}',
    category: 'Boats',
    ...overrides,
  },
});

/** The published times, 4846 days later: one item at a time of day, one for a whole day, which ends when it starts. */
export const CHECKFRONT_START = '1812823200';
const CHECKFRONT_DAY = '1812787200';

export const checkfrontBooking = (status: string): object => ({
  '@attributes': { version: '3.0', host: 'your-company.checkfront.com' },
  booking: {
    '@attributes': { booking_id: '157' },
    status,
    code: 'KMVQ-060314',
    tid: {},
    created_date: '1812851018',
    staff_id: '1',
    start_date: CHECKFRONT_START,
    end_date: CHECKFRONT_START,
    customer: PERSON,
    meta: { note: 'Free icecream!', mobile_device: {} },
    order: {
      '@attributes': { currency_id: 'CAD' },
      sub_total: '46.00',
      tax_total: '2.30',
      paid_total: '0.00',
      total: '48.30',
      taxes: { tax: { '@attributes': { tax_id: '6' }, name: 'GST', amount: '2.30' } },
      items: {
        item: [
          {
            '@attributes': { line_id: '1', item_id: '6' },
            start_date: CHECKFRONT_START,
            end_date: CHECKFRONT_START,
            sku: 'paddle',
            slip: {},
            package_id: '1',
            status,
            total: '6.30',
            tax_total: '0.30',
            qty: '2',
          },
          {
            '@attributes': { line_id: '2', item_id: '8' },
            start_date: CHECKFRONT_DAY,
            end_date: CHECKFRONT_DAY,
            sku: 'paddleboard',
            slip: {},
            package_id: '1',
            status,
            total: '42.00',
            tax_total: '2.00',
            qty: '2',
          },
        ],
      },
    },
  },
});

export const checkfrontRate = {
  version: '3.11.0.0',
  host: 'your-company.checkfront.com',
  type: 'rate',
  action: 'update',
  rate: {
    rate_id: 8,
    name: 'Summer',
    start_date: 20270621,
    end_date: 0,
    status: 'A',
    type: 'SP',
    apply_to: { items: [{ id: 14 }, { id: 16 }], categories: [{ id: 3 }] },
  },
};
export const checkfrontTransaction = {
  version: '3.11.0.0',
  host: 'your-company.checkfront.com',
  type: 'transaction',
  action: 'insert',
  transaction: { transaction_id: 'T1', date: 1812283550, status: 'PAID', amount: '27.00', booking_id: 'KMVQ-060314' },
};

export const eventbritePing = (action: string, apiUrl = 'https://www.eventbriteapi.com/v3/orders/1/'): object => ({
  api_url: apiUrl,
  config: { action, user_id: '1', endpoint_url: 'https://x.example', webhook_id: '2' },
});

export const tockReservation = (sequenceId: number, overrides: object = {}): object => ({
  id: '8234567890123456789',
  sequenceId,
  lastUpdatedTimestamp: '1812800000000',
  confirmationCode: 'TOCK-R-ABC',
  partySize: 4,
  partyState: 'EXPECTED',
  serviceDateTimestamp: '1812825000000',
  dateTime: '18:30',
  isCancelled: false,
  business: { id: '77', timeZone: 'America/Chicago', currencyCode: 'USD', domainName: 'harbortable' },
  experience: { id: '5150', name: 'Chef’s Counter', amountCents: '74000', variety: 'PREPAID' },
  totalPriceCents: 81000,
  ...overrides,
});

export const mewsEvents = (...discriminators: readonly string[]): object => ({
  EnterpriseId: '851df8c8-90f2-4c4a-8e01-a4fc46b25178',
  IntegrationId: 'c8bee838-7fb1-4f4e-8fac-ac87008b2f90',
  Events: discriminators.map((Discriminator, n) => ({ Discriminator, Value: { Id: `bfee2c44-1f84-4326-a862-${n}` } })),
});

export const mewsApiKey = (ApiKey: string): object => ({
  Action: 'IntegrationApiKeyCreated',
  Data: { Integration: { Id: '9e5e84e9-974d-4f16-9662-ab2200f27cb1', Name: 'Everyshare' }, ApiKey },
});

export const mewsIntegration = (AccessToken: string): object => ({
  Action: 'IntegrationCreated',
  Data: {
    Enterprise: { Id: '851df8c8-90f2-4c4a-8e01-a4fc46b25178', Name: 'Hotel' },
    Service: { Id: '9745ce3a-8dbb-4cc0-a550-55f9ff67b242', Name: 'Accommodation' },
    Requestor: null,
    AccessToken,
    CreatedUtc: '2027-01-13T14:42:52Z',
    IsEnabled: true,
    Integration: { Id: '9e5e84e9-974d-4f16-9662-ab2200f27cb1', Name: 'Everyshare' },
  },
});
