-- The processor stores a failure (5xx) under the call's idempotency key and repeats it for a day. Each hold and each
-- movement counts which of its keys comes next. A server of an earlier version cannot run beside this: it knows the
-- old column.

alter table holds rename column capture_tries to key_number;
alter table holds alter column key_number type integer;
alter table movements add column key_number integer not null default 0;
update movements set key_number = refusals;

comment on column holds.key_number is
  'Which idempotency keys the next calls use. It increases when the processor has stored a failure under the last key.';
comment on column movements.key_number is
  'Which idempotency key the next call uses. It increases after a refusal, and when the processor has stored a failure.';
comment on column movements.refusals is 'How often the processor refused: nothing was done then.';
