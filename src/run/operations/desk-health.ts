// What the desk reads about the health of the installation. Every operator may read it.

import { showHealth } from '../../domain/monitoring/show-health.ts';
import type { AppOperation } from '../app-operation.ts';
import { plain } from './shapes.ts';

export const deskHealth: readonly AppOperation[] = [
  {
    kind: 'external',
    audience: 'desk',
    tag: 'Desk',
    auth: 'desk',
    id: 'deskHealth',
    method: 'GET',
    path: '/desk/api/health',
    summary: 'Get the health of the installation',
    description:
      'Queues and their oldest row, endpoints, senders, card processors, the processes that run, and the last checks of the books.',
    effect: 'read',
    responses: { 200: plain('The newest figures, at most about 15 seconds old.', 'desk_health') },
    errors: ['service_unavailable'],
    run: showHealth,
  },
];
