// Creates the sandbox venue of a new installation, so that a first call can be made right after the installation.

import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { lockInstallation } from '../installation/verify-encryption-key.ts';
import { createVenue, type NewVenueRequest } from '../venues/create-venue.ts';
import { countVenues } from '../venues/queries.ts';
import type { Venue } from '../venues/venue.ts';
import { issueKey } from './issue-key.ts';

export interface VenueWithKeys {
  readonly venue: Venue;
  readonly secretTest: string;
  readonly publishableTest: string;
}

/** A new venue with a test key of each kind. */
export async function createVenueWithKeys(
  tx: Queryable,
  command: CommandContext,
  options: NewVenueRequest,
): Promise<VenueWithKeys> {
  const venue = await createVenue(tx, command, options);
  const keyRequest = {
    venueId: venue.id,
    mode: 'test',
    scopes: [],
    expiresAt: null,
    allowIps: [],
    writesPerHour: null,
    readsPerHour: null,
  } as const;
  const secret = await issueKey(tx, command, { ...keyRequest, kind: 'secret' });
  const publishable = await issueKey(tx, command, { ...keyRequest, kind: 'publishable' });
  return { venue, secretTest: secret.key, publishableTest: publishable.key };
}

/** A domain that is reserved for examples, so that guests of a first checkout return to a harmless page. */
export const FIRST_ORIGIN = 'https://example.com';

/** A sandbox venue with test keys, whose first checkout can be made at once. Going live needs an origin of its own. */
export function createSandboxVenue(tx: Queryable, command: CommandContext, name: string): Promise<VenueWithKeys> {
  const origins = { origins: [FIRST_ORIGIN], testOriginsOnly: true } as const;
  return createVenueWithKeys(tx, command, { name, ...origins, sandbox: true });
}

/** Null: the installation has a venue already. */
export async function createSandboxVenueOnce(tx: Queryable, command: CommandContext): Promise<VenueWithKeys | null> {
  await lockInstallation(tx);
  if ((await countVenues(tx)) > 0) return null;
  return createSandboxVenue(tx, command, 'Sandbox venue');
}
