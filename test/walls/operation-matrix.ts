// The matrix of operations: which objects each one references and where, how such an object is created for an owner,
// and the expected answer for an object of another owner. An operation or a reference that is missing here fails
// foreign.test.ts.

import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { createChannel } from '../../src/domain/members/create-member.ts';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import { consoleAccountRows } from './console-account-rows.ts';
import { consoleReadRows } from './console-read-rows.ts';
import { consoleRequestRows } from './console-request-rows.ts';
import { consoleVenueRows } from './console-venue-rows.ts';
import { deskRows } from './desk-rows.ts';
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
  heldWithSavedCard,
  type IdForm,
  inbound,
  inDays,
  integration,
  invitedElsewhere,
  liveExperience,
  offering,
  offeringBody,
  overdueCheckout,
  readingIntegration,
  uniqueName,
} from './objects.ts';

/** Values by place: `path id`, `query checkout`, `body /share_id`. */
export type Values = Readonly<Record<string, string>>;
/** Status and error code; without a code it is no error. */
export type Outcome = readonly [status: number, code?: string];

export interface MatrixRow {
  /** Each place that references an object, those of the path first, and the form of its ids. */
  readonly references?: Readonly<Record<string, IdForm>>;
  /** Creates one object for each place. Every function of the list is tried. */
  readonly make?: readonly ((fixture: IsolationFixture, owner: Owner) => Promise<Values>)[];
  readonly query?: () => Readonly<Record<string, string>>;
  /** Words of the contract in the path, which name no object. */
  readonly words?: Values;
  readonly body?: (values: Values, owner: Owner, fixture: IsolationFixture) => unknown;
  /** The caller, when it is not the owner with a secret key. */
  readonly as?: 'publishable' | 'member' | 'newcomer' | 'account';
  /** The answer for an object of another owner, where it is not 404 `not_found`. */
  readonly refused?: Readonly<Record<string, Outcome>>;
  /** The answer for an unused id, where it differs from the one above, and the decision that allows this. */
  readonly unknownId?: Readonly<Record<string, { readonly expected: Outcome; readonly because: string }>>;
  /** Places that look like a reference but need no isolation, and the reason. */
  readonly unguarded?: Readonly<Record<string, string>>;
  /** Its objects belong to the venue, in both modes. */
  readonly ofVenue?: true;
  /** Creates an object of the owner, and returns a text that the owner's list shows. */
  readonly createListed?: (fixture: IsolationFixture, owner: Owner) => Promise<string>;
  /** The body for a name that every owner sends: each gets its own object. */
  readonly bodyWithName?: (name: string, owner: Owner) => unknown;
}

const CALLER_OWN_ID = 'the caller’s own id of its object';
const PART_OF_BODY = 'a part of the object in the body';
const makeValues =
  <T>(make: (fixture: IsolationFixture, owner: Owner) => Promise<T>, values: (created: T) => Values) =>
  async (fixture: IsolationFixture, owner: Owner): Promise<Values> =>
    values(await make(fixture, owner));

const checkoutInPath = (make: (fixture: IsolationFixture, owner: Owner) => Promise<string>) =>
  ({ references: { 'path id': 'checkout' }, make: [makeValues(make, (id) => ({ 'path id': id }))] }) as const;
/** By its id, and by its external id. */
const itemInPath = (make: typeof offering) =>
  ({
    references: { 'path id': 'uuid' },
    make: [
      makeValues(make, ({ id }) => ({ 'path id': id })),
      makeValues(make, ({ externalId }) => ({ 'path id': externalId })),
    ],
  }) as const;
const endpointInPath = {
  references: { 'path id': 'endpoint' },
  make: [makeValues(endpoint, (id) => ({ 'path id': id }))],
} as const;
const readingInPath = {
  references: { 'path id': 'integration' },
  make: [makeValues(readingIntegration, ({ id }) => ({ 'path id': id }))],
} as const;
const integrationInPath = {
  references: { 'path id': 'integration' },
  make: [makeValues(integration, ({ id }) => ({ 'path id': id }))],
} as const;
const listedId =
  (make: (fixture: IsolationFixture, owner: Owner) => Promise<{ readonly id: string }>) =>
  async (fixture: IsolationFixture, owner: Owner): Promise<string> =>
    (await make(fixture, owner)).id;
