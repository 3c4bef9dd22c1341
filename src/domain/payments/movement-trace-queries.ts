// The trace in which a movement was decided.

import type { Queryable } from '../../base/db.ts';

/** Null: it was decided without a trace. */
export async function findMovementTraceparent(db: Queryable, venueId: string, id: string): Promise<string | null> {
  const rows = await db.query<{ traceparent: string | null }>(
    'select traceparent from movements where venue_id = $1 and movement_id = $2',
    [venueId, id],
  );
  return rows[0]?.traceparent ?? null;
}
