// Creates an object of each kind for an owner, through the API that owners and guests use, and unused ids of the same
// form.

import { randomBytes } from 'node:crypto';
import { review } from '../../src/domain/review/review.ts';
import { dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import { PROCESSOR_KEYS } from '../support/test-world.ts';
import { runUntilIdle } from '../support/wait-for.ts';
import type { IsolationFixture, Owner } from './isolation-fixture.ts';
import { SITE } from './isolation-fixture.ts';

let nameCount = 0;
/** An external id that no venue has used. */
export function uniqueName(prefix: string): string {
  nameCount += 1;
  return `${prefix}-${nameCount}`;
}

function unusedPhone(): string {
  nameCount += 1;
  return `+1214555${String(nameCount).padStart(4, '0')}`;
}

export const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

export const offeringBody = (mark: string, externalId = uniqueName('tee')): Record<string, unknown> => ({
  external_id: externalId,
  kind: 'tee_time',
  title: `Eighteen holes of ${mark}`,
  tiers: [{ amount: 4_500, currency: 'usd', unit: 'per_person' }],
  availability: { timezone: 'America/New_York', slots: [{ starts_at: inDays(3), capacity: 4 }] },
});

export const experienceBody = (mark: string, externalId = uniqueName('night')): Record<string, unknown> => ({
  external_id: externalId,
  title: `A night of ${mark}`,
  starts_at: inDays(9),
});

export const boatBody = (mark: string, externalId = uniqueName('boat')): Record<string, unknown> => ({
  external_id: externalId,
  name: `Second Wind of ${mark}`,
  type: 'catamaran',
  length_ft: 42,
  capacity: 12,
  captain: 'included',
  location: { city: 'Miami' },
  pricing: [{ duration_hours: 4, amount: 120_000, currency: 'usd' }],
  photo_urls: ['https://cdn.fleet.example/1.jpg'],
});

export const checkoutBody = (
  mark: string,
  overrides: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> => ({
  amount: 10_000,
  currency: 'usd',
  party_size: 2,
  pay_by: inDays(2),
  description: `Cabana of ${mark}`,
  return_url: `${SITE}/thanks`,
  external_booking_id: uniqueName('bk'),
  ...overrides,
});

export const endpointBody = (fixture: IsolationFixture, mark: string): Record<string, unknown> => ({
  url: `${fixture.receiverUrl}/${mark}/${uniqueName('hook')}`,
  events: ['checkout.created', 'checkout.completed'],
});

export interface CatalogueItem {
  readonly id: string;
  readonly externalId: string;
}

type Maker<T> = (fixture: IsolationFixture, owner: Owner) => Promise<T>;

const catalogueMaker =
  (path: string, body: (mark: string) => Record<string, unknown>): Maker<CatalogueItem> =>
  async (fixture, owner) => {
    const { json } = await fixture.callOk(owner, 'POST', path, body(owner.mark));
    return { id: json.data.id, externalId: json.data.external_id };
  };

export const offering = catalogueMaker('/v1/offerings', offeringBody);
export const experience = catalogueMaker('/v1/experiences', experienceBody);
export const boat = catalogueMaker('/v1/boats', boatBody);

/** The id under which the members' app knows an approved submission. */
export const liveExperience: Maker<string> = async (fixture, owner) => {
  const { world } = fixture;
  const { id } = await experience(fixture, owner);
  const decision = { status: 'approved', note: null } as const;
  const reviewed = await world.db.transaction((tx) => review(tx, world.command(), id, decision, null));
  return String(reviewed.experience_id);
};

export const checkout: Maker<string> = async (fixture, owner) =>
  (await fixture.callOk(owner, 'POST', '/v1/checkouts', checkoutBody(owner.mark))).json.id;

/** A checkout past its deadline that has not expired yet: a read by its owner would expire it. */
export const overdueCheckout: Maker<string> = async (fixture, owner) => {
  const id = await checkout(fixture, owner);
  await fixture.world.db.query(
    `update checkouts set pay_by = now() - interval '1 minute', expires_at = now() - interval '1 minute'
     where venue_id = $1 and checkout_id = $2`,
    [owner.venueId, id],
  );
  return id;
};

export interface Party {
  readonly id: string;
  readonly shares: readonly string[];
}

/** The owner's member has chosen a party with one phone number. */
export const collecting = (fixture: IsolationFixture, owner: Owner): Promise<Party> =>
  chooseParty(fixture, owner, [{ phone: unusedPhone() }]);

async function chooseParty(fixture: IsolationFixture, owner: Owner, members: readonly unknown[]): Promise<Party> {
  const id = await checkout(fixture, owner);
  const body = { members, split: 'equal' };
  const path = `/v1/public/checkouts/${id}/party`;
  const { json, text } = await fixture.world.call('POST', path, { key: owner.member.token, body });
  if (json?.shares === undefined) throw new Error(`no party was chosen: ${text}`);
  return { id, shares: json.shares.map((share: { id: string }) => share.id) };
}

/** The share of the owner's member in a party of another organizer. */
export const invitedElsewhere: Maker<string> = async (fixture, owner) => {
  const organized = { ...owner, member: { ...owner.member, token: owner.newcomer } };
  const { shares } = await chooseParty(fixture, organized, [{ user_id: owner.member.id }]);
  return shares[1] ?? '';
};

/** The owner's member holds the first share with a card that is saved; the second is not paid. */
export const heldWithSavedCard: Maker<Party> = async (fixture, owner) => {
  const party = await collecting(fixture, owner);
  await payByCard(fixture, owner, party.shares[0] ?? '', { save_card: true });
  await settleOpenHolds(fixture, party.id);
  return party;
};

async function payByCard(
  { world }: IsolationFixture,
  owner: Owner,
  share: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { json } = await world.call('POST', `/v1/public/shares/${share}/hold`, { key: owner.member.token, body });
  const form = new URLSearchParams({
    key: PROCESSOR_KEYS[owner.mode].publishable,
    client_secret: json.client_secret,
    'payment_method_data[type]': 'card',
    'payment_method_data[card][number]': '4242424242424242',
    'payment_method_data[card][exp_month]': '12',
    'payment_method_data[card][exp_year]': '2034',
    'payment_method_data[card][cvc]': '123',
  });
  const intent = String(json.client_secret).split('_secret_')[0];
  await fetch(`${world.processor.url}/v1/payment_intents/${intent}/confirm`, { method: 'POST', body: form });
}

async function settleOpenHolds({ world }: IsolationFixture, id: string): Promise<void> {
  await world.db.query("update holds set due_at = to_timestamp(0) where status = 'open' and checkout_id = $1", [id]);
  await world.work();
}

/** Paid with the organizer's card and captured; the payout is sent. */
export const completed: Maker<string> = async (fixture, owner) => {
  const { id, shares } = await chooseParty(fixture, owner, [{ user_id: owner.member.id }]);
  for (const share of shares) await payByCard(fixture, owner, share);
  await settleOpenHolds(fixture, id);
  return id;
};

export const endpoint: Maker<string> = async (fixture, owner) =>
  (await fixture.callOk(owner, 'POST', '/v1/webhook_endpoints', endpointBody(fixture, owner.mark))).json.id;

/** An endpoint with a waiting delivery. */
export const delivery: Maker<{ readonly endpoint: string; readonly id: string }> = async (fixture, owner) => {
  const endpointId = await endpoint(fixture, owner);
  await checkout(fixture, owner);
  await runUntilIdle('dispatch', () => dispatchDue(fixture.world.context.services, 500));
  const { json } = await fixture.callOk(owner, 'GET', `/v1/webhook_endpoints/${endpointId}/deliveries`);
  return { endpoint: endpointId, id: json.data[0].id };
};

/** The event of a new checkout. */
export const event: Maker<{ readonly id: string; readonly checkout: string }> = async (fixture, owner) => {
  const checkoutId = await checkout(fixture, owner);
  const { json } = await fixture.callOk(owner, 'GET', `/v1/events?checkout=${checkoutId}`);
  return { id: json.data[0].id, checkout: checkoutId };
};

export const integration: Maker<{ readonly id: string; readonly path: string }> = async (fixture, owner) => {
  const { json } = await fixture.callOk(owner, 'POST', '/v1/integrations', { provider: 'fareharbor' });
  return { id: json.data.id, path: new URL(json.data.webhook_url).pathname };
};

/** An integration that reads from its venue system, with a catalogue run. */
export const readingIntegration: Maker<{ readonly id: string }> = async (fixture, owner) => {
  const { json } = await fixture.callOk(owner, 'POST', '/v1/integrations', { provider: 'eventbrite' });
  const { id } = json.data;
  await fixture.callOk(owner, 'POST', `/v1/integrations/${id}/credentials`, { credentials: { token: 'a-token' } });
  await fixture.callOk(owner, 'POST', `/v1/integrations/${id}/sync`);
  return { id };
};

/** An integration with an inbound delivery. */
export const inbound: Maker<{ readonly integration: string; readonly id: string }> = async (fixture, owner) => {
  const hook = await integration(fixture, owner);
  const body = { booking: { pk: uniqueName('booking') } };
  const { json } = await fixture.world.call('POST', hook.path, { body });
  return { integration: hook.id, id: json.id };
};

/** Well-formed ids of each kind that no object has. */
export const unusedIds = {
  uuid: (fixture: IsolationFixture): string => fixture.world.context.ids.uuid(),
  own: (): string => uniqueName('unused'),
  checkout: (fixture: IsolationFixture): string => fixture.world.context.ids.prefixed('chk'),
  share: (fixture: IsolationFixture): string => fixture.world.context.ids.prefixed('shr'),
  event: (fixture: IsolationFixture): string => fixture.world.context.ids.prefixed('evt'),
  key: (fixture: IsolationFixture): string => fixture.world.context.ids.prefixed('key'),
  endpoint: (fixture: IsolationFixture): string => fixture.world.context.ids.prefixed('whe'),
  integration: (fixture: IsolationFixture): string => fixture.world.context.ids.prefixed('int'),
  inbound: (fixture: IsolationFixture): string => fixture.world.context.ids.prefixed('hkd'),
  request: (fixture: IsolationFixture): string => fixture.world.context.ids.prefixed('req'),
  delivery: ({ world: { context } }: IsolationFixture): string =>
    `dlv_${context.ids.prefixed('evt').slice(4)}_${context.ids.prefixed('whe').slice(4)}`,
  token: (): string => randomBytes(24).toString('base64url'),
} as const;

export type IdForm = keyof typeof unusedIds;
