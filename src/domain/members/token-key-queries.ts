// The only file that reads and writes the table of token keys, and the version of a member's tokens.

import type { Queryable } from '../../base/db.ts';

export interface TokenKeyRow {
  readonly id: string;
  readonly privateKey: Buffer;
  readonly publicJwk: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
}

export interface NewTokenKey {
  readonly id: string;
  readonly privateKey: Buffer;
  readonly publicJwk: string;
  readonly now: number;
}

/** Newest first. */
export async function listTokenKeys(db: Queryable): Promise<TokenKeyRow[]> {
  return db.query<TokenKeyRow>(
    `select key_id as "id", private_key as "privateKey", public_jwk as "publicJwk",
       (extract(epoch from created_at at time zone 'UTC') * 1000)::float8 as "createdAt"
     from token_keys order by created_at desc, key_id`,
  );
}

/** Inserts nothing if another server has inserted a key already. */
export async function insertFirstTokenKey(db: Queryable, key: NewTokenKey): Promise<void> {
  await db.query(
    `insert into token_keys (key_id, private_key, public_jwk, created_at)
     select $1, $2, $3::json, to_timestamp($4 / 1000.0) where not exists (select 1 from token_keys)`,
    [key.id, key.privateKey, key.publicJwk, key.now],
  );
}

/** Until the transaction ends no other one adds or removes a key. */
export async function lockTokenKeys(tx: Queryable): Promise<void> {
  await tx.query('lock table token_keys in share row exclusive mode');
}

export async function insertTokenKey(tx: Queryable, key: NewTokenKey): Promise<void> {
  await tx.query(
    `insert into token_keys (key_id, private_key, public_jwk, created_at)
     values ($1, $2, $3::json, to_timestamp($4 / 1000.0))`,
    [key.id, key.privateKey, key.publicJwk, key.now],
  );
}

export async function deleteTokenKey(tx: Queryable, id: string): Promise<void> {
  await tx.query('delete from token_keys where key_id = $1', [id]);
}

/** Null: there is no such member. */
export async function findTokenVersion(db: Queryable, memberId: string): Promise<number | null> {
  const rows = await db.query<{ version: number }>(
    'select token_version as version from members where member_id = $1',
    [memberId],
  );
  return rows[0]?.version ?? null;
}
