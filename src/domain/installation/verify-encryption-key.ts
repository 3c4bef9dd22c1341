// Checks at start that ENCRYPTION_KEY is the key that this database was written with, so that a wrong key is found then
// and not when a secret has to be opened.

import type { Queryable } from '../../base/db.ts';
import type { Seal } from '../../base/seal.ts';

const SEAL_NAME = 'installation';
const PROOF_TEXT = 'everyshare';

export async function verifyEncryptionKey(db: Queryable, seal: Seal, now: number): Promise<void> {
  const existing = await findProof(db);
  if (existing === null) {
    await db.query(
      'insert into installation (key_proof, created_at) values ($1, to_timestamp($2 / 1000.0)) on conflict do nothing',
      [seal.seal(PROOF_TEXT, SEAL_NAME), now],
    );
  }
  const proof = existing ?? (await findProof(db));
  if (proof === null || !canOpen(seal, proof)) {
    throw new Error('ENCRYPTION_KEY is not the key that this database was written with: set the one used before.');
  }
}

async function findProof(db: Queryable): Promise<Buffer | null> {
  const rows = await db.query<{ key_proof: Buffer }>('select key_proof from installation');
  return rows[0]?.key_proof ?? null;
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
