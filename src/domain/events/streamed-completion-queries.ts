// The first checkout.completed of a venue and mode that a stream sent to a program of the partner: it shows that the
// partner receives events without an endpoint.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';

/** Only the first one is kept. */
export async function recordStreamedCompletion(
  db: Queryable,
  venueId: string,
  eventId: string,
  now: number,
): Promise<void> {
  await db.query(
    `insert into streamed_completions (venue_id, mode, event_id, checkout_id, at)
     select venue_id, mode, event_id, subject, to_timestamp($3 / 1000.0) from events where venue_id = $1 and event_id = $2
     on conflict (venue_id, mode) do nothing`,
    [venueId, eventId, now],
  );
}

export interface StreamedCompletion {
  readonly eventId: string;
  readonly checkoutId: string;
  readonly at: string;
}

export async function findStreamedCompletion(
  db: Queryable,
  venueId: string,
  mode: Mode,
): Promise<StreamedCompletion | null> {
  const rows = await db.query<StreamedCompletion>(
    `select event_id as "eventId", checkout_id as "checkoutId", utc_micros(at) as "at" from streamed_completions
     where venue_id = $1 and mode = $2`,
    [venueId, mode],
  );
  return rows[0] ?? null;
}
