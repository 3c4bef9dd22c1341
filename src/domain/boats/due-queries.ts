// The boats whose calendar waits to be read, and those that wait for review.

import type { DueRows, Queues } from '../../base/due-rows.ts';

export const BOAT_QUEUES: Queues = {
  'read-calendars': { table: 'boats', dueAt: 'calendar_due_at' },
};

export const BOATS_TO_REVIEW: DueRows = { table: 'boats', dueAt: 'changed_at', where: "status = 'pending'" };
