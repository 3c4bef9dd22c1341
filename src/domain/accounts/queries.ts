// The SQL of accounts, their codes and their sessions.

import type { Queryable } from '../../base/db.ts';
import type { CurrentSession } from './account.ts';
import type { OperatorRole } from './operator-roles.ts';
import type { Role } from './roles.ts';

export interface AccountRow {
  readonly id: string;
  readonly email: Buffer;
  readonly emailHash: Buffer;
  readonly name: string | null;
}

const ACCOUNT_COLUMNS = 'account_id as "id", email, email_hash as "emailHash", name';

/** Null: an account has this mail address already. */
export async function insertAccount(
  tx: Queryable,
  account: AccountRow & { readonly now: number },
): Promise<AccountRow | null> {
  const rows = await tx.query<AccountRow>(
    `insert into accounts (account_id, email, email_hash, name, created_at)
     values ($1, $2, $3, $4, to_timestamp($5 / 1000.0)) on conflict (email_hash) do nothing returning ${ACCOUNT_COLUMNS}`,
    [account.id, account.email, account.emailHash, account.name, account.now],
  );
  return rows[0] ?? null;
}

export async function findAccountByEmail(db: Queryable, emailHash: Buffer): Promise<AccountRow | null> {
  const rows = await db.query<AccountRow>(`select ${ACCOUNT_COLUMNS} from accounts where email_hash = $1`, [emailHash]);
  return rows[0] ?? null;
}

export async function findAccount(db: Queryable, id: string): Promise<AccountRow | null> {
  const rows = await db.query<AccountRow>(`select ${ACCOUNT_COLUMNS} from accounts where account_id = $1`, [id]);
  return rows[0] ?? null;
}

/** False: the account has this name already. */
export async function setAccountName(tx: Queryable, id: string, name: string): Promise<boolean> {
  const rows = await tx.query(
    'update accounts set name = $2 where account_id = $1 and name is distinct from $2 returning 1',
    [id, name],
  );
  return rows.length === 1;
}

/** False: the mail address is no longer the previous one. An address of another account violates a unique index. */
export async function setAccountEmail(
  tx: Queryable,
  id: string,
  change: { readonly email: Buffer; readonly emailHash: Buffer; readonly previousHash: Buffer },
): Promise<boolean> {
  const rows = await tx.query(
    'update accounts set email = $2, email_hash = $3 where account_id = $1 and email_hash = $4 returning 1',
    [id, change.email, change.emailHash, change.previousHash],
  );
  return rows.length === 1;
}

/** Changes to what an account has, such as its passkeys, come one after the other. */
export async function lockAccount(tx: Queryable, id: string): Promise<void> {
  await tx.query('select 1 from accounts where account_id = $1 for update', [id]);
}

export type ChallengePurpose = 'sign_in' | 'step_up' | 'link' | 'domain' | 'email';

export interface NewChallenge {
  readonly id: string;
  readonly purpose: ChallengePurpose;
  /** The session that asked; null: a sign-in, by code or by link. */
  readonly sessionId: string | null;
  readonly email: Buffer;
  readonly emailHash: Buffer;
  readonly codeHash: Buffer;
  readonly expiresAt: number;
  readonly now: number;
}

export async function insertChallenge(tx: Queryable, challenge: NewChallenge): Promise<void> {
  await tx.query(
    `insert into account_challenges
       (challenge_id, purpose, session_id, email, email_hash, code_hash, expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, to_timestamp($7 / 1000.0), to_timestamp($8 / 1000.0))`,
    [
      challenge.id,
      challenge.purpose,
      challenge.sessionId,
      challenge.email,
      challenge.emailHash,
      challenge.codeHash,
      challenge.expiresAt,
      challenge.now,
    ],
  );
}

/** Guesses at one code. */
export const MAX_CODE_TRIES = 5;

export interface TriedChallenge {
  readonly email: Buffer;
  readonly emailHash: Buffer;
  readonly codeHash: Buffer;
  readonly tries: number;
}

/** Counts the try before the code is compared, so that concurrent guesses cannot exceed the limit. Null: not usable. */
export async function tryChallenge(
  db: Queryable,
  { id, purpose, sessionId }: Pick<NewChallenge, 'id' | 'purpose' | 'sessionId'>,
  now: number,
): Promise<TriedChallenge | null> {
  const rows = await db.query<TriedChallenge>(
    `update account_challenges set tries = tries + 1
     where challenge_id = $1 and purpose = $2 and session_id is not distinct from $3 and tries < ${MAX_CODE_TRIES}
       and spent_at is null and expires_at > to_timestamp($4 / 1000.0)
     returning email, email_hash as "emailHash", code_hash as "codeHash", tries`,
    [id, purpose, sessionId, now],
  );
  return rows[0] ?? null;
}

/** False: a concurrent request has used the code already. */
export async function spendChallenge(tx: Queryable, id: string, now: number): Promise<boolean> {
  const rows = await tx.query(
    `update account_challenges set spent_at = to_timestamp($2 / 1000.0)
     where challenge_id = $1 and spent_at is null returning 1`,
    [id, now],
  );
  return rows.length === 1;
}

export interface NewSession {
  readonly id: string;
  readonly accountId: string;
  readonly tokenHash: Buffer;
  readonly address: string | null;
  readonly network: string | null;
  readonly device: string | null;
  readonly isNewDevice: boolean;
  readonly expiresAt: number;
  readonly now: number;
}

export async function insertSession(tx: Queryable, session: NewSession): Promise<void> {
  await tx.query(
    `insert into account_sessions
       (session_id, account_id, token_hash, address, network, created_at, last_used_at, expires_at, device, is_new_device)
     values ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0), to_timestamp($6 / 1000.0), to_timestamp($7 / 1000.0), $8, $9)`,
    [
      session.id,
      session.accountId,
      session.tokenHash,
      session.address,
      session.network,
      session.now,
      session.expiresAt,
      session.device,
      session.isNewDevice,
    ],
  );
}

