// The mails that wait for a loop of the worker.

import type { Queues } from '../../base/due-rows.ts';

const DAY_MS = 24 * 3_600_000;

export const MAIL_QUEUES: Queues = {
  'send-mails': { table: 'mails', dueAt: 'due_at' },
  'delete-old-mails': { table: 'mails', dueAt: 'created_at', afterMs: 30 * DAY_MS },
};
