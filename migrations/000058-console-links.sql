-- A link that signs a person in to the console once: a challenge whose code is in the link.

alter table account_challenges drop constraint account_challenge_purpose_is_known;
alter table account_challenges add constraint account_challenge_purpose_is_known
  check (purpose in ('sign_in', 'step_up', 'link'));
