// The operator in the place of a partner: acts for a venue in a mode with every scope, under the operator's own name.

import type { CommandContext } from '../base/command-context.ts';
import type { Mode } from '../base/config.ts';
import type { Queryable } from '../base/db.ts';
import type { Caller } from '../domain/keys/caller.ts';
import { SCOPES } from '../domain/keys/key.ts';
import { refused } from './cli-error.ts';
import { knownVenue } from './venue.ts';

export async function operatorCaller(
  db: Queryable,
  command: CommandContext,
  venueId: string,
  mode: Mode,
): Promise<Caller> {
  const { id, name, linked, origins, created_at, revoked_at } = await knownVenue(db, venueId);
  if (revoked_at !== null) throw refused(`--venue ${id} is revoked: nothing can be written for it any more.`);
  if (mode === 'live' && !linked) {
    throw refused(
      `--venue ${id} is a sandbox, which has no live mode: link it first with "everyshare venue link ${id}".`,
    );
  }
  const key = {
    id: 'operator',
    kind: 'secret',
    scopes: SCOPES,
    writesPerHour: Number.MAX_SAFE_INTEGER,
    readsPerHour: Number.MAX_SAFE_INTEGER,
    createdAt: created_at,
    expiresAt: null,
  } as const;
  return { ...command, venue: { id, name, linked, origins }, mode, key };
}
