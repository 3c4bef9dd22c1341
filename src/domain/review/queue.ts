// The review queue: pending or reviewed offerings, experiences and boats in one list, oldest first.

import type { Queryable } from '../../base/db.ts';
import { listBoatsForReview } from '../boats/queries.ts';
import type { ReviewFilter, ReviewListRow } from '../catalogue/queries.ts';
import type { ReviewedKind } from '../catalogue/review-route-queries.ts';
import { listExperiencesForReview } from '../experiences/queries.ts';
import { listOfferingsForReview } from '../offerings/queries.ts';

export interface ReviewQueueFilter extends ReviewFilter {
  /** Null: all three kinds. */
  readonly kind: ReviewedKind | null;
}

/** The title of a boat is its name. */
export interface QueuedReview extends ReviewListRow {
  readonly type: ReviewedKind;
}

const LISTS = {
  offering: listOfferingsForReview,
  experience: listExperiencesForReview,
  boat: listBoatsForReview,
} as const;

export async function listForReview(db: Queryable, filter: ReviewQueueFilter): Promise<QueuedReview[]> {
  const kinds = filter.kind === null ? (Object.keys(LISTS) as ReviewedKind[]) : [filter.kind];
  const lists = await Promise.all(
    kinds.map(async (type) => {
      const rows = await LISTS[type](db, filter);
      return rows.map(({ id, ...rest }): QueuedReview => ({ id, type, ...rest }));
    }),
  );
  return lists.flat().sort(olderFirst).slice(0, filter.limit);
}

/** Times are ISO 8601 in UTC with microseconds, so their texts sort by time. */
function olderFirst(a: QueuedReview, b: QueuedReview): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
