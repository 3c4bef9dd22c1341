// The stored responses that wait to be deleted.

import type { Queues } from '../../base/due-rows.ts';
import { DAY_MS, type Retention } from '../../base/retention.ts';

export const responseQueues = ({ idempotencyKeyDays }: Retention): Queues => ({
  'delete-old-responses': { table: 'idempotency_keys', dueAt: 'created_at', afterMs: idempotencyKeyDays * DAY_MS },
});
