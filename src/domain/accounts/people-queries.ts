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

export interface PersonRow {
  readonly accountId: string;
  readonly email: Buffer;
  readonly emailHash: Buffer;
  readonly name: string | null;
  readonly role: Role;
  readonly createdAt: string;
}

const PERSON_COLUMNS = `p.account_id as "accountId", a.email, a.email_hash as "emailHash", a.name, p.role,
  p.created_at as "createdAt"`;

/** Everyone with a role in a venue, oldest first. */
export async function listPeople(db: Queryable, venueId: string): Promise<PersonRow[]> {
  return db.query<PersonRow>(
    `select ${PERSON_COLUMNS} from venue_people p join accounts a on a.account_id = p.account_id
     where p.venue_id = $1 order by p.created_at, p.account_id`,
    [venueId],
  );
}

/** Null: the account has no role in this venue. */
export async function findPerson(db: Queryable, venueId: string, accountId: string): Promise<PersonRow | null> {
  const rows = await db.query<PersonRow>(
    `select ${PERSON_COLUMNS} from venue_people p join accounts a on a.account_id = p.account_id
     where p.venue_id = $1 and p.account_id = $2`,
    [venueId, accountId],
  );
  return rows[0] ?? null;
}

/** Another person is owner of the venue of `p`. */
const HAS_OTHER_OWNER = `exists (select 1 from venue_people o
  where o.venue_id = p.venue_id and o.role = 'owner' and o.account_id <> p.account_id)`;

/** False: the venue would have no owner. The caller has locked the venue. */
export async function setRole(tx: Queryable, venueId: string, accountId: string, role: Role): Promise<boolean> {
  const rows = await tx.query(
    `update venue_people p set role = $3
     where venue_id = $1 and account_id = $2 and ($3 = 'owner' or role <> 'owner' or ${HAS_OTHER_OWNER}) returning 1`,
    [venueId, accountId, role],
  );
  return rows.length === 1;
}

/** False: the venue would have no owner. The caller has locked the venue. */
export async function deletePerson(tx: Queryable, venueId: string, accountId: string): Promise<boolean> {
  const rows = await tx.query(
    `delete from venue_people p
     where venue_id = $1 and account_id = $2 and (role <> 'owner' or ${HAS_OTHER_OWNER}) returning 1`,
    [venueId, accountId],
  );
  return rows.length === 1;
}
