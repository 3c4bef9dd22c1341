-- The people of a day and its hours by gap, as activity_people says, for a range of people: the other half of
-- recount_events.
create or replace function recount_people(p_venue uuid, p_day date, p_low uuid, p_high uuid)
returns table (subject uuid, hour_of_day smallint, action text, gap smallint, people integer)
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
#variable_conflict use_column
begin
  return query
  select x.subject, p.hour_of_day::smallint, x.action, p.gap::smallint, count(*)::integer
  from (
    select s.subject, s.action, s.hours, h.hour_of_day,
      gap_in_hours(s.hours, h.hour_of_day, p_day, s.previous_hour) as gap
    from people_on_day(p_venue, p_day) s cross join generate_series(0, 23) h(hour_of_day)
    where s.person >= p_low and s.person <= p_high and s.hours & (1 << h.hour_of_day) <> 0
  ) x
  cross join lateral (values (x.hour_of_day, x.gap::integer), (24, case when x.gap > 23 then x.gap - 23 end))
    p(hour_of_day, gap)
  where p.gap is not null
  group by x.subject, p.hour_of_day, x.action, p.gap;
end $$;
