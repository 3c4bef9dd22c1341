// When the guests of a checkout are notified next, and the shares that the notifications are about. A null time means
// that the checkout has no guests to notify (a party of test members), and stays null.

import type { Queryable } from '../../../base/db.ts';
import { shareName } from '../share-name.ts';
import type { NotifiedShare } from './decide-notifications.ts';

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

/** Locks the checkout's row until the transaction ends. False: another worker has it, or has handled it. */
export async function claimNotifications(tx: Queryable, due: DueNotifications, now: number): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from checkouts where venue_id = $1 and checkout_id = $2 and notify_at <= to_timestamp($3 / 1000.0)
     for no key update skip locked`,
    [due.venueId, due.checkoutId, now],
  );
  return rows.length === 1;
}

/** 'later': due after the next change. 'never': the checkout has ended. */
export async function scheduleNextNotification(
  tx: Queryable,
  due: DueNotifications,
  at: number | 'later' | 'never',
): Promise<void> {
  await tx.query(
    `update checkouts set notify_at = case when $3 = 'later' then 'infinity' when $3 = 'never' then null
       else to_timestamp($4 / 1000.0) end
     where venue_id = $1 and checkout_id = $2`,
    [due.venueId, due.checkoutId, typeof at === 'number' ? 'at' : at, typeof at === 'number' ? at : null],
  );
}

const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

/** The shares of the present party and those that were dropped each have an index, and there is none of all together. */
export async function sharesToNotify(
  tx: Queryable,
  { venueId, checkoutId }: DueNotifications,
): Promise<NotifiedShare[]> {
  const read = (condition: string): string =>
    `select share_id as "id", member_id as "memberId", amount, status, is_organizer as "isOrganizer",
       ${ms('invited_at')} as "invitedAt", ${ms('reminded_at')} as "remindedAt", ${ms('lost_at')} as "lostAt",
       ${ms('dropped_at')} as "droppedAt", drop_reason as "dropReason", accepted_at is not null as "isAccepted",
       ${shareName('shares')} as "displayName", position
     from shares where venue_id = $1 and checkout_id = $2 and ${condition}`;
  const rows = await tx.query<NotifiedShare & { readonly position: number }>(
    `${read('dropped_at is null')} union all ${read('dropped_at is not null')} order by position, "id"`,
    [venueId, checkoutId],
  );
  return rows.map(({ position: _position, ...share }) => share);
}

/** `at` is in the checkout's own time. */
export async function setReminded(tx: Queryable, venueId: string, ids: readonly string[], at: number): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    'update shares set reminded_at = to_timestamp($3 / 1000.0) where venue_id = $1 and share_id = any($2)',
    [venueId, ids, at],
  );
}

/** Whether the share was not reminded after `restedSince` until now. Times are in the checkout's own time. */
export async function claimReminder(
  tx: Queryable,
  venueId: string,
  shareId: string,
  at: number,
  restedSince: number,
): Promise<boolean> {
  const rows = await tx.query(
    `update shares set reminded_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and share_id = $2 and dropped_at is null and status in ('invited', 'failed')
       and (reminded_at is null or reminded_at <= to_timestamp($4 / 1000.0)) returning 1`,
    [venueId, shareId, at, restedSince],
  );
  return rows.length === 1;
}

/** What is stored with a share about its invite. Times are on the wall clock, in milliseconds. */
export interface InviteTimes {
  readonly shareId: string;
  /** When its guest, signed in, first opened the invite or took the seat. Null: not since this invite. */
  readonly openedAt: number | null;
  /** When its guest was reminded last, or will be, after quiet hours. */
  readonly remindedAt: number | null;
}

/**
 * A new share of a guest who was in the party before counts as accepted from its beginning, when its invite is made too:
 * that invite was not opened yet. A seat is taken, and so accepted, after its invite was made.
 */
export async function inviteTimesOf(db: Queryable, venueId: string, checkoutId: string): Promise<InviteTimes[]> {
  return db.query<InviteTimes>(
    `select s.share_id as "shareId",
       case when s.accepted_at <> s.invited_at then ${ms('s.accepted_at')}
         when s.accepted_at - c.clock_ahead > i.created_at then ${ms('s.accepted_at - c.clock_ahead')} end as "openedAt",
       ${ms('s.reminded_at - c.clock_ahead')} as "remindedAt"
     from shares s
     join checkouts c on c.venue_id = s.venue_id and c.checkout_id = s.checkout_id
     join invites i on i.venue_id = s.venue_id and i.share_id = s.share_id
     where s.venue_id = $1 and s.checkout_id = $2 and s.dropped_at is null`,
    [venueId, checkoutId],
  );
}
