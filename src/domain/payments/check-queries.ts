// What the ledger check compares the entries with: the entries that holds, movements and disputes must have, and the
// movements and payouts themselves. Parts of one larger statement over a range of checkouts ($1 to $3).

import { IN_RANGE } from '../ledger/check-queries.ts';

/** The entries of every captured hold and the processor's fee of it, every movement that was done, also one that failed
 * afterwards, every failed refund and transfer that was closed, and every dispute that moved money. */
export const EXPECTED_ENTRIES = `
  select venue_id, checkout_id, mode, currency, 'capture' as kind, hold_id::text as subject, amount::bigint as amount
    from holds where ${IN_RANGE} and status in ('captured', 'returned')
  union all
  select venue_id, checkout_id, mode, currency, 'processor_fee', hold_id::text, processor_fee::bigint
    from holds where ${IN_RANGE} and status in ('captured', 'returned') and processor_fee is not null
  union all
  select venue_id, checkout_id, mode, currency, kind, movement_id::text,
      (case when kind in ('transfer', 'reversal') then coalesce(sent_amount, amount) else amount end
        - case kind when 'refund' then fee_part else 0 end)::bigint
        * (failures_after_done + case status when 'done' then 1 else 0 end)
    from movements where ${IN_RANGE} and (status = 'done' or failures_after_done > 0)
  union all
  select venue_id, checkout_id, mode, currency, 'debt_paid', movement_id::text, (amount - sent_amount)::bigint
    from movements where ${IN_RANGE} and kind = 'transfer' and status in ('done', 'closed') and sent_amount < amount
  union all
  select venue_id, checkout_id, mode, currency, 'debt', movement_id::text, owed_amount::bigint
    from movements where ${IN_RANGE} and owed_amount > 0
  union all
  select venue_id, checkout_id, mode, currency, 'debt_written_off', movement_id::text, written_off_amount::bigint
    from movements where ${IN_RANGE} and written_off_amount > 0
  union all
  select venue_id, checkout_id, mode, currency, 'fee_return', movement_id::text,
      fee_part::bigint * (failures_after_done + case status when 'done' then 1 else 0 end)
    from movements where ${IN_RANGE} and (status = 'done' or failures_after_done > 0) and kind = 'refund'
  union all
  select venue_id, checkout_id, mode, currency, kind || '_failed', movement_id::text,
      (amount - case kind when 'refund' then fee_part else 0 end)::bigint * failures_after_done
    from movements where ${IN_RANGE} and failures_after_done > 0
  union all
  select venue_id, checkout_id, mode, currency, 'fee_return_failed', movement_id::text,
      fee_part::bigint * failures_after_done
    from movements where ${IN_RANGE} and failures_after_done > 0 and kind = 'refund'
  union all
  select venue_id, checkout_id, mode, currency, kind || '_closed', movement_id::text,
      case kind when 'refund' then amount - fee_part when 'transfer' then coalesce(sent_amount, amount) else amount end::bigint
    from movements where ${IN_RANGE} and status = 'closed'
  union all
  select venue_id, checkout_id, mode, currency, 'fee_return_closed', movement_id::text, fee_part::bigint
    from movements where ${IN_RANGE} and status = 'closed' and kind = 'refund'
  union all
  select venue_id, checkout_id, mode, currency, 'dispute', dispute_id, withdrawn_amount::bigint
    from disputes where ${IN_RANGE} and withdrawn_amount > 0
  union all
  select venue_id, checkout_id, mode, currency, 'dispute_won', dispute_id, reinstated_amount::bigint
    from disputes where ${IN_RANGE} and reinstated_amount > 0
  union all
  select venue_id, checkout_id, mode, currency, 'dispute_fee', dispute_id, processor_fee::bigint
    from disputes where ${IN_RANGE} and processor_fee > 0
  union all
  select venue_id, checkout_id, mode, currency, 'dispute_fee_returned', dispute_id, processor_fee_returned::bigint
    from disputes where ${IN_RANGE} and processor_fee_returned > 0
  union all
  select venue_id, checkout_id, mode, currency, 'dispute_lost', dispute_id, venue_part::bigint
    from disputes where ${IN_RANGE} and venue_part is not null
  union all
  select venue_id, checkout_id, mode, currency, 'dispute_fee_lost', dispute_id, fee_part::bigint
    from disputes where ${IN_RANGE} and fee_part is not null
  union all
  select venue_id, checkout_id, mode, currency, 'dispute_returned', dispute_id, returned_part::bigint
    from disputes where ${IN_RANGE} and returned_part > 0
  union all
  select venue_id, checkout_id, mode, currency, 'dispute_paid_twice', dispute_id, own_part::bigint
    from disputes where ${IN_RANGE} and own_part > 0`;

/** What was lost by disputes, and how it is divided. */
export const LOSSES = `select venue_id, checkout_id, dispute_id, venue_part::bigint as venue_part,
    (withdrawn_amount - reinstated_amount)::bigint as taken,
    (venue_part + fee_part + returned_part + own_part)::bigint as divided,
    status in ('won', 'lost', 'warning_closed', 'prevented') as has_ended
  from disputes where ${IN_RANGE} and venue_part is not null`;

export const MOVEMENTS = `select venue_id, checkout_id, kind, status, amount::bigint as amount, fee_part::bigint as fee_part,
  coalesce(sent_amount, amount)::bigint as sent_amount, (settled_amount - written_off_amount)::bigint as settled_amount
  from movements where ${IN_RANGE}`;

/** What transfers of the range settle, and what of the range is settled. A row may be in both. */
export const OFFSETS = `select venue_id, checkout_id, 'taken' as side, amount::bigint as amount
    from debt_offsets where ${IN_RANGE}
  union all
  select venue_id, debt_checkout_id, 'settled', amount::bigint
    from debt_offsets where venue_id = $1::uuid and debt_checkout_id > $2::text and debt_checkout_id <= $3::text`;

export const PAYOUTS = `select venue_id, checkout_id, amount::bigint as amount, fee_amount::bigint as fee_amount
  from payouts where ${IN_RANGE}`;
