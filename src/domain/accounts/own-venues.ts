// The sandbox venues that a person makes: the first one at the sign-up, others from the console.

import type { CreatedVenue, VenueCreate } from '../../../schemas/types.gen.ts';
import type { CommandContext } from '../../base/command-context.ts';
import type { Db, Queryable } from '../../base/db.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { requireDailyUses } from '../keys/daily-limit.ts';
import { createSandboxVenue } from '../keys/sandbox-venue.ts';
import type { AccountCaller } from './account.ts';
import { insertPerson } from './people-queries.ts';

const VENUES_PER_DAY = 10;

/** The account is its owner. Returns its test keys. */
export async function createVenueOf(
  tx: Queryable,
  command: CommandContext,
  accountId: string,
  name: string,
): Promise<CreatedVenue['keys']> {
  const made = await createSandboxVenue(tx, command, name);
  await insertPerson(tx, { venueId: made.venue.id, accountId, role: 'owner', now: command.now });
  return { venue_id: made.venue.id, secret_test: made.secretTest, publishable_test: made.publishableTest };
}

export async function createOwnVenue(
  { db }: { readonly db: Db },
  caller: AccountCaller,
  { body: { name } }: Input<VenueCreate>,
): Promise<OperationResult> {
  const { id } = caller.account;
  const limit = { subject: `venues ${id}`, limit: VENUES_PER_DAY };
  const keys = await db.transaction(async (tx) => {
    await requireDailyUses(tx, limit, 1, `A person makes at most ${VENUES_PER_DAY} venues a day.`);
    return createVenueOf(tx, caller, id, name);
  });
  const body: CreatedVenue = { venue: { id: keys.venue_id, name, linked: false, role: 'owner' }, keys };
  return { status: 201, body };
}
