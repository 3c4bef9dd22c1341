-- The worker finds the windows of rolling hours that are no longer used by their calls, and deletes both. Windows whose
-- calls an earlier release has deleted get one again, which is too old to count.

insert into limit_calls (subject, at, calls, total)
  select w.subject, greatest(w.last_at, timestamptz '2000-01-01Z'), 1, w.total from limit_windows w
  where w.last_at < now() - interval '1 hour'
on conflict do nothing;
