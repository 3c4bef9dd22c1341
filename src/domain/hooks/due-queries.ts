// The deliveries of venue systems that wait for a loop of the worker.

import type { Queues } from '../../base/due-rows.ts';

const DAY_MS = 24 * 3_600_000;

export const HOOK_QUEUES: Queues = {
  'apply-hooks': { table: 'inbound_deliveries', dueAt: 'due_at', isUnordered: true },
  // One row for each integration with something to read.
  'read-venue-systems': { table: 'integration_readers', dueAt: 'due_at', where: 'paused_at is null' },
  'delete-old-reads': { table: 'hook_reads', dueAt: 'updated_at', where: 'due_at is null', afterMs: 400 * DAY_MS },
  'delete-old-hooks': {
    table: 'inbound_deliveries',
    dueAt: 'received_at',
    where: 'due_at is null',
    afterMs: 30 * DAY_MS,
    isUnordered: true,
  },
};
