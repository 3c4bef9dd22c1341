// The offerings that wait for review.

import type { DueRows } from '../../base/due-rows.ts';

export const OFFERINGS_TO_REVIEW: DueRows = { table: 'offerings', dueAt: 'changed_at', where: "status = 'pending'" };
