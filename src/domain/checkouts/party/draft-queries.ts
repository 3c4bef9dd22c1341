// The SQL of drafts: a party that an organizer has typed and not sent yet. A draft is sealed, because it holds phones, and
// is kept for a day.

import type { Queryable } from '../../../base/db.ts';
import type { Seal } from '../../../base/seal.ts';

const DAY_MS = 24 * 3_600_000;

/** Whose draft, and of which checkout. */
export interface DraftKey {
  readonly venueId: string;
  readonly checkoutId: string;
  readonly memberId: string;
}

/** `sealed-columns.ts` has the same name. */
function draftSealName(checkoutId: string, memberId: string): string {
  return `party draft ${checkoutId} ${memberId}`;
}

export async function saveDraft(db: Queryable, seal: Seal, key: DraftKey, draft: string, now: number): Promise<void> {
  const { venueId, checkoutId, memberId } = key;
  await db.query(
    `insert into party_drafts (venue_id, checkout_id, member_id, draft, updated_at)
     values ($1, $2, $3, $4, to_timestamp($5 / 1000.0))
     on conflict (venue_id, checkout_id, member_id) do update set draft = excluded.draft, updated_at = excluded.updated_at`,
    [venueId, checkoutId, memberId, seal.seal(draft, draftSealName(checkoutId, memberId)), now],
  );
}

/** Null: there is none, or it is older than a day. */
export async function readDraft(db: Queryable, seal: Seal, key: DraftKey, now: number): Promise<string | null> {
  const { venueId, checkoutId, memberId } = key;
  const rows = await db.query<{ draft: Buffer }>(
    `select draft from party_drafts where venue_id = $1 and checkout_id = $2 and member_id = $3
       and updated_at > to_timestamp($4 / 1000.0)`,
    [venueId, checkoutId, memberId, now - DAY_MS],
  );
  return rows[0] === undefined ? null : seal.open(rows[0].draft, draftSealName(checkoutId, memberId));
}

export async function deleteDraft(db: Queryable, { venueId, checkoutId, memberId }: DraftKey): Promise<void> {
  await db.query('delete from party_drafts where venue_id = $1 and checkout_id = $2 and member_id = $3', [
    venueId,
    checkoutId,
    memberId,
  ]);
}

export async function deleteOldDrafts(db: Queryable, now: number, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from party_drafts where (venue_id, checkout_id, member_id) in (
       select venue_id, checkout_id, member_id from party_drafts
       where updated_at < to_timestamp($1 / 1000.0) order by updated_at limit $2) returning 1`,
    [now - DAY_MS, limit],
  );
  return rows.length;
}
