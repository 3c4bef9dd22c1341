-- A refund to a guest can be pending, and can fail days after it was done. What failed is owed to the guest until it is
-- paid again.

alter table movements drop constraint movement_status_is_known;
alter table movements add constraint movement_status_is_known
  check (status in ('waiting', 'sending', 'pending', 'frozen', 'done', 'failed', 'dropped'));
insert into state_transitions (machine, from_status, to_status) values
  ('movement', 'sending', 'pending'),
  ('movement', 'pending', 'done'),
  ('movement', 'pending', 'failed'),
  ('movement', 'done', 'failed');
alter table movements drop constraint movement_open_is_due;
alter table movements add constraint movement_open_is_due check (
  case when status in ('waiting', 'sending', 'pending') then due_at is not null
    else due_at is null or (status = 'done' and kind in ('refund', 'return')) end);
alter table movements add column failures_after_done integer not null default 0;
drop index movements_unsettled;
create index movements_unsettled on movements (mode, movement_id) where status in ('sending', 'pending', 'failed');

alter table checkouts add column failed_refund_amount integer not null default 0;
alter table checkouts add constraint checkout_failed_refund_is_not_negative check (failed_refund_amount >= 0);
alter table shares add column failed_refund_amount integer not null default 0;
alter table shares add constraint share_failed_refund_is_not_negative check (failed_refund_amount >= 0);
update checkouts c set failed_refund_amount = f.amount
from (select venue_id, checkout_id, sum(amount) as amount from movements
  where status = 'failed' and kind in ('refund', 'return') group by venue_id, checkout_id) f
where c.venue_id = f.venue_id and c.checkout_id = f.checkout_id;
update shares s set failed_refund_amount = f.amount
from (select venue_id, share_id, sum(amount) as amount from movements
  where status = 'failed' and kind in ('refund', 'return') group by venue_id, share_id) f
where s.venue_id = f.venue_id and s.share_id = f.share_id;

comment on table movements is
  'Money that leaves us: a refund to a guest (a return, when the booking never became complete), a transfer to the '
  'venue, a transfer reversed. sending: it may have happened. pending: the processor has accepted a refund and not paid '
  'it yet. frozen: a transfer whose charge is disputed. A waiting transfer may still get smaller. A done refund may fail.';
comment on column movements.failures_after_done is
  'How often the refund was done and failed afterwards; each time has its own ledger entries.';
comment on column checkouts.failed_refund_amount is
  'How much of the refunds did not reach the guests and is owed to them. refunded_amount includes it, because it is decided.';
comment on column shares.failed_refund_amount is
  'How much of the share’s refunds did not reach the guest and is owed to them. refunded_amount includes it.';

alter table ledger_entries drop constraint ledger_entry_is_between_the_accounts_of_its_kind;
alter table ledger_entries add constraint ledger_entry_is_between_the_accounts_of_its_kind check (
  (kind = 'capture' and debit = 'processor_balance' and credit = 'guest_funds')
  or (kind = 'processor_fee' and debit = 'processor_fees' and credit = 'processor_balance')
  or (kind = 'earning' and debit = 'guest_funds' and credit = 'venue_payable')
  or (kind = 'fee' and debit = 'guest_funds' and credit = 'fee_income')
  or (kind = 'transfer' and debit = 'venue_payable' and credit = 'processor_balance')
  or (kind = 'reversal' and debit = 'processor_balance' and credit = 'venue_payable')
  or (kind = 'refund' and debit = 'venue_payable' and credit = 'processor_balance')
  or (kind = 'fee_return' and debit = 'fee_income' and credit = 'processor_balance')
  or (kind = 'return' and debit = 'guest_funds' and credit = 'processor_balance')
  or (kind = 'refund_failed' and debit = 'processor_balance' and credit = 'venue_payable')
  or (kind = 'fee_return_failed' and debit = 'processor_balance' and credit = 'fee_income')
  or (kind = 'return_failed' and debit = 'processor_balance' and credit = 'guest_funds')
  or (kind = 'dispute' and debit = 'disputed_funds' and credit = 'processor_balance')
  or (kind = 'dispute_won' and debit = 'processor_balance' and credit = 'disputed_funds')
  or (kind = 'dispute_lost' and debit = 'venue_payable' and credit = 'disputed_funds')
  or (kind = 'dispute_fee_lost' and debit = 'fee_income' and credit = 'disputed_funds'));
