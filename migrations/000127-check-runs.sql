-- When the worker compares the records with the processor and checks the ledger, and what each run of the last 90 days found.

create table check_schedules (
  name text not null,
  mode text not null,
  due_at timestamptz not null,
  lease_token integer not null,
  constraint check_schedules_pkey primary key (name, mode),
  constraint check_schedule_name_is_known check (name in ('reconcile', 'ledger')),
  constraint check_schedule_mode_is_known check (mode in ('test', 'live', 'all'))
);
comment on table check_schedules is
  'When a worker runs each check next; while one runs it, when its lease ends. A check without a row is due.';

create table check_runs (
  name text not null,
  mode text not null,
  at timestamptz not null,
  compared integer,
  settled integer not null,
  differences integer not null,
  findings text[] not null,
  balances jsonb,
  constraint check_runs_pkey primary key (name, mode, at),
  constraint check_run_name_is_known check (name in ('reconcile', 'ledger')),
  constraint check_run_mode_is_known check (mode in ('test', 'live', 'all')),
  constraint check_run_counts_are_not_negative check (compared >= 0 and settled >= 0 and differences >= 0),
  constraint check_run_is_of_its_kind
    check ((balances is not null) = (name = 'ledger') and (compared is not null) = (name = 'reconcile'))
);
comment on table check_runs is
  'Comparisons with the processor (with the number of its payments) and checks of the ledger (with the balances of its accounts) of the last 90 days, and what they found.';
