// The SQL of people and their roles in venues.

import type { Queryable } from '../../base/db.ts';
import type { Role } from './roles.ts';

export async function insertPerson(
  tx: Queryable,
  person: { readonly venueId: string; readonly accountId: string; readonly role: Role; readonly now: number },
): Promise<void> {
  await tx.query(
    `insert into venue_people (venue_id, account_id, role, created_at) values ($1, $2, $3, to_timestamp($4 / 1000.0))
     on conflict (venue_id, account_id) do nothing`,
    [person.venueId, person.accountId, person.role, person.now],
  );
}

export interface RoleInVenue {
  readonly venueId: string;
  readonly role: Role;
}

/** The roles of an account, oldest first. */
export async function rolesOfAccount(db: Queryable, accountId: string): Promise<RoleInVenue[]> {
  return db.query<RoleInVenue>(
    `select venue_id as "venueId", role from venue_people where account_id = $1 order by created_at, venue_id limit 1000`,
    [accountId],
  );
}
