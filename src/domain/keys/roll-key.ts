// Rolls a key: issues a new one with the same name, scopes, addresses and limits, while the old one keeps working for
// some hours. A key is rolled once: the old key is locked, so that of two callers one gets the new key and the other a
// conflict.

import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { conflict, notFound } from '../../base/errors.ts';
import { audit } from '../venues/audit.ts';
import { type IssuedKey, issueKey } from './issue-key.ts';
import { statusOfKey } from './key.ts';
import { findKey, type KeyRow, lockKey, setRolled } from './queries.ts';

export const DEFAULT_OVERLAP_HOURS = 24;
export const MAX_OVERLAP_HOURS = 168;
const HOUR_MS = 3_600_000;

export interface RolledKey {
  readonly issued: IssuedKey;
  /** The old key as it is now. */
  readonly old: KeyRow;
}

export async function rollKey(
  tx: Queryable,
  command: CommandContext,
  keyId: string,
  overlapHours: number,
): Promise<RolledKey> {
  const key = await lockKey(tx, keyId);
  if (key === null) throw notFound();
  requireRollable(key, command.now);
  const isSecret = key.kind === 'secret';
  const issued = await issueKey(tx, command, {
    venueId: key.venue_id,
    name: key.name,
    kind: key.kind,
    mode: key.mode,
    scopes: key.scopes,
    expiresAt: expiryOfSuccessor(key, command.now),
    allowIps: key.allow_ips ?? [],
    writesPerHour: isSecret ? key.writes_per_hour : null,
    readsPerHour: isSecret ? key.reads_per_hour : null,
  });
  const endsAt = endOfOverlap(key, overlapHours, command.now);
  if (!(await setRolled(tx, key, issued.id, endsAt, command.now)))
    throw new Error('a key that is locked was rolled or revoked meanwhile');
  const detail = { to: issued.id, mode: key.mode, overlap_hours: overlapHours };
  await audit(tx, command, { venueId: key.venue_id, action: 'key.roll', subject: keyId, detail });
  const old = await findKey(tx, keyId);
  if (old === null) throw new Error('the rolled key was not found');
  return { issued, old };
}

function requireRollable(key: KeyRow, now: number): void {
  const status = statusOfKey(key, now);
  if (status === 'revoked') throw conflict('key_revoked', 'This key was revoked: create another one.');
  if (status === 'expired') throw conflict('key_expired', 'This key has expired: create another one.');
  if (key.rolled_to !== null)
    throw conflict('already_rolled', `This key was rolled before, to ${key.rolled_to}: roll that one.`);
}

/** A key that was to live for 90 days is followed by one that lives for 90 days from now. */
function expiryOfSuccessor({ created_at, expires_at }: KeyRow, now: number): string | null {
  if (expires_at === null) return null;
  return new Date(now + Date.parse(expires_at) - Date.parse(created_at)).toISOString();
}

/** Never later than the key would have expired. Null: the key ends at once. */
function endOfOverlap({ expires_at }: KeyRow, overlapHours: number, now: number): string | null {
  if (overlapHours === 0) return null;
  const end = new Date(now + overlapHours * HOUR_MS).toISOString();
  return expires_at !== null && Date.parse(expires_at) < Date.parse(end) ? expires_at : end;
}
