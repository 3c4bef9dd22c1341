// Where each operation stands in the matrix: which objects it names and where, how one is made for an owner, and what is told
// of one that is not the caller's. An operation, or a member of a body that looks like the name of an object, which does not
// stand here makes the test fail.

import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { createChannel } from '../../src/domain/members/create-member.ts';
import type { IsolationFixture, Owner } from './isolation-fixture.ts';
import {
  boat,
  boatBody,
  checkout,
  checkoutBody,
  collecting,
  completed,
  delivery,
  endpoint,
  endpointBody,
  event,
  experience,
  experienceBody,
  type Form,
  inbound,
  inDays,
  integration,
  liveExperience,
  offering,
  offeringBody,
  overdueCheckout,
  uniqueName,
} from './objects.ts';

/** By place: `path id`, `query checkout`, `body /share_id`. */
export type Values = Readonly<Record<string, string>>;
/** Status and error code; no code: not an error. */
export type Outcome = readonly [status: number, code?: string];

export interface MatrixRow {
  /** Each place that names an object, those of the path first, and the form of its ids. */
  readonly names?: Readonly<Record<string, Form>>;
  /** One object for each place; several ways are all tried. */
  readonly make?: readonly ((fixture: IsolationFixture, owner: Owner) => Promise<Values>)[];
  readonly query?: () => Readonly<Record<string, string>>;
  readonly body?: (values: Values, owner: Owner, fixture: IsolationFixture) => unknown;
  /** Who asks, when it is not the owner with a secret key. */
  readonly as?: 'publishable' | 'member' | 'newcomer';
  /** What is told of an object of somebody else, where that is not 404 `not_found`. */
  readonly refused?: Readonly<Record<string, Outcome>>;
  /** What is told of nobody's, where that is something else than of somebody else's: the decision that says so. */
  readonly unknownId?: Readonly<Record<string, { readonly expected: Outcome; readonly because: string }>>;
  /** Places that look like the name of an object and have no wall around it: why. */
  readonly free?: Readonly<Record<string, string>>;
  /** Makes something of the owner's, and answers what of it the owner's list shows. */
  readonly lists?: (fixture: IsolationFixture, owner: Owner) => Promise<string>;
  /** The same name sent by everybody: each has an object of their own by it. */
  readonly claims?: (name: string, owner: Owner) => unknown;
}

const OWN = 'what the caller itself calls its object';
const PART = 'a part of the object that is sent';
const byId =
  <T>(make: (fixture: IsolationFixture, owner: Owner) => Promise<T>, values: (made: T) => Values) =>
  async (fixture: IsolationFixture, owner: Owner): Promise<Values> =>
    values(await make(fixture, owner));

const oneOf = (make: (fixture: IsolationFixture, owner: Owner) => Promise<string>) =>
  ({ names: { 'path id': 'checkout' }, make: [byId(make, (id) => ({ 'path id': id }))] }) as const;
/** By its id, and by what its owner calls it. */
const catalogued = (make: typeof offering) =>
  ({
    names: { 'path id': 'uuid' },
    make: [byId(make, ({ id }) => ({ 'path id': id })), byId(make, ({ externalId }) => ({ 'path id': externalId }))],
  }) as const;
const ofEndpoint = { names: { 'path id': 'endpoint' }, make: [byId(endpoint, (id) => ({ 'path id': id }))] } as const;
const ofIntegration = {
  names: { 'path id': 'integration' },
  make: [byId(integration, ({ id }) => ({ 'path id': id }))],
} as const;
const listed =
  (make: (fixture: IsolationFixture, owner: Owner) => Promise<{ readonly id: string }>) =>
  async (fixture: IsolationFixture, owner: Owner): Promise<string> =>
    (await make(fixture, owner)).id;
const UNKNOWN_OFFERING: Outcome = [422, 'invalid_value'];
const namesOffering = {
  names: { 'body /offering_external_id': 'own' },
  make: [byId(offering, ({ externalId }) => ({ 'body /offering_external_id': externalId }))],
  refused: { 'body /offering_external_id': UNKNOWN_OFFERING },
} as const;
const inOffering = (at: string) => ({
  [`${at}/external_id`]: OWN,
  [`${at}/tiers/*/external_id`]: PART,
  [`${at}/availability/slots/*/external_id`]: PART,
});

