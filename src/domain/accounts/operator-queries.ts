// The SQL of operators, and of the venues that they look at.

import type { Queryable } from '../../base/db.ts';
import type { OperatorRole } from './operator-roles.ts';

export interface OperatorRow {
  readonly accountId: string;
  readonly email: Buffer;
  readonly name: string | null;
  readonly role: OperatorRole;
  readonly createdAt: string;
}

/** False: the account is an operator with this role already. */
export async function setOperator(
  tx: Queryable,
  operator: { readonly accountId: string; readonly role: OperatorRole; readonly now: number },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into operators (account_id, role, created_at) values ($1, $2, to_timestamp($3 / 1000.0))
     on conflict (account_id) do update set role = excluded.role where operators.role <> excluded.role returning 1`,
    [operator.accountId, operator.role, operator.now],
  );
  return rows.length === 1;
}

/** Null: the account is no operator. */
export async function deleteOperator(tx: Queryable, accountId: string): Promise<OperatorRole | null> {
  const rows = await tx.query<{ role: OperatorRole }>('delete from operators where account_id = $1 returning role', [
    accountId,
  ]);
  return rows[0]?.role ?? null;
}

/** The operator reads this venue as its people do until then. */
export async function openView(
  tx: Queryable,
  view: { readonly sessionId: string; readonly venueId: string; readonly endsAt: number },
): Promise<void> {
  await tx.query(
    `insert into desk_views (venue_id, session_id, ends_at) values ($1, $2, to_timestamp($3 / 1000.0))
     on conflict (venue_id, session_id) do update set ends_at = excluded.ends_at`,
    [view.venueId, view.sessionId, view.endsAt],
  );
}

/** The venues that a session of an operator looks at now. */
export async function openViews(
  db: Queryable,
  sessionId: string,
  now: number,
): Promise<{ readonly venueId: string; readonly endsAt: string }[]> {
  return db.query(
    `select v.venue_id as "venueId", utc_micros(v.ends_at) as "endsAt" from desk_views v
     join account_sessions s on s.session_id = v.session_id join operators o on o.account_id = s.account_id
     where v.session_id = $1 and v.ends_at > to_timestamp($2 / 1000.0) order by v.ends_at`,
    [sessionId, now],
  );
}

/** Null: the account is no operator. */
export async function roleOfOperator(db: Queryable, accountId: string): Promise<OperatorRole | null> {
  const rows = await db.query<{ role: OperatorRole }>('select role from operators where account_id = $1', [accountId]);
  return rows[0]?.role ?? null;
}

/** Oldest first. */
export async function listOperatorRows(db: Queryable): Promise<OperatorRow[]> {
  return db.query<OperatorRow>(
    `select o.account_id as "accountId", a.email, a.name, o.role, o.created_at as "createdAt"
     from operators o join accounts a on a.account_id = o.account_id order by o.created_at, o.account_id limit 1000`,
  );
}
