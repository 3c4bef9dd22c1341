// The SQL of leaving a party: shares whose guest said no, or whom the organizer removed.

import type { Queryable } from '../../../base/db.ts';
import { payersOf } from '../../payments/queries.ts';
import { shareName } from '../share-name.ts';
import type { DropReason } from '../steps.ts';

export interface DroppedShare {
  /** Null: the organizer chose the party again. */
  readonly reason: DropReason | null;
  /** The share was this member's, or was for this member's phone. */
  readonly isOwn: boolean;
}

/** A share that is no part of its party any more; null: there is no such share. */
export async function findDroppedShare(
  tx: Queryable,
  venueId: string,
  shareId: string,
  memberId: string | null,
): Promise<DroppedShare | null> {
  const rows = await tx.query<DroppedShare>(
    `select drop_reason as "reason",
       coalesce(member_id = $3::uuid or invited_phone_hash = member_phone_hash($3::uuid), false) as "isOwn"
     from shares where venue_id = $1 and share_id = $2 and dropped_at is not null`,
    [venueId, shareId, memberId],
  );
  return rows[0] ?? null;
}

/** How a share left the party. */
export interface LeftShare {
  /** Null: the organizer chose the party again. */
  readonly reason: DropReason | null;
  /** What was held on the member's own card and is released. */
  readonly releasedAmount: number;
}

/** The member's share that left the party last; null: the member never had one that did. */
export async function findLeftShare(
  db: Queryable,
  venueId: string,
  checkoutId: string,
  memberId: string,
): Promise<LeftShare | null> {
  const [row] = await db.query<{ id: string; reason: DropReason | null; released: number }>(
    `select share_id as "id", drop_reason as "reason", case when status = 'released' then amount else 0 end as "released"
     from shares where venue_id = $1 and checkout_id = $2 and dropped_at is not null
       and (member_id = $3 or invited_phone_hash = member_phone_hash($3)) order by dropped_at desc limit 1`,
    [venueId, checkoutId, memberId],
  );
  if (row === undefined) return null;
  const payer = row.released === 0 ? memberId : ((await payersOf(db, venueId, checkoutId)).get(row.id) ?? memberId);
  return { reason: row.reason, releasedAmount: payer === memberId ? row.released : 0 };
}

/**
 * The names of those who said no and are not back in the party, the latest last; null: the share shows no name. Someone is back
 * who was named again in the same way, or has acted: otherwise the list would tell the organizer whose phone it is.
 */
export async function declinedNames(db: Queryable, venueId: string, checkoutId: string): Promise<(string | null)[]> {
  const rows = await db.query<{ name: string | null }>(
    `select ${shareName('l')} as "name" from (
       select distinct on (s.member_id, s.invited_phone_hash) s.* from shares s
       where s.venue_id = $1 and s.checkout_id = $2 and s.drop_reason = 'declined' and not exists (
         select 1 from shares n where n.venue_id = $1 and n.checkout_id = $2 and n.dropped_at is null
           and (n.invited_phone_hash = s.invited_phone_hash
             or n.member_id = s.member_id and n.invited_phone_hash is null and s.invited_phone_hash is null
             or n.accepted_at is not null
               and (n.member_id = s.member_id or s.invited_phone_hash = member_phone_hash(n.member_id))))
       order by s.member_id, s.invited_phone_hash, s.dropped_at desc) l
     order by l.dropped_at limit 50`,
    [venueId, checkoutId],
  );
  return rows.map(({ name }) => name);
}
