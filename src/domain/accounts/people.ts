// The people of a venue: listed, given another role, removed. A venue always keeps an owner. A change locks the venue's
// row first, so that two owners who remove each other at once do so one after the other.

import type { Person, PersonRole } from '../../../schemas/types.gen.ts';
import type { Db, Queryable } from '../../base/db.ts';
import { conflict, notFound, Problem } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { Seal } from '../../base/seal.ts';
import { audit } from '../venues/audit.ts';
import { lockVenue } from '../venues/queries.ts';
import { sealNameOfAccount, type TeamCaller } from './account.ts';
import { deletePerson, findPerson, listPeople, type PersonRow, setRole } from './people-queries.ts';
import type { Role } from './roles.ts';
import { queueRoleMail, type SecurityMailServices } from './security-mails.ts';

interface Services extends SecurityMailServices {
  readonly db: Db;
}

export async function listTeam({ db, seal }: Services, caller: TeamCaller): Promise<OperationResult> {
  const people = await listPeople(db, caller.venue.id);
  return { status: 200, body: { data: people.map((person) => personView(seal, person, caller)) } };
}

function personView(seal: Seal, person: PersonRow, { account }: TeamCaller): Person {
  return {
    id: person.accountId,
    email: seal.open(person.email, sealNameOfAccount(person.accountId)),
    name: person.name,
    role: person.role,
    created_at: person.createdAt,
    is_you: person.accountId === account.id,
  };
}

export async function changeRole(
  services: Services,
  caller: TeamCaller,
  { params: { id = '' }, body: { role } }: Input<PersonRole>,
): Promise<OperationResult> {
  const { id: venueId } = caller.venue;
  const changed = await services.db.transaction(async (tx) => {
    await lockTeam(tx, caller);
    const person = await requirePerson(tx, venueId, id);
    if (person.role === role) return person;
    if (!(await setRole(tx, venueId, person.accountId, role))) throw lastOwner();
    const detail = { before: person.role, after: role };
    await audit(tx, caller, { venueId, action: 'person.role', subject: person.accountId, detail });
    await notifyPerson(tx, services, caller, person, role);
    return { ...person, role };
  });
  return { status: 200, body: personView(services.seal, changed, caller) };
}

export async function removePerson(
  services: Services,
  caller: TeamCaller,
  { params: { id = '' } }: Input,
): Promise<OperationResult> {
  const { id: venueId } = caller.venue;
  const { accountId } = await services.db.transaction(async (tx) => {
    await lockTeam(tx, caller);
    const person = await requirePerson(tx, venueId, id);
    if (!(await deletePerson(tx, venueId, person.accountId))) throw lastOwner();
    const detail = { role: person.role };
    await audit(tx, caller, { venueId, action: 'person.remove', subject: person.accountId, detail });
    await notifyPerson(tx, services, caller, person, null);
    return person;
  });
  return { status: 200, body: { id: accountId, ended: true } };
}

async function notifyPerson(
  tx: Queryable,
  services: Services,
  { venue, account }: TeamCaller,
  { accountId, email: sealed, role: before }: PersonRow,
  after: Role | null,
): Promise<void> {
  const email = services.seal.open(sealed, sealNameOfAccount(accountId));
  await queueRoleMail(tx, services, { email, venue: venue.name, by: account.name, before, after });
}

/** Every person may leave; the last owner cannot. */
export async function leaveVenue({ db }: Services, caller: TeamCaller): Promise<OperationResult> {
  const { id: venueId } = caller.venue;
  const { id } = caller.account;
  await db.transaction(async (tx) => {
    await lockVenue(tx, venueId);
    const self = await requirePerson(tx, venueId, id);
    if (!(await deletePerson(tx, venueId, id))) throw lastOwner();
    await audit(tx, caller, { venueId, action: 'person.leave', subject: id, detail: { role: self.role } });
  });
  return { status: 200, body: { id, ended: true } };
}

/** The caller was an owner when the request came: it must still be one now that no other change can come between. */
export async function lockTeam(tx: Queryable, { venue, account }: TeamCaller): Promise<void> {
  await lockVenue(tx, venue.id);
  const self = await findPerson(tx, venue.id, account.id);
  if (self?.role !== 'owner') throw new Problem('role_not_allowed');
}

async function requirePerson(tx: Queryable, venueId: string, accountId: string): Promise<PersonRow> {
  const person = isUuid(accountId) ? await findPerson(tx, venueId, accountId) : null;
  if (person === null) throw notFound();
  return person;
}

function lastOwner(): Problem {
  return conflict('last_owner', 'A venue always keeps an owner: make another person an owner first.');
}
