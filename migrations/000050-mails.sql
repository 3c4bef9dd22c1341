-- Mails to people, queued in the transaction of their cause and sent by the worker. Address and content are sealed.

create table mails (
  mail_id uuid not null,
  kind text not null,
  subject text not null,
  address bytea not null,
  address_hash bytea not null,
  content bytea not null,
  status text not null,
  last_error text,
  due_at timestamptz,
  lease_token smallint not null default 0,
  created_at timestamptz not null,
  sent_at timestamptz,
  constraint mails_pkey primary key (mail_id),
  constraint mail_kind_is_known check (kind in ('receipt')),
  constraint mail_status_is_known check (status in ('waiting', 'sent', 'stored', 'failed')),
  constraint mail_waiting_is_due check ((due_at is not null) = (status = 'waiting'))
);
comment on column mails.subject is 'One mail of each kind for a subject: a crash between two statements sends nothing twice.';
create unique index mails_by_kind_and_subject on mails (kind, subject);
create index mails_by_address on mails (address_hash, created_at);
create index mails_by_age on mails (created_at);
create index mails_due on mails (due_at) where due_at is not null;
