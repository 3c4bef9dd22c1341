// The SQL of notices.

import type { Queryable } from '../../base/db.ts';
import type { NewNotice, Notice } from './notice.ts';

/** False: there is one with this subject already. */
export async function insertNotice(
  tx: Queryable,
  { venueId, mode, kind, subject, detail }: NewNotice,
  { id, dueAt, now }: { readonly id: string; readonly dueAt: number; readonly now: number },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into notices (venue_id, notice_id, mode, kind, subject, detail, due_at, created_at)
     values ($1, $2, $3, $4, $5, $6, to_timestamp($7 / 1000.0), to_timestamp($8 / 1000.0))
     on conflict (venue_id, kind, subject) do nothing returning 1`,
    [venueId, id, mode, kind, subject, JSON.stringify(detail), dueAt, now],
  );
  return rows.length === 1;
}

const COLUMNS = 'notice_id as "id", venue_id as "venueId", mode, kind, detail';

/** After this many mails of one venue, mode and kind in a day, what follows is joined into one mail an hour. */
const MAILS_AT_ONCE_PER_DAY = 5;

/** When the next mail about this venue, mode and kind may be queued. */
async function nextMailAt(tx: Queryable, { venueId, kind, mode }: Notice, now: number): Promise<number> {
  const [row] = await tx.query<{ count: number; last: number | null }>(
    `select count(distinct mailed_at)::integer as count, extract(epoch from max(mailed_at))::float8 * 1000 as last
     from notices where venue_id = $1 and kind = $2 and mode = $3
       and mailed_at > to_timestamp($4 / 1000.0) - interval '1 day'`,
    [venueId, kind, mode, now],
  );
  const { count, last } = row ?? { count: 0, last: null };
  return last === null || count < MAILS_AT_ONCE_PER_DAY ? now : last + 3_600_000;
}

/** So many workers may each have locked one of the oldest due notices. */
const MAX_WORKERS = 20;

/** The oldest due notice that no other worker has locked. A look across venues first, because a lock names its venue. */
async function lockDueNotice(tx: Queryable, now: number): Promise<Notice | null> {
  const due = await tx.query<{ venueId: string; id: string }>(
    `select venue_id as "venueId", notice_id as id from notices where due_at <= to_timestamp($1 / 1000.0)
     order by due_at limit ${MAX_WORKERS}`,
    [now],
  );
  for (const { venueId, id } of due) {
    const [locked] = await tx.query<Notice>(
      `select ${COLUMNS} from notices where venue_id = $1 and notice_id = $2 and due_at <= to_timestamp($3 / 1000.0)
       for update skip locked`,
      [venueId, id, now],
    );
    if (locked !== undefined) return locked;
  }
  return null;
}

/**
 * Takes the oldest due notice, and with it the others of its venue and kind that wait, in the order in which they were
 * recorded. They are taken for good when the transaction commits, together with their mails; another worker skips them
 * meanwhile. Null: none is due. Empty: they wait, to be joined into one mail with those that follow.
 */
export async function takeDueNotices(tx: Queryable, now: number, limit: number): Promise<Notice[] | null> {
  const first = await lockDueNotice(tx, now);
  if (first === null) return null;
  const group = [first.venueId, first.kind, first.mode];
  const mailAt = await nextMailAt(tx, first, now);
  if (mailAt > now) {
    await tx.query(
      `update notices set due_at = to_timestamp($4 / 1000.0) where venue_id = $1 and notice_id in (
         select notice_id from notices where venue_id = $1 and kind = $2 and mode = $3
           and due_at < to_timestamp($4 / 1000.0) for update skip locked)`,
      [...group, mailAt],
    );
    return [];
  }
  return tx.query<Notice>(
    `with taken as (
       update notices set due_at = null, mailed_at = to_timestamp($5 / 1000.0) where venue_id = $1 and notice_id in (
         select notice_id from notices where venue_id = $1 and kind = $2 and mode = $3 and due_at is not null
         order by due_at, notice_id limit $4 for update skip locked)
       returning *)
     select ${COLUMNS} from taken order by created_at, notice_id`,
    [...group, limit, now],
  );
}

/** Deletes notices 90 days after they were recorded. Returns how many. */
export async function deleteOldNotices(db: Queryable, now: number, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from notices where (venue_id, notice_id) in (
       select venue_id, notice_id from notices where created_at < to_timestamp($1 / 1000.0) - interval '90 days' limit $2)
     returning 1`,
    [now, limit],
  );
  return rows.length;
}
