-- What monitoring reads: the figures of the whole installation, computed at most every 15 seconds by one process; the
-- processes that run; the last comparison with the processor and check of the ledger.

create table figures (
  only_row boolean not null default true,
  computed_at timestamptz,
  -- A process that computes holds this lease; a process that dies leaves it to run out.
  leased_until timestamptz not null default '-infinity',
  figures json,
  constraint figures_pkey primary key (only_row),
  constraint figures_have_one_row check (only_row),
  constraint figures_computed_have_a_time check ((figures is null) = (computed_at is null))
);
comment on table figures is 'The newest figures of the installation, for /metrics and the page of operators. One row.';
insert into figures default values;

create table processes (
  process_id uuid not null,
  role text not null,
  version text not null,
  schema_version integer not null,
  host text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  -- When calls to the card processor last succeeded and failed, for each mode.
  outcomes json not null,
  constraint processes_pkey primary key (process_id),
  constraint process_role_is_known check (role in ('start', 'serve', 'worker'))
);
comment on table processes is 'Servers and workers. Each writes its row every 20 seconds; rows unseen for a day are deleted.';
create index processes_by_age on processes (seen_at);

create table checks (
  name text not null,
  mode text not null,
  at timestamptz not null,
  differences integer not null,
  constraint checks_pkey primary key (name, mode),
  constraint check_name_is_known check (name in ('reconcile', 'ledger')),
  constraint check_mode_is_known check (mode in ('test', 'live', 'all'))
);
comment on table checks is 'The last comparison with the processor of each mode, and the last check of the ledger, of all modes.';
