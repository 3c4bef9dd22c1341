-- A payout account belongs to the processor that made it. An installation that tried live mode with the sandbox and has
-- Stripe’s keys now must not take the sandbox’s accounts for payable ones.

alter table payout_accounts add column processor text;
alter table payout_accounts add constraint payout_account_processor_is_known check (processor in ('sandbox', 'stripe'));
comment on column payout_accounts.processor is
  'The processor that made the account. Null: no server or worker has started since migration 32.';

create table former_payout_accounts (
  venue_id uuid not null references venues (venue_id),
  mode text not null,
  account_id text not null,
  processor text not null,
  created_at timestamptz not null,
  replaced_at timestamptz,
  primary key (venue_id, mode, account_id),
  constraint former_payout_account_mode_is_known check (mode in ('test', 'live')),
  constraint former_payout_account_processor_is_known check (processor in ('sandbox', 'stripe'))
);
comment on table former_payout_accounts is
  'Payout accounts that are not in use: of the other processor, in use again when that one is set up again; or replaced '
  'by another account.';
comment on column former_payout_accounts.replaced_at is 'When an operator replaced it. Null: the other processor made it.';
