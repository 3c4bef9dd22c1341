// Changes of a webhook endpoint.

import type { Params } from './form-params.ts';
import type { StripeObject } from './payment-objects.ts';
import type { Transaction } from './transaction.ts';
import { toWebhookEndpoint } from './webhook-objects.ts';

/** An endpoint is never disabled here, so `disabled: false` changes nothing. */
export function updateWebhookEndpoint(tx: Transaction, id: string, params: Params): StripeObject {
  const row = tx.require('endpoints', id);
  const events = params.has('enabled_events') ? params.list('enabled_events') : row.events;
  const description = params.text('description') ?? row.description;
  const updated = tx.put('endpoints', { ...row, events, description, metadata: params.metadata(row.metadata) });
  return toWebhookEndpoint(tx, updated);
}
