-- Debts of venues that an operator writes off: the venue no longer owes them, and the loss is ours.

alter table movements add column written_off_amount integer not null default 0;
comment on column movements.written_off_amount is
  'How much of settled_amount an operator has written off: the venue no longer owes it, and the loss is ours.';
alter table movements add constraint movement_written_off_is_within
  check (written_off_amount >= 0 and written_off_amount <= settled_amount) not valid;
alter table movements validate constraint movement_written_off_is_within;

insert into ledger_accounts values ('written_off', 'debit', 'what venues owed us and an operator has written off');

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
  or (kind = 'debt_written_off' and debit = 'written_off' and credit = 'venue_debts')
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
  or (kind = 'dispute_returned' and debit = 'guest_funds' and credit = 'disputed_funds')) not valid;
alter table ledger_entries validate constraint ledger_entry_is_between_the_accounts_of_its_kind;
