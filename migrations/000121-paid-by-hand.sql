-- An operator who pays a failed refund or transfer by hand reserves it first: until it is given back or closed it is not sent
-- again. A failed transfer can be closed as paid by hand, and a failed reversal becomes a debt of the venue.
-- widens: movement_closed_is_a_refund: a closed transfer is one that an operator has paid; earlier servers do not send it
-- widens: movement_closed_was_paid: it replaces movement_closed_is_a_refund, and lets in transfers
-- widens: movement_by_hand_is_whole: both columns are new, and earlier servers write none of them
-- widens: movement_by_hand_is_not_sent: the column is new; an earlier server that would send a reserved movement must fail
-- widens: ledger_entry_is_between_the_accounts_of_its_kind: it lets in transfer_closed, which earlier servers only sum
-- few rows: ledger_accounts: one
-- earlier text: 195af91946973ff0726175997ce6fb0ded8cace388abe5e4d9383cf5d114729f

alter table movements add column by_hand_by text;
alter table movements add column by_hand_at timestamptz;
comment on column movements.by_hand_by is
  'Of a failed refund or transfer: the operator who pays it by hand. It is not sent again unless it is given back.';
comment on column movements.by_hand_at is 'When by_hand_by has reserved it.';
alter table movements add constraint movement_by_hand_is_whole
  check ((by_hand_by is null) = (by_hand_at is null)) not valid;
alter table movements validate constraint movement_by_hand_is_whole;
alter table movements add constraint movement_by_hand_is_not_sent
  check (by_hand_by is null or (status in ('failed', 'closed', 'dropped') and kind <> 'reversal')) not valid;
alter table movements validate constraint movement_by_hand_is_not_sent;

alter table movements add constraint movement_closed_was_paid
  check (status <> 'closed' or kind in ('refund', 'return', 'transfer')) not valid;
alter table movements validate constraint movement_closed_was_paid;
alter table movements drop constraint movement_closed_is_a_refund;

update ledger_accounts set meaning = 'failed refunds and transfers that an operator has paid outside of the processor'
  where account = 'paid_elsewhere';
insert into state_transitions (machine, from_status, to_status) values ('movement', 'failed', 'owed');

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
  or (kind = 'dispute_returned' and debit = 'guest_funds' and credit = 'disputed_funds')) not valid;
alter table ledger_entries validate constraint ledger_entry_is_between_the_accounts_of_its_kind;
