-- Finds the texts about a share: the subject of an invite or a reminder begins with the id of its share.

create index messages_by_share on messages (split_part(subject, ' ', 1), created_at) where kind in ('invite', 'reminder');
