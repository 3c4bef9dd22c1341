// The SQL of text messages.

import type { Queryable } from '../../../base/db.ts';

export type MessageKind =
  | 'code'
  | 'invite'
  | 'reminder'
  | 'released'
  | 'ended'
  | 'lost'
  | 'completed'
  | 'declined'
  | 'removed';

export interface NewMessage {
  readonly id: string;
  readonly memberId: string | null;
  readonly phone: Buffer;
  readonly phoneHash: Buffer;
  readonly kind: MessageKind;
  readonly subject: string;
  readonly text: Buffer;
  readonly dueAt: number;
  /** From then on it is dropped instead of sent; null: never. */
  readonly sendBefore: number | null;
  readonly now: number;
}

/** Why a message was dropped that had become useless. */
export const TOO_LATE = 'too late';
export const NOT_NEEDED = 'the share is not to be paid any more';

/** Limits for one phone. Codes do not count; sign-in.ts limits them. */
/** With reminders: an organizer who changes the party can ask for both again and again. */
const INVITES_PER_HOUR = 5;
const MESSAGES_PER_DAY = 20;

/**
 * Inserts one message for each kind and subject; a second one is ignored. A message over the phone's limit is stored as
 * dropped. The phone is locked while its messages are counted, so a caller with several messages must sort them by phone.
 * The lock is by number, because a phone that an organizer named has no row of its own.
 */
