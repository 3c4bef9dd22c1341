// The desk's reads about people: accounts by mail address, operators, and the audit log of every venue and of the
// installation.

import type { DeskAuditEntry, DeskPerson } from '../../../schemas/types.gen.ts';
import type { Db } from '../../base/db.ts';
import { isUuid } from '../../base/ids.ts';
import { maskAddress } from '../../base/network.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import {
  accountOfActor,
  type DeskCaller,
  hashOfEmail,
  operatorOfActor,
  sealNameOfAccount,
} from '../accounts/account.ts';
import { roleOfOperator } from '../accounts/operator-queries.ts';
import { listOperators as listAll } from '../accounts/operators.ts';
import { rolesOfAccount } from '../accounts/people-queries.ts';
import { type AccountRow, findAccount, findAccountByEmail, findAccounts } from '../accounts/queries.ts';
import { type AuditRow, listAudit } from '../venues/audit.ts';
import { findVenues } from '../venues/queries.ts';

interface Services {
  readonly db: Db;
}

/** Mail addresses are stored sealed: a person is found by the whole address, or by the id of the account. */
export async function listDeskPeople(
  { db }: Services,
  { seal }: DeskCaller,
  { query }: Input,
): Promise<OperationResult> {
  const text = typeof query.q === 'string' ? query.q.trim() : '';
  const found = isUuid(text) ? await findAccount(db, text) : await findAccountByEmail(db, hashOfEmail(seal, text));
  const email = found === null ? '' : seal.open(found.email, sealNameOfAccount(found.id));
  const data = found === null ? [] : [await personView(db, found, email)];
  return { status: 200, body: { data } };
}

async function personView(db: Db, { id, name }: AccountRow, email: string): Promise<DeskPerson> {
  const [roles, operator_role] = await Promise.all([rolesOfAccount(db, id), roleOfOperator(db, id)]);
  const venues = await findVenues(
    db,
    roles.map(({ venueId }) => venueId),
  );
  const names = new Map(venues.map((venue) => [venue.id, venue.name]));
  return {
    object: 'desk_person',
    id,
    email,
    name,
    operator_role,
    venues: roles.map(({ venueId, role }) => ({ id: venueId, name: names.get(venueId) ?? '', role })),
  };
}

export async function listOperators({ db }: Services, { seal }: DeskCaller): Promise<OperationResult> {
  const operators = await listAll(db, seal);
  const data = operators.map(({ account_id: id, email, name, role, created_at }) => ({
    ...{ id, email, name, role, created_at },
  }));
  return { status: 200, body: { data } };
}

export async function listDeskAudit(
  { db }: Services,
  { seal }: DeskCaller,
  { query }: Input,
): Promise<OperationResult> {
  const limit = Number(query.limit);
  const filter = {
    venueId: typeof query.venue === 'string' ? query.venue : null,
    before: typeof query.before === 'string' ? query.before : null,
    byOperators: query.by === 'operators',
  };
  const rows = await listAudit(db, { ...filter, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const [accounts, venues] = await Promise.all([
    findAccounts(db, [...new Set(page.map(({ actor }) => accountIdOf(actor)).filter(isUuid))]),
    findVenues(db, [...new Set(page.flatMap(({ venue_id }) => venue_id ?? []))]),
  ]);
  const people = new Map(accounts.map(({ id, name, email }) => [id, name ?? seal.open(email, sealNameOfAccount(id))]));
  const names = new Map(venues.map(({ id, name }) => [id, name]));
  const data = page.map((row) => entryView(row, people, names));
  return { status: 200, body: { data, next_before: rows.length > limit ? (page.at(-1)?.id ?? null) : null } };
}

const accountIdOf = (actor: string): string => operatorOfActor(actor) ?? accountOfActor(actor) ?? '';

function entryView(
  { id, at, venue_id, actor, via, address, action, subject, detail }: AuditRow,
  people: ReadonlyMap<string, string>,
  venues: ReadonlyMap<string, string>,
): DeskAuditEntry {
  return {
    id,
    at,
    venue: venue_id === null ? null : { id: venue_id, name: venues.get(venue_id) ?? '' },
    actor: people.get(accountIdOf(actor)) ?? actor,
    is_operator: operatorOfActor(actor) !== null,
    via,
    address: address === null ? null : maskAddress(address),
    action,
    subject,
    detail,
  };
}
