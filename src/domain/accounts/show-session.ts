// GET /console/api/session: who is signed in, and the venues in which they have a role.

import type { ConsoleSession } from '../../../schemas/types.gen.ts';
import type { Queryable } from '../../base/db.ts';
import type { OperationResult } from '../../base/operation.ts';
import { findVenues } from '../venues/queries.ts';
import type { AccountCaller } from './account.ts';
import { rolesOfAccount } from './people-queries.ts';
import { sessionView } from './sessions.ts';

export async function showSession({ db }: { readonly db: Queryable }, caller: AccountCaller): Promise<OperationResult> {
  return { status: 200, body: await sessionBody(db, caller) };
}

/** A venue is named by its real id, a sandbox too: requests name it in a header. A revoked venue is left out. */
export async function sessionBody(db: Queryable, { account, session }: AccountCaller): Promise<ConsoleSession> {
  const roles = await rolesOfAccount(db, account.id);
  const rows = await findVenues(
    db,
    roles.map(({ venueId }) => venueId),
  );
  const venues = new Map(rows.filter(({ revoked_at }) => revoked_at === null).map((venue) => [venue.id, venue]));
  return {
    account: { id: account.id, email: account.email, name: account.name },
    venues: roles.flatMap(({ venueId, role }) => {
      const venue = venues.get(venueId);
      return venue === undefined ? [] : [{ id: venueId, name: venue.name, linked: venue.linked, role }];
    }),
    session: sessionView(session, session),
  };
}
