// The figures of the console's first page that come from checkouts and shares. What is alive is read by status, what is
// completed by the time of completion, and the funnel by the time of creation: the cost grows with thirty days of checkouts,
// not with all of them.

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';

export interface HomeScope {
  readonly venueId: string;
  readonly mode: Mode;
  readonly now: number;
}

export interface HeldNow {
  readonly currency: string;
  readonly amount: number;
  readonly shares: number;
  readonly checkouts: number;
}

/** Held on cards and not charged yet. */
export async function heldNow(db: Queryable, { venueId, mode }: HomeScope): Promise<HeldNow[]> {
  return db.query<HeldNow>(
    `select c.currency, sum(s.amount)::bigint as amount, count(*)::integer as shares,
       count(distinct c.checkout_id)::integer as checkouts
     from checkouts c join shares s on s.venue_id = c.venue_id and s.checkout_id = c.checkout_id and s.dropped_at is null
     where c.venue_id = $1 and c.mode = $2 and c.status in ('collecting', 'funded') and s.status = 'held' and s.amount > 0
     group by c.currency order by amount desc, c.currency`,
    [venueId, mode],
  );
}

export interface CompletedDay {
  /** In the venue's time zone. */
  readonly date: string;
  readonly currency: string;
  readonly amount: number;
  readonly checkouts: number;
}

/** SQL: the beginning of the day that is `$4` days before today, in the time zone `$3`; now is `$5`. */
const FIRST_DAY = `date_trunc('day', to_timestamp($5 / 1000.0) at time zone $3) - $4 * interval '1 day'`;

/** The days of the last `days` days on which checkouts were completed, today included, oldest first. */
export async function completedDays(
  db: Queryable,
  { venueId, mode, now }: HomeScope,
  timezone: string,
  days: number,
): Promise<CompletedDay[]> {
  return db.query<CompletedDay>(
    `select (completed_at at time zone $3)::date::text as date, currency, sum(amount)::bigint as amount,
       count(*)::integer as checkouts
     from checkouts
     where venue_id = $1 and mode = $2 and completed_at is not null and completed_at >= (${FIRST_DAY}) at time zone $3
     group by 1, 2 order by 1, 2`,
    [venueId, mode, timezone, days - 1, now],
  );
}

/** The last `days` days in the time zone, today last. */
export async function lastDays(
  db: Queryable,
  { now }: Pick<HomeScope, 'now'>,
  timezone: string,
  days: number,
): Promise<string[]> {
  const rows = await db.query<{ date: string }>(
    `select d::date::text as date from generate_series(
       date_trunc('day', to_timestamp($1 / 1000.0) at time zone $2) - $3 * interval '1 day',
       date_trunc('day', to_timestamp($1 / 1000.0) at time zone $2), interval '1 day') d order by d`,
    [now, timezone, days - 1],
  );
  return rows.map(({ date }) => date);
}

/** The guests whose cards were charged for what was completed today, by currency: as statements count them. */
export async function guestsToday(
  db: Queryable,
  { venueId, mode, now }: HomeScope,
  timezone: string,
): Promise<{ readonly currency: string; readonly guests: number }[]> {
  return db.query(
    `select c.currency, count(*)::integer as guests
     from checkouts c join shares s on s.venue_id = c.venue_id and s.checkout_id = c.checkout_id and s.dropped_at is null
     where c.venue_id = $1 and c.mode = $2 and c.completed_at is not null and c.completed_at >= (${FIRST_DAY}) at time zone $3
       and s.amount > 0
     group by c.currency`,
    [venueId, mode, timezone, 0, now],
  );
}

export interface Funnel {
  readonly created: number;
  readonly stillOpen: number;
  readonly neverChosen: number;
  readonly collecting: number;
  readonly endedBeforeHeld: number;
  readonly charging: number;
  readonly refused: number;
  readonly completed: number;
}

/** The checkouts that were created in the last `days` days, by how far they came. A reason for canceling: after all were held. */
export async function funnelOf(
  db: Queryable,
  { venueId, mode, now }: HomeScope,
  timezone: string,
  days: number,
): Promise<Funnel> {
  const rows = await db.query<Funnel>(
    `select count(*)::integer as "created",
       count(*) filter (where status = 'open')::integer as "stillOpen",
       count(*) filter (where status in ('expired', 'canceled') and organizer_id is null)::integer as "neverChosen",
       count(*) filter (where status = 'collecting')::integer as "collecting",
       count(*) filter (where status in ('expired', 'canceled') and organizer_id is not null
         and cancellation_reason is null)::integer as "endedBeforeHeld",
       count(*) filter (where status = 'funded')::integer as "charging",
       count(*) filter (where status = 'canceled' and organizer_id is not null
         and cancellation_reason is not null)::integer as "refused",
       count(*) filter (where status = 'completed')::integer as "completed"
     from checkouts where venue_id = $1 and mode = $2 and created_at >= (${FIRST_DAY}) at time zone $3`,
    [venueId, mode, timezone, days - 1, now],
  );
  if (rows[0] === undefined) throw new Error('the funnel returned no row');
  return rows[0];
}