const UNKNOWN_OFFERING: Outcome = [422, 'invalid_value'];
const offeringInBody = {
  references: { 'body /offering_external_id': 'own' },
  make: [makeValues(offering, ({ externalId }) => ({ 'body /offering_external_id': externalId }))],
  refused: { 'body /offering_external_id': UNKNOWN_OFFERING },
} as const;
const offeringIds = (pointer: string) => ({
  [`${pointer}/external_id`]: CALLER_OWN_ID,
  [`${pointer}/tiers/*/external_id`]: PART_OF_BODY,
  [`${pointer}/availability/slots/*/external_id`]: PART_OF_BODY,
});

const catalogue: Readonly<Record<string, MatrixRow>> = {
  upsertOfferings: {
    unguarded: { ...offeringIds('body '), ...offeringIds('body /offerings/*') },
    bodyWithName: (name, { mark }) => offeringBody(mark, name),
  },
  listOfferings: { createListed: listedId(offering) },
  getOffering: itemInPath(offering),
  listSlots: { ...itemInPath(offering), query: () => ({ from: inDays(0), to: inDays(30) }) },
  submitExperience: {
    ...offeringInBody,
    body: (values, { mark }) => ({
      ...experienceBody(mark),
      offering_external_id: values['body /offering_external_id'],
    }),
    unguarded: { 'body /external_id': CALLER_OWN_ID, 'body /tiers/*/external_id': PART_OF_BODY },
    bodyWithName: (name, { mark }) => experienceBody(mark, name),
  },
  listExperiences: { createListed: listedId(experience) },
  getExperience: itemInPath(experience),
  upsertBoats: {
    unguarded: { 'body /external_id': CALLER_OWN_ID },
    bodyWithName: (name, { mark }) => boatBody(mark, name),
  },
  listBoats: { createListed: listedId(boat) },
  getBoat: itemInPath(boat),
  deactivateBoat: itemInPath(boat),
  testReview: {
    references: { 'body /id': 'uuid' },
    make: [offering, experience, boat].map((make) => makeValues(make, ({ id }) => ({ 'body /id': id }))),
    body: (values) => ({ id: values['body /id'], status: 'approved' }),
  },
  getAnalytics: {
    references: { 'query experience_id': 'uuid' },
    make: [makeValues(liveExperience, (id) => ({ 'query experience_id': id }))],
    createListed: liveExperience,
  },
};

const payments: Readonly<Record<string, MatrixRow>> = {
  createCheckout: {
    ...offeringInBody,
    body: (values, { mark }) => checkoutBody(mark, { offering_external_id: values['body /offering_external_id'] }),
    unguarded: { 'body /external_booking_id': CALLER_OWN_ID },
    bodyWithName: (name, { mark }) => checkoutBody(mark, { external_booking_id: name }),
  },
  listCheckouts: { createListed: checkout },
  getCheckout: {
    references: { 'path id': 'checkout' },
    make: [checkout, overdueCheckout].map((make) => makeValues(make, (id) => ({ 'path id': id }))),
  },
  cancelCheckout: checkoutInPath(checkout),
  refundCheckout: { ...checkoutInPath(completed), body: () => ({ amount: 100 }) },
  listPayouts: { createListed: completed },
  testCollect: checkoutInPath(checkout),
  testHold: {
    references: { 'path id': 'checkout', 'body /share_id': 'share' },
    make: [makeValues(collecting, ({ id, shares }) => ({ 'path id': id, 'body /share_id': shares[0] ?? '' }))],
    body: (values) => ({ share_id: values['body /share_id'] }),
    refused: { 'body /share_id': [422, 'invalid_value'] },
  },
  testComplete: checkoutInPath(checkout),
  testExpire: checkoutInPath(checkout),
  testAdvance: { ...checkoutInPath(checkout), body: () => ({ to: inDays(1) }) },
};

