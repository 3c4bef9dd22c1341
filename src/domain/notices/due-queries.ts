// The notices that wait for a loop of the worker.

import type { Queues } from '../../base/due-rows.ts';

const DAY_MS = 24 * 3_600_000;

export const NOTICE_QUEUES: Queues = {
  'notify-people': { table: 'notices', dueAt: 'due_at' },
  'delete-old-notices': { table: 'notices', dueAt: 'created_at', afterMs: 90 * DAY_MS },
};
