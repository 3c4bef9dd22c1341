// The SQL of captures: which funded checkouts are due, and their leases.

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';
import type { DueAtVenue } from '../../payments/queries.ts';

export async function venuesWithDueCaptures(db: Queryable, now: number, limit: number): Promise<DueAtVenue[]> {
  return db.query<DueAtVenue>(
    `select venue_id as "venueId", count(*)::integer as "due" from (
       select venue_id from checkouts where status = 'funded' and capture_due_at <= to_timestamp($1 / 1000.0)
       order by capture_due_at limit $2) d
     group by venue_id order by venue_id`,
    [now, limit],
  );
}

/** Leases due funded checkouts of a venue until `leaseEnds`; after that another worker may claim them. */
export async function claimDueCaptures(
  db: Queryable,
  venueId: string,
  now: number,
  leaseEnds: number,
  limit: number,
): Promise<{ id: string; leaseToken: number }[]> {
  return db.query(
    `update checkouts set lease_token = lease_token + 1, capture_due_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and checkout_id in (
       select checkout_id from checkouts where venue_id = $1 and status = 'funded' and capture_due_at <= to_timestamp($2 / 1000.0)
       order by capture_due_at, checkout_id limit $4 for update skip locked)
     returning checkout_id as "id", lease_token as "leaseToken"`,
    [venueId, now, leaseEnds, limit],
  );
}

export interface FundedAtVenue {
  readonly venueId: string;
  readonly count: number;
  readonly amount: number;
  /** The first deadline, as text. */
  readonly until: string;
}

/** Funded checkouts of each venue, none of whose cards is charged yet. */
export async function fundedByVenue(db: Queryable, mode: Mode): Promise<FundedAtVenue[]> {
  return db.query<FundedAtVenue>(
    `select venue_id as "venueId", count(*)::integer as "count", sum(amount)::float8 as "amount", min(expires_at) as "until"
     from checkouts c where status = 'funded' and mode = $1 and not exists (
       select 1 from shares s where s.venue_id = c.venue_id and s.checkout_id = c.checkout_id and s.status = 'captured')
     group by venue_id`,
    [mode],
  );
}

export async function fundedCheckouts(
  db: Queryable,
  mode: Mode,
  after: string | null,
  limit: number,
): Promise<{ id: string; venueId: string }[]> {
  return db.query(
    `select checkout_id as "id", venue_id as "venueId" from checkouts
     where status = 'funded' and mode = $1 and ($2::text is null or checkout_id > $2) order by checkout_id limit $3`,
    [mode, after, limit],
  );
}
