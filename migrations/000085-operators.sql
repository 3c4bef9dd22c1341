-- The people who run the service, and the venues that they look at as their people see them.

create table operators (
  account_id uuid not null,
  role text not null,
  created_at timestamptz not null,
  constraint operators_pkey primary key (account_id),
  constraint operators_account_id_fkey foreign key (account_id) references accounts (account_id),
  constraint operator_role_is_known check (role in ('admin', 'reviewer', 'support', 'finance'))
);
comment on table operators is 'Accounts that may use the desk, each with one role. The command line alone writes it.';

create table desk_views (
  session_id uuid not null,
  venue_id uuid not null,
  ends_at timestamptz not null,
  constraint desk_views_pkey primary key (venue_id, session_id)
);
comment on table desk_views is 'An operator reads a venue as its people do, until then and without writes.';
create index desk_views_by_age on desk_views (ends_at);
