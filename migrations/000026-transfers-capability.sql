-- A venue is paid while the transfers capability of its account is active. The column payouts_enabled said less, and a
-- server of an earlier version cannot run beside this.

alter table payout_accounts drop column payouts_enabled;
alter table payout_accounts add column transfers_status text;
alter table payout_accounts add column requirements_due text[] not null default '{}';
alter table payout_accounts add column checked_at timestamptz;
alter table payout_accounts add column check_at timestamptz not null default now();
alter table payout_accounts alter column check_at drop default;
alter table payout_accounts add column lease_token integer not null default 0;
alter table payout_accounts add constraint payout_account_transfers_status_is_known
  check (transfers_status in ('active', 'pending', 'restricted', 'rejected', 'unsupported'));
create index payout_accounts_to_check on payout_accounts (check_at);

comment on column payout_accounts.transfers_status is
  'The processor''s status of the transfers capability: transfers work only while it is active. Null: not asked yet.';
comment on column payout_accounts.requirements_due is
  'What the processor needs before the capability is active, in its own words.';
comment on column payout_accounts.checked_at is 'When the processor was asked last.';
comment on column payout_accounts.check_at is
  'When a worker asks the processor again: after an event, and from time to time, because events can be lost.';
comment on column payout_accounts.lease_token is
  'Increases with each claim and each event. A worker with a stale lease token must not write.';
