// What the request log reads and writes of keys: their names, which key a hash belongs to, and when a key was last used.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import type { KeyKind } from './key.ts';

/** A key as the request log names it. */
export interface KeyName {
  readonly id: string;
  readonly venue_id: string;
  readonly mode: Mode;
  readonly name: string | null;
  readonly kind: KeyKind;
  readonly hint: string;
}

const NAME_COLUMNS = 'k.key_id as id, k.venue_id, k.mode, k.name, k.kind, k.hint';

/** Revoked and expired keys too. */
export async function findKeyNames(db: Queryable, venueId: string, ids: readonly string[]): Promise<KeyName[]> {
  return db.query<KeyName>(`select ${NAME_COLUMNS} from keys k where k.venue_id = $1 and k.key_id = any($2)`, [
    venueId,
    ids,
  ]);
}

/** The keys with these hashes, revoked and expired ones too; unknown hashes have none. */
export async function findKeysByHash(
  db: Queryable,
  hashes: readonly Buffer[],
): Promise<(KeyName & { readonly hash: Buffer })[]> {
  return db.query<KeyName & { hash: Buffer }>(
    `select ${NAME_COLUMNS}, r.key_hash as hash from key_routes r join keys k on k.venue_id = r.venue_id and k.key_id = r.key_id
     where r.key_hash = any($1)`,
    [hashes],
  );
}

export interface KeyUse {
  readonly venueId: string;
  readonly keyId: string;
  /** Milliseconds. */
  readonly at: number;
  /** Masked. */
  readonly address: string;
}

/**
 * Records the last use of each key, to the minute. Another server that writes the same key at this moment says the same:
 * its row is skipped, so that no server waits, and two cannot deadlock. A statement for each venue, because a distributed
 * database has the keys of different venues on different nodes.
 */
export async function recordKeyUses(db: Queryable, uses: readonly KeyUse[]): Promise<void> {
  const byVenue = new Map<string, KeyUse[]>();
  for (const use of uses) byVenue.set(use.venueId, [...(byVenue.get(use.venueId) ?? []), use]);
  for (const [venueId, ofVenue] of byVenue) await recordVenueKeyUses(db, venueId, ofVenue);
}

async function recordVenueKeyUses(db: Queryable, venueId: string, uses: readonly KeyUse[]): Promise<void> {
  await db.query(
    `with due as (
       select k.key_id, to_timestamp(u.ms / 1000.0) as at, u.address
       from unnest($2::text[], $3::double precision[], $4::text[]) as u (key_id, ms, address)
       join keys k on k.venue_id = $1 and k.key_id = u.key_id
       where k.last_used_at is null or k.last_used_at <= to_timestamp(u.ms / 1000.0) - interval '1 minute'
       order by k.key_id for no key update of k skip locked)
     update keys k set last_used_at = due.at, last_used_address = due.address
     from due where k.venue_id = $1 and k.key_id = due.key_id`,
    [venueId, uses.map(({ keyId }) => keyId), uses.map(({ at }) => at), uses.map(({ address }) => address)],
  );
}
