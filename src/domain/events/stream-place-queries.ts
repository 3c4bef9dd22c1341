// The places of a key for streams, over all servers: each is leased for as long as its stream is open. A server that dies
// frees its places when their leases end.

import type { Queryable } from '../../base/db.ts';

export interface StreamKey {
  readonly venueId: string;
  readonly keyId: string;
}

/** Renewed three times in a lease. */
export const PLACE_LEASE_MS = 45_000;

/** False: all places are taken, or others took the free ones at the same time, each time. */
export async function takePlace(
  db: Queryable,
  { venueId, keyId }: StreamKey,
  holder: string,
  places: number,
  now: number,
): Promise<boolean> {
  for (let tries = 0; tries <= places; tries++) {
    const place = await freePlaceOf(db, { venueId, keyId }, places, now);
    if (place === null) return false;
    const rows = await db.query(
      `insert into event_streams (venue_id, key_id, place, holder, leased_until)
       values ($1, $2, $3, $4, to_timestamp($6 / 1000.0))
       on conflict (venue_id, key_id, place) do update
         set holder = excluded.holder, leased_until = excluded.leased_until
         where event_streams.leased_until <= to_timestamp($5 / 1000.0)
       returning place`,
      [venueId, keyId, place, holder, now, now + PLACE_LEASE_MS],
    );
    if (rows.length > 0) return true;
  }
  return false;
}

/** The lowest place without a lease; null: all are taken. */
async function freePlaceOf(
  db: Queryable,
  { venueId, keyId }: StreamKey,
  places: number,
  now: number,
): Promise<number | null> {
  const taken = await db.query<{ place: number }>(
    `select place from event_streams where venue_id = $1 and key_id = $2 and leased_until > to_timestamp($3 / 1000.0)`,
    [venueId, keyId, now],
  );
  const isTaken = new Set(taken.map(({ place }) => place));
  for (let place = 1; place <= places; place++) if (!isTaken.has(place)) return place;
  return null;
}

/** False: the lease had ended, and another stream has the place. */
export async function renewPlace(
  db: Queryable,
  { venueId, keyId }: StreamKey,
  holder: string,
  now: number,
): Promise<boolean> {
  const rows = await db.query(
    `update event_streams set leased_until = to_timestamp($4 / 1000.0)
     where venue_id = $1 and key_id = $2 and holder = $3 returning place`,
    [venueId, keyId, holder, now + PLACE_LEASE_MS],
  );
  return rows.length > 0;
}

export async function freePlace(db: Queryable, { venueId, keyId }: StreamKey, holder: string): Promise<void> {
  await db.query('delete from event_streams where venue_id = $1 and key_id = $2 and holder = $3', [
    venueId,
    keyId,
    holder,
  ]);
}

/** Whether a program with a key of the venue reads a stream now. */
export async function isStreaming(db: Queryable, venueId: string, now: number): Promise<boolean> {
  const rows = await db.query(
    `select 1 from event_streams where venue_id = $1 and key_id like 'key\\_%' and leased_until > to_timestamp($2 / 1000.0)
     limit 1`,
    [venueId, now],
  );
  return rows.length === 1;
}
