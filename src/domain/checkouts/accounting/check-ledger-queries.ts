// The ledger check as one statement for a range of checkouts: one snapshot, so that it can run beside the workers. Both
// sides of every comparison are unioned and summed, never joined: each table is read once by its index, for any
// estimates of the planner.

import type { Queryable } from '../../../base/db.ts';
import { type CheckoutRange, ENTRIES, IN_RANGE, rangeValues } from '../../ledger/check-queries.ts';
import { EXPECTED_ENTRIES, LOSSES, MOVEMENTS, OFFSETS, PAYOUTS } from '../../payments/check-queries.ts';

export type ProblemKind =
  | 'entry_missing'
  | 'entry_without_cause'
  | 'entry_differs'
  | 'division_differs'
  | 'refunds_differ'
  | 'share_refunds_differ'
  | 'payout_differs'
  | 'transfers_differ'
  | 'debts_differ'
  | 'dispute_differs'
  | 'guest_funds_left';

export interface FoundProblem {
  readonly problem: ProblemKind;
  readonly venueId: string;
  readonly checkoutId: string;
  /** The kind of entry, or the field of a payout; '' where there is none. */
  readonly kind: string;
  /** The hold, movement or dispute; '' where the problem concerns the whole checkout. */
  readonly subject: string;
  readonly expected: number;
  readonly found: number;
  /** How many problems the range has, listed or not. */
  readonly total: number;
}

const CHECKOUTS = `select venue_id, checkout_id, mode, currency, status, amount::bigint as amount,
  fee_amount::bigint as fee_amount, refunded_amount::bigint as refunded_amount from checkouts where ${IN_RANGE}`;

/** What is undone is less of the thing itself. */
const UNDONE = `('debt_write_off_undone', 'debt_written_off'), ('dispute_loss_returned', 'dispute_lost'), ('dispute_fee_loss_returned', 'dispute_fee_lost'),
  ('dispute_return_owed', 'dispute_returned'), ('dispute_own_loss_returned', 'dispute_paid_twice')`;

/** Every entry has its cause and every cause its entry, of the same amount, mode and currency. */
const WRONG_ENTRIES = `
  select venue_id, checkout_id, case when sum(found) = 0 then 'entry_missing' when sum(expected) = 0
    then 'entry_without_cause' else 'entry_differs' end as problem, kind, subject, sum(expected) as expected,
    sum(found) as found
  from (
    select venue_id, checkout_id, mode, currency, kind, subject, amount as expected, 0::bigint as found
      from (${EXPECTED_ENTRIES}) expected_entries
    union all
    select venue_id, checkout_id, mode, currency, 'earning', '', amount - fee_amount, 0
      from range_checkouts where status = 'completed'
    union all
    select venue_id, checkout_id, mode, currency, 'fee', '', fee_amount, 0 from range_checkouts where status = 'completed'
    union all
    select venue_id, checkout_id, mode, currency, coalesce(undone.of_kind, kind),
      case when kind in ('earning', 'fee') then '' else split_part(subject, ' ', 1) end, 0,
      case when undone.of_kind is null then amount else -amount end
      from entries left join (values ${UNDONE}) as undone(undoing_kind, of_kind) on undoing_kind = kind) sides
  group by venue_id, checkout_id, mode, currency, kind, subject having sum(expected) <> sum(found)`;

/** The captured amount of a hold is divided between the venue and our fee completely or not at all. */
const WRONG_DIVISION = `
  select venue_id, checkout_id, 'division_differs', '', subject, sum(captured), sum(divided)
  from (
    select venue_id, checkout_id, subject, case kind when 'capture' then amount else 0 end as captured,
      case kind when 'capture' then 0 else amount end as divided
    from entries where kind in ('capture', 'earning', 'fee')) sides
  group by venue_id, checkout_id, subject having sum(divided) <> 0 and sum(divided) <> sum(captured)`;

