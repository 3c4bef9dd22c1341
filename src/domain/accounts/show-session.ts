// GET /console/api/session: who is signed in, and the venues in which they have a role.

import type { ConsoleSession } from '../../../schemas/types.gen.ts';
import type { Queryable } from '../../base/db.ts';
import type { OperationResult } from '../../base/operation.ts';
import { findVenues } from '../venues/queries.ts';
import type { AccountCaller } from './account.ts';
import { openViews } from './operator-queries.ts';
import { type RoleInVenue, rolesOfAccount } from './people-queries.ts';
import { sessionView } from './sessions.ts';

export async function showSession({ db }: { readonly db: Queryable }, caller: AccountCaller): Promise<OperationResult> {
  return { status: 200, body: await sessionBody(db, caller) };
}

/**
 * A venue is named by its real id, a sandbox too: requests name it in a header. A revoked venue is left out. What an
 * operator looks at comes last.
 */
export async function sessionBody(db: Queryable, { account, session, now }: AccountCaller): Promise<ConsoleSession> {
  const own = await rolesOfAccount(db, account.id);
  const isOwn = (id: string): boolean => own.some(({ venueId }) => venueId === id);
  const views = (await openViews(db, session.id, now)).filter(({ venueId }) => !isOwn(venueId));
  const viewed = views.map(({ venueId, endsAt }) => ({ venueId, role: 'viewer', viewed_until: endsAt }) as const);
  const roles: readonly (RoleInVenue & { readonly viewed_until?: string })[] = [...own, ...viewed];
  const rows = await findVenues(
    db,
    roles.map(({ venueId }) => venueId),
  );
  const venues = new Map(rows.filter(({ revoked_at }) => revoked_at === null).map((venue) => [venue.id, venue]));
  return {
    account: { id: account.id, email: account.email, name: account.name },
    venues: roles.flatMap(({ venueId, role, viewed_until }) => {
      const venue = venues.get(venueId);
      return venue === undefined
        ? []
        : [
            {
              id: venueId,
              name: venue.name,
              linked: venue.linked,
              role,
              ...(viewed_until === undefined ? {} : { viewed_until }),
            },
          ];
    }),
    session: sessionView(session, session),
  };
}
