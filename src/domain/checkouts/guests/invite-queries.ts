// The SQL of invites: from the hash of a token to its share, and the sealed token for the organizer.

import type { Queryable } from '../../../base/db.ts';
import { shareName } from '../share-name.ts';

export interface InviteTarget {
  readonly venueId: string;
  readonly shareId: string;
  readonly checkoutId: string;
}

/** The share of an invite, by the hash of its token. Reading does not use up the invite: link previews read it too. */
export async function findInvite(db: Queryable, tokenHash: Buffer): Promise<InviteTarget | null> {
  // The route first, then the rest of a venue that is known: a distributed database asks one node for each.
  const routes = await db.query<Omit<InviteTarget, 'checkoutId'>>(
    'select venue_id as "venueId", share_id as "shareId" from invite_routes where token_hash = $1',
    [tokenHash],
  );
  const [route] = routes;
  if (route === undefined) return null;
  const rows = await db.query<Pick<InviteTarget, 'checkoutId'>>(
    'select checkout_id as "checkoutId" from shares where venue_id = $1 and share_id = $2',
    [route.venueId, route.shareId],
  );
  return rows[0] === undefined ? null : { ...route, ...rows[0] };
}

export interface NewInvite {
  readonly shareId: string;
  readonly tokenHash: Buffer;
  readonly token: Buffer;
}

export async function insertInvites(
  tx: Queryable,
  venueId: string,
  invites: readonly NewInvite[],
  now: number,
): Promise<void> {
  if (invites.length === 0) return;
  const shareIds = invites.map(({ shareId }) => shareId);
  await Promise.all([
    tx.query(
      `insert into invites (venue_id, share_id, token, created_at)
       select $1, n.share_id, n.token, to_timestamp($2 / 1000.0) from unnest($3::text[], $4::bytea[]) as n(share_id, token)`,
      [venueId, now, shareIds, invites.map(({ token }) => token)],
    ),
    tx.query(
      `insert into invite_routes (token_hash, venue_id, share_id)
       select n.hash, $1, n.share_id from unnest($2::bytea[], $3::text[]) as n(hash, share_id)`,
      [venueId, invites.map(({ tokenHash }) => tokenHash), shareIds],
    ),
  ]);
}

export interface InviteRow {
  readonly shareId: string;
  readonly displayName: string | null;
  readonly amount: number;
  readonly token: Buffer;
}

/** The invites of the current party, the organizer's first. */
export async function invitesOf(tx: Queryable, venueId: string, checkoutId: string): Promise<InviteRow[]> {
  return tx.query<InviteRow>(
    `select s.share_id as "shareId", ${shareName('s')} as "displayName", s.amount, i.token
     from shares s join invites i on i.venue_id = s.venue_id and i.share_id = s.share_id
     where s.venue_id = $1 and s.checkout_id = $2 and s.dropped_at is null order by s.position`,
    [venueId, checkoutId],
  );
}
