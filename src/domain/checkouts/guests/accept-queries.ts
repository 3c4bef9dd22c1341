// The SQL of accepting an invite: the share that waits for its member, and the members of a party who have acted.

import type { Queryable } from '../../../base/db.ts';

/**
 * The share of the current party that this member was invited to, by id or by phone, and has not acted on yet. A member who
 * has a share already gets no second one by phone.
 */
export function pendingShareSql(venueId: string, checkoutId: string, memberId: string): string {
  return `(select w.share_id from shares w where w.venue_id = ${venueId} and w.checkout_id = ${checkoutId}
     and w.dropped_at is null and w.accepted_at is null and not w.is_organizer and (w.member_id = ${memberId}
       or w.invited_phone_hash = member_phone_hash(${memberId}) and not exists (
         select 1 from shares o where o.venue_id = ${venueId} and o.checkout_id = ${checkoutId} and o.dropped_at is null
           and o.member_id = ${memberId})) limit 1)`;
}

/** Whether the member has a share in this checkout to accept. Read without a lock. */
export async function hasPendingShare(
  db: Queryable,
  venueId: string,
  checkoutId: string,
  memberId: string,
): Promise<boolean> {
  const [row] = await db.query<{ id: string | null }>(`select ${pendingShareSql('$1', '$2', '$3::uuid')} as "id"`, [
    venueId,
    checkoutId,
    memberId,
  ]);
  return row !== undefined && row.id !== null;
}

/** The share passes from the placeholder of a phone to the member. Null: there is nothing to accept. */
export async function acceptPendingShare(
  tx: Queryable,
  venueId: string,
  checkoutId: string,
  memberId: string,
  now: number,
): Promise<string | null> {
  const rows = await tx.query<{ id: string }>(
    `update shares set member_id = $3, accepted_at = to_timestamp($4 / 1000.0)
     where venue_id = $1 and share_id = ${pendingShareSql('$1', '$2', '$3::uuid')} and accepted_at is null
     returning share_id as "id"`,
    [venueId, checkoutId, memberId, now],
  );
  return rows[0]?.id ?? null;
}

/** The members of the current party who have acted: the organizer, and those who accepted an invite or took a seat. */
export async function acceptedMembers(tx: Queryable, venueId: string, checkoutId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select member_id as "id" from shares where venue_id = $1 and checkout_id = $2 and dropped_at is null
       and (is_organizer or accepted_at is not null)`,
    [venueId, checkoutId],
  );
  return rows.map(({ id }) => id);
}
