// The SQL of mails.

import type { Queryable } from '../../base/db.ts';

/**
 * `account`: a change to the ways into an account, such as a new passkey; `security`: a sign-in from a new device, or
 * another role; `notice`: what the people of a venue have to know.
 */
export type MailKind = 'receipt' | 'code' | 'invitation' | 'account' | 'notice' | 'security';

export interface NewMail {
  readonly id: string;
  readonly kind: MailKind;
  readonly subject: string;
  readonly address: Buffer;
  readonly addressHash: Buffer;
  readonly content: Buffer;
  readonly now: number;
  /** Whether the limit of the day counts; it does not where the caller has a limit of their own. */
  readonly isLimited: boolean;
}

/** Mails of one kind to one address in a day: codes that another caller asks for do not use up a guest's receipts. */
const MAILS_PER_DAY = 20;

/**
 * Inserts one mail for each kind and subject; a second one is ignored. Returns false when the address has got too many of
 * this kind in a day. The address is locked while its mails are counted.
 */
export async function insertMail(tx: Queryable, mail: NewMail): Promise<boolean> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('mail ' || encode($1::bytea, 'hex'), 0))`, [
    mail.addressHash,
  ]);
  const [counted] = await tx.query<{ sent: number }>(
    `select count(*)::integer as sent from mails
     where address_hash = $1 and kind = $3 and created_at > to_timestamp($2 / 1000.0) - interval '1 day'`,
    [mail.addressHash, mail.now, mail.kind],
  );
  if (mail.isLimited && (counted?.sent ?? 0) >= MAILS_PER_DAY) return false;
  await tx.query(
    `insert into mails (mail_id, kind, subject, address, address_hash, content, status, due_at, created_at)
     values ($1, $2, $3, $4, $5, $6, 'waiting', to_timestamp($7 / 1000.0), to_timestamp($7 / 1000.0))
     on conflict (kind, subject) do nothing`,
    [mail.id, mail.kind, mail.subject, mail.address, mail.addressHash, mail.content, mail.now],
  );
  return true;
}

/** Whether mails wait for longer than they should: the mail server, or the worker, is down or slow. */
export async function areMailsDelayed(db: Queryable, now: number): Promise<boolean> {
  const rows = await db.query(
    `select 1 from mails where due_at is not null and created_at < to_timestamp($1 / 1000.0) - interval '30 seconds'
       and created_at > to_timestamp($1 / 1000.0) - interval '1 hour' limit 1`,
    [now],
  );
  return rows.length > 0;
}

/** Stored: kept for the outbox of the sandbox, and sent to no mailbox. */
export type MailStatus = 'waiting' | 'sent' | 'stored' | 'failed' | 'dropped';

/** The statuses of the mails with these subjects, the oldest first. */
export async function statusesOfMails(
  db: Queryable,
  kind: MailKind,
  subjects: readonly string[],
): Promise<readonly MailStatus[]> {
  const rows = await db.query<{ status: MailStatus }>(
    'select status from mails where kind = $1 and subject = any($2) order by created_at, subject',
    [kind, subjects],
  );
  return rows.map(({ status }) => status);
}

/** Null: there is no such mail. */
export async function findMailStatus(
  db: Queryable,
  kind: MailKind,
  subject: string,
): Promise<{ readonly status: MailStatus; readonly createdAt: number } | null> {
  const rows = await db.query<{ status: MailStatus; createdAt: number }>(
    `select status, (extract(epoch from created_at at time zone 'UTC') * 1000)::float8 as "createdAt"
     from mails where kind = $1 and subject = $2`,
    [kind, subject],
  );
  return rows[0] ?? null;
}

export interface MailRow {
  readonly id: string;
  readonly kind: MailKind;
  readonly address: Buffer;
  readonly content: Buffer;
  readonly status: MailStatus;
  readonly leaseToken: number;
  readonly createdAt: number;
}

const COLUMNS = `mail_id as "id", kind, address, content, status, lease_token as "leaseToken",
  (extract(epoch from created_at at time zone 'UTC') * 1000)::float8 as "createdAt"`;

/** Leases due mails until `leaseEnds`; after that another worker may claim them. */
export async function claimMails(db: Queryable, now: number, leaseEnds: number, limit: number): Promise<MailRow[]> {
  return db.query<MailRow>(
    `update mails set lease_token = lease_token + 1, due_at = to_timestamp($2 / 1000.0)
     where mail_id = any(array(
       select mail_id from mails where due_at <= to_timestamp($1 / 1000.0) order by due_at limit $3 for update skip locked))
     returning ${COLUMNS}`,
    [now, leaseEnds, limit],
  );
}

export async function finishMail(
  db: Queryable,
  { id, leaseToken }: Pick<MailRow, 'id' | 'leaseToken'>,
  { status, error }: { readonly status: Exclude<MailStatus, 'waiting'>; readonly error: string | null },
  now: number,
): Promise<void> {
  await db.query(
    `update mails set status = $3, last_error = $4, due_at = null,
       sent_at = case when $3 = 'sent' then to_timestamp($5 / 1000.0) end
     where mail_id = $1 and lease_token = $2 and status = 'waiting'`,
    [id, leaseToken, status, error, now],
  );
}

export async function postponeMail(
  db: Queryable,
  { id, leaseToken }: Pick<MailRow, 'id' | 'leaseToken'>,
  dueAt: number,
): Promise<void> {
  await db.query(
    `update mails set due_at = to_timestamp($3 / 1000.0) where mail_id = $1 and lease_token = $2 and status = 'waiting'`,
    [id, leaseToken, dueAt],
  );
}

/** The newest mails that no server has sent, for the sandbox's outbox page. */
export async function newestStoredMails(db: Queryable, limit: number): Promise<MailRow[]> {
  return db.query<MailRow>(
    `select ${COLUMNS} from mails where status in ('waiting', 'stored') order by created_at desc limit $1`,
    [limit],
  );
}

export async function deleteOldMails(db: Queryable, now: number, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from mails where mail_id in (
       select mail_id from mails where created_at < to_timestamp($1 / 1000.0) - interval '30 days' limit $2) returning 1`,
    [now, limit],
  );
  return rows.length;
}
