// The rows of checkouts that wait for a loop of the worker.

import type { Queues } from '../../base/due-rows.ts';
import { toPaySql } from './expire-queries.ts';

const DAY_MS = 24 * 3_600_000;

export const CHECKOUT_QUEUES: Queues = {
  'expire-checkouts': { table: 'checkouts', dueAt: 'expires_at', where: toPaySql('checkouts'), mode: 'mode' },
  'capture-funded': { table: 'checkouts', dueAt: 'capture_due_at', where: "status = 'funded'", mode: 'mode' },
  'notify-guests': { table: 'checkouts', dueAt: 'notify_at', where: "notify_at < 'infinity'" },
  'delete-old-drafts': { table: 'party_drafts', dueAt: 'updated_at', afterMs: DAY_MS },
};
