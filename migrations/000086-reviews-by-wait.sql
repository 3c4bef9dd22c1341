-- no transaction
-- The desk lists what waits by its last change, so that a change of an old object does not come before older waits.

create index concurrently if not exists offerings_waiting on offerings (changed_at) where status = 'pending';
create index concurrently if not exists boats_waiting on boats (changed_at) where status = 'pending';
