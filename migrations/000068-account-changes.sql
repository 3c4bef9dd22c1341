-- A person of the console changes their mail address: a code goes to the new one. Each migration that changes these
-- constraints lists every purpose and every kind.

alter table account_challenges drop constraint account_challenge_purpose_is_known;
alter table account_challenges add constraint account_challenge_purpose_is_known
  check (purpose in ('sign_in', 'step_up', 'link', 'domain', 'email'));
alter table account_challenges drop constraint account_challenge_of_step_up_has_session;
alter table account_challenges add constraint account_challenge_of_step_up_has_session
  check ((purpose in ('step_up', 'domain', 'email')) = (session_id is not null));

alter table mails drop constraint mail_kind_is_known;
alter table mails add constraint mail_kind_is_known
  check (kind in ('receipt', 'code', 'invitation', 'account', 'notice', 'security'));
