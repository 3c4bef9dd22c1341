-- The processor can give back a part of what it withdrew for a dispute: of a charge that was refunded in part and disputed
-- whole, the refunded part comes back although the dispute is lost.

alter table disputes add column withdrawn_amount integer not null default 0;
alter table disputes add column reinstated_amount integer not null default 0;
alter table disputes add column changes integer not null default 0;
update disputes set changes = 1, withdrawn_amount = case when withdrawn then amount else 0 end,
  reinstated_amount = case when reinstated then amount else 0 end;
alter table disputes drop column withdrawn, drop column reinstated;
alter table disputes add constraint dispute_amounts_are_not_negative
  check (withdrawn_amount >= 0 and reinstated_amount >= 0);
alter table disputes drop constraint dispute_loss_is_divided_completely;
alter table disputes add constraint dispute_loss_is_divided_completely check (
  venue_part is null and fee_part is null and returned_part = 0
  or venue_part >= 0 and fee_part >= 0 and returned_part >= 0 and venue_part + fee_part + returned_part <= amount);
create index disputes_undivided on disputes (mode, changed_at) where status = 'lost' and venue_part is null;

comment on column disputes.withdrawn_amount is 'What the processor took back from us.';
comment on column disputes.reinstated_amount is 'How much of withdrawn_amount the processor gave to us again.';
comment on column disputes.changes is
  'How often an answer of the processor was recorded. A worker whose answer is older than the last record asks again.';