const messaging: Readonly<Record<string, MatrixRow>> = {
  createWebhookEndpoint: {
    make: [async () => ({})],
    body: (_values, { mark }, fixture) => endpointBody(fixture, mark),
  },
  listWebhookEndpoints: { createListed: endpoint },
  deleteWebhookEndpoint: endpointInPath,
  listDeliveries: {
    references: { 'path id': 'endpoint' },
    make: [makeValues(delivery, (created) => ({ 'path id': created.endpoint }))],
  },
  redeliver: {
    references: { 'path id': 'endpoint', 'path delivery_id': 'delivery' },
    make: [makeValues(delivery, (created) => ({ 'path id': created.endpoint, 'path delivery_id': created.id }))],
  },
  recoverDeliveries: { ...endpointInPath, body: () => ({ since: inDays(-1) }) },
  rotateSecret: endpointInPath,
  testWebhookEndpoint: endpointInPath,
  disableWebhookEndpoint: endpointInPath,
  enableWebhookEndpoint: endpointInPath,
  listEvents: {
    references: { 'query checkout': 'checkout' },
    make: [makeValues(event, (created) => ({ 'query checkout': created.checkout }))],
    refused: { 'query checkout': [200] },
    createListed: listedId(event),
  },
  streamEvents: {},
  getEvent: { references: { 'path id': 'event' }, make: [makeValues(event, ({ id }) => ({ 'path id': id }))] },
  createIntegration: { make: [async () => ({})], body: () => ({ provider: 'xola' }) },
  listIntegrations: { createListed: listedId(integration) },
  revokeIntegration: integrationInPath,
  setIntegrationCredentials: { ...readingInPath, body: () => ({ credentials: { token: 'a-token' } }) },
  deleteIntegrationCredentials: readingInPath,
  syncIntegration: readingInPath,
  getIntegrationSync: readingInPath,
  listInboundDeliveries: integrationInPath,
  replayInboundDelivery: {
    references: { 'path id': 'integration', 'path delivery_id': 'inbound' },
    make: [makeValues(inbound, (created) => ({ 'path id': created.integration, 'path delivery_id': created.id }))],
  },
  receiveHook: {
    unguarded: { 'path provider': 'a venue system, which belongs to no venue', 'path token': 'the credential itself' },
  },
};

const PARTY_DECISION = 'decisions, part 5: members of a party may know of one another';

const checkoutForPublishable: MatrixRow = {
  as: 'publishable',
  references: { 'path id': 'checkout' },
  make: [checkout, overdueCheckout].map((make) => makeValues(make, (id) => ({ 'path id': id }))),
};

