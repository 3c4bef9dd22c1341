-- A refund whose charge is disputed waits for the end of the dispute. A lost dispute drops the refund as far as it has
-- given the guest the money, also the return of a charge whose checkout never completed. A server of an earlier version
-- can run beside this.

alter table disputes add column returned_part integer not null default 0;
alter table disputes drop constraint dispute_loss_is_divided_completely;
alter table disputes add constraint dispute_loss_is_divided_completely check (
  venue_part is null and fee_part is null and returned_part = 0
  or venue_part >= 0 and fee_part >= 0 and returned_part >= 0 and venue_part + fee_part + returned_part = amount);

comment on table movements is
  'Money that leaves us: a refund to a guest (a return, when the booking never became complete), a transfer to the '
  'venue, a transfer reversed. sending: it may have happened. pending: the processor has accepted a refund and not paid '
  'it yet. frozen: a transfer or refund whose charge is disputed. A waiting transfer may still get smaller. A done refund '
  'may fail. A dropped refund keeps its amount: a lost dispute has given the guest that money.';
comment on column disputes.returned_part is
  'Of a lost dispute: how much of it was to be returned to the guest anyway, because the checkout did not complete.';

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
  or (kind = 'dispute_fee_lost' and debit = 'fee_income' and credit = 'disputed_funds')
  or (kind = 'dispute_returned' and debit = 'guest_funds' and credit = 'disputed_funds'));
