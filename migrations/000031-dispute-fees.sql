-- What the card processor charges us for a dispute, from the dispute's balance transactions, and its entries in the ledger.

alter table disputes add column processor_fee integer not null default 0;
alter table disputes add column processor_fee_returned integer not null default 0;
alter table disputes add constraint dispute_processor_fee_is_not_negative
  check (processor_fee >= 0 and processor_fee_returned >= 0);
comment on column disputes.processor_fee is
  'What the processor has charged us for the dispute, as far as an event has named it. Disputes before this column have 0.';
comment on column disputes.processor_fee_returned is 'How much of processor_fee the processor has given back.';

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
  or (kind = 'dispute' and debit = 'disputed_funds' and credit = 'processor_balance')
  or (kind = 'dispute_fee' and debit = 'processor_fees' and credit = 'processor_balance')
  or (kind = 'dispute_fee_returned' and debit = 'processor_balance' and credit = 'processor_fees')
  or (kind = 'dispute_won' and debit = 'processor_balance' and credit = 'disputed_funds')
  or (kind = 'dispute_lost' and debit = 'venue_payable' and credit = 'disputed_funds')
  or (kind = 'dispute_fee_lost' and debit = 'fee_income' and credit = 'disputed_funds')
  or (kind = 'dispute_returned' and debit = 'guest_funds' and credit = 'disputed_funds'));