export async function insertMessage(tx: Queryable, message: NewMessage): Promise<void> {
  if (message.kind !== 'code') {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('phone ' || encode($1::bytea, 'hex'), 0))`, [
      message.phoneHash,
    ]);
  }
  await tx.query(
    `insert into messages (message_id, member_id, phone, phone_hash, kind, subject, body, status, last_error, due_at, created_at, send_before)
     select $1, $2, $3, $4, $5, $6, $7, case when n.too_many then 'dropped' else 'waiting' end,
       case when n.too_many then 'too many for this phone' end,
       case when not n.too_many then to_timestamp($8 / 1000.0) end, to_timestamp($9 / 1000.0), to_timestamp($10 / 1000.0)
     from (
       select $5 <> 'code' and (count(*) >= ${MESSAGES_PER_DAY} or ($5 in ('invite', 'reminder') and count(*) filter (
           where kind in ('invite', 'reminder') and created_at > to_timestamp($9 / 1000.0) - interval '1 hour') >= ${INVITES_PER_HOUR}))
         as too_many
       from messages where phone_hash = $4 and kind <> 'code' and status <> 'dropped'
         and created_at > to_timestamp($9 / 1000.0) - interval '1 day') n
     on conflict (kind, subject) do nothing`,
    [
      message.id,
      message.memberId,
      message.phone,
      message.phoneHash,
      message.kind,
      message.subject,
      message.text,
      message.dueAt,
      message.now,
      message.sendBefore,
    ],
  );
}

export interface MessageRow {
  readonly id: string;
  readonly phone: Buffer;
  readonly phoneHash: Buffer;
  readonly kind: MessageKind;
  readonly text: Buffer;
  readonly leaseToken: number;
  readonly createdAt: number;
  readonly hasOptedOut: boolean;
}

const MESSAGE_COLUMNS = `message_id as "id", phone, phone_hash as "phoneHash", kind, body as "text", lease_token as "leaseToken",
  (extract(epoch from created_at at time zone 'UTC') * 1000)::float8 as "createdAt"`;

/** Sign-in codes are sent before all other messages. */
export type MessageClass = 'code' | 'other';

const CLASS_CONDITIONS: Readonly<Record<MessageClass, string>> = { code: "kind = 'code'", other: "kind <> 'code'" };

export async function hasDueMessage(db: Queryable, messageClass: MessageClass, now: number): Promise<boolean> {
  const rows = await db.query(
    `select 1 from messages where due_at <= to_timestamp($1 / 1000.0) and ${CLASS_CONDITIONS[messageClass]} limit 1`,
    [now],
  );
  return rows.length === 1;
}

/** Drops due messages that are useless by now. */
export async function dropLateMessages(db: Queryable, now: number, limit: number): Promise<void> {
  await db.query(
    `update messages set status = 'dropped', due_at = null, last_error = '${TOO_LATE}'
     where message_id = any(array(
       select message_id from messages
       where due_at is not null and send_before <= to_timestamp($1 / 1000.0) and due_at <= to_timestamp($1 / 1000.0)
       order by send_before limit $2 for update skip locked))`,
    [now, limit],
  );
}

/** Messages that are not sent yet, those included that wait for a time. */
export async function countWaiting(db: Queryable): Promise<Record<MessageClass, number>> {
  const rows = await db.query<Record<MessageClass, number>>(
    `select count(*) filter (where kind = 'code')::int as code, count(*) filter (where kind <> 'code')::int as other
     from messages where due_at is not null`,
  );
  return rows[0] ?? { code: 0, other: 0 };
}

/**
 * Leases due messages until `leaseEnds`; after that another worker may claim them. Those that are late are left for
 * dropLateMessages, which takes as many as fit into a batch: no reminder is sent in the night.
 */
export async function claimMessages(
  db: Queryable,
  messageClass: MessageClass,
  now: number,
  leaseEnds: number,
  limit: number,
): Promise<MessageRow[]> {
  return db.query<MessageRow>(
    `update messages m set lease_token = lease_token + 1, due_at = to_timestamp($2 / 1000.0)
     where message_id = any(array(
       select message_id from messages where due_at <= to_timestamp($1 / 1000.0) and ${CLASS_CONDITIONS[messageClass]}
         and (send_before is null or send_before > to_timestamp($1 / 1000.0))
       order by due_at limit $3 for update skip locked))
     returning ${MESSAGE_COLUMNS}, exists (
       select 1 from opted_out_phones p where p.phone_hash = m.phone_hash) as "hasOptedOut"`,
    [now, leaseEnds, limit],
  );
}

export async function finishMessage(
  db: Queryable,
  id: string,
  leaseToken: number,
  outcome: {
    readonly status: 'sent' | 'failed' | 'dropped';
    readonly providerId: string | null;
    readonly error: string | null;
  },
  now: number,
): Promise<void> {
  await db.query(
    `update messages set status = $3, provider_id = $4, last_error = $5, due_at = null,
       sent_at = case when $3 = 'sent' then to_timestamp($6 / 1000.0) end
     where message_id = $1 and lease_token = $2 and status = 'waiting'`,
    [id, leaseToken, outcome.status, outcome.providerId, outcome.error, now],
  );
}

export async function postponeMessage(db: Queryable, id: string, leaseToken: number, dueAt: number): Promise<void> {
  await db.query(
    `update messages set due_at = to_timestamp($3 / 1000.0) where message_id = $1 and lease_token = $2 and status = 'waiting'`,
    [id, leaseToken, dueAt],
  );
}

/** Drops waiting invites and reminders of shares that are not to be paid any more. Their subjects begin with the share's id. */
export async function dropMessages(tx: Queryable, shareIds: readonly string[]): Promise<void> {
  await tx.query(
    `update messages set status = 'dropped', due_at = null, last_error = '${NOT_NEEDED}'
     where kind in ('invite', 'reminder') and split_part(subject, ' ', 1) = any($1) and status = 'waiting'`,
    [shareIds],
  );
}

/** Drops waiting messages that ask this phone for a payment, if their subject begins with one of these ids. */
export async function dropMessagesAbout(tx: Queryable, phoneHash: Buffer, ids: readonly string[]): Promise<void> {
  await tx.query(
    `update messages set status = 'dropped', due_at = null, last_error = 'the share is not to be paid any more'
     where phone_hash = $1 and status = 'waiting' and kind in ('invite', 'reminder', 'lost')
       and exists (select 1 from unnest($2::text[]) as n(id) where starts_with(subject, n.id))`,
    [phoneHash, ids],
  );
}

export interface OutboxRow extends MessageRow {
  readonly status: string;
}

/** The newest messages, for the sandbox's outbox page. */
export async function newestMessages(db: Queryable, phoneHash: Buffer | null, limit: number): Promise<OutboxRow[]> {
  return db.query<OutboxRow>(
    `select ${MESSAGE_COLUMNS}, status, false as "hasOptedOut" from messages
     where $1::bytea is null or phone_hash = $1 order by created_at desc limit $2`,
    [phoneHash, limit],
  );
}

export async function deleteOldMessages(db: Queryable, now: number, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from messages where message_id in (
       select message_id from messages where created_at < to_timestamp($1 / 1000.0) - interval '30 days' limit $2) returning 1`,
    [now, limit],
  );
  return rows.length;
}

export interface SentMessage {
  readonly id: string;
  readonly kind: 'invite' | 'reminder';
  readonly shareId: string;
  readonly at: string;
}

/** The invites and reminders that were sent for these shares, oldest first. */
export async function messagesSentFor(
  db: Queryable,
  shareIds: readonly string[],
  limit: number,
): Promise<SentMessage[]> {
  return db.query<SentMessage>(
    `select message_id as "id", kind, split_part(subject, ' ', 1) as "shareId", utc_micros(sent_at) as "at" from messages
     where kind in ('invite', 'reminder') and split_part(subject, ' ', 1) = any($1) and sent_at is not null
     order by sent_at, message_id limit $2`,
    [shareIds, limit],
  );
}
