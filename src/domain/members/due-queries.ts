// The texts and sign-ins of guests that wait for a loop of the worker.

import type { Queues } from '../../base/due-rows.ts';

const DAY_MS = 24 * 3_600_000;

export const MEMBER_QUEUES: Queues = {
  'send-messages': { table: 'messages', dueAt: 'due_at' },
  'delete-old-messages': { table: 'messages', dueAt: 'created_at', afterMs: 30 * DAY_MS },
  'delete-old-sign-ins': { table: 'sign_in_challenges', dueAt: 'expires_at', afterMs: DAY_MS },
};
