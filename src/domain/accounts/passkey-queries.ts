// The SQL of passkeys and of the challenges that they sign.

import type { Queryable } from '../../base/db.ts';

export interface PasskeyRow {
  readonly id: string;
  readonly accountId: string;
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly transports: readonly string[];
  readonly name: string;
  readonly isSynced: boolean;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

const COLUMNS = `passkey_id as "id", account_id as "accountId", credential_id as "credentialId", public_key as "publicKey",
  transports, name, is_synced as "isSynced", created_at as "createdAt", last_used_at as "lastUsedAt"`;

/** Newest first. */
export async function listPasskeysOf(db: Queryable, accountId: string): Promise<PasskeyRow[]> {
  return db.query<PasskeyRow>(
    `select ${COLUMNS} from account_passkeys where account_id = $1 order by created_at desc, passkey_id desc`,
    [accountId],
  );
}

/** A browser names a passkey by its credential id. Null: it is not known, or was removed. */
export async function findPasskey(db: Queryable, credentialId: Buffer): Promise<PasskeyRow | null> {
  const rows = await db.query<PasskeyRow>(`select ${COLUMNS} from account_passkeys where credential_id = $1`, [
    credentialId,
  ]);
  return rows[0] ?? null;
}

export interface NewPasskey extends Omit<PasskeyRow, 'createdAt' | 'lastUsedAt'> {
  readonly counter: number;
  readonly now: number;
}

/** Null: this passkey is known already. */
export async function insertPasskey(tx: Queryable, passkey: NewPasskey): Promise<PasskeyRow | null> {
  const { id, accountId, credentialId, publicKey, counter, transports, name, isSynced, now } = passkey;
  const rows = await tx.query<PasskeyRow>(
    `insert into account_passkeys
       (passkey_id, account_id, credential_id, public_key, counter, transports, name, is_synced, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9 / 1000.0))
     on conflict (credential_id) do nothing returning ${COLUMNS}`,
    [id, accountId, credentialId, publicKey, counter, transports, name, isSynced, now],
  );
  return rows[0] ?? null;
}

/** Null: the account has no such passkey. */
export async function renamePasskeyOf(
  db: Queryable,
  accountId: string,
  id: string,
  name: string,
): Promise<PasskeyRow | null> {
  const rows = await db.query<PasskeyRow>(
    `update account_passkeys set name = $3 where passkey_id = $1 and account_id = $2 returning ${COLUMNS}`,
    [id, accountId, name],
  );
  return rows[0] ?? null;
}

/** Null: the account has no such passkey. */
export async function deletePasskeyOf(tx: Queryable, accountId: string, id: string): Promise<PasskeyRow | null> {
  const rows = await tx.query<PasskeyRow>(
    `delete from account_passkeys where passkey_id = $1 and account_id = $2 returning ${COLUMNS}`,
    [id, accountId],
  );
  return rows[0] ?? null;
}

/** False: the counter went back, or the passkey was removed meanwhile. An authenticator that does not count stays at 0. */
export async function usePasskey(
  tx: Queryable,
  { id, counter, isSynced }: { readonly id: string; readonly counter: number; readonly isSynced: boolean },
  now: number,
): Promise<boolean> {
  const rows = await tx.query(
    `update account_passkeys set counter = $2, is_synced = $3, last_used_at = to_timestamp($4 / 1000.0)
     where passkey_id = $1 and (counter < $2 or (counter = 0 and $2 = 0)) returning 1`,
    [id, counter, isSynced, now],
  );
  return rows.length === 1;
}

/** What the answer of a passkey is for. */
export type PasskeyPurpose = 'add' | 'sign_in' | 'step_up';

export interface PasskeyChallenge {
  readonly hash: Buffer;
  readonly purpose: PasskeyPurpose;
  /** The session that asked; null: a sign-in. */
  readonly sessionId: string | null;
}

export async function insertPasskeyChallenge(
  tx: Queryable,
  { hash, purpose, sessionId }: PasskeyChallenge,
  expiresAt: number,
): Promise<void> {
  await tx.query(
    `insert into passkey_challenges (challenge_hash, purpose, session_id, expires_at)
     values ($1, $2, $3, to_timestamp($4 / 1000.0))`,
    [hash, purpose, sessionId, expiresAt],
  );
}

/** Takes the challenge, so that no second answer finds it. False: it is unknown, used, too old, or for something else. */
export async function takePasskeyChallenge(
  db: Queryable,
  { hash, purpose, sessionId }: PasskeyChallenge,
  now: number,
): Promise<boolean> {
  const rows = await db.query(
    `delete from passkey_challenges
     where challenge_hash = $1 and purpose = $2 and session_id is not distinct from $3
       and expires_at > to_timestamp($4 / 1000.0) returning 1`,
    [hash, purpose, sessionId, now],
  );
  return rows.length === 1;
}

export async function deleteOldPasskeyChallenges(db: Queryable, now: number, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from passkey_challenges where challenge_hash in (
       select challenge_hash from passkey_challenges where expires_at < to_timestamp($1 / 1000.0) limit $2) returning 1`,
    [now, limit],
  );
  return rows.length;
}
