// The first response to an Idempotency-Key, stored for IDEMPOTENCY_KEY_DAYS for a venue and mode, or for a guest and checkout. It is
// sealed, since it may carry a secret that is shown once, and written in the transaction of the effect, so that both are
// stored or neither is.

import { createHash } from 'node:crypto';
import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { deleteBatch } from '../../base/delete-batch.ts';
import type { Seal } from '../../base/seal.ts';

export interface StoredResponse {
  readonly fingerprint: Buffer;
  readonly status: number;
  readonly json: string;
}

export interface ResponseKey {
  readonly venueId: string;
  readonly mode: Mode;
  readonly key: string;
  readonly now: number;
}

/**
 * A guest's key belongs to the member and the checkout. It is stored as a hash after a line feed: no header can contain
 * one, so a guest's key is never equal to a key of the partner.
 */
export function guestKey(memberId: string, checkoutId: string, key: string): string {
  const hash = createHash('sha256').update(`${memberId} ${checkoutId} ${key}`).digest('base64url');
  return `\n${hash}`;
}

export function sealNameOfResponse(
  responseKey: Pick<ResponseKey, 'venueId' | 'key'> & { readonly mode: string },
): string {
  return `idempotency ${responseKey.venueId} ${responseKey.mode} ${responseKey.key}`;
}

export async function findStoredResponse(
  db: Queryable,
  seal: Seal,
  responseKey: ResponseKey,
  retentionMs: number,
): Promise<StoredResponse | null> {
  const rows = await db.query<{ fingerprint: Buffer; status: number; response: Buffer | null }>(
    `select fingerprint, status, response from idempotency_keys
     where venue_id = $1 and mode = $2 and idempotency_key = $3 and created_at > to_timestamp($4 / 1000.0)`,
    [responseKey.venueId, responseKey.mode, responseKey.key, responseKey.now - retentionMs],
  );
  const row = rows[0];
  if (row === undefined) return null;
  const { fingerprint, status, response } = row;
  // A created checkout stores no response here: the create finds it by itself, and another operation with the same key
  // has another fingerprint and is refused.
  return { fingerprint, status, json: response === null ? '' : seal.open(response, sealNameOfResponse(responseKey)) };
}

/** False: another call stored its response under this key first, so the caller must roll back. */
export async function storeResponse(
  tx: Queryable,
  seal: Seal,
  responseKey: ResponseKey,
  response: StoredResponse,
  retentionMs: number,
): Promise<boolean> {
  const rows = await tx.query(
    `insert into idempotency_keys (venue_id, mode, idempotency_key, fingerprint, status, response, created_at)
     values ($1, $2, $3, $4, $5, $6, to_timestamp($7 / 1000.0))
     on conflict (venue_id, mode, idempotency_key) do update
       set fingerprint = excluded.fingerprint, status = excluded.status, response = excluded.response, refers_to = null,
         created_at = excluded.created_at
       where idempotency_keys.created_at <= to_timestamp($8 / 1000.0)
     returning 1`,
    [
      responseKey.venueId,
      responseKey.mode,
      responseKey.key,
      response.fingerprint,
      response.status,
      seal.seal(response.json, sealNameOfResponse(responseKey)),
      responseKey.now,
      responseKey.now - retentionMs,
    ],
  );
  return rows.length > 0;
}

const OLD_RESPONSES = {
  table: 'idempotency_keys',
  key: 'venue_id, mode, idempotency_key',
  isOld: 'created_at <= to_timestamp($1 / 1000.0)',
  oldestFirst: 'created_at',
};

export async function deleteOldResponses(
  db: Queryable,
  now: number,
  retentionMs: number,
  limit: number,
): Promise<number> {
  const rows = await db.query(deleteBatch(OLD_RESPONSES, '$2'), [now - retentionMs, limit]);
  return rows.length;
}
