// When the guests of a checkout are told something next, and what of its shares they are told of. notify_at is null where
// nobody is to be told anything (a party of test members), and stays so.

import type { Queryable } from '../../../base/db.ts';
import type { NotifiedShare } from './decide-notifications.ts';

/** Something has happened that guests are told of, or another moment is the next one: it is looked at now. */
export async function scheduleNotifications(tx: Queryable, venueId: string, checkoutId: string): Promise<void> {
  await tx.query(`update checkouts set notify_at = '-infinity' where venue_id = $1 and checkout_id = $2`, [
    venueId,
    checkoutId,
  ]);
}

/** The same, where there is anybody to tell. */
export async function scheduleNotificationsIfParty(tx: Queryable, venueId: string, checkoutId: string): Promise<void> {
  await tx.query(
    `update checkouts set notify_at = '-infinity' where venue_id = $1 and checkout_id = $2 and notify_at is not null`,
    [venueId, checkoutId],
  );
}

export interface DueNotifications {
  readonly venueId: string;
  readonly checkoutId: string;
}

export async function findDueNotifications(db: Queryable, now: number, limit: number): Promise<DueNotifications[]> {
  return db.query<DueNotifications>(
    `select venue_id as "venueId", checkout_id as "checkoutId" from checkouts
     where notify_at < 'infinity' and notify_at <= to_timestamp($1 / 1000.0) order by notify_at limit $2`,
    [now, limit],
  );
}

/** Held until the transaction ends; false: somebody else is at it, or has been. */
export async function claimNotifications(tx: Queryable, due: DueNotifications, now: number): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from checkouts where venue_id = $1 and checkout_id = $2 and notify_at <= to_timestamp($3 / 1000.0)
     for no key update skip locked`,
    [due.venueId, due.checkoutId, now],
  );
  return rows.length === 1;
}

/** Null: it is looked at when something happens. */
export async function scheduleNextNotification(
  tx: Queryable,
  due: DueNotifications,
  at: number | 'later' | 'never',
): Promise<void> {
  await tx.query(
    `update checkouts set notify_at = case $3 when 'later' then 'infinity' when 'never' then null
       else to_timestamp($4 / 1000.0) end
     where venue_id = $1 and checkout_id = $2`,
    [due.venueId, due.checkoutId, typeof at === 'number' ? 'at' : at, typeof at === 'number' ? at : null],
  );
}

const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

export async function sharesToNotify(
  tx: Queryable,
  { venueId, checkoutId }: DueNotifications,
): Promise<NotifiedShare[]> {
  return tx.query<NotifiedShare>(
    `select share_id as "id", member_id as "memberId", amount, status, is_organizer as "isOrganizer",
       ${ms('invited_at')} as "invitedAt", ${ms('reminded_at')} as "remindedAt", ${ms('lost_at')} as "lostAt",
       ${ms('dropped_at')} as "droppedAt"
     from shares where venue_id = $1 and checkout_id = $2 order by place, share_id`,
    [venueId, checkoutId],
  );
}

/** By the checkout's own clock. */
export async function setReminded(tx: Queryable, venueId: string, ids: readonly string[], at: number): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    'update shares set reminded_at = to_timestamp($3 / 1000.0) where venue_id = $1 and share_id = any($2)',
    [venueId, ids, at],
  );
}
