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

/**
 * Takes the oldest due notice, and with it the others of its venue and kind that wait. They are taken for good when the
 * transaction commits, together with their mails; another worker skips them meanwhile.
 */
export async function takeDueNotices(tx: Queryable, now: number, limit: number): Promise<Notice[]> {
  const [first] = await tx.query<Notice>(
    `select ${COLUMNS} from notices where due_at <= to_timestamp($1 / 1000.0) order by due_at limit 1
     for update skip locked`,
    [now],
  );
  if (first === undefined) return [];
  return tx.query<Notice>(
    `update notices set due_at = null where (venue_id, notice_id) in (
       select venue_id, notice_id from notices where venue_id = $1 and kind = $2 and mode = $3 and due_at is not null
       order by due_at limit $4 for update skip locked)
     returning ${COLUMNS}`,
    [first.venueId, first.kind, first.mode, limit],
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
