// The SQL of the mails that a guest got: receipts. Mails to people of the console are not theirs.

import type { Queryable } from '../../base/db.ts';

export interface StoredMail {
  readonly id: string;
  readonly address: Buffer;
  readonly content: Buffer;
  readonly status: string;
  readonly createdAt: string;
}

const IS_THEIRS = `kind = 'receipt' and (address_hash = $1 or subject = any($2))`;

/** `subjects` are those of the guest's own receipts, to any address. */
export async function receiptsOf(
  db: Queryable,
  addressHash: Buffer | null,
  subjects: readonly string[],
): Promise<StoredMail[]> {
  return db.query<StoredMail>(
    `select mail_id as id, address, content, status, utc_text(created_at) as "createdAt" from mails
     where ${IS_THEIRS} order by created_at, mail_id`,
    [addressHash, subjects],
  );
}

export async function deleteReceipts(
  tx: Queryable,
  addressHash: Buffer | null,
  subjects: readonly string[],
): Promise<number> {
  return (await tx.query(`delete from mails where ${IS_THEIRS} returning 1`, [addressHash, subjects])).length;
}
