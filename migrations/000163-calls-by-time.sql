-- no transaction
-- widens: limit_calls_by_age: no statement names it in "on conflict"
-- The worker finds the calls that have left the rolling hour. A BRIN index finds them only until their space is used again:
-- then each of its ranges has held an old row, and the worker reads the whole table once a minute.

create index concurrently if not exists limit_calls_by_time on limit_calls (at);
drop index concurrently if exists limit_calls_by_age;
