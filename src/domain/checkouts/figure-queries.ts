// The figures of checkouts that monitoring shows. They read the living ones through partial indexes: checkouts that have
// ended do not make them slower.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { LAPSING_HOLDS } from '../payments/figure-queries.ts';
import { toPaySql } from './expire-queries.ts';

export interface CheckoutCount {
  readonly mode: Mode;
  readonly status: 'open' | 'collecting' | 'funded';
  readonly count: number;
}

const MAX_LIVING = 100_000;

/** At most 100,000 that are open or collecting, and as many that are funded. */
export async function countLivingCheckouts(db: Queryable): Promise<CheckoutCount[]> {
  return db.query<CheckoutCount>(
    `select mode, status, count(*)::integer as count from (
       (select mode, status from checkouts where ${toPaySql('checkouts')} limit ${MAX_LIVING})
       union all (select mode, status from checkouts where status = 'funded' limit ${MAX_LIVING})) living
     group by mode, status`,
  );
}

/** In milliseconds, by mode; absent: no checkout is funded. */
export type FundedSince = Readonly<Partial<Record<Mode, number>>>;

/**
 * Since when the funded checkout of each mode that waits longest has all its holds. All funded ones are read: each failed
 * try makes a stuck one due later, behind those that were funded a moment ago.
 */
export async function fundedSince(db: Queryable): Promise<FundedSince> {
  const rows = await db.query<{ mode: Mode; at: number }>(
    `select c.mode, (extract(epoch from min(s.held_at)) * 1000)::float8 as at from checkouts c
     cross join lateral (
       select max(held_at) as held_at from shares
       where venue_id = c.venue_id and checkout_id = c.checkout_id and dropped_at is null) s
     where c.status = 'funded' and s.held_at is not null group by c.mode`,
  );
  return Object.fromEntries(rows.map(({ mode, at }) => [mode, at]));
}

export interface LapsingHolds {
  readonly mode: Mode;
  readonly currency: string;
  readonly lapsing: number;
}

/** Holds that end within 24 hours, before their checkouts, and are not to be renewed. */
export async function countLapsingHolds(db: Queryable, now: number): Promise<LapsingHolds[]> {
  return db.query<LapsingHolds>(
    `select h.mode, h.currency, count(*)::integer as lapsing from (${LAPSING_HOLDS}) h
     join checkouts c on c.venue_id = h.venue_id and c.checkout_id = h.checkout_id
     where c.status in ('collecting', 'funded') and c.expires_at > h.capture_before group by h.mode, h.currency`,
    [now],
  );
}
