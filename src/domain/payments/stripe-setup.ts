// Sets up the platform's account at the processor: domains for wallets, the webhook endpoint for events of the account,
// and the event destination for thin events of connected accounts. Everything is looked for first, so that a second run
// changes nothing. Endpoints and domains that are not ours stay as they are. There is no Connect endpoint of API v1:
// what we need to know of connected accounts (capability, requirements) comes to the event destination.

import type Stripe from 'stripe';
import type { Registration, SetupKind } from './processor.ts';

/** What processor-event.ts reads of our own account. */
export const SUBSCRIBED_EVENTS: readonly Stripe.WebhookEndpointCreateParams.EnabledEvent[] = [
  'charge.captured',
  'charge.dispute.closed',
  'charge.dispute.created',
  'charge.dispute.funds_reinstated',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.updated',
  'charge.refund.updated',
  'charge.refunded',
  'payment_intent.amount_capturable_updated',
  'payment_intent.canceled',
  'payment_intent.payment_failed',
  'payment_intent.processing',
  'payment_intent.requires_action',
  'payment_intent.succeeded',
  'refund.created',
  'refund.failed',
  'refund.updated',
];

/** What it reads of connected accounts. */
export const SUBSCRIBED_THIN_EVENTS: readonly string[] = [
  'v2.core.account[configuration.recipient].capability_status_updated',
  'v2.core.account[requirements].updated',
];

/** The processor allows at most 16 endpoints and destinations for each mode, so one page has them all. */
const PAGE_SIZE = 20;
const OURS = 'everyshare';
const ACCOUNT_MARK = { everyshare: 'account' };

/** Registers the domain, or the URL, of this name. */
export function register(stripe: Stripe, kind: SetupKind, key: string, name: string): Promise<Registration> {
  switch (kind) {
    case 'payment method domain':
      return registerDomain(stripe, key, name);
    case 'webhook endpoint':
      return registerEndpoint(stripe, key, name);
    case 'event destination':
      return registerDestination(stripe, key, name);
  }
}

/** Whether it is there, enabled, and gets every event that we read. */
export async function isRegistered(stripe: Stripe, kind: SetupKind, name: string): Promise<boolean> {
  switch (kind) {
    case 'payment method domain':
      return isDomainReady(await findDomain(stripe, name));
    case 'webhook endpoint': {
      const found = await findEndpoint(stripe, name);
      return found?.status === 'enabled' && hasAll(found.enabled_events, SUBSCRIBED_EVENTS);
    }
    case 'event destination': {
      const found = await findDestination(stripe, name);
      return found?.status === 'enabled' && hasAll(found.enabled_events, SUBSCRIBED_THIN_EVENTS);
    }
  }
}

const UNCHANGED: Registration = { change: 'unchanged', secret: null, problems: [] };
const UPDATED: Registration = { change: 'updated', secret: null, problems: [] };

function hasAll(enabled: readonly string[], heard: readonly string[]): boolean {
  return enabled.includes('*') || heard.every((event) => enabled.includes(event));
}

async function findDomain(stripe: Stripe, domain: string): Promise<Stripe.PaymentMethodDomain | undefined> {
  const { data } = await stripe.paymentMethodDomains.list({ domain_name: domain, limit: 1 });
  return data[0];
}

/** The wallets that the card form shows. */
const WALLETS = { apple_pay: 'Apple Pay', google_pay: 'Google Pay', link: 'Link' } as const;

/** The wallets that do not work on the domain, with the processor's reason. */
function inactiveWallets(domain: Stripe.PaymentMethodDomain): string[] {
  return Object.entries(WALLETS).flatMap(([field, name]) => {
    const { status, status_details: details } = domain[field as keyof typeof WALLETS];
    return status === 'active' ? [] : [`${name} is not active: ${details?.error_message ?? 'no reason was given'}`];
  });
}

function isDomainReady(domain: Stripe.PaymentMethodDomain | undefined): boolean {
  return domain?.enabled === true && inactiveWallets(domain).length === 0;
}

