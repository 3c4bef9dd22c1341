// Reads the disputes of a venue for its people. A venue has few of them.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { ENDED_DISPUTE_STATUSES, IS_LOST } from './dispute-queries.ts';

export type DisputeOutcome = 'open' | 'won' | 'lost';

export interface ListedDispute {
  readonly id: string;
  readonly checkoutId: string;
  readonly shareId: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
  readonly outcome: DisputeOutcome;
  readonly reason: string;
  readonly openedAt: string;
  readonly changedAt: string;
  readonly venuePart: number | null;
  readonly feePart: number | null;
}

/** SQL: $3 is ENDED_DISPUTE_STATUSES. What was closed without a loss counts as won. */
const OUTCOME = `case when status <> all($3) then 'open' when ${IS_LOST} then 'lost' else 'won' end`;

/** Newest first. Up to `limit` + 1 rows. */
export async function listDisputeRows(
  db: Queryable,
  venueId: string,
  mode: Mode,
  page: {
    readonly outcome: DisputeOutcome | null;
    readonly after: { readonly at: string; readonly id: string } | null;
    readonly limit: number;
  },
): Promise<ListedDispute[]> {
  return db.query<ListedDispute>(
    `select dispute_id as "id", checkout_id as "checkoutId", share_id as "shareId", amount, currency, status,
       ${OUTCOME} as "outcome", reason, utc_micros(opened_at) as "openedAt", utc_micros(changed_at) as "changedAt",
       venue_part as "venuePart", fee_part as "feePart"
     from disputes
     where venue_id = $1 and mode = $2 and ($4::text is null or ${OUTCOME} = $4)
       and ($5::timestamptz is null or (opened_at, dispute_id) < ($5, $6::text))
     order by opened_at desc, dispute_id desc limit $7`,
    [
      venueId,
      mode,
      ENDED_DISPUTE_STATUSES,
      page.outcome,
      page.after?.at ?? null,
      page.after?.id ?? null,
      page.limit + 1,
    ],
  );
}

export async function countDisputes(
  db: Queryable,
  venueId: string,
  mode: Mode,
): Promise<Readonly<Record<DisputeOutcome, number>>> {
  const rows = await db.query<{ outcome: DisputeOutcome; count: number }>(
    `select ${OUTCOME} as outcome, count(*) as count from disputes where venue_id = $1 and mode = $2 group by 1`,
    [venueId, mode, ENDED_DISPUTE_STATUSES],
  );
  const of = (outcome: DisputeOutcome): number => rows.find((row) => row.outcome === outcome)?.count ?? 0;
  return { open: of('open'), won: of('won'), lost: of('lost') };
}
