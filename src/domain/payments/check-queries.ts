// What the check of the ledger holds against it: which entries holds, movements and disputes must have, and what was moved
// and paid out. Parts of one larger statement, over a range of checkouts ($1 to $3).

import { IN_RANGE } from '../ledger/check-queries.ts';

/** Each hold that was captured, wanted or not, each movement that was done, and each dispute whose money moved has its entries, of these amounts. */
export const ENTRIES_OWED = `
  select venue_id, checkout_id, mode, currency, 'capture' as kind, hold_id::text as subject, amount::bigint as amount
    from holds where ${IN_RANGE} and status in ('captured', 'returned')
  union all
  select venue_id, checkout_id, mode, currency, kind, movement_id::text,
      (amount - case kind when 'refund' then fee_part else 0 end)::bigint
    from movements where ${IN_RANGE} and status = 'done'
  union all
  select venue_id, checkout_id, mode, currency, 'fee_return', movement_id::text, fee_part::bigint
    from movements where ${IN_RANGE} and status = 'done' and kind = 'refund'
  union all
  select venue_id, checkout_id, mode, currency, 'dispute', dispute_id, amount::bigint
    from disputes where ${IN_RANGE} and withdrawn
  union all
  select venue_id, checkout_id, mode, currency, 'dispute_won', dispute_id, amount::bigint
    from disputes where ${IN_RANGE} and reinstated`;

export const MOVED = `select venue_id, checkout_id, kind, status, amount::bigint as amount, fee_part::bigint as fee_part
  from movements where ${IN_RANGE}`;

export const PAID_OUT = `select venue_id, checkout_id, amount::bigint as amount, fee_amount::bigint as fee_amount
  from payouts where ${IN_RANGE}`;
