-- A provider that has one address for each partner application (Mews) delivers there for all venues: each delivery goes
-- to the integration to which the account in its body is routed.

create table shared_hooks (
  shared_hook_id text primary key,
  provider text not null,
  mode text not null constraint shared_hook_mode_is_known check (mode in ('test', 'live')),
  token_hash bytea not null unique constraint shared_hook_token_is_sha256 check (octet_length(token_hash) = 32),
  created_at timestamptz not null,
  revoked_at timestamptz,
  -- Deliveries that were not stored, because their account is routed to no integration.
  unrouted_count bigint not null default 0,
  unrouted_at timestamptz
);

create table hook_account_routes (
  provider text not null,
  mode text not null,
  -- The id of the venue in the provider's system.
  account text not null,
  venue_id uuid not null,
  integration_id text not null,
  routed_at timestamptz not null,
  primary key (provider, mode, account),
  foreign key (venue_id, integration_id) references integrations (venue_id, integration_id)
);
