// The trace in which an event was recorded.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';

/** `createdAt` is the time of the event, which is unique for a venue and mode. Null: it was recorded without a trace. */
export async function findTraceparent(
  db: Queryable,
  venueId: string,
  mode: Mode,
  createdAt: string,
): Promise<string | null> {
  const rows = await db.query<{ traceparent: string | null }>(
    'select traceparent from events where venue_id = $1 and mode = $2 and created_at = $3',
    [venueId, mode, createdAt],
  );
  return rows[0]?.traceparent ?? null;
}
