// The SQL of members, their sign-ins and sessions, group chats (channels) and friends.

import type { Queryable } from '../../base/db.ts';
import type { Language } from '../../base/translations.ts';

export interface MemberRow {
  readonly id: string;
  readonly displayName: string | null;
  readonly phone: Buffer | null;
  readonly phoneHash: Buffer | null;
  readonly hasOptedOut: boolean;
  readonly language: Language | null;
  /** True: a placeholder for an open seat of a party, not a real member. */
  readonly isSeat: boolean;
  /** True: a placeholder for a phone that the organizer of one party named, not a real member. */
  readonly isInvitedPhone: boolean;
}

const MEMBER_COLUMNS = `member_id as "id", display_name as "displayName", phone,
  coalesce(phone_hash, invited_phone_hash) as "phoneHash", exists (
    select 1 from opted_out_phones s where s.phone_hash = coalesce(members.phone_hash, invited_phone_hash)) as "hasOptedOut",
  language, is_seat as "isSeat", invited_phone_hash is not null as "isInvitedPhone"`;

export async function findMembers(db: Queryable, ids: readonly string[]): Promise<Map<string, MemberRow>> {
  const rows = await db.query<MemberRow>(`select ${MEMBER_COLUMNS} from members where member_id = any($1)`, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

export interface NewMember {
  readonly id: string;
  readonly displayName: string | null;
  readonly phone: Buffer | null;
  readonly phoneHash: Buffer | null;
  /** Null: not known; a stored language is kept. */
  readonly language: Language | null;
  readonly now: number;
}

/** Returns the member who has this phone already, or a new one. */
export async function insertMember(tx: Queryable, member: NewMember): Promise<MemberRow> {
  const rows = await tx.query<{ id: string }>(
    `insert into members (member_id, display_name, phone, phone_hash, joined_at, created_at, language)
     values ($1, $2, $3, $4, to_timestamp($5 / 1000.0), to_timestamp($5 / 1000.0), $6)
     on conflict (phone_hash) where phone_hash is not null do update
       set joined_at = coalesce(members.joined_at, excluded.joined_at),
         display_name = coalesce(excluded.display_name, members.display_name),
         language = coalesce(excluded.language, members.language)
     returning member_id as "id"`,
    [member.id, member.displayName, member.phone, member.phoneHash, member.now, member.language],
  );
  const [id = ''] = rows.map((row) => row.id);
  // Read again: a distributed database refuses the subquery of MEMBER_COLUMNS in an insert.
  const found = (await findMembers(tx, [id])).get(id);
  if (found === undefined) throw new Error('inserting a member returned no row');
  return found;
}

/** Inserts placeholder members for open seats of a party. */
export async function insertSeats(tx: Queryable, ids: readonly string[], now: number): Promise<void> {
  await tx.query(
    `insert into members (member_id, is_seat, created_at)
     select n.id, true, to_timestamp($2 / 1000.0) from unnest($1::uuid[]) as n(id)`,
    [ids, now],
  );
}

export interface InvitedPhone {
  readonly id: string;
  readonly phone: Buffer;
  readonly phoneHash: Buffer;
}

/**
 * Inserts a placeholder for each phone that an organizer named. It never finds a member: known and unknown phones take the
 * same path. Texts are in the language of the phone's owner if that is stored, else in the organizer's.
 */
export async function insertInvitedPhones(
  tx: Queryable,
  phones: readonly InvitedPhone[],
  language: Language | null,
  now: number,
): Promise<void> {
  await tx.query(
    `insert into members (member_id, phone, invited_phone_hash, language, created_at)
     select n.id, n.phone, n.hash, coalesce((select m.language from members m where m.phone_hash = n.hash), $4),
       to_timestamp($5 / 1000.0)
     from unnest($1::uuid[], $2::bytea[], $3::bytea[]) as n(id, phone, hash)`,
    [
      phones.map(({ id }) => id),
      phones.map(({ phone }) => phone),
      phones.map(({ phoneHash }) => phoneHash),
      language,
      now,
    ],
  );
}

/** Stores a member of the operator's own issuer, of whom only the id is known. */
export async function storeIssuerMember(db: Queryable, id: string, now: number): Promise<void> {
  await db.query(
    `insert into members (member_id, joined_at, created_at)
     values ($1, to_timestamp($2 / 1000.0), to_timestamp($2 / 1000.0)) on conflict (member_id) do nothing`,
    [id, now],
  );
}

export interface NewChallenge {
  readonly id: string;
  readonly phoneHash: Buffer;
  readonly phone: Buffer;
  readonly codeHash: Buffer;
  readonly expiresAt: number;
  readonly now: number;
}

export async function insertChallenge(tx: Queryable, challenge: NewChallenge): Promise<void> {
  await tx.query(
    `insert into sign_in_challenges (challenge_id, phone_hash, phone, code_hash, expires_at, created_at)
     values ($1, $2, $3, $4, to_timestamp($5 / 1000.0), to_timestamp($6 / 1000.0))`,
    [challenge.id, challenge.phoneHash, challenge.phone, challenge.codeHash, challenge.expiresAt, challenge.now],
  );
}

export interface TriedChallenge {
  readonly phoneHash: Buffer;
  readonly phone: Buffer;
  readonly codeHash: Buffer;
}

/** Guesses at one sign-in code. */
const MAX_CODE_TRIES = 5;

/** Counts the try before the code is compared, so that concurrent guesses cannot exceed the limit. Null: not usable. */
export async function tryChallenge(db: Queryable, id: string, now: number): Promise<TriedChallenge | null> {
  const rows = await db.query<TriedChallenge>(
    `update sign_in_challenges set tries = tries + 1
     where challenge_id = $1 and tries < ${MAX_CODE_TRIES} and spent_at is null and expires_at > to_timestamp($2 / 1000.0)
     returning phone_hash as "phoneHash", phone, code_hash as "codeHash"`,
    [id, now],
  );
  return rows[0] ?? null;
}

/** False: a concurrent request has used the code already. */
export async function spendChallenge(tx: Queryable, id: string, now: number): Promise<boolean> {
  const rows = await tx.query(
    `update sign_in_challenges set spent_at = to_timestamp($2 / 1000.0) where challenge_id = $1 and spent_at is null returning 1`,
    [id, now],
  );
  return rows.length === 1;
}

export interface NewSession {
  readonly tokenHash: Buffer;
  readonly memberId: string;
  readonly expiresAt: number;
  readonly now: number;
}

export async function insertSession(db: Queryable, session: NewSession): Promise<void> {
  await db.query(
    `insert into member_sessions (token_hash, member_id, expires_at, created_at)
     values ($1, $2, to_timestamp($3 / 1000.0), to_timestamp($4 / 1000.0))`,
    [session.tokenHash, session.memberId, session.expiresAt, session.now],
  );
}

export interface SessionRow {
  readonly memberId: string;
  readonly displayName: string | null;
  /** In milliseconds. */
  readonly expiresAt: number;
}

export async function findSessionRow(db: Queryable, tokenHash: Buffer, now: number): Promise<SessionRow | null> {
  const rows = await db.query<SessionRow>(
    `select m.member_id as "memberId", m.display_name as "displayName",
       (extract(epoch from s.expires_at at time zone 'UTC') * 1000)::float8 as "expiresAt"
     from member_sessions s join members m on m.member_id = s.member_id
     where s.token_hash = $1 and s.expires_at > to_timestamp($2 / 1000.0)`,
    [tokenHash, now],
  );
  return rows[0] ?? null;
}

/** Deletes a session and ends every token that its member has. */
export async function deleteSession(tx: Queryable, tokenHash: Buffer): Promise<void> {
  const ended = await tx.query<{ memberId: string }>(
    'delete from member_sessions where token_hash = $1 returning member_id as "memberId"',
    [tokenHash],
  );
  for (const { memberId } of ended)
    await tx.query('update members set token_version = token_version + 1 where member_id = $1', [memberId]);
}

/** Null opts in again. A phone that has no member yet can opt out too. */
export async function setOptedOut(db: Queryable, phoneHash: Buffer, at: number | null): Promise<void> {
  if (at === null) {
    await db.query('delete from opted_out_phones where phone_hash = $1', [phoneHash]);
    return;
  }
  await db.query(
    'insert into opted_out_phones (phone_hash, at) values ($1, to_timestamp($2 / 1000.0)) on conflict (phone_hash) do nothing',
    [phoneHash, at],
  );
}

export async function updateName(db: Queryable, memberId: string, name: string): Promise<void> {
  await db.query('update members set display_name = $2 where member_id = $1', [memberId, name]);
}

export async function deleteOldSignIns(db: Queryable, now: number, limit: number): Promise<number> {
  const challenges = await db.query(
    `delete from sign_in_challenges where challenge_id in (
       select challenge_id from sign_in_challenges where expires_at < to_timestamp($1 / 1000.0) - interval '1 day' limit $2)
     returning 1`,
    [now, limit],
  );
  const sessions = await db.query(
    `delete from member_sessions where token_hash in (
       select token_hash from member_sessions where expires_at < to_timestamp($1 / 1000.0) limit $2) returning 1`,
    [now, limit],
  );
  return challenges.length + sessions.length;
}

export async function insertChannel(
  tx: Queryable,
  channel: {
    readonly id: string;
    readonly name: string | null;
    readonly memberIds: readonly string[];
    readonly now: number;
  },
): Promise<void> {
  await tx.query('insert into channels (channel_id, name, created_at) values ($1, $2, to_timestamp($3 / 1000.0))', [
    channel.id,
    channel.name,
    channel.now,
  ]);
  await tx.query(
    'insert into channel_members (channel_id, member_id) select $1, n.id from unnest($2::uuid[]) as n(id)',
    [channel.id, channel.memberIds],
  );
}

/** The members of each channel; unknown channels are left out. */
export async function membersOfChannels(db: Queryable, ids: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await db.query<{ id: string; members: string[] }>(
    `select c.channel_id as "id", coalesce(array_agg(m.member_id order by m.member_id)
       filter (where m.member_id is not null), '{}') as "members"
     from channels c left join channel_members m using (channel_id) where c.channel_id = any($1) group by c.channel_id`,
    [ids],
  );
  return new Map(rows.map(({ id, members }) => [id, members]));
}

/**
 * Friendship is mutual; a repeated one moves to the top. Friends see each other's names, so only members who both acted may
 * become friends. The rows are written in order, so that two transactions never deadlock.
 */
export async function addFriends(
  tx: Queryable,
  memberId: string,
  others: readonly string[],
  now: number,
): Promise<void> {
  await tx.query(
    `insert into friends (member_id, friend_id, last_at)
     select p.a, p.b, to_timestamp($3 / 1000.0) from unnest($2::uuid[]) as n(id)
     cross join lateral (values ($1::uuid, n.id), (n.id, $1::uuid)) as p(a, b) where n.id <> $1 order by p.a, p.b
     on conflict (member_id, friend_id) do update set last_at = excluded.last_at`,
    [memberId, others, now],
  );
}

/** Returns how many of the phones are new to this organizer. Sorted, so that two calls never deadlock. */
export async function insertNamedPhones(
  tx: Queryable,
  organizerId: string,
  hashes: readonly Buffer[],
  now: number,
): Promise<number> {
  const rows = await tx.query(
    `insert into named_phones (member_id, phone_hash, named_at)
     select distinct on (n.hash) $1::uuid, n.hash, to_timestamp($3 / 1000.0) from unnest($2::bytea[]) as n(hash) order by n.hash
     on conflict do nothing returning 1`,
    [organizerId, hashes, now],
  );
  return rows.length;
}
