// The counted calls that wait to be deleted.

import type { Queues } from '../../base/due-rows.ts';
import { CALLED_AT } from './queries.ts';

const HOUR_MS = 3_600_000;

export const KEY_QUEUES: Queues = {
  'delete-expired-calls': { table: 'limit_calls', dueAt: CALLED_AT, afterMs: HOUR_MS },
  'delete-old-daily-uses': { table: 'daily_uses', dueAt: 'at', afterMs: 24 * HOUR_MS },
};
