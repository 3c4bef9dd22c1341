// Reads the venue's statement: payouts with their transfers, and the totals of a period. Nothing is written here
// (movement-queries.ts does).

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import type { MovementStatus } from './transitions.ts';

/** `from` is inclusive, `to` exclusive. */
export interface PayoutPeriod {
  readonly venueId: string;
  readonly mode: Mode;
  readonly from: string | null;
  readonly to: string | null;
}

export interface PayoutTransfer {
  readonly share_id: string;
  readonly amount: number;
  readonly status: MovementStatus;
}

export interface PayoutRow {
  readonly id: string;
  readonly mode: Mode;
  readonly checkoutId: string;
  readonly amount: number;
  readonly feeAmount: number;
  /** What the processor charged us for the checkout's charges and disputes, as far as it is known. */
  readonly processorFeeAmount: number;
  readonly currency: string;
  readonly createdAt: string;
  readonly reversedAmount: number;
  readonly paidAmount: number;
  /** What was not sent, because it settled debts of the venue. */
  readonly offsetAmount: number;
  /** What could not be taken back, so that the venue owes it or has settled it since. */
  readonly owedAmount: number;
  /** When the newest of its transfers was sent. */
  readonly sentAt: string | null;
  readonly transfers: readonly PayoutTransfer[];
}

export interface PayoutTotals {
  readonly count: number;
  readonly amount: number;
  readonly feeAmount: number;
  readonly processorFeeAmount: number;
  readonly reversedAmount: number;
  readonly paidAmount: number;
  readonly offsetAmount: number;
  readonly owedAmount: number;
}

const IN_PERIOD = `p.venue_id = $1 and p.mode = $2 and p.created_at >= coalesce($3::timestamptz, '-infinity')
  and p.created_at < coalesce($4::timestamptz, 'infinity')`;

/**
 * The sums of the transfers, of the reversals, of what was paid to the venue and not reversed, of what settled debts
 * instead of being paid, and of what could not be taken back.
 */
const SUMS = `coalesce(sum(m.amount) filter (where m.kind = 'transfer'), 0) as transferred,
  coalesce(sum(m.amount) filter (where m.kind = 'reversal'), 0) as reversed,
  coalesce(sum(coalesce(m.sent_amount, m.amount) * case m.kind when 'transfer' then 1 else -1 end)
    filter (where m.status in ('done', 'closed')), 0) as paid,
  coalesce(sum(m.amount - m.sent_amount) filter (where m.kind = 'transfer' and m.status in ('done', 'closed')), 0) as offsets,
  coalesce(sum(m.owed_amount), 0) as owed`;

/** Newest first. Returns up to `limit` + 1 rows, so that the caller knows whether there is a next page. */
export async function listPayoutRows(
  db: Queryable,
  period: PayoutPeriod,
  before: string | null,
  limit: number,
): Promise<PayoutRow[]> {
  return db.query<PayoutRow>(
    `select p.payout_id as "id", p.mode, p.checkout_id as "checkoutId", p.amount, p.fee_amount as "feeAmount", p.currency,
       utc_micros(p.created_at) as "createdAt", (p.amount - t.transferred + t.reversed)::integer as "reversedAmount",
       t.paid::integer as "paidAmount", t.offsets::integer as "offsetAmount", t.owed::integer as "owedAmount",
       (select coalesce(sum(h.processor_fee), 0)::integer from holds h
         where h.venue_id = $1 and h.checkout_id = p.checkout_id)
       + (select coalesce(sum(d.processor_fee - d.processor_fee_returned), 0)::integer from disputes d
         where d.venue_id = $1 and d.checkout_id = p.checkout_id) as "processorFeeAmount", utc_text(t.sent_at) as "sentAt", t.transfers
     from (select * from payouts p where ${IN_PERIOD} and p.created_at < coalesce($5::timestamptz, 'infinity')
       order by p.created_at desc limit $6) p
     cross join lateral (
       select ${SUMS}, max(m.done_at) filter (where m.kind = 'transfer') as sent_at,
         coalesce(json_agg(json_build_object('share_id', m.share_id, 'amount', m.amount, 'status', m.status)
           order by m.movement_id) filter (where m.kind = 'transfer'), '[]') as transfers
       from movements m where m.venue_id = $1 and m.checkout_id = p.checkout_id
         and m.kind in ('transfer', 'reversal')) t
     order by p.created_at desc`,
    [period.venueId, period.mode, period.from, period.to, before, limit + 1],
  );
}

/** The totals of the whole period. */
export async function payoutTotals(db: Queryable, period: PayoutPeriod): Promise<PayoutTotals> {
  const rows = await db.query<PayoutTotals>(
    `with period_payouts as (select p.checkout_id, p.amount, p.fee_amount from payouts p where ${IN_PERIOD}),
       sums as (select ${SUMS} from period_payouts c join movements m on m.venue_id = $1 and m.checkout_id = c.checkout_id
         where m.kind in ('transfer', 'reversal')),
       costs as (select coalesce(sum(h.processor_fee), 0)::bigint as amount
         from period_payouts c join holds h on h.venue_id = $1 and h.checkout_id = c.checkout_id),
       dispute_costs as (select coalesce(sum(d.processor_fee - d.processor_fee_returned), 0)::bigint as amount
         from period_payouts c join disputes d on d.venue_id = $1 and d.checkout_id = c.checkout_id)
     select s.count, s.amount, s."feeAmount", f.amount + x.amount as "processorFeeAmount", (s.amount - m.transferred + m.reversed)::bigint as "reversedAmount",
       m.paid::bigint as "paidAmount", m.offsets::bigint as "offsetAmount", m.owed::bigint as "owedAmount"
     from (select count(*) as count, coalesce(sum(amount), 0)::bigint as amount,
       coalesce(sum(fee_amount), 0)::bigint as "feeAmount" from period_payouts) s cross join sums m cross join costs f
       cross join dispute_costs x`,
    [period.venueId, period.mode, period.from, period.to],
  );
  if (rows[0] === undefined) throw new Error('the totals of payouts returned no row');
  return rows[0];
}

/** Null: the venue has no such payout. */
export async function checkoutOfPayout(db: Queryable, venueId: string, payoutId: string): Promise<string | null> {
  const [found] = await db.query<{ readonly id: string }>(
    'select checkout_id as "id" from payouts where venue_id = $1 and payout_id = $2',
    [venueId, payoutId],
  );
  return found?.id ?? null;
}
