// The rows that wait for each loop of the worker, and for review. Loops without rows of their own are not here: those
// that poll (link-ready-venues, find-…), the checks (reconcile, check-ledger), and those that keep a table of fixed size (delete-old-requests), or
// remember how far they got (delete-old-events).

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { type Backlog, backlogOf, type DueRows, MAX_COUNTED, type Queues } from '../../base/due-rows.ts';
import type { Retention } from '../../base/retention.ts';
import { ACCOUNT_QUEUES } from '../accounts/due-queries.ts';
import { BOAT_QUEUES, BOATS_TO_REVIEW } from '../boats/due-queries.ts';
import { CHECKOUT_QUEUES } from '../checkouts/due-queries.ts';
import { EXPERIENCES_TO_REVIEW } from '../experiences/due-queries.ts';
import { HOOK_QUEUES } from '../hooks/due-queries.ts';
import { responseQueues } from '../idempotency/due-queries.ts';
import { IMAGE_QUEUES } from '../images/due-queries.ts';
import { KEY_QUEUES } from '../keys/due-queries.ts';
import { MAIL_QUEUES } from '../mail/due-queries.ts';
import { MEMBER_QUEUES } from '../members/due-queries.ts';
import { NOTICE_QUEUES } from '../notices/due-queries.ts';
import { OFFERINGS_TO_REVIEW } from '../offerings/due-queries.ts';
import { PAYMENT_QUEUES } from '../payments/due-queries.ts';
import { webhookQueues } from '../webhooks/due-queries.ts';

/** Those that guests, venues and partners wait for come first. */
export const queuesOf = (retention: Retention): Queues => ({
  ...CHECKOUT_QUEUES,
  ...PAYMENT_QUEUES,
  ...MEMBER_QUEUES,
  ...MAIL_QUEUES,
  ...webhookQueues(retention),
  ...HOOK_QUEUES,
  ...NOTICE_QUEUES,
  ...BOAT_QUEUES,
  ...IMAGE_QUEUES,
  ...ACCOUNT_QUEUES,
  ...responseQueues(retention),
  ...KEY_QUEUES,
});

const TO_REVIEW: readonly DueRows[] = [OFFERINGS_TO_REVIEW, EXPERIENCES_TO_REVIEW, BOATS_TO_REVIEW];

export interface QueueFigures extends Backlog {
  readonly loop: string;
}

export async function readQueues(db: Queryable, now: number, retention: Retention): Promise<QueueFigures[]> {
  const found: QueueFigures[] = [];
  for (const [loop, rows] of Object.entries(queuesOf(retention)))
    found.push({ loop, ...(await backlogOf(db, rows, now)) });
  return found;
}

/** What waits for review, of all three kinds. Each mode is counted apart: many test objects hide no live one. */
export async function readReviewQueue(db: Queryable, mode: Mode, now: number): Promise<Backlog> {
  const parts: Backlog[] = [];
  for (const rows of TO_REVIEW)
    parts.push(await backlogOf(db, { ...rows, where: `${rows.where ?? 'true'} and mode = '${mode}'` }, now));
  const waiting = parts.reduce((sum, part) => sum + part.waiting, 0);
  const times = parts.flatMap(({ oldestDueAt }) => (oldestDueAt === null ? [] : [oldestDueAt]));
  return {
    waiting: Math.min(waiting, MAX_COUNTED),
    isCapped: waiting > MAX_COUNTED || parts.some(({ isCapped }) => isCapped),
    oldestDueAt: times.length === 0 ? null : Math.min(...times),
  };
}
