-- Notices beyond some mails in a day are joined into one mail an hour, and no longer lost.

alter table notices add column mailed_at timestamptz;
comment on column notices.mailed_at is 'When its mail was queued; null: it waits, or an older version has mailed it.';
