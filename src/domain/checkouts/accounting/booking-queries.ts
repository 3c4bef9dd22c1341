// What statements and disputes say about the booking behind the money: its description, the partner's own id, and the names
// of its guests.

import type { Queryable } from '../../../base/db.ts';
import { shareName } from '../share-name.ts';

export interface Booking {
  readonly id: string;
  readonly description: string;
  readonly bookingId: string;
  readonly completedAt: string | null;
}

/** By checkout. */
export async function bookingsOf(
  db: Queryable,
  venueId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Booking>> {
  const rows = await db.query<Booking>(
    `select checkout_id as "id", description, external_booking_id as "bookingId", utc_micros(completed_at) as "completedAt"
     from checkouts where venue_id = $1 and checkout_id = any($2)`,
    [venueId, ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** The names shown for shares; null: none is known. */
export async function shareNames(
  db: Queryable,
  venueId: string,
  shareIds: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const rows = await db.query<{ id: string; name: string | null }>(
    `select share_id as "id", ${shareName('shares')} as "name" from shares where venue_id = $1 and share_id = any($2)`,
    [venueId, shareIds],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
