// The SQL that writes shares: the party, its names and seats, and what was refunded or lost of each.

import type { Queryable } from '../../base/db.ts';
import type { DropReason, NewShare } from './steps.ts';
import type { ShareStatus } from './transitions.ts';

export async function insertShares(
  tx: Queryable,
  venueId: string,
  checkoutId: string,
  shares: readonly NewShare[],
  now: number,
): Promise<void> {
  const ids = shares.map(({ id }) => id);
  await Promise.all([
    tx.query(
      `insert into shares (venue_id, share_id, checkout_id, position, amount, status, is_organizer, member_id, display_name,
         invited_phone_hash, accepted_at, invited_at)
       select $1, n.id, $2, n.position, n.amount, 'invited', n.is_organizer, n.member_id, n.display_name,
         n.phone_hash, case when n.is_accepted then to_timestamp($3 / 1000.0) end, to_timestamp($3 / 1000.0)
       from unnest($4::text[], $5::smallint[], $6::integer[], $7::boolean[], $8::uuid[], $9::text[], $10::bytea[], $11::boolean[])
         as n(id, position, amount, is_organizer, member_id, display_name, phone_hash, is_accepted)`,
      [
        venueId,
        checkoutId,
        now,
        ids,
        shares.map(({ position }) => position),
        shares.map(({ amount }) => amount),
        shares.map(({ isOrganizer }) => isOrganizer),
        shares.map(({ memberId }) => memberId),
        shares.map(({ displayName }) => displayName),
        shares.map(({ invitedPhoneHash }) => invitedPhoneHash ?? null),
        shares.map(({ isAccepted }) => isAccepted === true),
      ],
    ),
    tx.query('insert into checkout_routes (id, venue_id) select n.id, $1 from unnest($2::text[]) as n(id)', [
      venueId,
      ids,
    ]),
  ]);
}

export async function transitionShares(
  tx: Queryable,
  venueId: string,
  ids: readonly string[],
  transition: {
    readonly from: ShareStatus;
    readonly to: ShareStatus;
    readonly heldAt: number | null;
    readonly now: number;
  },
): Promise<number> {
  const rows = await tx.query(
    `update shares set status = $4, held_at = case when $4 = 'failed' then null
       else coalesce(to_timestamp($5 / 1000.0), held_at) end,
       lost_at = case when $3 = 'held' and $4 = 'failed' then to_timestamp($6 / 1000.0) else lost_at end
     where venue_id = $1 and share_id = any($2) and status = $3 returning 1`,
    [venueId, ids, transition.from, transition.to, transition.heldAt, transition.now],
  );
  return rows.length;
}

export async function dropShares(
  tx: Queryable,
  venueId: string,
  ids: readonly string[],
  reason: DropReason | null,
  now: number,
): Promise<number> {
  const rows = await tx.query(
    `update shares set dropped_at = to_timestamp($3 / 1000.0), drop_reason = $4
     where venue_id = $1 and share_id = any($2) and dropped_at is null returning 1`,
    [venueId, ids, now, reason],
  );
  return rows.length;
}

/** Sets what the organizer has typed. */
export async function renameShares(
  tx: Queryable,
  venueId: string,
  names: ReadonlyMap<string, string>,
): Promise<number> {
  const rows = await tx.query(
    `update shares s set display_name = n.name from unnest($2::text[], $3::text[]) as n(id, name)
     where s.venue_id = $1 and s.share_id = n.id and s.dropped_at is null returning 1`,
    [venueId, [...names.keys()], [...names.values()]],
  );
  return rows.length;
}

export async function reorderShares(
  tx: Queryable,
  venueId: string,
  positions: ReadonlyMap<string, number>,
): Promise<number> {
  const rows = await tx.query(
    `update shares s set position = n.position from unnest($2::text[], $3::smallint[]) as n(id, position)
     where s.venue_id = $1 and s.share_id = n.id and s.dropped_at is null returning 1`,
    [venueId, [...positions.keys()], [...positions.values()]],
  );
  return rows.length;
}

export async function refundSharesBy(
  tx: Queryable,
  venueId: string,
  amounts: ReadonlyMap<string, number>,
): Promise<number> {
  const rows = await tx.query(
    `update shares s set refunded_amount = s.refunded_amount + n.amount
     from unnest($2::text[], $3::integer[]) as n(id, amount)
     where s.venue_id = $1 and s.share_id = n.id and s.status in ('captured', 'refunded') returning 1`,
    [venueId, [...amounts.keys()], [...amounts.values()]],
  );
  return rows.length;
}

export async function addLostAmount(tx: Queryable, venueId: string, shareId: string, amount: number): Promise<number> {
  const rows = await tx.query(
    `update shares set lost_amount = lost_amount + $3
     where venue_id = $1 and share_id = $2 and status in ('captured', 'refunded') returning 1`,
    [venueId, shareId, amount],
  );
  return rows.length;
}

/** The share passes from the seat's placeholder to the member. Returns 0 if another member has claimed it already. */
export async function assignSeat(
  tx: Queryable,
  venueId: string,
  seat: {
    readonly shareId: string;
    readonly seatId: string;
    readonly memberId: string;
    readonly displayName: string | null;
  },
  invitedAt: number,
): Promise<number> {
  const rows = await tx.query(
    `update shares set member_id = $4, display_name = $5, invited_at = to_timestamp($6 / 1000.0), reminded_at = null,
       accepted_at = to_timestamp($6 / 1000.0)
     where venue_id = $1 and share_id = $2 and member_id = $3 and dropped_at is null returning 1`,
    [venueId, seat.shareId, seat.seatId, seat.memberId, seat.displayName, invitedAt],
  );
  return rows.length;
}
