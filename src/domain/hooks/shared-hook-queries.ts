// The only file that reads and writes the tables of shared hook addresses and of the accounts that are routed from them.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import type { CountedCalls } from '../keys/queries.ts';

/** A shared address that admitted a delivery, with its calls counted in the current hour. */
export interface AdmittedSharedHook extends CountedCalls {
  readonly shared_hook_id: string;
  readonly mode: Mode;
}

/** Null: the token is unknown, is revoked, or belongs to another provider. */
export async function admitSharedHook(
  db: Queryable,
  tokenHash: Buffer,
  provider: string,
  limit: number,
): Promise<AdmittedSharedHook | null> {
  const rows = await db.query<AdmittedSharedHook>('select * from admit_shared_hook($1, $2, $3)', [
    tokenHash,
    provider,
    limit,
  ]);
  return rows[0] ?? null;
}

export interface SharedHookRow {
  readonly id: string;
  readonly provider: string;
  readonly mode: Mode;
  readonly created_at: string;
  readonly revoked_at: string | null;
  readonly unrouted_count: number;
  readonly unrouted_at: string | null;
}

const COLUMNS = 'shared_hook_id as id, provider, mode, created_at, revoked_at, unrouted_count, unrouted_at';

export async function insertSharedHook(
  tx: Queryable,
  hook: {
    readonly id: string;
    readonly provider: string;
    readonly mode: Mode;
    readonly tokenHash: Buffer;
    readonly now: number;
  },
): Promise<void> {
  await tx.query(
    `insert into shared_hooks (shared_hook_id, provider, mode, token_hash, created_at)
     values ($1, $2, $3, $4, to_timestamp($5 / 1000.0))`,
    [hook.id, hook.provider, hook.mode, hook.tokenHash, hook.now],
  );
}

/** Newest first. */
export async function listSharedHooks(db: Queryable, limit: number): Promise<SharedHookRow[]> {
  return db.query<SharedHookRow>(`select ${COLUMNS} from shared_hooks order by shared_hook_id desc limit $1`, [limit]);
}

/** Null: there is no such address, or it was revoked before. */
export async function setSharedHookRevoked(tx: Queryable, id: string, now: number): Promise<SharedHookRow | null> {
  const rows = await tx.query<SharedHookRow>(
    `update shared_hooks set revoked_at = to_timestamp($2 / 1000.0)
     where shared_hook_id = $1 and revoked_at is null returning ${COLUMNS}`,
    [id, now],
  );
  return rows[0] ?? null;
}

export async function countUnrouted(db: Queryable, id: string, now: number): Promise<void> {
  await db.query(
    `update shared_hooks set unrouted_count = unrouted_count + 1, unrouted_at = to_timestamp($2 / 1000.0)
     where shared_hook_id = $1`,
    [id, now],
  );
}

export interface AccountRoute {
  readonly venue_id: string;
  readonly integration_id: string;
}

/** The active integrations to which accounts are routed. */
export async function findAccountRoutes(
  db: Queryable,
  provider: string,
  mode: Mode,
  accounts: readonly string[],
): Promise<(AccountRoute & { readonly account: string })[]> {
  return db.query<AccountRoute & { readonly account: string }>(
    `select a.account, a.venue_id, a.integration_id from hook_account_routes a
     join integrations i on i.venue_id = a.venue_id and i.integration_id = a.integration_id
     where a.provider = $1 and a.mode = $2 and a.account = any($3) and i.revoked_at is null`,
    [provider, mode, accounts],
  );
}

/** False: another active integration has the account. */
export async function storeAccountRoute(
  tx: Queryable,
  route: AccountRoute & {
    readonly provider: string;
    readonly mode: Mode;
    readonly account: string;
    readonly now: number;
  },
): Promise<boolean> {
  const [current] = await tx.query<AccountRoute>(
    `select venue_id, integration_id from hook_account_routes where provider = $1 and mode = $2 and account = $3 for update`,
    [route.provider, route.mode, route.account],
  );
  if (current !== undefined && current.integration_id !== route.integration_id && !(await isRevoked(tx, current)))
    return false;
  const rows = await tx.query(
    `insert into hook_account_routes as a (provider, mode, account, venue_id, integration_id, routed_at)
     values ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0))
     on conflict (provider, mode, account) do update
       set venue_id = excluded.venue_id, integration_id = excluded.integration_id, routed_at = excluded.routed_at
       where a.integration_id in (excluded.integration_id, $7)
     returning 1`,
    [
      route.provider,
      route.mode,
      route.account,
      route.venue_id,
      route.integration_id,
      route.now,
      current?.integration_id ?? '',
    ],
  );
  return rows.length > 0;
}

async function isRevoked(tx: Queryable, { venue_id, integration_id }: AccountRoute): Promise<boolean> {
  const rows = await tx.query(
    'select 1 from integrations where venue_id = $1 and integration_id = $2 and revoked_at is not null',
    [venue_id, integration_id],
  );
  return rows.length > 0;
}
