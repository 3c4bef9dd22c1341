// Webhook endpoints of API v1. An account endpoint gets the events of the platform; a Connect endpoint (`connect`) gets
// those of its connected accounts, and a live one those of test mode too. Each has a signing secret of its own, shown
// once, when it is created. As at Stripe, creating an endpoint for the same URL again makes a second one.

import { invalidRequest, operationFailed } from './api-error.ts';
import { endpointSecret } from './endpoint-secret.ts';
import type { Params } from './form-params.ts';
import type { StripeObject } from './payment-objects.ts';
import type { EndpointRow } from './row-types.ts';
import type { Transaction } from './transaction.ts';
import { toWebhookEndpoint } from './webhook-objects.ts';

/** Of webhook endpoints and event destinations together. */
const MAX_ENDPOINTS = 16;

export const isWebhookEndpoint = ({ kind }: EndpointRow): boolean => kind !== 'destination';

export function createWebhookEndpoint(tx: Transaction, params: Params): StripeObject {
  const url = requireEndpointUrl(params);
  const enabledEvents = params.list('enabled_events');
  if (enabledEvents.length === 0) throw invalidRequest('Missing required param: enabled_events.', 'enabled_events');
  const kind = params.flag('connect') === true ? 'connect' : 'account';
  const row = addEndpoint(tx, {
    id: tx.newId('we'),
    created: tx.now,
    url,
    events: enabledEvents,
    metadata: params.metadata(),
    description: params.text('description'),
    kind,
  });
  return toWebhookEndpoint(tx, row, endpointSecret(tx.webhookSecret, row.id));
}

/** Puts a new endpoint, unless there are as many as an account may have. */
export function addEndpoint(tx: Transaction, row: EndpointRow): EndpointRow {
  if (tx.changes.committed.endpoints.size >= MAX_ENDPOINTS) {
    const message = `You have reached the maximum of ${MAX_ENDPOINTS} webhook endpoints.`;
    throw operationFailed('webhook_endpoints_limit', message);
  }
  return tx.put('endpoints', { ...row, hasOwnSecret: true });
}

export function requireEndpointUrl(params: Params): string {
  const url = params.requireText('url');
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw invalidRequest('Invalid URL', params.nameOf('url'), 'url_invalid');
}

export function requireWebhookEndpoint(tx: Transaction, id: string): EndpointRow {
  const row = tx.require('endpoints', id);
  // An event destination has no place in API v1: the look-up of an id that does not exist throws Stripe's 404.
  return isWebhookEndpoint(row) ? row : tx.require('endpoints', '');
}

export function updateWebhookEndpoint(tx: Transaction, id: string, params: Params): StripeObject {
  const row = requireWebhookEndpoint(tx, id);
  const updated = tx.put('endpoints', {
    ...row,
    events: params.has('enabled_events') ? params.list('enabled_events') : row.events,
    description: params.text('description') ?? row.description,
    metadata: params.metadata(row.metadata),
    isDisabled: params.flag('disabled') ?? row.isDisabled ?? false,
  });
  return toWebhookEndpoint(tx, updated);
}

export function deleteWebhookEndpoint(tx: Transaction, id: string): StripeObject {
  requireWebhookEndpoint(tx, id);
  tx.changes.remove('endpoints', id);
  return { id, object: 'webhook_endpoint', deleted: true };
}
