// How an object of each kind is made for an owner, through the doors that owners and their guests use; and an id of the same
// form that nobody has.

import { randomBytes } from 'node:crypto';
import { review } from '../../src/domain/review/review.ts';
import { dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import { PROCESSOR_KEYS } from '../support/test-world.ts';
import type { Owner, Street } from './isolation-fixture.ts';
import { SITE } from './isolation-fixture.ts';

let made = 0;
/** An own id, new in every venue and mode. */
export function fresh(word: string): string {
  made += 1;
  return `${word}-${made}`;
}

function freshPhone(): string {
  made += 1;
  return `+1555040${String(made).padStart(4, '0')}`;
}

export const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

export const offeringBody = (mark: string, externalId = fresh('tee')): Record<string, unknown> => ({
  external_id: externalId,
  kind: 'tee_time',
  title: `Eighteen holes of ${mark}`,
  tiers: [{ amount: 4_500, currency: 'usd', unit: 'per_person' }],
  availability: { timezone: 'America/New_York', slots: [{ starts_at: inDays(3), capacity: 4 }] },
});

export const experienceBody = (mark: string, externalId = fresh('night')): Record<string, unknown> => ({
  external_id: externalId,
  title: `A night of ${mark}`,
  starts_at: inDays(9),
});

export const boatBody = (mark: string, externalId = fresh('boat')): Record<string, unknown> => ({
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

export const checkoutBody = (mark: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  amount: 10_000,
  currency: 'usd',
  party_size: 2,
  pay_by: inDays(2),
  description: `Cabana of ${mark}`,
  return_url: `${SITE}/thanks`,
  external_booking_id: fresh('bk'),
  ...more,
});

export const endpointBody = (street: Street, mark: string): Record<string, unknown> => ({
  url: `${street.receiver}/${mark}/${fresh('hook')}`,
  events: ['checkout.created', 'checkout.completed'],
});

export interface Named {
  readonly id: string;
  readonly externalId: string;
}

type Maker<T> = (street: Street, owner: Owner) => Promise<T>;

const catalogued =
  (path: string, body: (mark: string) => Record<string, unknown>): Maker<Named> =>
  async (street, owner) => {
    const { json } = await street.made(owner, 'POST', path, body(owner.mark));
    return { id: json.data.id, externalId: json.data.external_id };
  };

export const offering = catalogued('/v1/offerings', offeringBody);
export const experience = catalogued('/v1/experiences', experienceBody);
export const boat = catalogued('/v1/boats', boatBody);

/** The id of a submission that was approved, as the members' app has it. */
export const liveExperience: Maker<string> = async (street, owner) => {
  const { world } = street;
  const { id } = await experience(street, owner);
  const decision = { status: 'approved', note: null } as const;
  const shown = await world.db.transaction((tx) => review(tx, world.command(), id, decision, null));
  return String(shown.experience_id);
};

export const checkout: Maker<string> = async (street, owner) =>
  (await street.made(owner, 'POST', '/v1/checkouts', checkoutBody(owner.mark))).json.id;

/** Its time has passed, and nobody has said so yet: whoever looks at it would write that down. */
export const overdueCheckout: Maker<string> = async (street, owner) => {
  const id = await checkout(street, owner);
  await street.world.db.query(
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

/** Chosen by the owner's own member, with somebody whom nobody knows by name. */
export const collecting = (street: Street, owner: Owner): Promise<Party> =>
  chosen(street, owner, [{ phone: freshPhone() }]);

async function chosen(street: Street, owner: Owner, members: readonly unknown[]): Promise<Party> {
  const id = await checkout(street, owner);
  const body = { members, split: 'equal' };
  const path = `/v1/public/checkouts/${id}/party`;
  const { json, text } = await street.world.call('POST', path, { key: owner.member.token, body });
  if (json?.shares === undefined) throw new Error(`no party was chosen: ${text}`);
  return { id, shares: json.shares.map((share: { id: string }) => share.id) };
}

/** Paid by the organizer's card, captured, and the payout on its way. */
export const completed: Maker<string> = async (street, owner) => {
  const { world } = street;
  const { id, shares } = await chosen(street, owner, [{ user_id: owner.member.id }]);
  for (const share of shares) {
    const { json } = await world.call('POST', `/v1/public/shares/${share}/hold`, { key: owner.member.token });
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
  await world.db.query("update holds set due_at = to_timestamp(0) where status = 'open' and checkout_id = $1", [id]);
  await world.work();
  return id;
};

export const endpoint: Maker<string> = async (street, owner) =>
  (await street.made(owner, 'POST', '/v1/webhook_endpoints', endpointBody(street, owner.mark))).json.id;

/** An endpoint, and a delivery that waits for it. */
export const delivery: Maker<{ readonly endpoint: string; readonly id: string }> = async (street, owner) => {
  const to = await endpoint(street, owner);
  await checkout(street, owner);
  while ((await dispatchDue(street.world.context.services, 500)) > 0);
  const { json } = await street.made(owner, 'GET', `/v1/webhook_endpoints/${to}/deliveries`);
  return { endpoint: to, id: json.data[0].id };
};

/** The event that tells of a new checkout. */
export const event: Maker<{ readonly id: string; readonly checkout: string }> = async (street, owner) => {
  const about = await checkout(street, owner);
  const { json } = await street.made(owner, 'GET', `/v1/events?checkout=${about}`);
  return { id: json.data[0].id, checkout: about };
};

export const integration: Maker<{ readonly id: string; readonly path: string }> = async (street, owner) => {
  const { json } = await street.made(owner, 'POST', '/v1/integrations', { provider: 'fareharbor' });
  return { id: json.data.id, path: new URL(json.data.webhook_url).pathname };
};

/** An integration, and what came in by it. */
export const inbound: Maker<{ readonly integration: string; readonly id: string }> = async (street, owner) => {
  const by = await integration(street, owner);
  const body = { booking: { pk: fresh('booking') } };
  const { json } = await street.world.call('POST', by.path, { body });
  return { integration: by.id, id: json.id };
};

/** Of the form that ids of a kind have, and nobody's. */
export const nobodys = {
  uuid: (street: Street): string => street.world.context.ids.uuid(),
  own: (): string => fresh('nobodys'),
  checkout: (street: Street): string => street.world.context.ids.prefixed('chk'),
  share: (street: Street): string => street.world.context.ids.prefixed('shr'),
  event: (street: Street): string => street.world.context.ids.prefixed('evt'),
  endpoint: (street: Street): string => street.world.context.ids.prefixed('whe'),
  integration: (street: Street): string => street.world.context.ids.prefixed('int'),
  inbound: (street: Street): string => street.world.context.ids.prefixed('hkd'),
  delivery: ({ world: { context } }: Street): string =>
    `dlv_${context.ids.prefixed('evt').slice(4)}_${context.ids.prefixed('whe').slice(4)}`,
  token: (): string => randomBytes(24).toString('base64url'),
} as const;

export type Form = keyof typeof nobodys;
