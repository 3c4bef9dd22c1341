-- A transfer to a venue waits while its charge is disputed, and a lost dispute is divided between the venue and our fee.

alter table movements drop constraint movement_status_is_known;
alter table movements add constraint movement_status_is_known
  check (status in ('waiting', 'sending', 'frozen', 'done', 'failed', 'dropped'));
insert into state_transitions (machine, from_status, to_status) values
  ('movement', 'sending', 'frozen'),
  ('movement', 'frozen', 'waiting'),
  ('movement', 'frozen', 'dropped');

alter table disputes add column venue_part integer;
alter table disputes add column fee_part integer;
alter table disputes add constraint dispute_loss_is_divided_completely check (
  (venue_part is null and fee_part is null)
  or (venue_part >= 0 and fee_part >= 0 and venue_part + fee_part = amount));
create index disputes_by_hold on disputes (venue_id, hold_id);

alter table shares add column lost_amount integer not null default 0;
alter table shares drop constraint share_refund_is_within_the_amount;
alter table shares add constraint share_refund_is_within_the_amount
  check (refunded_amount >= 0 and lost_amount >= 0 and refunded_amount + lost_amount <= amount);

comment on table movements is
  'Money that leaves us: a refund to a guest (a return, when the booking never became complete), a transfer to the '
  'venue, a transfer reversed. sending: it may have happened. frozen: a transfer whose charge is disputed. A waiting '
  'transfer may still get smaller.';
comment on column disputes.venue_part is 'Of a lost dispute: how much of it the venue bears; null: it is not lost.';
comment on column disputes.fee_part is 'Of a lost dispute: how much of it comes out of our fee.';
comment on column shares.lost_amount is 'How much of the share was lost to disputes. It cannot be refunded any more.';

alter table ledger_entries drop constraint ledger_entry_is_between_the_accounts_of_its_kind;
alter table ledger_entries add constraint ledger_entry_is_between_the_accounts_of_its_kind check (
  (kind = 'capture' and debit = 'processor_balance' and credit = 'guest_funds')
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
