// The events, endpoints and deliveries that wait for a loop of the worker.

import type { Queues } from '../../base/due-rows.ts';
import { DAY_MS, type Retention } from '../../base/retention.ts';

/** Samples and deliveries are kept for `deliveryLogDays`. */
export const webhookQueues = ({ deliveryLogDays }: Retention): Queues => ({
  'dispatch-events': { table: 'undispatched_events', dueAt: 'event_id', isId: true },
  // One row for each endpoint with something to send.
  'deliver-events': {
    table: 'endpoint_queues',
    dueAt: 'greatest(due_at, available_at)',
    where: 'due_at is not null',
    isUnordered: true,
  },
  'delete-old-deliveries': {
    table: 'deliveries',
    dueAt: 'created_at',
    where: 'due_at is null',
    afterMs: deliveryLogDays * DAY_MS,
    isUnordered: true,
  },
  'delete-old-samples': {
    table: 'sample_deliveries',
    dueAt: 'created_at',
    afterMs: deliveryLogDays * DAY_MS,
    isUnordered: true,
  },
  'delete-old-inbox-messages': {
    table: 'test_inbox_messages',
    dueAt: 'received_at',
    afterMs: DAY_MS,
    isUnordered: true,
  },
});
