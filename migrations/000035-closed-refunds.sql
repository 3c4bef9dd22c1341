-- A failed refund that an operator has paid in another way is closed: nothing is owed to the guest any more, and the amount
-- stays at the processor as the operator's own.

alter table movements drop constraint movement_status_is_known;
alter table movements add constraint movement_status_is_known
  check (status in ('waiting', 'sending', 'pending', 'frozen', 'done', 'owed', 'failed', 'dropped', 'closed'));
alter table movements add constraint movement_closed_is_a_refund
  check (status <> 'closed' or kind in ('refund', 'return'));
insert into state_transitions (machine, from_status, to_status) values ('movement', 'failed', 'closed');

comment on table movements is
  'Money that leaves us: a refund to a guest (a return, when the booking never became complete), a transfer to the '
  'venue, a transfer reversed. sending: it may have happened. pending: the processor has accepted a refund and not paid '
  'it yet. frozen: a transfer or refund whose charge is disputed. owed: a reversal for which the account of the venue '
  'has no funds. closed: a failed refund that an operator paid in another way. A waiting transfer may still get smaller. '
  'A done refund may fail. A dropped refund keeps its amount: a lost dispute has given the guest that money.';

insert into ledger_accounts values
  ('paid_elsewhere', 'credit', 'failed refunds that the operator has paid to guests outside of the processor');

alter table ledger_entries drop constraint ledger_entry_is_between_the_accounts_of_its_kind;
alter table ledger_entries add constraint ledger_entry_is_between_the_accounts_of_its_kind check (
  (kind = 'capture' and debit = 'processor_balance' and credit = 'guest_funds')
  or (kind = 'processor_fee' and debit = 'processor_fees' and credit = 'processor_balance')
  or (kind = 'earning' and debit = 'guest_funds' and credit = 'venue_payable')
  or (kind = 'fee' and debit = 'guest_funds' and credit = 'fee_income')
  or (kind = 'transfer' and debit = 'venue_payable' and credit = 'processor_balance')
  or (kind = 'reversal' and debit = 'processor_balance' and credit = 'venue_payable')
  or (kind = 'debt' and debit = 'venue_debts' and credit = 'venue_payable')
  or (kind = 'debt_paid' and debit = 'venue_payable' and credit = 'venue_debts')
  or (kind = 'refund' and debit = 'venue_payable' and credit = 'processor_balance')
  or (kind = 'fee_return' and debit = 'fee_income' and credit = 'processor_balance')
  or (kind = 'return' and debit = 'guest_funds' and credit = 'processor_balance')
  or (kind = 'refund_failed' and debit = 'processor_balance' and credit = 'venue_payable')
  or (kind = 'fee_return_failed' and debit = 'processor_balance' and credit = 'fee_income')
  or (kind = 'return_failed' and debit = 'processor_balance' and credit = 'guest_funds')
  or (kind = 'refund_closed' and debit = 'venue_payable' and credit = 'paid_elsewhere')
  or (kind = 'fee_return_closed' and debit = 'fee_income' and credit = 'paid_elsewhere')
  or (kind = 'return_closed' and debit = 'guest_funds' and credit = 'paid_elsewhere')
  or (kind = 'dispute' and debit = 'disputed_funds' and credit = 'processor_balance')
  or (kind = 'dispute_fee' and debit = 'processor_fees' and credit = 'processor_balance')
  or (kind = 'dispute_fee_returned' and debit = 'processor_balance' and credit = 'processor_fees')
  or (kind = 'dispute_won' and debit = 'processor_balance' and credit = 'disputed_funds')
  or (kind = 'dispute_lost' and debit = 'venue_payable' and credit = 'disputed_funds')
  or (kind = 'dispute_fee_lost' and debit = 'fee_income' and credit = 'disputed_funds')
  or (kind = 'dispute_returned' and debit = 'guest_funds' and credit = 'disputed_funds'));