const catalogue: Readonly<Record<string, MatrixRow>> = {
  upsertOfferings: {
    free: { ...inOffering('body '), ...inOffering('body /offerings/*') },
    claims: (name, { mark }) => offeringBody(mark, name),
  },
  listOfferings: { lists: listed(offering) },
  getOffering: catalogued(offering),
  listSlots: { ...catalogued(offering), query: () => ({ from: inDays(0), to: inDays(30) }) },
  submitExperience: {
    ...namesOffering,
    body: (values, { mark }) => ({
      ...experienceBody(mark),
      offering_external_id: values['body /offering_external_id'],
    }),
    free: { 'body /external_id': OWN, 'body /tiers/*/external_id': PART },
    claims: (name, { mark }) => experienceBody(mark, name),
  },
  listExperiences: { lists: listed(experience) },
  getExperience: catalogued(experience),
  upsertBoats: {
    free: { 'body /external_id': OWN },
    claims: (name, { mark }) => boatBody(mark, name),
  },
  listBoats: { lists: listed(boat) },
  getBoat: catalogued(boat),
  deactivateBoat: catalogued(boat),
  testReview: {
    names: { 'body /id': 'uuid' },
    make: [offering, experience, boat].map((make) => byId(make, ({ id }) => ({ 'body /id': id }))),
    body: (values) => ({ id: values['body /id'], status: 'approved' }),
  },
  getAnalytics: {
    names: { 'query experience_id': 'uuid' },
    make: [byId(liveExperience, (id) => ({ 'query experience_id': id }))],
    lists: liveExperience,
  },
};

const money: Readonly<Record<string, MatrixRow>> = {
  createCheckout: {
    ...namesOffering,
    body: (values, { mark }) => checkoutBody(mark, { offering_external_id: values['body /offering_external_id'] }),
    free: { 'body /external_booking_id': OWN },
    claims: (name, { mark }) => checkoutBody(mark, { external_booking_id: name }),
  },
  listCheckouts: { lists: checkout },
  getCheckout: {
    names: { 'path id': 'checkout' },
    make: [checkout, overdueCheckout].map((make) => byId(make, (id) => ({ 'path id': id }))),
  },
  cancelCheckout: oneOf(checkout),
  refundCheckout: { ...oneOf(completed), body: () => ({ amount: 100 }) },
  listPayouts: { lists: completed },
  testCollect: oneOf(checkout),
  testHold: {
    names: { 'path id': 'checkout', 'body /share_id': 'share' },
    make: [byId(collecting, ({ id, shares }) => ({ 'path id': id, 'body /share_id': shares[0] ?? '' }))],
    body: (values) => ({ share_id: values['body /share_id'] }),
    refused: { 'body /share_id': [422, 'invalid_value'] },
  },
  testComplete: oneOf(checkout),
  testExpire: oneOf(checkout),
  testAdvance: { ...oneOf(checkout), body: () => ({ to: inDays(1) }) },
};

const messages: Readonly<Record<string, MatrixRow>> = {
  createWebhookEndpoint: {
    make: [async () => ({})],
    body: (_values, { mark }, fixture) => endpointBody(fixture, mark),
  },
  listWebhookEndpoints: { lists: endpoint },
  deleteWebhookEndpoint: ofEndpoint,
  listDeliveries: {
    names: { 'path id': 'endpoint' },
    make: [byId(delivery, (made) => ({ 'path id': made.endpoint }))],
  },
  redeliver: {
    names: { 'path id': 'endpoint', 'path delivery_id': 'delivery' },
    make: [byId(delivery, (made) => ({ 'path id': made.endpoint, 'path delivery_id': made.id }))],
  },
  recoverDeliveries: { ...ofEndpoint, body: () => ({ since: inDays(-1) }) },
  rotateSecret: ofEndpoint,
  testWebhookEndpoint: ofEndpoint,
  disableWebhookEndpoint: ofEndpoint,
  enableWebhookEndpoint: ofEndpoint,
  listEvents: {
    names: { 'query checkout': 'checkout' },
    make: [byId(event, (made) => ({ 'query checkout': made.checkout }))],
    refused: { 'query checkout': [200] },
    lists: listed(event),
  },
  getEvent: { names: { 'path id': 'event' }, make: [byId(event, ({ id }) => ({ 'path id': id }))] },
  createIntegration: { make: [async () => ({})], body: () => ({ provider: 'xola' }) },
  listIntegrations: { lists: listed(integration) },
  revokeIntegration: ofIntegration,
  listInboundDeliveries: ofIntegration,
  replayInboundDelivery: {
    names: { 'path id': 'integration', 'path delivery_id': 'inbound' },
    make: [byId(inbound, (made) => ({ 'path id': made.integration, 'path delivery_id': made.id }))],
  },
  receiveHook: {
    free: { 'path provider': 'a venue system, which is nobody’s', 'path token': 'the credential itself' },
  },
};

const DECIDED = 'decisions, part 5: a party’s people may know of one another';

