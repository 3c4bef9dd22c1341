// Checks at start that ENCRYPTION_KEY has the key that this database was written with, so that a wrong key is found then
// and not when a secret has to be opened. Also loads the key of the keyed hashes: it is made once, from the key of the
// first start, and stays the same when ENCRYPTION_KEY is replaced, so that phones are still found by their hash.

import { type Queryable, sqlState } from '../../base/db.ts';
import type { Seal } from '../../base/seal.ts';

const SEAL_NAME = 'installation';
const HASH_KEY_SEAL_NAME = 'installation hash key';
const PROOF_TEXT = 'everyshare';

interface InstallationRow {
  readonly proof: Buffer;
  /** Null: the database was written by an earlier release. */
  readonly hashKey: Buffer | null;
}

export async function verifyEncryptionKey(db: Queryable, seal: Seal, now: number): Promise<void> {
  const existing = await findInstallation(db);
  if (existing === null) {
    await db.query(
      'insert into installation (key_proof, created_at) values ($1, to_timestamp($2 / 1000.0)) on conflict do nothing',
      [seal.seal(PROOF_TEXT, SEAL_NAME), now],
    );
  }
  const row = existing ?? (await findInstallation(db));
  if (row === null || !canOpen(seal, row.proof)) {
    throw new Error(
      'ENCRYPTION_KEY is not the key that this database was written with: set the one used before. While keys are replaced, list both.',
    );
  }
  seal.useHashKey(await loadHashKey(db, seal, row));
}

async function loadHashKey(db: Queryable, seal: Seal, { proof, hashKey }: InstallationRow): Promise<Buffer> {
  if (hashKey !== null) return Buffer.from(seal.open(hashKey, HASH_KEY_SEAL_NAME), 'base64');
  const derived = seal.hashKeyFor(proof, SEAL_NAME);
  await db.query('update installation set hash_key = $1 where hash_key is null', [sealHashKey(seal, derived)]);
  return derived;
}

function sealHashKey(seal: Seal, hashKey: Buffer): Buffer {
  return seal.seal(hashKey.toString('base64'), HASH_KEY_SEAL_NAME);
}

/** Seals the proof and the hash key again with the first key. After that the database needs no other key to start. */
export async function resealInstallation(tx: Queryable, seal: Seal): Promise<void> {
  await lockInstallation(tx);
  const row = await findInstallation(tx);
  if (row === null) throw new Error('the installation has no row, although the encryption key was verified');
  const hashKey = await loadHashKey(tx, seal, row);
  await tx.query('update installation set key_proof = $1, hash_key = $2', [
    seal.seal(PROOF_TEXT, SEAL_NAME),
    sealHashKey(seal, hashKey),
  ]);
}

const UNDEFINED_TABLE = '42P01';

/** Whether the database was started with a key before. */
export async function isInstalled(db: Queryable): Promise<boolean> {
  try {
    return (await findInstallation(db)) !== null;
  } catch (error) {
    // The migration of a new database has not come that far.
    if (sqlState(error) === UNDEFINED_TABLE) return false;
    throw error;
  }
}

async function findInstallation(db: Queryable): Promise<InstallationRow | null> {
  const rows = await db.query<InstallationRow>('select key_proof as proof, hash_key as "hashKey" from installation');
  return rows[0] ?? null;
}

function canOpen(seal: Seal, proof: Buffer): boolean {
  try {
    return seal.open(proof, SEAL_NAME) === PROOF_TEXT;
  } catch {
    return false; // Opening with another key throws, since the tag does not match.
  }
}

/** The lock is held until the transaction ends, so that only one process sets this installation up. */
export async function lockInstallation(tx: Queryable): Promise<void> {
  await tx.query('select 1 from installation for update');
}
