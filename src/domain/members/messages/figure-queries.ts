// What became of the newest texts, for monitoring.

import type { Queryable } from '../../../base/db.ts';
import { type SendOutcomes, sendOutcomesOf } from '../../../base/send-outcomes.ts';

export function textOutcomes(db: Queryable, now: number): Promise<SendOutcomes> {
  return sendOutcomesOf(db, 'messages', now);
}
