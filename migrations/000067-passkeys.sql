-- Passkeys of people in the console, and the challenges that they sign.

create table account_passkeys (
  passkey_id uuid not null,
  account_id uuid not null,
  credential_id bytea not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  is_synced boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  constraint account_passkeys_pkey primary key (passkey_id),
  constraint account_passkeys_account_id_fkey foreign key (account_id) references accounts (account_id),
  constraint account_passkey_credential_is_short check (octet_length(credential_id) between 1 and 1023),
  constraint account_passkey_key_is_short check (octet_length(public_key) between 1 and 4096),
  constraint account_passkey_counter_is_positive check (counter >= 0)
);
comment on table account_passkeys is 'Public keys with which a person signs in and steps up. A browser names one by its credential id.';
comment on column account_passkeys.counter is 'How often the authenticator has signed, by its own count; it never goes back. 0: it does not count.';
create unique index account_passkeys_by_credential on account_passkeys (credential_id);
create index account_passkeys_by_account on account_passkeys (account_id, created_at);

create table passkey_challenges (
  challenge_hash bytea not null,
  purpose text not null,
  session_id uuid,
  expires_at timestamptz not null,
  constraint passkey_challenges_pkey primary key (challenge_hash),
  constraint passkey_challenge_purpose_is_known check (purpose in ('add', 'sign_in', 'step_up')),
  constraint passkey_challenge_has_session check ((purpose = 'sign_in') = (session_id is null))
);
comment on table passkey_challenges is 'What a passkey is asked to sign, as a hash. The first answer deletes the row, right or wrong.';
create index passkey_challenges_by_age on passkey_challenges (expires_at);

alter table mails drop constraint mail_kind_is_known;
alter table mails add constraint mail_kind_is_known check (kind in ('receipt', 'code', 'invitation', 'account'));
