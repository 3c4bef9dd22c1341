-- A guest whose refund an operator has paid by hand, and who then wins a dispute of the same charge, has the money twice: that
-- part of the dispute is our own loss. Open disputes have the time until which the processor takes an answer.
-- widens: dispute_own_part_fits: the column is new, and earlier servers leave it 0
-- widens: ledger_entry_is_between_the_accounts_of_its_kind: it lets in dispute_paid_twice, which earlier servers only sum
-- few rows: ledger_accounts: the chart of accounts, nine rows

alter table disputes add column own_part integer not null default 0;
alter table disputes add column evidence_due_at timestamptz;
comment on column disputes.own_part is
  'Of a lost dispute: how much of it is our loss, because an operator had paid the guest by hand.';
comment on column disputes.evidence_due_at is
  'Until when the processor takes an answer; null: it takes none, or has not said until when.';
alter table disputes add constraint dispute_own_part_fits
  check (own_part >= 0 and (own_part = 0 or venue_part + fee_part + returned_part + own_part <= amount)) not valid;
alter table disputes validate constraint dispute_own_part_fits;

update ledger_accounts
  set meaning = 'our losses: what venues owed us and an operator has written off, and what guests got by hand and by a dispute'
  where account = 'written_off';

alter table ledger_entries drop constraint ledger_entry_is_between_the_accounts_of_its_kind;
alter table ledger_entries add constraint ledger_entry_is_between_the_accounts_of_its_kind check (
  (kind = 'capture' and debit = 'processor_balance' and credit = 'guest_funds')
  or (kind = 'processor_fee' and debit = 'processor_fees' and credit = 'processor_balance')
  or (kind = 'earning' and debit = 'guest_funds' and credit = 'venue_payable')
  or (kind = 'fee' and debit = 'guest_funds' and credit = 'fee_income')
  or (kind = 'transfer' and debit = 'venue_payable' and credit = 'processor_balance')
  or (kind = 'transfer_closed' and debit = 'venue_payable' and credit = 'paid_elsewhere')
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
  or (kind = 'dispute_returned' and debit = 'guest_funds' and credit = 'disputed_funds')
  or (kind = 'dispute_paid_twice' and debit = 'written_off' and credit = 'disputed_funds')) not valid;
alter table ledger_entries validate constraint ledger_entry_is_between_the_accounts_of_its_kind;
