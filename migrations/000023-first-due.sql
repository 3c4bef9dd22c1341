-- A refused movement is retried for two weeks from when it was first due, not from when it was created: a transfer may
-- wait for weeks before it is due.

alter table movements add column first_due_at timestamptz;
update movements set first_due_at = greatest(created_at, least(due_at, now()));
alter table movements alter column first_due_at set not null;

comment on column movements.first_due_at is
  'When it was due first, or when an operator or the end of a dispute made it due again. Refusals are retried for two '
  'weeks from then.';
