// What became of the newest mails, for monitoring.

import type { Queryable } from '../../base/db.ts';
import { type SendOutcomes, sendOutcomesOf } from '../../base/send-outcomes.ts';

export function mailOutcomes(db: Queryable, now: number): Promise<SendOutcomes> {
  return sendOutcomesOf(db, 'mails', now);
}
