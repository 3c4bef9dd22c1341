// Proves at start that ENCRYPTION_KEY is the key this database was written with, so that a wrong one is found then and
// not on the day a secret has to be opened.

import type { Queryable } from '../../base/db.ts';
import type { Seal } from '../../base/seal.ts';

const ROW = 'installation';
const WORDS = 'everyshare';

export async function proveEncryptionKey(db: Queryable, seal: Seal, now: number): Promise<void> {
  const known = await find(db);
  if (known === null) {
    await db.query(
      'insert into installation (key_proof, created_at) values ($1, to_timestamp($2 / 1000.0)) on conflict do nothing',
      [seal.seal(WORDS, ROW), now],
    );
  }
  const proof = known ?? (await find(db));
  if (proof === null || !opens(seal, proof)) {
    throw new Error('ENCRYPTION_KEY is not the key that this database was written with: set the one used before.');
  }
}

async function find(db: Queryable): Promise<Buffer | null> {
  const rows = await db.query<{ key_proof: Buffer }>('select key_proof from installation');
  return rows[0]?.key_proof ?? null;
}

function opens(seal: Seal, proof: Buffer): boolean {
  try {
    return seal.open(proof, ROW) === WORDS;
  } catch {
    return false; // A tag that does not fit throws: that is the answer "no".
  }
}

/** Held until the transaction ends: whoever has it is the only one that sets this installation up. */
export async function lockInstallation(tx: Queryable): Promise<void> {
  await tx.query('select 1 from installation for update');
}
