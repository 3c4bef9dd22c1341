-- How far the worker has deleted old events (EVENT_LOG_DAYS). It deletes by windows of time and remembers where it stopped,
-- so that it looks at each event once: the first and the newest event of an object stay, and it would find them again and again.
create table event_retention (
  one_row boolean not null default true,
  trimmed_until timestamptz not null,
  constraint event_retention_pkey primary key (one_row),
  constraint event_retention_has_one_row check (one_row)
);
comment on table event_retention is
  'One row for the whole installation: of earlier events only the first and the newest of each object are there, if EVENT_LOG_DAYS was ever set.';
-- No event is older than the program.
insert into event_retention (trimmed_until) values ('2026-01-01T00:00:00Z');
