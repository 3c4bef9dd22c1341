// What the console reads about webhook endpoints beyond the operations of partners.

import { getEndpointHealth } from '../../domain/webhooks/deliveries/read-health.ts';
import type { AppOperation } from '../app-operation.ts';
import { plain } from './shapes.ts';

export const consoleWebhooks: readonly AppOperation[] = [
  {
    audience: 'console',
    tag: 'Console',
    auth: 'team',
    effect: 'read',
    id: 'getEndpointHealth',
    kind: 'query',
    method: 'GET',
    path: '/console/api/webhook_endpoints/{id}/health',
    summary: 'Get how an endpoint has answered in the last 48 hours',
    description:
      'By the hour of the event: delivered with the first try, delivered later, waiting, failed. Samples do not count. Of more than 20,000 deliveries the newest count.',
    responses: { 200: plain('The counts.', 'endpoint_health') },
    errors: ['not_found'],
    run: getEndpointHealth,
  },
];
