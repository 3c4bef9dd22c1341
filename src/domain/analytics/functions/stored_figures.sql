-- The stored figures of a day and its hours. They are found subject by subject, because an index by day would serve
-- this function alone.
create or replace function stored_figures(p_venue uuid, p_day date) returns setof activity_days
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
begin
  return query
  with recursive subjects as (
    (select d.subject from activity_days d where d.venue_id = p_venue order by d.subject limit 1)
    union all
    select n.subject from subjects t cross join lateral (
      select d.subject from activity_days d where d.venue_id = p_venue and d.subject > t.subject
      order by d.subject limit 1
    ) n
  )
  select k.* from subjects t cross join generate_series(0, 24) p(hour_of_day) cross join lateral (
    select * from activity_days d
    where d.venue_id = p_venue and d.subject = t.subject and d.hour_of_day = p.hour_of_day and d.day = p_day offset 0
  ) k;
end $$;
