-- The browsers in which people of the console sign in. A cookie marks each one, so that a sign-in from a new one is noticed.

create table account_devices (
  account_id uuid not null,
  device_hash bytea not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  constraint account_devices_pkey primary key (account_id, device_hash),
  constraint account_devices_account_id_fkey foreign key (account_id) references accounts (account_id)
);
comment on table account_devices is 'Browsers in which an account has signed in within 90 days. The cookie that marks a browser is stored as a hash.';
create index account_devices_by_age on account_devices (last_used_at);

alter table account_sessions
  add column device text,
  add column last_address text,
  add column is_new_device boolean not null default false,
  add constraint account_session_device_is_short check (length(device) <= 60);
comment on column account_sessions.device is 'Browser and system in words; the header itself is not stored.';
comment on column account_sessions.last_address is 'Of the last use, written with last_used_at; null: that of the sign-in.';