const IDLE_HOURS = 12;
/** A request writes the time of use at most this often, so that a read of the console is a read of the database. */
const TOUCH_MINUTES = 5;

const milliseconds = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

const SESSION_COLUMNS = `s.session_id as "id", ${milliseconds('s.created_at')} as "createdAt",
  ${milliseconds('s.last_used_at')} as "lastUsedAt", ${milliseconds('s.expires_at')} as "expiresAt",
  ${milliseconds('s.stepped_up_at')} as "steppedUpAt", coalesce(s.last_address, s.address) as "address",
  s.device, s.is_new_device as "isNewDevice"`;

/** `at` is the expression of the present time. */
const isOpen = (at: string): string =>
  `ended_at is null and expires_at > ${at} and last_used_at > ${at} - interval '${IDLE_HOURS} hours'`;

export interface FoundSession extends CurrentSession {
  readonly accountId: string;
  readonly email: Buffer;
  readonly name: string | null;
  /** In the venue that was asked for; null: none, or no venue was asked for. */
  readonly role: Role | null;
  /** Null: the account is no operator. */
  readonly operatorRole: OperatorRole | null;
  /** The operator looks at this venue as its people see it. */
  readonly isViewing: boolean;
}

/** The open session of this token with its account, and the role in a venue. Null: unknown, ended, idle or too old. */
export async function useSession(
  db: Queryable,
  tokenHash: Buffer,
  { venueId, address }: { readonly venueId: string | null; readonly address: string },
  now: number,
): Promise<FoundSession | null> {
  const rows = await db.query<FoundSession>(
    `with s as (
       select * from account_sessions where token_hash = $1 and ${isOpen('to_timestamp($3 / 1000.0)')}
     ), touched as (
       update account_sessions set last_used_at = to_timestamp($3 / 1000.0), last_address = $4 where session_id = (
         select session_id from s where last_used_at < to_timestamp($3 / 1000.0) - interval '${TOUCH_MINUTES} minutes')
     )
     select ${SESSION_COLUMNS}, s.account_id as "accountId", a.email, a.name, p.role,
       o.role as "operatorRole", v.session_id is not null and o.role is not null as "isViewing"
     from s join accounts a on a.account_id = s.account_id
     left join venue_people p on p.venue_id = $2 and p.account_id = s.account_id
     left join operators o on o.account_id = s.account_id
     left join desk_views v on v.session_id = s.session_id and v.venue_id = $2 and v.ends_at > to_timestamp($3 / 1000.0)`,
    [tokenHash, venueId, now, address],
  );
  return rows[0] ?? null;
}

/** The open sessions of an account, newest first. */
export async function listSessions(db: Queryable, accountId: string, now: number): Promise<CurrentSession[]> {
  return db.query<CurrentSession>(
    `select ${SESSION_COLUMNS} from account_sessions s where account_id = $1 and ${isOpen('to_timestamp($2 / 1000.0)')}
     order by created_at desc, session_id desc limit 100`,
    [accountId, now],
  );
}

/** False: the account has no such open session. */
export async function endSession(db: Queryable, accountId: string, id: string, now: number): Promise<boolean> {
  const rows = await db.query(
    `update account_sessions set ended_at = to_timestamp($3 / 1000.0)
     where session_id = $1 and account_id = $2 and ${isOpen('to_timestamp($3 / 1000.0)')} returning 1`,
    [id, accountId, now],
  );
  return rows.length === 1;
}

export async function setSteppedUp(tx: Queryable, id: string, now: number): Promise<void> {
  await tx.query(
    'update account_sessions set stepped_up_at = to_timestamp($2 / 1000.0) where session_id = $1 and ended_at is null',
    [id, now],
  );
}

/** Whether an account of this mail address has signed in from this network in the last 30 days. */
export async function hasSignedInFrom(
  db: Queryable,
  emailHash: Buffer,
  network: string,
  now: number,
): Promise<boolean> {
  const rows = await db.query(
    `select 1 from accounts a join account_sessions s on s.account_id = a.account_id
     where a.email_hash = $1 and s.network = $2 and s.created_at > to_timestamp($3 / 1000.0) - interval '30 days' limit 1`,
    [emailHash, network, now],
  );
  return rows.length > 0;
}

/** Deletes codes and views of operators a day after their end, and sessions 30 days after their sign-in. Returns how many rows it deleted. */
export async function deleteOldAccountSignIns(db: Queryable, now: number, limit: number): Promise<number> {
  const challenges = await db.query(
    `delete from account_challenges where challenge_id in (
       select challenge_id from account_challenges
       where expires_at < to_timestamp($1 / 1000.0) - interval '1 day' limit $2) returning 1`,
    [now, limit],
  );
  const sessions = await db.query(
    `delete from account_sessions where session_id in (
       select session_id from account_sessions
       where created_at < to_timestamp($1 / 1000.0) - interval '30 days' limit $2) returning 1`,
    [now, limit],
  );
  const views = await db.query(
    `delete from desk_views where (venue_id, session_id) in (
       select venue_id, session_id from desk_views
       where ends_at < to_timestamp($1 / 1000.0) - interval '1 day' limit $2) returning 1`,
    [now, limit],
  );
  return challenges.length + sessions.length + views.length;
}

export async function findAccounts(db: Queryable, ids: readonly string[]): Promise<AccountRow[]> {
  if (ids.length === 0) return [];
  return db.query<AccountRow>(`select ${ACCOUNT_COLUMNS} from accounts where account_id = any($1::uuid[])`, [ids]);
}