const guests: Readonly<Record<string, MatrixRow>> = {
  viewCheckout: checkoutForPublishable,
  viewProgress: checkoutForPublishable,
  streamProgress: checkoutForPublishable,
  chooseParty: {
    as: 'member',
    references: { 'path id': 'checkout', 'body /members/*/channel_id': 'uuid' },
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
      'path id': { expected: [404, 'not_found'], because: PARTY_DECISION },
      'body /members/*/channel_id': { expected: [422, 'invalid_value'], because: PARTY_DECISION },
    },
    unguarded: { 'body /members/*/user_id': 'any member can be asked to pay a share' },
  },
  takeSeat: {
    as: 'newcomer',
    references: { 'body /share_id': 'share' },
    make: [checkoutWithFreeSeat],
    body: (values) => ({ share_id: values['body /share_id'] }),
    unguarded: { 'path id': 'anyone with the link may claim a seat' },
  },
  holdShare: {
    as: 'member',
    references: { 'path share_id': 'share', 'body /card_share_id': 'share' },
    make: [
      makeValues(heldWithSavedCard, ({ shares: [held = '', open = ''] }) => ({
        'path share_id': open,
        'body /card_share_id': held,
      })),
    ],
    body: (values) => ({ card_share_id: values['body /card_share_id'] }),
    refused: { 'path share_id': [403, 'share_not_yours'], 'body /card_share_id': [409, 'conflict'] },
    unknownId: { 'path share_id': { expected: [404, 'not_found'], because: PARTY_DECISION } },
  },
  declineShare: {
    as: 'member',
    references: { 'path share_id': 'share' },
    make: [makeValues(invitedElsewhere, (share) => ({ 'path share_id': share }))],
    refused: { 'path share_id': [403, 'share_not_yours'] },
    unknownId: { 'path share_id': { expected: [404, 'not_found'], because: PARTY_DECISION } },
  },
  removeShare: {
    as: 'member',
    references: { 'path share_id': 'share' },
    make: [makeValues(collecting, ({ shares: [, invited = ''] }) => ({ 'path share_id': invited }))],
    refused: { 'path share_id': [403, 'not_organizer'] },
    unknownId: { 'path share_id': { expected: [404, 'not_found'], because: PARTY_DECISION } },
  },
  declineInvite: {},
  mailReceipt: {
    as: 'member',
    unguarded: { 'path id': 'any member may ask; only a guest who has paid gets a receipt' },
  },
  remindShare: {
    as: 'member',
    references: { 'path share_id': 'share' },
    make: [makeValues(collecting, ({ shares: [, open = ''] }) => ({ 'path share_id': open }))],
    refused: { 'path share_id': [403, 'not_organizer'] },
    unknownId: { 'path share_id': { expected: [404, 'not_found'], because: PARTY_DECISION } },
  },
  signIn: {},
  verifySignIn: {
    unguarded: { 'body /challenge_id': 'only the caller who requested the code has it; a code allows five attempts' },
  },
  callTool: {},
  recordActivity: {
    unguarded: {
      'body /events/*/id': CALLER_OWN_ID,
      'body /events/*/experience_id': 'the operator reports on every venue',
      'body /events/*/venue_id': 'the operator reports on every venue',
      'body /events/*/member_id': 'the operator’s own members',
    },
  },
};

const newSession = async ({ world }: IsolationFixture, { account }: Owner): Promise<string> =>
  (await createSession(world.context, account.id)).id;

async function newPerson({ world }: IsolationFixture, { venueId }: Owner): Promise<string> {
  return createAccount(world.context, `${uniqueName('person')}@people.example`, [[venueId, 'viewer']]);
}

async function newInvitation({ world }: IsolationFixture, { venueId, mode, account }: Owner): Promise<string> {
  const body = { email: `${uniqueName('invited')}@people.example`, role: 'viewer' };
  const call = { token: account.token, venue: venueId, mode, body };
  return (await callConsole(world, 'POST', '/console/api/invitations', call)).json.id;
}

/** One for each venue, which has it in both modes. */
async function newDomain({ world }: IsolationFixture, { venueId, mode, account }: Owner): Promise<string> {
  const domain = `walls-${venueId}.example`;
  const call = { token: account.token, venue: venueId, mode, body: { domain } };
  return (await callConsole(world, 'POST', '/console/api/go_live/domain', call)).json.domain.name;
}

const goLiveRows: Readonly<Record<string, MatrixRow>> = {
  getGoLive: { as: 'account', ofVenue: true, createListed: newDomain },
  startDomainVerification: {},
  checkDomain: {},
  sendDomainCode: {},
  verifyDomainCode: { unguarded: { 'body /challenge_id': 'it counts for the session that asked for the code alone' } },
  startPayoutOnboarding: {},
  acceptTerms: {},
  getNotifications: {},
  changeNotifications: { unguarded: { 'body /preferences/endpoint': 'a switch: it names no object' } },
};

