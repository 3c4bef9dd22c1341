// The sandbox venue that a fresh installation begins with, so that the first call can be made a minute after install.

import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { lockInstallation } from '../installation/key-proof.ts';
import { createVenue } from '../venues/create-venue.ts';
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
  wish: { readonly name: string; readonly origins: readonly string[]; readonly sandbox: boolean },
): Promise<VenueWithKeys> {
  const venue = await createVenue(tx, command, wish);
  const common = {
    venueId: venue.id,
    mode: 'test',
    scopes: [],
    expiresAt: null,
    allowIps: [],
    writesPerHour: null,
    readsPerHour: null,
  } as const;
  const secret = await issueKey(tx, command, { ...common, kind: 'secret' });
  const publishable = await issueKey(tx, command, { ...common, kind: 'publishable' });
  return { venue, secretTest: secret.key, publishableTest: publishable.key };
}

/** Reserved for examples: guests of a first try come back to a page that is nobody's. */
const FIRST_ORIGIN = 'https://example.com';

/** Null: this installation has venues already. */
export async function createSandboxVenueOnce(tx: Queryable, command: CommandContext): Promise<VenueWithKeys | null> {
  await lockInstallation(tx);
  if ((await countVenues(tx)) > 0) return null;
  return createVenueWithKeys(tx, command, { name: 'Sandbox venue', origins: [FIRST_ORIGIN], sandbox: true });
}
