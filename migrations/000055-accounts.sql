-- The console's accounts: people with a mail address, their codes, their sessions, and their roles in venues.

create table accounts (
  account_id uuid not null,
  email bytea not null,
  email_hash bytea not null,
  name text,
  created_at timestamptz not null,
  constraint accounts_pkey primary key (account_id)
);
comment on table accounts is 'People who use the console. The mail address is sealed, and found by its keyed hash.';
create unique index accounts_by_email on accounts (email_hash);

create table account_challenges (
  challenge_id uuid not null,
  purpose text not null,
  session_id uuid,
  email bytea not null,
  email_hash bytea not null,
  code_hash bytea not null,
  tries smallint not null default 0,
  spent_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  constraint account_challenges_pkey primary key (challenge_id),
  constraint account_challenge_purpose_is_known check (purpose in ('sign_in', 'step_up')),
  constraint account_challenge_of_step_up_has_session check ((purpose = 'step_up') = (session_id is not null))
);
comment on table account_challenges is 'Codes sent by mail: to sign in, or to prove again who uses a session. The code is stored as a keyed hash.';
create index account_challenges_by_age on account_challenges (expires_at);

create table account_sessions (
  session_id uuid not null,
  account_id uuid not null,
  token_hash bytea not null,
  address text,
  network text,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  stepped_up_at timestamptz,
  ended_at timestamptz,
  constraint account_sessions_pkey primary key (session_id),
  constraint account_sessions_account_id_fkey foreign key (account_id) references accounts (account_id)
);
comment on table account_sessions is 'Browsers signed in to the console; the cookie is stored as a hash. An ended one stays for 30 days: the networks that an account has used have a limit of codes of their own.';
comment on column account_sessions.last_used_at is 'Written at most every five minutes.';
create unique index account_sessions_by_token on account_sessions (token_hash);
create index account_sessions_by_account on account_sessions (account_id, created_at);
create index account_sessions_by_age on account_sessions (created_at);

create table venue_people (
  venue_id uuid not null,
  account_id uuid not null,
  role text not null,
  created_at timestamptz not null,
  constraint venue_people_pkey primary key (venue_id, account_id),
  constraint venue_people_venue_id_fkey foreign key (venue_id) references venues (venue_id),
  constraint venue_people_role_is_known check (role in ('owner', 'developer', 'finance', 'viewer'))
);
comment on table venue_people is 'Which accounts have which role in a venue.';
create index venue_people_by_account on venue_people (account_id);

alter table mails drop constraint mail_kind_is_known;
alter table mails add constraint mail_kind_is_known check (kind in ('receipt', 'code'));
