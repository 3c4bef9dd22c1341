-- count_calls for several subjects without a key of their own: addresses, and publishable keys at an address. Subjects
-- are locked in one order, so that two servers cannot deadlock.
create or replace function count_calls_each(p_subjects text[], p_limit integer, p_wanted integer[]) returns table (
  place integer, granted integer, remaining integer, reset_at timestamptz, retry_at timestamptz, asked_at timestamptz
) language sql set lock_timeout = '3s' set plan_cache_mode = force_generic_plan as $$
  select n.place::integer, t.granted, t.remaining, t.reset_at, t.retry_at, t.asked_at
  from (select * from unnest(p_subjects, p_wanted) with ordinality as u(subject, wanted, place) order by subject) n
  cross join lateral count_calls(n.subject, p_limit, n.wanted) t
$$;
