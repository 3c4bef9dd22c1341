// The stored responses that wait to be deleted.

import type { Queues } from '../../base/due-rows.ts';
import { RESPONSE_RETENTION_MS } from './stored-responses.ts';

export const RESPONSE_QUEUES: Queues = {
  'delete-old-responses': { table: 'idempotency_keys', dueAt: 'created_at', afterMs: RESPONSE_RETENTION_MS },
};
