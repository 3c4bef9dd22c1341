// The SQL that finds what is stored about a person with a phone, and removes it. Rows of the books keep their member id,
// which then leads to no name and no phone.

import type { Queryable } from '../../base/db.ts';

export interface StoredGuest {
  readonly id: string;
  readonly displayName: string | null;
  readonly language: string | null;
  readonly joinedAt: string | null;
  readonly createdAt: string;
  /** True: an organizer named the phone for one party; its owner has not signed in as this row. */
  readonly isInvitedPhone: boolean;
}

const COLUMNS = `member_id as id, display_name as "displayName", language, utc_text(joined_at) as "joinedAt",
  utc_text(created_at) as "createdAt", invited_phone_hash is not null as "isInvitedPhone"`;

export async function findGuestsByPhone(db: Queryable, phoneHash: Buffer): Promise<StoredGuest[]> {
  return db.query<StoredGuest>(
    `select ${COLUMNS} from members where phone_hash = $1 or invited_phone_hash = $1 order by created_at, member_id`,
    [phoneHash],
  );
}

/** By the id that the operator's own issuer gave, or that a token names. */
export async function findGuestById(
  db: Queryable,
  memberId: string,
): Promise<(StoredGuest & { readonly phone: Buffer | null; readonly phoneHash: Buffer | null }) | null> {
  const [row] = await db.query<StoredGuest & { readonly phone: Buffer | null; readonly phoneHash: Buffer | null }>(
    `select ${COLUMNS}, phone, coalesce(phone_hash, invited_phone_hash) as "phoneHash" from members where member_id = $1`,
    [memberId],
  );
  return row ?? null;
}

export interface StoredMessage {
  readonly id: string;
  readonly kind: string;
  readonly body: Buffer;
  readonly status: string;
  readonly createdAt: string;
}

export async function messagesToPhone(db: Queryable, phoneHash: Buffer): Promise<StoredMessage[]> {
  return db.query<StoredMessage>(
    `select message_id as id, kind, body, status, utc_text(created_at) as "createdAt" from messages
     where phone_hash = $1 order by created_at, message_id`,
    [phoneHash],
  );
}

export interface GuestConnections {
  readonly friends: number;
  readonly chats: number;
  readonly sessions: number;
  readonly hasOptedOut: boolean;
}

export async function connectionsOf(
  db: Queryable,
  memberIds: readonly string[],
  phoneHash: Buffer | null,
): Promise<GuestConnections> {
  const [row] = await db.query<GuestConnections>(
    `select (select count(*) from friends where member_id = any($1))::integer as friends,
       (select count(*) from channel_members where member_id = any($1))::integer as chats,
       (select count(*) from member_sessions where member_id = any($1))::integer as sessions,
       exists (select 1 from opted_out_phones where phone_hash = $2) as "hasOptedOut"`,
    [memberIds, phoneHash],
  );
  return row ?? { friends: 0, chats: 0, sessions: 0, hasOptedOut: false };
}

/** Returns how many rows had something of the person. Whether the phone has opted out stays: it must not get texts again. */
export async function eraseMembers(
  tx: Queryable,
  memberIds: readonly string[],
  phoneHash: Buffer | null,
): Promise<number> {
  const byMember = [memberIds];
  const deleted = [
    await tx.query('delete from member_sessions where member_id = any($1) returning 1', byMember),
    await tx.query('delete from sign_in_challenges where phone_hash = $1 returning 1', [phoneHash]),
    await tx.query('delete from channel_members where member_id = any($1) returning 1', byMember),
    await tx.query('delete from friends where member_id = any($1) or friend_id = any($1) returning 1', byMember),
    await tx.query('delete from named_phones where member_id = any($1) or phone_hash = $2 returning 1', [
      memberIds,
      phoneHash,
    ]),
    await tx.query('delete from messages where phone_hash = $1 returning 1', [phoneHash]),
    await tx.query(
      `update members set display_name = null, phone = null, phone_hash = null, invited_phone_hash = null, language = null,
         token_version = token_version + 1
       where member_id = any($1) and (display_name is not null or phone is not null or language is not null) returning 1`,
      byMember,
    ),
  ];
  return deleted.reduce((sum, rows) => sum + rows.length, 0);
}