/** The checkout's own sums, against its shares, its payout and its movements. */
const WRONG_SUMS = `
  select venue_id, checkout_id, problem, kind, '', sum(expected), sum(found)
  from (
    select venue_id, checkout_id, 'refunds_differ' as problem, '' as kind, amount as expected, 0::bigint as found
      from range_movements where kind = 'refund' and status <> 'dropped'
    union all
    select venue_id, checkout_id, 'refunds_differ', '', 0, refunded_amount from range_checkouts where status = 'completed'
    union all
    select venue_id, checkout_id, 'share_refunds_differ', '', refunded_amount, 0 from shares where ${IN_RANGE} and dropped_at is null
    union all
    select venue_id, checkout_id, 'share_refunds_differ', '', 0, refunded_amount from range_checkouts
    union all
    select venue_id, checkout_id, 'payout_differs', 'amount', amount - fee_amount, 0 from range_checkouts where status = 'completed'
    union all
    select venue_id, checkout_id, 'payout_differs', 'fee_amount', fee_amount, 0 from range_checkouts where status = 'completed'
    union all
    select venue_id, checkout_id, 'payout_differs', 'amount', 0, amount from range_payouts
    union all
    select venue_id, checkout_id, 'payout_differs', 'fee_amount', 0, fee_amount from range_payouts
    union all
    select venue_id, checkout_id, 'transfers_differ', '', amount - fee_amount, 0 from range_checkouts where status = 'completed'
    union all
    select venue_id, checkout_id, 'transfers_differ', '', 0,
        case kind when 'transfer' then amount when 'reversal' then -amount else amount - fee_part end
      from range_movements where kind in ('transfer', 'reversal', 'refund') and not (kind = 'refund' and status = 'dropped')
    union all
    select venue_id, checkout_id, 'transfers_differ', '', 0, venue_part from range_losses
    union all
    select venue_id, checkout_id, 'debts_differ', 'taken', amount - sent_amount, 0 from range_movements where kind = 'transfer'
    union all
    select venue_id, checkout_id, 'debts_differ', 'settled', settled_amount, 0 from range_movements
    union all
    select venue_id, checkout_id, 'debts_differ', side, 0, amount from range_offsets) sides
  group by venue_id, checkout_id, problem, kind having sum(expected) <> sum(found)`;

/** Guests' money is with us only while a checkout is being captured or a return is under way. */
const FUNDS_LEFT = `
  select venue_id, checkout_id, 'guest_funds_left', '', '', 0, sum(funds)
  from (
    select venue_id, checkout_id, case when kind in ('capture', 'return_failed', 'dispute_return_owed') then amount else -amount end as funds,
        false as explained
      from entries where kind in ('capture', 'earning', 'fee', 'return', 'return_failed', 'return_closed', 'dispute_returned',
        'dispute_return_owed')
    union all
    select venue_id, checkout_id, 0, true from range_movements
      where kind = 'return' and status in ('waiting', 'sending', 'pending', 'frozen', 'failed')
    union all
    select venue_id, checkout_id, 0, true from range_checkouts where status = 'funded') sides
  group by venue_id, checkout_id having sum(funds) <> 0 and not bool_or(explained)`;

/** What the processor keeps of an ended dispute is divided completely. One without a division is reported by reconcile. */
const WRONG_LOSSES = `
  select venue_id, checkout_id, 'dispute_differs', '', dispute_id, taken, divided from range_losses
  where has_ended and taken <> divided`;

const PROBLEMS = `
  with entries as materialized (${ENTRIES}), range_movements as materialized (${MOVEMENTS}), range_payouts as materialized (${PAYOUTS}),
    range_losses as materialized (${LOSSES}), range_offsets as materialized (${OFFSETS}),
    range_checkouts as materialized (${CHECKOUTS}),
    problems as (${[WRONG_ENTRIES, WRONG_DIVISION, WRONG_SUMS, WRONG_LOSSES, FUNDS_LEFT].join('\n  union all')})
  select problem, venue_id as "venueId", checkout_id as "checkoutId", kind, subject, expected::bigint as "expected",
    found::bigint as "found", count(*) over () as "total"
  from problems order by venue_id, checkout_id, problem, kind, subject limit $4`;

export async function problemsIn(db: Queryable, range: CheckoutRange, limit: number): Promise<FoundProblem[]> {
  return db.query<FoundProblem>(PROBLEMS, [...rangeValues(range), limit]);
}

/** The next venue that has checkouts; null: there is none. */
export async function nextVenueWithCheckouts(db: Queryable, after: string): Promise<string | null> {
  const rows = await db.query<{ id: string }>(
    'select venue_id as "id" from checkouts where venue_id > $1 order by venue_id limit 1',
    [after],
  );
  return rows[0]?.id ?? null;
}

/** The checkout of a venue that is `count` further on; null: there are fewer left. */
export async function nthCheckoutAfter(
  db: Queryable,
  venueId: string,
  after: string,
  count: number,
): Promise<string | null> {
  const rows = await db.query<{ id: string }>(
    `select checkout_id as "id" from checkouts where venue_id = $1 and checkout_id > $2
     order by checkout_id offset $3 limit 1`,
    [venueId, after, count - 1],
  );
  return rows[0]?.id ?? null;
}

export async function lastCheckout(db: Queryable, venueId: string): Promise<string | null> {
  const rows = await db.query<{ id: string }>(
    'select checkout_id as "id" from checkouts where venue_id = $1 order by checkout_id desc limit 1',
    [venueId],
  );
  return rows[0]?.id ?? null;
}

/** PostgreSQL's estimate of the number of checkouts, for a progress bar; null: the table was not analyzed yet. */
export async function estimateCheckoutCount(db: Queryable): Promise<number | null> {
  const rows = await db.query<{ rows: number }>(
    `select reltuples::float8 as "rows" from pg_class where oid = 'checkouts'::regclass`,
  );
  const count = rows[0]?.rows ?? 0;
  return count > 0 ? count : null;
}
