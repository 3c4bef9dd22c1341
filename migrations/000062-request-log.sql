-- The request log: every call with a partner's key, for a few days. Days go round in 32 partitions, so that none has to be
-- created ahead, and an old day is truncated, not deleted row by row.

create table request_log (
  venue_id uuid not null,
  mode text not null,
  request_id text collate "C" not null,
  -- The number of the UTC day of `at`, modulo 32.
  slot smallint not null,
  at timestamptz not null,
  key_id text not null,
  method text not null,
  path text not null,
  -- Null: there is no such route.
  route text,
  operation text,
  tool text,
  status smallint not null,
  code text,
  reason text,
  field text,
  problem_count smallint not null,
  replayed boolean not null,
  duration_ms real not null,
  address text not null,
  user_agent text,
  -- Of a failed call: message, problems and body, masked and sealed.
  failure bytea,
  constraint request_log_pkey primary key (venue_id, mode, request_id, slot),
  constraint request_log_mode_is_known check (mode in ('test', 'live'))
) partition by list (slot);
comment on table request_log is 'Calls with a partner''s key, masked, for REQUEST_LOG_DAYS. Ids are in the order of time. Written after the call, in batches: a line may be missing.';
create index request_log_refused on request_log (venue_id, mode, request_id) where status >= 400;
do $$
begin
  for slot in 0..31 loop
    execute format('create table request_log_slot_%s partition of request_log for values in (%s)', to_char(slot, 'FM00'), slot);
  end loop;
end $$;
