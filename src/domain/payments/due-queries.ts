// The rows of payments that wait for a loop of the worker.

import type { Queues } from '../../base/due-rows.ts';

const DAY_MS = 24 * 3_600_000;

export const PAYMENT_QUEUES: Queues = {
  'settle-holds': { table: 'holds', dueAt: 'due_at', mode: 'mode' },
  'settle-movements': { table: 'movements', dueAt: 'due_at', mode: 'mode' },
  'refresh-payout-accounts': { table: 'payout_accounts', dueAt: 'check_at' },
  'apply-processor-events': { table: 'processor_events', dueAt: 'due_at', mode: 'mode' },
  'delete-old-declines': { table: 'declines', dueAt: 'at', afterMs: 90 * DAY_MS },
  'delete-old-processor-events': {
    table: 'processor_events',
    dueAt: 'received_at',
    where: 'due_at is null',
    afterMs: 90 * DAY_MS,
  },
};
