// Webhook endpoints and events as Stripe objects.

import type { RenderContext, StripeObject } from './payment-objects.ts';
import type { EndpointRow, EventRow, Mode } from './row-types.ts';

export const API_VERSION = '2026-10-28.endive';

export function toWebhookEndpoint(context: RenderContext, row: EndpointRow, secret?: string): StripeObject {
  return {
    id: row.id,
    object: 'webhook_endpoint',
    api_version: API_VERSION,
    application: null,
    created: row.created,
    description: row.description,
    enabled_events: row.events,
    livemode: context.mode === 'live',
    metadata: row.metadata,
    ...(secret === undefined ? {} : { secret }),
    status: 'enabled',
    url: row.url,
  };
}

/** The same bytes for the same row, since the signature covers them. */
export function toEvent(mode: Mode, row: EventRow): StripeObject {
  return {
    id: row.id,
    object: 'event',
    api_version: API_VERSION,
    created: row.created,
    data: { object: row.object },
    livemode: mode === 'live',
    pending_webhooks: row.pending,
    request: row.request,
    type: row.type,
  };
}
