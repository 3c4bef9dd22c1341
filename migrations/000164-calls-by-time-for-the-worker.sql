-- no transaction
-- widens: limit_calls_by_time: no statement names it in "on conflict"
-- The worker finds expired calls by time. With an index on `at` itself, PostgreSQL may take it for the first call of one
-- subject in the hour too, and then reads the calls of all others before it. `least(at, 'infinity')` is `at`, and no other
-- statement orders by it.

create index concurrently if not exists limit_calls_oldest on limit_calls (least(at, 'infinity'::timestamptz));
drop index concurrently if exists limit_calls_by_time;
