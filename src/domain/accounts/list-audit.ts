// GET /console/api/audit: the audit log of a venue, with the names of people and keys instead of their ids alone.

import type { AuditEntry } from '../../../schemas/types.gen.ts';
import { csvOf } from '../../base/csv.ts';
import type { Queryable } from '../../base/db.ts';
import { isUuid } from '../../base/ids.ts';
import { maskAddress } from '../../base/network.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { pageOf, pageQueryOf } from '../../base/page.ts';
import type { Caller } from '../keys/caller.ts';
import { findKeysOfVenue } from '../keys/queries.ts';
import { type AuditRow, listVenueAudit } from '../venues/audit.ts';
import { accountOfActor, operatorOfActor, sealNameOfAccount } from './account.ts';
import { findAccounts } from './queries.ts';

export async function listAuditOfVenue(
  db: Queryable,
  caller: Caller,
  { query, asCsv }: Input,
): Promise<OperationResult> {
  const { limit } = pageQueryOf({ ...query, before: null });
  const before = typeof query.before === 'string' ? query.before : null;
  const action = typeof query.action === 'string' ? query.action : '';
  const found = await listVenueAudit(db, caller.venue.id, { action, before, limit });
  const { rows, nextBefore } = pageOf(found, limit, ({ id }) => id);
  const names = await findNames(db, caller, rows);
  const data = rows.map((row) => entryView(row, names));
  return asCsv === true
    ? { status: 200, csv: toCsv(data), nextBefore }
    : { status: 200, body: { data, next_before: nextBefore } };
}

/** By the id of the account or key. */
type Names = ReadonlyMap<string, string>;

/** A person without a name is shown by mail address, a key without one by its hint. */
async function findNames(db: Queryable, { venue, seal }: Caller, rows: readonly AuditRow[]): Promise<Names> {
  const ids = new Set(rows.flatMap(({ actor, subject }) => [accountOfActor(actor) ?? actor, subject]));
  const [accounts, keys] = await Promise.all([
    findAccounts(db, [...ids].filter(isUuid)),
    findKeysOfVenue(db, venue.id, [...ids].filter(isKeyId)),
  ]);
  return new Map([
    ...accounts.map(({ id, name, email }) => [id, name ?? seal.open(email, sealNameOfAccount(id))] as [string, string]),
    ...keys.map(({ id, name, hint }) => [id, name ?? hint] as [string, string]),
  ]);
}

const isKeyId = (text: string): boolean => text.startsWith('key_');

function entryView(row: AuditRow, names: Names): AuditEntry {
  const { id, at, via, address, request_id, action, subject } = row;
  return {
    id,
    at,
    actor: actorView(row, names),
    via: via as AuditEntry['via'],
    address: address === null ? null : maskAddress(address),
    request_id,
    action,
    subject,
    subject_name: names.get(subject) ?? null,
    detail: detailView(row),
  };
}

function actorView({ actor, via }: AuditRow, names: Names): AuditEntry['actor'] {
  const accountId = accountOfActor(actor);
  if (accountId !== null) return { type: 'person', id: accountId, name: names.get(accountId) ?? 'a former account' };
  if (isKeyId(actor)) return { type: 'key', id: actor, name: names.get(actor) ?? actor };
  if (via === 'cli' || operatorOfActor(actor) !== null) return { type: 'operator', id: null, name: 'operator' };
  if (actor === 'guest' || actor.startsWith('member ')) return { type: 'guest', id: null, name: 'guest' };
  return { type: 'service', id: null, name: actor };
}

/** What an operator has noted for operators alone: it may name a guest, or a suspicion. */
const PRIVATE_NOTES = ['refund.close', 'transfer.close', 'debt.write_off', 'venue.suspend'];

function detailView({ action, detail }: AuditRow): AuditEntry['detail'] {
  if (!PRIVATE_NOTES.includes(action)) return detail;
  const { note: _forOperators, ...rest } = detail;
  return rest;
}

const COLUMNS = ['id', 'at', 'actor_type', 'actor', 'via', 'address', 'action', 'subject', 'subject_name', 'detail'];

function toCsv(entries: readonly AuditEntry[]): string {
  return csvOf(
    COLUMNS,
    entries.map(({ id, at, actor, via, address, action, subject, subject_name, detail }) => [
      ...[id, at, actor.type, actor.name, via, address, action, subject, subject_name],
      JSON.stringify(detail),
    ]),
  );
}
