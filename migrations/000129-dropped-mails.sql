-- A mail whose address takes no mails is dropped: it is no failure of the sender.
-- widens: mail_status_is_known: earlier servers write no dropped mail, and show one by its status

alter table mails drop constraint mail_status_is_known;
alter table mails add constraint mail_status_is_known
  check (status in ('waiting', 'sent', 'stored', 'failed', 'dropped')) not valid;
alter table mails validate constraint mail_status_is_known;