const people: Readonly<Record<string, MatrixRow>> = {
  viewCheckout: {
    as: 'publishable',
    names: { 'path id': 'checkout' },
    make: [checkout, overdueCheckout].map((make) => byId(make, (id) => ({ 'path id': id }))),
  },
  chooseParty: {
    as: 'member',
    names: { 'path id': 'checkout', 'body /members/*/channel_id': 'uuid' },
    make: [
      async (fixture, owner) => {
        const { world } = fixture;
        const chat = { name: null, memberIds: [owner.member.id] };
        const channel = await world.db.transaction((tx) => createChannel(tx, world.command(), chat));
        return { 'path id': (await collecting(fixture, owner)).id, 'body /members/*/channel_id': channel };
      },
    ],
    body: (values) => ({ members: [{ channel_id: values['body /members/*/channel_id'] }], split: 'equal' }),
    refused: { 'path id': [403, 'not_organizer'], 'body /members/*/channel_id': [422, 'not_allowed'] },
    unknownId: {
      'path id': { expected: [404, 'not_found'], because: DECIDED },
      'body /members/*/channel_id': { expected: [422, 'invalid_value'], because: DECIDED },
    },
    free: { 'body /members/*/user_id': 'any member can be asked to pay a share' },
  },
  takeSeat: {
    as: 'newcomer',
    names: { 'body /share_id': 'share' },
    make: [seatFree],
    body: (values) => ({ share_id: values['body /share_id'] }),
    free: { 'path id': 'whoever was sent the link may sit down' },
  },
  holdShare: {
    as: 'member',
    names: { 'path share_id': 'share' },
    make: [byId(collecting, ({ shares }) => ({ 'path share_id': shares[0] ?? '' }))],
    refused: { 'path share_id': [403, 'share_not_yours'] },
    unknownId: { 'path share_id': { expected: [404, 'not_found'], because: DECIDED } },
  },
  signIn: {},
  verifySignIn: { free: { 'body /challenge_id': 'whoever asked for the code has it; a code is tried five times' } },
  callTool: {},
  recordActivity: {
    free: {
      'body /events/*/id': OWN,
      'body /events/*/experience_id': 'the operator reports on every venue',
      'body /events/*/venue_id': 'the operator reports on every venue',
      'body /events/*/member_id': 'the operator’s own members',
    },
  },
};

/** A party with a seat that nobody has taken. */
async function seatFree(fixture: IsolationFixture, owner: Owner): Promise<Values> {
  const { world } = fixture;
  const parts = { ids: world.context.ids, now: Date.now() };
  const [seat = ''] = await world.db.transaction((tx) => createSeats(tx, parts, 1));
  const id = await checkout(fixture, owner);
  const body = { members: [{ user_id: seat }], split: 'equal' };
  const { json } = await world.call('POST', `/v1/public/checkouts/${id}/party`, { key: owner.member.token, body });
  return { 'path id': id, 'body /share_id': json.shares[1].id };
}

export const operationMatrix: Readonly<Record<string, MatrixRow>> = {
  getMe: { lists: async (_fixture, { venueId }) => venueId },
  ...catalogue,
  ...money,
  ...messages,
  ...people,
};

/** Tools by their names; the places are members of their arguments. */
export const toolMatrix: Readonly<Record<string, MatrixRow & { readonly route?: string }>> = {
  describe_venue: { lists: async (_fixture, { venueId }) => venueId },
  validate: {
    ...namesOffering,
    body: (values, { mark }) => ({
      schema: 'checkout_create',
      object: checkoutBody(mark, { offering_external_id: values['body /offering_external_id'] }),
    }),
    // What is wrong is what it was asked for: no failure.
    refused: { 'body /offering_external_id': [200] },
  },
  upsert_offerings: { free: inOffering('body /offerings/*') },
  set_price_tiers: {
    ...namesOffering,
    body: (values) => ({
      offering_external_id: values['body /offering_external_id'],
      tiers: [{ amount: 5_000, currency: 'usd', unit: 'per_person' }],
    }),
    free: { 'body /tiers/*/external_id': PART },
  },
  set_availability: {
    ...namesOffering,
    body: (values) => ({
      offering_external_id: values['body /offering_external_id'],
      availability: {
        timezone: 'America/New_York',
        slots: [{ starts_at: inDays(4), external_id: uniqueName('slot') }],
      },
    }),
    free: { 'body /availability/slots/*/external_id': PART },
  },
  create_checkout: {
    ...namesOffering,
    route: 'createCheckout',
    body: (values, { mark }) => checkoutBody(mark, { offering_external_id: values['body /offering_external_id'] }),
    free: { 'body /external_booking_id': OWN },
  },
  get_checkout: {
    route: 'getCheckout',
    names: { 'body /id': 'checkout' },
    make: [checkout, overdueCheckout].map((make) => byId(make, (id) => ({ 'body /id': id }))),
    body: (values) => ({ id: values['body /id'] }),
    refused: { 'body /id': [404, 'not_found'] },
  },
  list_bookings: { lists: checkout },
};
