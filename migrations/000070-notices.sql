-- Notices to the people of a venue: recorded with the change that they report, and mailed by the worker to those who want
-- them.
-- The index of keys is built by 000074.
-- earlier text: ba890575eccf313a6f8a6e4f35e386d65776705790b6e06c8f3083d81073dcf3

create table notices (
  venue_id uuid not null,
  notice_id uuid not null,
  mode text not null,
  kind text not null,
  subject text not null,
  detail json not null,
  due_at timestamptz,
  created_at timestamptz not null,
  constraint notices_pkey primary key (venue_id, notice_id),
  constraint notices_venue_id_fkey foreign key (venue_id) references venues (venue_id),
  constraint notice_mode_is_known check (mode in ('test', 'live')),
  constraint notice_kind_is_known
    check (kind in ('endpoint', 'payout', 'dispute', 'review', 'key_expiry', 'payable', 'live', 'approval'))
);
comment on table notices is 'What the people of a venue are told by mail. due_at is null as soon as the mails are queued.';
create unique index notices_by_subject on notices (venue_id, kind, subject);
create index notices_due on notices (due_at) where due_at is not null;
create index notices_by_age on notices (created_at);

create table notification_preferences (
  venue_id uuid not null,
  account_id uuid not null,
  kind text not null,
  enabled boolean not null,
  constraint notification_preferences_pkey primary key (venue_id, account_id, kind),
  constraint notification_preferences_venue_id_fkey foreign key (venue_id) references venues (venue_id),
  constraint notification_preference_kind_is_known
    check (kind in ('endpoint', 'payout', 'dispute', 'review', 'key_expiry'))
);
comment on table notification_preferences is 'Which mails a person wants of a venue, where it is not what their role gets by default.';

alter table mails drop constraint mail_kind_is_known;
alter table mails add constraint mail_kind_is_known
  check (kind in ('receipt', 'code', 'invitation', 'account', 'notice', 'security'));
