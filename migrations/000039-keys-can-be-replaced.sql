-- Keys can be replaced while the servers run. What an operator does to the whole installation is audited like what is done
-- to a venue. A member who signs out ends all tokens that were signed before.

create table installation_audit (
  audit_id uuid not null,
  at timestamptz not null,
  actor text not null,
  via text not null,
  address text,
  request_id text,
  action text not null,
  subject text not null,
  detail jsonb not null default '{}',
  constraint installation_audit_pkey primary key (audit_id)
);
comment on table installation_audit is
  'The audit log of what belongs to no venue: who replaced which key of the installation. Append-only.';
create trigger installation_audit_is_append_only before update or delete on installation_audit
  for each row execute function enforce_append_only();
create trigger installation_audit_is_never_emptied before truncate on installation_audit
  for each statement execute function enforce_append_only();

alter table members add column token_version integer not null default 0;
comment on column members.token_version is 'Tokens carry it. A sign-out adds one: tokens with a lower number are refused.';

alter table installation add column hash_key bytea;
comment on column installation.hash_key is
  'The key of keyed hashes, sealed. It stays the same when ENCRYPTION_KEY is replaced, so that hashes still match.';
