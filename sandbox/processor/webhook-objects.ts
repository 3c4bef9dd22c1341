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
    status: row.isDisabled === true ? 'disabled' : 'enabled',
    url: row.url,
  };
}

/** The same bytes for the same row, since the signature covers them. */
export function toEvent(mode: Mode, row: EventRow): StripeObject {
  if (row.related !== undefined) return toThinEvent(mode, row);
  return {
    id: row.id,
    object: 'event',
    ...(row.account === undefined ? {} : { account: row.account }),
    api_version: API_VERSION,
    created: row.created,
    data: { object: row.object },
    livemode: mode === 'live',
    pending_webhooks: row.pending,
    request: row.request,
    type: row.type,
  };
}

/** Without `context`, which Stripe may send: whether it does for these events is not known. */
function toThinEvent(mode: Mode, row: EventRow): StripeObject {
  return {
    id: row.id,
    object: 'v2.core.event',
    created: new Date(row.created * 1000).toISOString(),
    livemode: mode === 'live',
    related_object: row.related,
    type: row.type,
  };
}

/** The events that API v1 lists are those of the platform's own account. */
export const isPlatformEvent = (row: EventRow): boolean => row.account === undefined && row.related === undefined;
