-- What the card processor charges us for each captured charge, from its balance transaction, and its entry in the ledger.

alter table holds add column processor_fee integer;
alter table holds add constraint hold_processor_fee_is_not_negative check (processor_fee >= 0);
create index holds_without_fee on holds (mode, hold_id) where processor_fee is null and status in ('captured', 'returned');

comment on column holds.processor_fee is
  'What the processor charged us for the captured charge; null: it is not captured, or the fee is not known yet. A '
  'captured hold without it is due until it is known.';

insert into ledger_accounts values
  ('processor_fees', 'debit', 'what the processor has charged us for its service');

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
  or (kind = 'dispute' and debit = 'disputed_funds' and credit = 'processor_balance')
  or (kind = 'dispute_won' and debit = 'processor_balance' and credit = 'disputed_funds')
  or (kind = 'dispute_lost' and debit = 'venue_payable' and credit = 'disputed_funds')
  or (kind = 'dispute_fee_lost' and debit = 'fee_income' and credit = 'disputed_funds'));
