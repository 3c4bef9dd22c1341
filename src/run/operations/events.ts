// The event log.

import { EVENT_LIST } from '../../domain/events/event-types.ts';
import { getEvent, listEvents } from '../../domain/events/read-events.ts';
import { streamEvents } from '../../domain/events/stream-events.ts';
import { MAX_STREAMS_PER_KEY } from '../../domain/events/stream-place.ts';
import type { AppOperation } from '../app-operation.ts';
import { paged, pageQuery, plain } from './shapes.ts';

const READ = { auth: 'secret', scopes: ['webhooks:write'], effect: 'read' } as const;

export const EVENT_TYPES: readonly string[] = EVENT_LIST.map(({ type }) => type);

export const events: readonly AppOperation[] = [
  {
    ...READ,
    id: 'listEvents',
    kind: 'query',
    method: 'GET',
    path: '/v1/events',
    tag: 'Events',
    summary: 'Read the event log',
    description: 'Newest first, including the types that an endpoint cannot subscribe to.',
    query: pageQuery(null, {
      type: {
        type: 'string',
        enum: EVENT_TYPES,
        description:
          'Only events of this type. No endpoint can subscribe to `refund.*`, `offering.*` and `webhook_endpoint.*`: they are in this log and its stream only.',
        examples: ['checkout.completed'],
      },
      checkout: {
        type: 'string',
        pattern: '^chk_[0-9A-Za-z]{1,64}$',
        description: 'Only events of this checkout.',
        examples: ['chk_01jz3k8q7v5m2n9t4w6x8y0abc'],
      },
    }),
    responses: { 200: paged('One page of events.', 'webhook_event') },
    run: listEvents,
  },
  {
    ...READ,
    id: 'streamEvents',
    kind: 'stream',
    method: 'GET',
    path: '/v1/events/stream',
    tag: 'Events',
    summary: 'Follow the event log',
    description:
      'Server-sent events from now on: `id` is the id of the event, `event` its type, `data` the event as JSON. With the header `Last-Event-ID` the stream goes on after that event. A comment comes every 15 seconds. An event may come again after a break: compare ids. A key can have 5 streams open; a sixth is 429.',
    responses: { 200: { description: 'The events, for as long as the connection is open.', schema: 'webhook_event' } },
    message: {
      data: 'the event as `GET /v1/events/{id}` answers it',
      id: 'evt_01jz3k9a4d5m2n9t4w6x8y0abf',
      event: 'checkout.completed',
    },
    maxPerKey: MAX_STREAMS_PER_KEY,
    open: streamEvents,
  },
  {
    ...READ,
    id: 'getEvent',
    kind: 'query',
    method: 'GET',
    path: '/v1/events/{id}',
    tag: 'Events',
    summary: 'Get one event',
    responses: { 200: plain('The event.', 'webhook_event') },
    errors: ['not_found'],
    run: getEvent,
  },
];