/** A wallet may need a proof on the domain itself: then the processor looks for it again when it is asked to. */
async function registerDomain(stripe: Stripe, key: string, name: string): Promise<Registration> {
  const found = await findDomain(stripe, name);
  if (isDomainReady(found)) return UNCHANGED;
  const enabled =
    found === undefined
      ? await stripe.paymentMethodDomains.create({ domain_name: name }, { idempotencyKey: key })
      : await stripe.paymentMethodDomains.update(found.id, { enabled: true }, { idempotencyKey: key });
  const domain = isDomainReady(enabled)
    ? enabled
    : await stripe.paymentMethodDomains.validate(enabled.id, {}, { idempotencyKey: `${key} validate` });
  return { change: found === undefined ? 'created' : 'updated', secret: null, problems: inactiveWallets(domain) };
}

/**
 * The processor does not say whether an endpoint is for our account or for connected ones. Ours has a mark. One that an
 * operator made by hand counts if it does not listen to accounts: a Connect endpoint would.
 */
async function findEndpoint(stripe: Stripe, url: string): Promise<Stripe.WebhookEndpoint | undefined> {
  const { data } = await stripe.webhookEndpoints.list({ limit: PAGE_SIZE });
  const here = data.filter((endpoint) => endpoint.url === url);
  const marked = here.find(({ metadata, description }) => metadata.everyshare === 'account' || description === OURS);
  return (
    marked ?? here.find(({ enabled_events: events }) => !events.some((type) => /^(\*|account|capability)/.test(type)))
  );
}

async function registerEndpoint(stripe: Stripe, key: string, url: string): Promise<Registration> {
  const found = await findEndpoint(stripe, url);
  if (found === undefined) {
    const created = await stripe.webhookEndpoints.create(
      { url, enabled_events: [...SUBSCRIBED_EVENTS], description: OURS, metadata: ACCOUNT_MARK },
      { idempotencyKey: key },
    );
    return { change: 'created', secret: created.secret ?? null, problems: [] };
  }
  const isComplete = hasAll(found.enabled_events, SUBSCRIBED_EVENTS);
  if (isComplete && found.status === 'enabled') return UNCHANGED;
  const both = new Set([...SUBSCRIBED_EVENTS, ...found.enabled_events]) as Set<(typeof SUBSCRIBED_EVENTS)[number]>;
  const events = isComplete ? {} : { enabled_events: [...both] };
  await stripe.webhookEndpoints.update(found.id, { ...events, disabled: false }, { idempotencyKey: key });
  return UPDATED;
}

/** Payload and scope cannot be changed: a destination with others is not ours. */
async function findDestination(stripe: Stripe, url: string): Promise<Stripe.V2.Core.EventDestination | undefined> {
  const { data } = await stripe.v2.core.eventDestinations.list({ limit: PAGE_SIZE, include: ['webhook_endpoint.url'] });
  return data.find(
    ({ event_payload: payload, events_from: from = [], webhook_endpoint: target }) =>
      target?.url === url && payload === 'thin' && from.includes('@accounts'),
  );
}

async function registerDestination(stripe: Stripe, key: string, url: string): Promise<Registration> {
  const found = await findDestination(stripe, url);
  if (found === undefined) {
    const created = await stripe.v2.core.eventDestinations.create(
      {
        name: OURS,
        type: 'webhook_endpoint',
        event_payload: 'thin',
        events_from: ['@accounts'],
        enabled_events: [...SUBSCRIBED_THIN_EVENTS],
        webhook_endpoint: { url },
        include: ['webhook_endpoint.signing_secret'],
      },
      { idempotencyKey: key },
    );
    return { change: 'created', secret: created.webhook_endpoint?.signing_secret ?? null, problems: [] };
  }
  const isComplete = hasAll(found.enabled_events, SUBSCRIBED_THIN_EVENTS);
  if (isComplete && found.status === 'enabled') return UNCHANGED;
  if (!isComplete) {
    const events = [...new Set([...SUBSCRIBED_THIN_EVENTS, ...found.enabled_events])];
    await stripe.v2.core.eventDestinations.update(found.id, { enabled_events: events }, { idempotencyKey: key });
  }
  if (found.status !== 'enabled') {
    await stripe.v2.core.eventDestinations.enable(found.id, {}, { idempotencyKey: `${key} enable` });
  }
  return UPDATED;
}

/** That the platform's own settings are read without an account is a guess: the reference speaks of connected accounts. */
export async function payoutIntervalOf(stripe: Stripe): Promise<string | null> {
  const { payments } = await stripe.balanceSettings.retrieve();
  return payments.payouts?.schedule?.interval ?? null;
}