const consoleRows: Readonly<Record<string, MatrixRow>> = {
  signInToConsole: {},
  verifyConsoleSignIn: {
    unguarded: { 'body /challenge_id': 'only the caller who requested the code has it; a code allows five attempts' },
  },
  signInByLink: {},
  getConsoleSession: { as: 'account', createListed: async (_fixture, { account }) => account.email },
  signOutOfConsole: {},
  listConsoleSessions: { as: 'account', createListed: newSession },
  endConsoleSession: {
    as: 'account',
    references: { 'path id': 'uuid' },
    make: [makeValues(newSession, (id) => ({ 'path id': id }))],
  },
  stepUp: {},
  verifyStepUp: { unguarded: { 'body /challenge_id': 'it counts for the session that asked for the code alone' } },
  listPeople: { as: 'account', ofVenue: true, createListed: newPerson },
  changePersonRole: {
    as: 'account',
    ofVenue: true,
    references: { 'path id': 'uuid' },
    make: [makeValues(newPerson, (id) => ({ 'path id': id }))],
    body: () => ({ role: 'finance' }),
  },
  removePerson: {
    as: 'account',
    ofVenue: true,
    references: { 'path id': 'uuid' },
    make: [makeValues(newPerson, (id) => ({ 'path id': id }))],
  },
  listInvitations: { as: 'account', ofVenue: true, createListed: newInvitation },
  invitePerson: {},
  acceptInvitations: {},
  withdrawInvitation: {
    as: 'account',
    ofVenue: true,
    references: { 'path id': 'uuid' },
    make: [makeValues(newInvitation, (id) => ({ 'path id': id }))],
  },
};

/** A party with a free seat. */
async function checkoutWithFreeSeat(fixture: IsolationFixture, owner: Owner): Promise<Values> {
  const { world } = fixture;
  const clock = { ids: world.context.ids, now: Date.now() };
  const [seat = ''] = await world.db.transaction((tx) => createSeats(tx, clock, 1));
  const id = await checkout(fixture, owner);
  const body = { members: [{ user_id: seat }], split: 'equal' };
  const { json } = await world.call('POST', `/v1/public/checkouts/${id}/party`, { key: owner.member.token, body });
  return { 'path id': id, 'body /share_id': json.shares[1].id };
}

export const operationMatrix: Readonly<Record<string, MatrixRow>> = {
  getMe: { createListed: async (_fixture, { venueId }) => venueId },
  ...catalogue,
  ...payments,
  ...messaging,
  ...guests,
  ...consoleRows,
  ...consoleVenueRows,
  ...consoleAccountRows,
  ...consoleReadRows,
  ...consoleRequestRows,
  ...deskRows,
  ...goLiveRows,
};

/** The tools of agents by name; the places are fields of their arguments. */
export const toolMatrix: Readonly<Record<string, MatrixRow & { readonly route?: string }>> = {
  describe_venue: { createListed: async (_fixture, { venueId }) => venueId },
  validate: {
    ...offeringInBody,
    body: (values, { mark }) => ({
      schema: 'checkout_create',
      object: checkoutBody(mark, { offering_external_id: values['body /offering_external_id'] }),
    }),
    // The tool reports the problem as its result, not as an error.
    refused: { 'body /offering_external_id': [200] },
  },
  upsert_offerings: { unguarded: offeringIds('body /offerings/*') },
  set_price_tiers: {
    ...offeringInBody,
    body: (values) => ({
      offering_external_id: values['body /offering_external_id'],
      tiers: [{ amount: 5_000, currency: 'usd', unit: 'per_person' }],
    }),
    unguarded: { 'body /tiers/*/external_id': PART_OF_BODY },
  },
  set_availability: {
    ...offeringInBody,
    body: (values) => ({
      offering_external_id: values['body /offering_external_id'],
      availability: {
        timezone: 'America/New_York',
        slots: [{ starts_at: inDays(4), external_id: uniqueName('slot') }],
      },
    }),
    unguarded: { 'body /availability/slots/*/external_id': PART_OF_BODY },
  },
  create_checkout: {
    ...offeringInBody,
    route: 'createCheckout',
    body: (values, { mark }) => checkoutBody(mark, { offering_external_id: values['body /offering_external_id'] }),
    unguarded: { 'body /external_booking_id': CALLER_OWN_ID },
  },
  get_checkout: {
    route: 'getCheckout',
    references: { 'body /id': 'checkout' },
    make: [checkout, overdueCheckout].map((make) => makeValues(make, (id) => ({ 'body /id': id }))),
    body: (values) => ({ id: values['body /id'] }),
    refused: { 'body /id': [404, 'not_found'] },
  },
  list_bookings: { createListed: checkout },
};
