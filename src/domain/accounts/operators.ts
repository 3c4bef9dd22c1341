// Operators: the people who run the service. The command line makes them; at the desk they sign in as in the console. A
// person can be an operator and have roles in venues.

import type { DeskSession } from '../../../schemas/types.gen.ts';
import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { OperationResult } from '../../base/operation.ts';
import type { Seal } from '../../base/seal.ts';
import { auditInstallation } from '../venues/audit.ts';
import { type DeskCaller, hashOfEmail, operatorOfActor, sealNameOfAccount } from './account.ts';
import { findOrCreateAccount } from './console-link.ts';
import { deleteOperator, listOperatorRows, setOperator } from './operator-queries.ts';
import type { OperatorRole } from './operator-roles.ts';
import { findAccountByEmail, findAccounts } from './queries.ts';
import { sessionView } from './sessions.ts';

export interface ListedOperator {
  readonly account_id: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: OperatorRole;
  readonly created_at: string;
}

/** Makes the account if there is none. An operator gets the new role. */
export async function addOperator(
  tx: Queryable,
  command: CommandContext,
  { email, role }: { readonly email: string; readonly role: OperatorRole },
): Promise<string> {
  const accountId = await findOrCreateAccount(tx, command, email, hashOfEmail(command.seal, email));
  if (await setOperator(tx, { accountId, role, now: command.now }))
    await auditInstallation(tx, command, { action: 'operator.add', subject: accountId, detail: { role } });
  return accountId;
}

/** Their next request at the desk is refused. */
export async function removeOperator(tx: Queryable, command: CommandContext, email: string): Promise<string> {
  const account = await findAccountByEmail(tx, hashOfEmail(command.seal, email));
  const role = account === null ? null : await deleteOperator(tx, account.id);
  if (account === null || role === null) throw notFound();
  await auditInstallation(tx, command, { action: 'operator.remove', subject: account.id, detail: { role } });
  return account.id;
}

export async function listOperators(db: Queryable, seal: Seal): Promise<ListedOperator[]> {
  const rows = await listOperatorRows(db);
  return rows.map(({ accountId, email, name, role, createdAt }) => ({
    account_id: accountId,
    email: seal.open(email, sealNameOfAccount(accountId)),
    name,
    role,
    created_at: createdAt,
  }));
}

export async function showDeskSession(
  _services: unknown,
  { account, session, operatorRole: role }: DeskCaller,
): Promise<OperationResult> {
  const body: DeskSession = {
    account: { id: account.id, email: account.email, name: account.name },
    role,
    session: sessionView(session, session),
  };
  return { status: 200, body };
}

/** How the desk names the actors of entries: operators by name or mail address, the others as they are written. */
export async function operatorNames(
  db: Queryable,
  seal: Seal,
  entries: readonly { readonly actor: string }[],
): Promise<ReadonlyMap<string, string>> {
  const ids = entries.map(({ actor }) => operatorOfActor(actor) ?? '').filter(isUuid);
  const accounts = await findAccounts(db, [...new Set(ids)]);
  return new Map(
    accounts.map(({ id, name, email }) => [`operator ${id}`, name ?? seal.open(email, sealNameOfAccount(id))]),
  );
}

/** The name or mail address of an operator at the desk; another actor as it is written. */
export async function operatorName(db: Queryable, seal: Seal, actor: string): Promise<string> {
  if (!isUuid(operatorOfActor(actor) ?? '')) return actor;
  return (await operatorNames(db, seal, [{ actor }])).get(actor) ?? actor;
}
