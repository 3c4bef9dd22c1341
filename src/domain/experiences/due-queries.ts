// The experiences that wait for review.

import type { DueRows } from '../../base/due-rows.ts';

export const EXPERIENCES_TO_REVIEW: DueRows = {
  table: 'experiences',
  dueAt: 'created_at',
  where: "status = 'pending'",
};
