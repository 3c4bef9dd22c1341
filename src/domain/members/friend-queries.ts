// The members whom a member knows: friends from earlier parties, and group chats. Never returns a phone.

import type { Queryable } from '../../base/db.ts';

export interface Friend {
  readonly id: string;
  readonly displayName: string | null;
}

/** Members of earlier parties, the latest first. */
export async function friendsOf(db: Queryable, memberId: string, limit: number): Promise<Friend[]> {
  return db.query<Friend>(
    `select m.member_id as "id", m.display_name as "displayName"
     from friends f join members m on m.member_id = f.friend_id
     where f.member_id = $1 order by f.last_at desc, f.friend_id limit $2`,
    [memberId, limit],
  );
}

/** Those of `ids` whose names the member may see already: friends, and members of the same group chats. */
export async function knownTo(db: Queryable, memberId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ id: string }>(
    `select friend_id as "id" from friends where member_id = $1 and friend_id = any($2)
     union select o.member_id from channel_members mine join channel_members o using (channel_id)
     where mine.member_id = $1 and o.member_id = any($2)`,
    [memberId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}

export interface Channel {
  readonly id: string;
  readonly name: string | null;
  readonly members: readonly Friend[];
}

/** The member's group chats with all their members, the newest chat first. */
export async function channelsOf(db: Queryable, memberId: string, limit: number): Promise<Channel[]> {
  return db.query<Channel>(
    `select c.channel_id as "id", c.name, (
         select json_agg(json_build_object('id', m.member_id, 'displayName', m.display_name)
           order by m.display_name nulls last, m.member_id)
         from channel_members o join members m on m.member_id = o.member_id where o.channel_id = c.channel_id) as "members"
     from channel_members mine join channels c on c.channel_id = mine.channel_id
     where mine.member_id = $1 order by c.created_at desc, c.channel_id limit $2`,
    [memberId, limit],
  );
}
