// Reads what completed checkouts bring to the venue: what guests paid, our fee, refunds, lost disputes, and how far the
// rest is paid out. The figures are of decisions, so a refund counts from the moment that it is made. For each checkout:
// paid - fee - refunded - lost + fee returned = kept = paid out + to come + settled debts - owed.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import type { PayoutTransfer } from './payout-queries.ts';

export interface MoneyFigures {
  readonly paid: number;
  /** Our fee at completion. */
  readonly fee: number;
  readonly refunded: number;
  /** Lost to disputes. */
  readonly lost: number;
  /** What refunds and lost disputes took out of our fee. */
  readonly feeReturned: number;
  readonly kept: number;
  readonly paidOut: number;
  readonly toCome: number;
  /** What was not sent, because it settled debts of the venue. */
  readonly settledDebts: number;
  /** What could not be taken back, so that the venue owes it or has settled it since. */
  readonly owed: number;
  /** Transfers that the processor refused; they are in toCome. */
  readonly failed: number;
  /** Refunds that did not reach the guest; they are in refunded. */
  readonly failedRefunds: number;
}

const refunds = `m.kind = 'refund' and m.status <> 'dropped'`;
const isOpen = `m.status not in ('done', 'owed', 'dropped', 'closed')`;

/** SQL: the sums of the movements of a checkout. */
const MOVEMENT_SUMS = `
  coalesce(sum(m.amount) filter (where ${refunds}), 0) as refunded,
  coalesce(sum(m.fee_part) filter (where ${refunds}), 0) as fee_returned,
  coalesce(sum(m.amount) filter (where m.kind = 'refund' and m.status = 'failed'), 0) as failed_refunds,
  coalesce(sum(coalesce(m.sent_amount, m.amount) * case m.kind when 'transfer' then 1 else -1 end)
    filter (where m.kind in ('transfer', 'reversal') and m.status in ('done', 'closed')), 0) as paid_out,
  coalesce(sum(case m.kind when 'transfer' then m.amount else m.owed_amount - m.amount end)
    filter (where m.kind in ('transfer', 'reversal') and ${isOpen}), 0) as to_come,
  coalesce(sum(m.amount - m.sent_amount) filter (where m.kind = 'transfer' and m.status in ('done', 'closed')), 0) as settled_debts,
  coalesce(sum(m.owed_amount), 0) as owed,
  coalesce(sum(m.amount) filter (where m.kind = 'transfer' and m.status = 'failed'), 0) as failed,
  max(m.done_at) filter (where m.kind = 'transfer') as sent_at`;

/** SQL: what lost disputes took, from the venue and from our fee. */
const DISPUTE_SUMS = `coalesce(sum(d.venue_part + d.fee_part), 0) as lost, coalesce(sum(d.fee_part), 0) as fee_lost`;

/** SQL: one row for each of these payouts of the venue $1, which is named everywhere: so a distributed database asks one node. */
const moneyOf = (payouts: string): string => `
  select p.payout_id, p.checkout_id, p.mode, p.currency, p.created_at, p.amount + p.fee_amount as paid, p.fee_amount as fee,
    m.refunded, l.lost, m.fee_returned + l.fee_lost as fee_returned,
    p.amount - m.refunded - l.lost + m.fee_returned + l.fee_lost as kept,
    m.paid_out, m.to_come, m.settled_debts, m.owed, m.failed, m.failed_refunds, m.sent_at,
    (select count(*) from holds h where h.venue_id = $1 and h.checkout_id = p.checkout_id
      and h.status = 'captured') as guests
  from (${payouts}) p
  cross join lateral (
    select ${MOVEMENT_SUMS} from movements m where m.venue_id = $1 and m.checkout_id = p.checkout_id) m
  cross join lateral (
    select ${DISPUTE_SUMS} from disputes d
    where d.venue_id = $1 and d.checkout_id = p.checkout_id and d.venue_part is not null) l`;

/** The columns of moneyOf and the members of MoneyFigures. */
const FIGURES = [
  ['paid', 'paid'],
  ['fee', 'fee'],
  ['refunded', 'refunded'],
  ['lost', 'lost'],
  ['fee_returned', 'feeReturned'],
  ['kept', 'kept'],
  ['paid_out', 'paidOut'],
  ['to_come', 'toCome'],
  ['settled_debts', 'settledDebts'],
  ['owed', 'owed'],
  ['failed', 'failed'],
  ['failed_refunds', 'failedRefunds'],
] as const satisfies readonly (readonly [string, keyof MoneyFigures])[];
const figures = FIGURES.map(([column, name]) => `${column}::bigint as "${name}"`).join(', ');

export interface CheckoutMoneyRow extends MoneyFigures {
  readonly payoutId: string;
  readonly checkoutId: string;
  readonly currency: string;
  readonly createdAt: string;
  /** When the newest of its transfers was sent. */
  readonly sentAt: string | null;
  /** How many cards were charged. */
  readonly guests: number;
}

const ROW = `payout_id as "payoutId", checkout_id as "checkoutId", currency, utc_micros(created_at) as "createdAt",
  utc_text(sent_at) as "sentAt", guests::integer as "guests", ${figures}`;

/** Null: the checkout is not completed. */
export async function moneyOfCheckout(
  db: Queryable,
  venueId: string,
  checkoutId: string,
): Promise<CheckoutMoneyRow | null> {
  const rows = await db.query<CheckoutMoneyRow>(
    `select ${ROW} from (${moneyOf('select * from payouts where venue_id = $1 and checkout_id = $2')}) money`,
    [venueId, checkoutId],
  );
  return rows[0] ?? null;
}

