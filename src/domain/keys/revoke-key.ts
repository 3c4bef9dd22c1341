// Revokes a key. The next request with it is refused on every server, since each request looks its key up.

import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import { audit } from '../venues/audit.ts';
import { findKey, type KeyRow, setRevoked } from './queries.ts';

export async function revokeKey(tx: Queryable, command: CommandContext, keyId: string): Promise<KeyRow> {
  const key = await findKey(tx, keyId);
  if (key === null) throw notFound();
  if (await setRevoked(tx, key.venue_id, keyId, command.now)) {
    await audit(tx, command, { venueId: key.venue_id, action: 'key.revoke', subject: keyId });
  }
  return (await findKey(tx, keyId)) ?? key;
}
