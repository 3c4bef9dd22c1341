// The operations on what gets events: webhook endpoints of API v1 and event destinations of API v2.

import {
  createEventDestination,
  deleteEventDestination,
  listEventDestinations,
  retrieveEventDestination,
  setDestinationStatus,
  updateEventDestination,
} from './event-destinations.ts';
import type { Params } from './form-params.ts';
import { LIST_PARAMS, listRows } from './lists.ts';
import type { StripeObject } from './payment-objects.ts';
import type { Transaction } from './transaction.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  isWebhookEndpoint,
  updateWebhookEndpoint,
} from './webhook-endpoints.ts';
import { toWebhookEndpoint } from './webhook-objects.ts';

interface EndpointCall {
  readonly tx: Transaction;
  readonly id: string;
  readonly params: Params;
}

interface EndpointOperation {
  readonly name: string;
  readonly route: string;
  readonly params: readonly string[];
  run(call: EndpointCall): StripeObject;
}

const DESTINATION_PARAMS = ['description', 'enabled_events', 'include', 'metadata', 'name', 'webhook_endpoint'];

export const ENDPOINT_OPERATIONS: readonly EndpointOperation[] = [
  {
    name: 'webhook_endpoints.create',
    route: 'POST webhook_endpoints',
    params: ['url', 'enabled_events', 'metadata', 'description', 'api_version', 'connect'],
    run: ({ tx, params }) => createWebhookEndpoint(tx, params),
  },
  {
    name: 'webhook_endpoints.list',
    route: 'GET webhook_endpoints',
    params: LIST_PARAMS,
    run: ({ tx, params }) =>
      listRows(params, {
        url: '/v1/webhook_endpoints',
        table: tx.changes.committed.endpoints,
        where: isWebhookEndpoint,
        toObject: (row) => toWebhookEndpoint(tx, row),
      }),
  },
  {
    name: 'webhook_endpoints.update',
    route: 'POST webhook_endpoints/:',
    params: ['disabled', 'enabled_events', 'metadata', 'description'],
    run: ({ tx, id, params }) => updateWebhookEndpoint(tx, id, params),
  },
  {
    name: 'webhook_endpoints.delete',
    route: 'DELETE webhook_endpoints/:',
    params: [],
    run: ({ tx, id }) => deleteWebhookEndpoint(tx, id),
  },
  {
    name: 'v2.core.event_destinations.create',
    route: 'POST v2/core/event_destinations',
    params: [...DESTINATION_PARAMS, 'event_payload', 'events_from', 'type'],
    run: ({ tx, params }) => createEventDestination(tx, params),
  },
  {
    name: 'v2.core.event_destinations.list',
    route: 'GET v2/core/event_destinations',
    params: ['include', 'limit'],
    run: ({ tx, params }) => listEventDestinations(tx, params),
  },
  {
    name: 'v2.core.event_destinations.retrieve',
    route: 'GET v2/core/event_destinations/:',
    params: ['include'],
    run: ({ tx, id, params }) => retrieveEventDestination(tx, id, params),
  },
  {
    name: 'v2.core.event_destinations.update',
    route: 'POST v2/core/event_destinations/:',
    params: DESTINATION_PARAMS,
    run: ({ tx, id, params }) => updateEventDestination(tx, id, params),
  },
  ...(['enable', 'disable'] as const).map((action) => ({
    name: `v2.core.event_destinations.${action}`,
    route: `POST v2/core/event_destinations/:/${action}`,
    params: [],
    run: ({ tx, id }: EndpointCall) => setDestinationStatus(tx, id, action === 'disable'),
  })),
  {
    name: 'v2.core.event_destinations.delete',
    route: 'DELETE v2/core/event_destinations/:',
    params: [],
    run: ({ tx, id }) => deleteEventDestination(tx, id),
  },
];
