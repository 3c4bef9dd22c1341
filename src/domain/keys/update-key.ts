// Changes a key: its name, limits, addresses and expiry. Its text, kind, mode and scopes never change. The next request
// with it follows the new values on every server, since each request looks its key up.

import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { conflict, notFound } from '../../base/errors.ts';
import { audit } from '../venues/audit.ts';
import { checkKeyValues } from './issue-key.ts';
import { findKey, type KeyRow, lockKey, setKeyValues } from './queries.ts';

/** A field that is absent stays as it is. */
export interface KeyChanges {
  /** Null: no name. */
  readonly name?: string | null;
  readonly writesPerHour?: number;
  readonly readsPerHour?: number;
  /** Replaces the list; empty: every address. */
  readonly allowIps?: readonly string[];
  /** Null: it never expires. */
  readonly expiresAt?: string | null;
}

export async function updateKey(
  tx: Queryable,
  command: CommandContext,
  keyId: string,
  changes: KeyChanges,
): Promise<KeyRow> {
  const key = await lockKey(tx, keyId);
  if (key === null) throw notFound();
  if (key.revoked_at !== null) throw conflict('key_revoked', 'This key was revoked: create another one.');
  requireNoRevival(key, changes, command.now);
  const { name, writesPerHour, readsPerHour, allowIps, expiresAt } = changes;
  checkKeyValues(
    {
      kind: key.kind,
      name: name ?? null,
      writesPerHour: writesPerHour ?? null,
      readsPerHour: readsPerHour ?? null,
      allowIps: allowIps ?? [],
      expiresAt: expiresAt ?? null,
    },
    command.now,
  );
  await setKeyValues(tx, key.venue_id, keyId, {
    name: name === undefined ? key.name : name,
    writesPerHour: writesPerHour ?? key.writes_per_hour,
    readsPerHour: readsPerHour ?? key.reads_per_hour,
    allowIps: allowIps === undefined ? key.allow_ips : allowIps.length === 0 ? null : allowIps,
    expiresAt: expiresAt === undefined ? key.expires_at : expiresAt,
  });
  const updated = await findKey(tx, keyId);
  if (updated === null) throw new Error('the updated key was not found');
  const [before, after] = [valuesOf(key), valuesOf(updated)];
  if (JSON.stringify(before) !== JSON.stringify(after)) {
    await audit(tx, command, {
      venueId: key.venue_id,
      action: 'key.update',
      subject: keyId,
      detail: { before, after },
    });
  }
  return updated;
}

function valuesOf({ name, writes_per_hour, reads_per_hour, allow_ips, expires_at }: KeyRow) {
  return { name, writes_per_hour, reads_per_hour, allow_ips, expires_at };
}

/** A key that has expired stays so, and one that was rolled ends when its overlap does: a new key needs a fresh proof. */
function requireNoRevival(key: KeyRow, { expiresAt }: KeyChanges, now: number): void {
  if (key.expires_at === null) return;
  const end = Date.parse(key.expires_at);
  if (end <= now) throw conflict('key_expired', 'This key has expired: create another one.');
  if (key.rolled_to === null || expiresAt === undefined) return;
  if (expiresAt === null || Date.parse(expiresAt) > end)
    throw conflict('already_rolled', 'This key was rolled, and ends with its overlap: use the key that replaces it.');
}
