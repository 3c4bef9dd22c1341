// Leads from an object's id to its kind and venue, so that a reviewer needs only the id. Written when an object is
// created.

import type { Queryable } from '../../base/db.ts';

export type ReviewedKind = 'offering' | 'experience' | 'boat';

export interface ReviewRoute {
  readonly kind: ReviewedKind;
  readonly venue_id: string;
}

export async function insertReviewRoutes(
  tx: Queryable,
  kind: ReviewedKind,
  venueId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query('insert into review_routes (object_id, kind, venue_id) select unnest($1::uuid[]), $2, $3', [
    ids,
    kind,
    venueId,
  ]);
}

export async function findReviewRoute(db: Queryable, id: string): Promise<ReviewRoute | null> {
  const rows = await db.query<ReviewRoute>('select kind, venue_id from review_routes where object_id = $1', [id]);
  return rows[0] ?? null;
}
