// The checkouts of a venue that need a person. Only checkouts that are alive are looked at, by status.

import type { Queryable } from '../../../base/db.ts';
import { shareName } from '../share-name.ts';
import type { HomeScope } from './home-queries.ts';

export interface CheckoutNeedingAttention {
  readonly kind: 'share_missing' | 'card_declined' | 'hold_not_renewed' | 'party_not_chosen' | 'charging';
  readonly checkoutId: string;
  /** Since when, or by when. */
  readonly at: string;
  /** How many shares it is about. */
  readonly shares: number;
  /** Of one of them. */
  readonly shareId: string | null;
  readonly displayName: string | null;
}

const SHARES = `join shares s on s.venue_id = c.venue_id and s.checkout_id = c.checkout_id and s.dropped_at is null`;
const ALIVE = `c.venue_id = $1 and c.mode = $2`;
const FIRST_SHARE = `(array_agg(s.share_id order by s.position))[1] as "shareId",
  (array_agg(${shareName('s')} order by s.position))[1] as "displayName"`;

/** Of each kind at most `limit`, the most urgent first. */
export async function checkoutsNeedingAttention(
  db: Queryable,
  { venueId, mode, now }: HomeScope,
  limit: number,
): Promise<CheckoutNeedingAttention[]> {
  const values = [venueId, mode, now, limit];
  const lists = await Promise.all([
    // Guests have not paid, and pay_by is near.
    db.query<CheckoutNeedingAttention>(
      `select 'share_missing' as kind, c.checkout_id as "checkoutId", utc_micros(c.expires_at) as "at",
         count(*)::integer as shares, ${FIRST_SHARE}
       from checkouts c ${SHARES} and s.status in ('invited', 'failed') and s.amount > 0
       where ${ALIVE} and c.status = 'collecting' and c.expires_at > to_timestamp($3 / 1000.0)
         and c.expires_at <= to_timestamp($3 / 1000.0) + interval '4 hours'
       group by c.venue_id, c.checkout_id, c.expires_at order by c.expires_at limit $4`,
      values,
    ),
    // A card was declined, or a hold was lost.
    db.query<CheckoutNeedingAttention>(
      `select case when bool_or(s.lost_at is not null) then 'hold_not_renewed' else 'card_declined' end as kind,
         c.checkout_id as "checkoutId", utc_micros(coalesce(max(s.lost_at), c.created_at)) as "at",
         count(*)::integer as shares, ${FIRST_SHARE}
       from checkouts c ${SHARES} and s.status = 'failed'
       where ${ALIVE} and c.status = 'collecting' and c.expires_at > to_timestamp($3 / 1000.0)
       group by c.venue_id, c.checkout_id, c.created_at, c.expires_at order by c.expires_at limit $4`,
      values,
    ),
    // The organizer has not chosen the party for a day.
    db.query<CheckoutNeedingAttention>(
      `select 'party_not_chosen' as kind, c.checkout_id as "checkoutId", utc_micros(c.created_at) as "at", 0 as shares,
         null as "shareId", null as "displayName"
       from checkouts c
       where ${ALIVE} and c.status = 'open' and c.expires_at > to_timestamp($3 / 1000.0)
         and c.created_at < to_timestamp($3 / 1000.0) - c.clock_ahead - interval '24 hours'
       order by c.created_at limit $4`,
      values,
    ),
    // Every share was held minutes ago, and not every card is charged.
    db.query<CheckoutNeedingAttention>(
      `select 'charging' as kind, c.checkout_id as "checkoutId", utc_micros(max(s.held_at)) as "at",
         count(*) filter (where s.status = 'held')::integer as shares, null as "shareId", null as "displayName"
       from checkouts c ${SHARES}
       where ${ALIVE} and c.status = 'funded'
       group by c.venue_id, c.checkout_id having max(s.held_at) < to_timestamp($3 / 1000.0) - interval '5 minutes'
       order by max(s.held_at) limit $4`,
      values,
    ),
  ]);
  return lists.flat();
}

/** The partner's views of these checkouts, with what the view does not have. */
export async function viewsOf(
  db: Queryable,
  venueId: string,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly json: string; readonly createdBy: string | null }[]> {
  if (ids.length === 0) return [];
  return db.query(
    `select c.checkout_id as "id", checkout_object(c)::text as "json", c.created_by as "createdBy" from checkouts c
     where c.venue_id = $1 and c.checkout_id = any($2)`,
    [venueId, ids],
  );
}

/** The checkouts whose guests are paying, those that are due first. */
export async function collectingIds(
  db: Queryable,
  { venueId, mode }: HomeScope,
  limit: number,
): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(
    `select checkout_id as "id" from checkouts where venue_id = $1 and mode = $2 and status = 'collecting'
     order by expires_at limit $3`,
    [venueId, mode, limit],
  );
  return rows.map(({ id }) => id);
}
