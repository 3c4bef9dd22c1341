-- Why a share is no part of its party any more, and the messages about it.

alter table shares add column drop_reason text;
comment on column shares.dropped_at is 'When the share left the party; drop_reason says why. It stays for the books.';
comment on column shares.drop_reason is
  'declined: its guest said no. removed: the organizer removed its guest. Null: the organizer chose the party again.';
alter table shares add constraint share_drop_reason_is_known
  check (drop_reason is null or (dropped_at is not null and drop_reason in ('declined', 'removed')));

alter table messages drop constraint message_kind_is_known;
alter table messages add constraint message_kind_is_known
  check (kind in ('code', 'invite', 'reminder', 'released', 'ended', 'lost', 'completed', 'declined', 'removed'));
