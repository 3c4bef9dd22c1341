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

/** Records the last use of each key, to the minute. */
export async function recordKeyUses(db: Queryable, uses: readonly KeyUse[]): Promise<void> {
  await db.query('select record_key_uses($1, $2, $3, $4)', [
    uses.map(({ venueId }) => venueId),
    uses.map(({ keyId }) => keyId),
    uses.map(({ at }) => at),
    uses.map(({ address }) => address),
  ]);
}
