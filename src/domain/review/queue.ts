// What waits for review (or has been reviewed), of all three kinds in one list, oldest first.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { listBoatsForReview } from '../boats/queries.ts';
import type { ReviewedKind } from '../catalogue/review-route-queries.ts';
import { listExperiencesForReview } from '../experiences/queries.ts';
import { listOfferingsForReview } from '../offerings/queries.ts';

export interface QueueQuestion {
  /** Null: all three. */
  readonly kind: ReviewedKind | null;
  readonly status: 'pending' | 'approved' | 'rejected';
  /** Null: both. */
  readonly mode: Mode | null;
  /** Null: those of every venue. */
  readonly venueId: string | null;
  readonly limit: number;
}

export interface Queued {
  readonly id: string;
  readonly type: ReviewedKind;
  readonly venue_id: string;
  readonly mode: Mode;
  readonly status: string;
  /** Of a boat, its name. */
  readonly title: string;
  readonly external_id: string | null;
  readonly created_at: string;
}

const LISTS = {
  offering: listOfferingsForReview,
  experience: listExperiencesForReview,
  boat: listBoatsForReview,
} as const;

export async function listForReview(db: Queryable, question: QueueQuestion): Promise<Queued[]> {
  const kinds = question.kind === null ? (Object.keys(LISTS) as ReviewedKind[]) : [question.kind];
  const lists = await Promise.all(
    kinds.map(async (type) => {
      const rows = await LISTS[type](db, question);
      return rows.map(({ id, ...rest }): Queued => ({ id, type, ...rest }));
    }),
  );
  return lists.flat().sort(olderFirst).slice(0, question.limit);
}

/** Times are ISO 8601 in UTC with microseconds, so their text is in their order. */
function olderFirst(a: Queued, b: Queued): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}
