// A caller for the operator: acts for a venue in one mode with every scope, and is audited under the operator's name.

import type { CommandContext } from '../base/command-context.ts';
import type { Mode } from '../base/config.ts';
import type { Queryable } from '../base/db.ts';
import type { Caller } from '../domain/keys/caller.ts';
import { SCOPES } from '../domain/keys/key.ts';
import { venueInMode } from '../domain/venues/venue.ts';
import { commandError } from './cli-error.ts';
import { requireVenue } from './require-venue.ts';

export async function operatorCaller(
  db: Queryable,
  command: CommandContext,
  venueId: string,
  mode: Mode,
): Promise<Caller> {
  const venue = await requireVenue(db, venueId);
  const { id, linked, created_at, revoked_at } = venue;
  if (revoked_at !== null) throw commandError(`--venue ${id} is revoked: nothing can be written for it any more.`);
  if (mode === 'live' && !linked) {
    throw commandError(
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
  return { ...command, venue: venueInMode(venue, mode), mode, key };
}