export interface ShareMoney {
  readonly shareId: string;
  readonly refunded: number;
  readonly lost: number;
  readonly feeReturned: number;
}

/** What refunds and disputes took from each share; shares that lost nothing are missing. */
export async function moneyOfShares(db: Queryable, venueId: string, checkoutId: string): Promise<ShareMoney[]> {
  return db.query<ShareMoney>(
    `select share_id as "shareId", sum(refunded)::bigint as "refunded", sum(lost)::bigint as "lost",
       sum(fee_returned)::bigint as "feeReturned"
     from (
       select m.share_id, m.amount as refunded, 0 as lost, m.fee_part as fee_returned from movements m
       where m.venue_id = $1 and m.checkout_id = $2 and ${refunds}
       union all
       select d.share_id, 0, d.venue_part + d.fee_part, d.fee_part from disputes d
       where d.venue_id = $1 and d.checkout_id = $2 and d.venue_part is not null) parts
     group by share_id`,
    [venueId, checkoutId],
  );
}

export interface TransferOfShare extends PayoutTransfer {
  readonly checkoutId: string;
  readonly at: string | null;
}

/** The transfers of these checkouts, in the order of their ids. */
export async function transfersOfCheckouts(
  db: Queryable,
  venueId: string,
  checkoutIds: readonly string[],
): Promise<TransferOfShare[]> {
  return db.query<TransferOfShare>(
    `select checkout_id as "checkoutId", share_id, amount, status, utc_text(done_at) as "at" from movements
     where venue_id = $1 and checkout_id = any($2) and kind = 'transfer' order by movement_id`,
    [venueId, checkoutIds],
  );
}

/** Days in the time zone of the venue. `to` is exclusive. */
export interface StatementScope {
  readonly venueId: string;
  readonly mode: Mode;
  readonly timezone: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** SQL: the payouts of the days from $4 to $5 of the venue $1, in the mode $2 and the time zone $3. */
const PAYOUTS_OF_DAYS = `select * from payouts
  where venue_id = $1 and mode = $2 and created_at >= coalesce($4::date::timestamp at time zone $3, '-infinity')
    and created_at < coalesce($5::date::timestamp at time zone $3, 'infinity')`;

const valuesOf = ({ venueId, mode, timezone, from, to }: StatementScope): unknown[] => [
  venueId,
  mode,
  timezone,
  from,
  to,
];
const sums = FIGURES.map(([column, name]) => `coalesce(sum(${column}), 0)::bigint as "${name}"`).join(', ');

export interface StatementRow extends MoneyFigures {
  /** The first day that counts: of the period, or of the days that were asked for. */
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
  /** The days that were asked for begin or end inside of the period. */
  readonly isPartial: boolean;
  readonly currency: string;
  readonly checkouts: number;
  readonly guests: number;
}

/** One row for each period that has payouts, and currency; newest first. A week begins on Monday. */
export async function statementRows(
  db: Queryable,
  scope: StatementScope,
  period: 'day' | 'week',
): Promise<StatementRow[]> {
  return db.query<StatementRow>(
    `select greatest(first, $4::date)::text as "from", least(after, $5::date)::text as "to",
       first < coalesce($4::date, first) or after > coalesce($5::date, after) as "isPartial",
       currency, count(*)::integer as "checkouts", sum(guests)::integer as "guests", ${sums}
     from (${moneyOf(PAYOUTS_OF_DAYS)}) money
     cross join lateral (select date_trunc($6, created_at at time zone $3)::date as first) begins
     cross join lateral (select first + case $6 when 'week' then 7 else 1 end as after) ends
     group by first, after, currency order by first desc, currency`,
    [...valuesOf(scope), period],
  );
}

/** The first days of the newest periods before a day, in which the venue has payouts. */
export async function periodsBefore(
  db: Queryable,
  { venueId, mode, timezone, to }: Omit<StatementScope, 'from'>,
  period: 'day' | 'week',
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ from: string }>(
    `with recursive periods as (
       (select date_trunc($5, created_at at time zone $3) as first from payouts
        where venue_id = $1 and mode = $2 and created_at < coalesce($4::date::timestamp at time zone $3, 'infinity')
        order by created_at desc limit 1)
       union all
       select date_trunc($5, p.created_at at time zone $3) from periods
       cross join lateral (
         select created_at from payouts where venue_id = $1 and mode = $2 and created_at < periods.first at time zone $3
         order by created_at desc limit 1) p)
     select first::date::text as "from" from periods limit $6`,
    [venueId, mode, timezone, to, period, limit],
  );
  return rows.map(({ from }) => from);
}

export interface PaidCheckoutsPage {
  readonly before: string | null;
  readonly limit: number;
}

/** The checkouts of the days, newest first. Up to `limit` + 1 rows. */
export async function paidCheckouts(
  db: Queryable,
  scope: StatementScope,
  { before, limit }: PaidCheckoutsPage,
): Promise<CheckoutMoneyRow[]> {
  const payouts = `${PAYOUTS_OF_DAYS} and created_at < coalesce($6::timestamptz, 'infinity')
    order by created_at desc limit $7`;
  return db.query<CheckoutMoneyRow>(`select ${ROW} from (${moneyOf(payouts)}) money order by created_at desc`, [
    ...valuesOf(scope),
    before,
    limit + 1,
  ]);
}
