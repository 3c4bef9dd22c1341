-- count_calls for several subjects without a key of their own: addresses, and publishable keys at an address. Subjects
-- are locked in one order, so that two servers cannot deadlock.
create or replace function count_calls_each(p_subjects text[], p_limit integer, p_calls integer[]) returns table (
  "position" integer, granted integer, remaining integer, reset_at timestamptz, retry_at timestamptz,
  counted_at timestamptz
) language sql set lock_timeout = '3s' set plan_cache_mode = force_generic_plan as $$
  select n.position::integer, t.granted, t.remaining, t.reset_at, t.retry_at, t.counted_at
  from (select * from unnest(p_subjects, p_calls) with ordinality as u(subject, calls, position) order by subject) n
  cross join lateral count_calls(n.subject, p_limit, n.calls) t
$$;
