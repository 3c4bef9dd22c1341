-- A reversal that the processor refuses, because the venue's account has no funds, is owed by the venue. Later transfers
-- to the venue are reduced by what it owes.

alter table movements drop constraint movement_status_is_known;
alter table movements add constraint movement_status_is_known
  check (status in ('waiting', 'sending', 'pending', 'frozen', 'done', 'owed', 'failed', 'dropped'));
insert into state_transitions (machine, from_status, to_status) values ('movement', 'sending', 'owed');

alter table movements add column sent_amount integer;
alter table movements add column owed_amount integer not null default 0;
alter table movements add column settled_amount integer not null default 0;
alter table movements add constraint movement_sent_amount_is_within check (sent_amount between 0 and amount);
alter table movements add constraint movement_owed_amount_is_within check (owed_amount between 0 and amount);
alter table movements add constraint movement_settled_amount_is_within check (settled_amount between 0 and owed_amount);
alter table movements add constraint movement_owed_is_owed_whole check (status <> 'owed' or owed_amount = amount);
create index movements_with_debts on movements (venue_id, mode, currency, movement_id) where owed_amount > settled_amount;
-- The call may have been made, with the whole amount.
update movements set sent_amount = amount where status = 'sending' and kind in ('transfer', 'reversal');

create table debt_offsets (
  venue_id uuid not null,
  transfer_id uuid not null,
  reversal_id uuid not null,
  checkout_id text not null,
  debt_checkout_id text not null,
  amount integer not null,
  created_at timestamptz not null,
  primary key (venue_id, transfer_id, reversal_id),
  foreign key (venue_id, transfer_id) references movements (venue_id, movement_id),
  foreign key (venue_id, reversal_id) references movements (venue_id, movement_id),
  constraint debt_offset_is_positive check (amount > 0)
);
create index debt_offsets_by_checkout on debt_offsets (venue_id, checkout_id);
create index debt_offsets_by_debt_checkout on debt_offsets (venue_id, debt_checkout_id);

comment on table debt_offsets is
  'How much of a transfer settles a debt of the venue instead of being sent. It is written once, before the first call '
  'of the transfer, and deleted only when a refund changes a transfer that was not sent.';
comment on column debt_offsets.checkout_id is 'The checkout of the transfer.';
comment on column debt_offsets.debt_checkout_id is 'The checkout of the reversal that is owed.';
comment on column movements.sent_amount is
  'Of a transfer or a reversal: what the call to the processor asks for, decided once before the first call; null: not '
  'decided yet, or done by an older version with the whole amount. The rest of a transfer settles debts of the venue. The '
  'rest of a reversal was never sent to the venue, so the venue owes it.';
comment on column movements.owed_amount is
  'Of a reversal: what could not be taken back from the account of the venue, which owes it. Later transfers settle it.';
comment on column movements.settled_amount is 'How much of owed_amount is settled by later transfers (debt_offsets).';
comment on table movements is
  'Money that leaves us: a refund to a guest (a return, when the booking never became complete), a transfer to the '
  'venue, a transfer reversed. sending: it may have happened. pending: the processor has accepted a refund and not paid '
  'it yet. frozen: a transfer or refund whose charge is disputed. owed: a reversal for which the account of the venue '
  'has no funds. A waiting transfer may still get smaller. A done refund may fail. A dropped refund keeps its amount: a '
  'lost dispute has given the guest that money.';

insert into ledger_accounts values
  ('venue_debts', 'debit', 'what venues owe us because a transfer could not be taken back');

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
  or (kind = 'dispute_won' and debit = 'processor_balance' and credit = 'disputed_funds')
  or (kind = 'dispute_lost' and debit = 'venue_payable' and credit = 'disputed_funds')
  or (kind = 'dispute_fee_lost' and debit = 'fee_income' and credit = 'disputed_funds')
  or (kind = 'dispute_returned' and debit = 'guest_funds' and credit = 'disputed_funds'));
