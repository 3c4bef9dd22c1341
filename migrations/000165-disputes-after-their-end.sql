-- The processor may take or give back money of a dispute after its end. Its division changes then: what comes back of a
-- loss has ledger entries of its own. A dispute may be larger than its charge, because a currency has moved, so the parts
-- are no longer bounded by `amount`: the ledger check compares them with what the processor keeps.
-- widens: dispute_loss_is_divided_completely: earlier servers only write divisions that the narrower one allows
-- widens: dispute_own_part_fits: earlier servers only write divisions that the narrower one allows
-- widens: ledger_entry_is_between_the_accounts_of_its_kind: it lets in five kinds, which earlier servers only sum
-- few rows: ledger_accounts: the chart of accounts, nine rows

alter table disputes drop constraint dispute_own_part_fits;
alter table disputes drop constraint dispute_loss_is_divided_completely;
alter table disputes add constraint dispute_loss_is_divided_completely check (
  venue_part is null and fee_part is null and returned_part = 0 and own_part = 0
  or venue_part >= 0 and fee_part >= 0 and returned_part >= 0 and own_part >= 0) not valid;
comment on column disputes.own_part is
  'Of a lost dispute: how much of it is our loss, because the share cannot bear it.';
comment on column disputes.amount is 'What the processor says that is disputed. It can change, and exceed the charge.';

update ledger_accounts
  set meaning = 'our losses: what venues owed us and an operator has written off, and what disputes took beyond their shares'
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
  or (kind = 'dispute_paid_twice' and debit = 'written_off' and credit = 'disputed_funds')
  or (kind = 'dispute_loss_returned' and debit = 'disputed_funds' and credit = 'venue_payable')
  or (kind = 'dispute_fee_loss_returned' and debit = 'disputed_funds' and credit = 'fee_income')
  or (kind = 'dispute_return_owed' and debit = 'disputed_funds' and credit = 'guest_funds')
  or (kind = 'dispute_own_loss_returned' and debit = 'disputed_funds' and credit = 'written_off')
  or (kind = 'debt_write_off_undone' and debit = 'venue_debts' and credit = 'written_off')) not valid;

-- A share whose refund a lost dispute had paid is charged again when the guest takes the dispute back.
insert into state_transitions (machine, from_status, to_status) values ('share', 'refunded', 'captured');
