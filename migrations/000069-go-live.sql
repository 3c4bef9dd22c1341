-- Going live: what a venue has shown of itself, beside its payout account and its live origins.

create table venue_go_live (
  venue_id uuid not null,
  is_open boolean not null default true,
  domain text,
  domain_token text,
  domain_verified_at timestamptz,
  domain_verified_by text,
  checked_at timestamptz,
  check_result text,
  check_found text[] not null default '{}',
  terms_url text,
  terms_accepted_at timestamptz,
  terms_accepted_by uuid,
  approved_at timestamptz,
  constraint venue_go_live_pkey primary key (venue_id),
  constraint venue_go_live_venue_id_fkey foreign key (venue_id) references venues (venue_id),
  constraint venue_go_live_domain_has_token check ((domain is null) = (domain_token is null)),
  constraint venue_go_live_verified_has_domain check (domain_verified_at is null or domain is not null),
  constraint venue_go_live_verified_is_complete check ((domain_verified_at is null) = (domain_verified_by is null)),
  constraint venue_go_live_verified_by_is_known check (domain_verified_by in ('dns', 'mail')),
  constraint venue_go_live_check_is_complete check ((checked_at is null) = (check_result is null)),
  constraint venue_go_live_check_result_is_known
    check (check_result in ('found', 'no_domain', 'no_record', 'other_values', 'timeout', 'failed')),
  constraint venue_go_live_terms_are_complete
    check ((terms_url is null) = (terms_accepted_at is null) and (terms_url is null) = (terms_accepted_by is null))
);
comment on table venue_go_live is 'What a venue has shown to go live: its domain, the terms that were accepted, the approval of an operator.';
comment on column venue_go_live.is_open is 'The venue is not known to be linked: the worker looks whether everything holds.';
comment on column venue_go_live.check_found is 'The TXT records that the last look-up found.';
create index venue_go_live_open on venue_go_live (venue_id) where is_open and domain_verified_at is not null;

alter table account_challenges drop constraint account_challenge_purpose_is_known;
alter table account_challenges add constraint account_challenge_purpose_is_known
  check (purpose in ('sign_in', 'step_up', 'link', 'domain', 'email'));
alter table account_challenges drop constraint account_challenge_of_step_up_has_session;
alter table account_challenges add constraint account_challenge_of_step_up_has_session
  check ((purpose in ('step_up', 'domain', 'email')) = (session_id is not null));
