-- The figures of the whole days and whole hours of a window, from activity_days. A person counts on the first day or
-- hour in the window, that is, where the gap reaches back before it. People of later days whose previous hour lies on
-- the first day count by the day alone; those who were also seen inside the window on that first day are subtracted, by
-- one range of activity_people_by_previous_hour. The edge days are the first and the last day of the window, for the
-- subjects that have a row on them. SQL without settings, so that the planner inlines it into activity_figures.
create or replace function whole_figures(
  p_venue uuid, p_subjects uuid[], p_edge_subjects uuid[], p_edge_days date[], p_hour_from integer, p_hour_to integer,
  p_first_day date, p_end_day date, p_has_hours boolean, p_by_day boolean
) returns table (
  subject uuid, day date, views bigint, saves bigint, bookings bigint, guests bigint, cents bigint, check_ins bigint,
  viewers bigint, starters bigint
) language sql stable as $$
  with days_and_hours as (
    select d.*, d.day - p_first_day + 1 as gap from activity_days d
    where d.venue_id = p_venue and d.subject = any (p_subjects) and d.hour_of_day = 24 and d.day >= p_first_day
      and d.day < p_end_day
    union all
    select d.*, coalesce(e.gap, h.hour - p_hour_from + 1)
    from (
      values (day_of_hour(p_hour_from), p_hour_from, least(p_hour_to, first_hour(p_first_day)), null::integer),
        (p_end_day, greatest(first_hour(p_end_day), first_hour(p_first_day)), p_hour_to,
          case when p_by_day then 24 else 23 + p_end_day - p_first_day + 1 end)
    ) e(day, hour_from, hour_to, gap)
    join unnest(p_edge_subjects, p_edge_days) w(subject, day) on w.day = e.day
    cross join lateral generate_series(e.hour_from, e.hour_to - 1) h(hour)
    cross join lateral (
      select * from activity_days d
      where d.venue_id = p_venue and d.subject = w.subject and d.hour_of_day = h.hour % 24 and d.day = e.day offset 0
    ) d
    where p_has_hours and e.hour_from < e.hour_to
  )
  select d.subject, d.day, d.views, d.saves, d.bookings, d.guests, d.cents, d.check_ins,
    count_new_people(
      d.viewer_gaps, d.viewers, case when p_by_day and d.hour_of_day = 24 then 1 else d.gap end)::bigint,
    count_new_people(
      d.starter_gaps, d.starters, case when p_by_day and d.hour_of_day = 24 then 1 else d.gap end)::bigint
  from days_and_hours d
  union all
  select w.subject, null, 0, 0, 0, 0, 0, 0, -count(*) filter (where w.action = 'view'),
    -count(*) filter (where w.action = 'booking_start')
  from (
    select w.subject, a.action from unnest(p_edge_subjects, p_edge_days) w(subject, day)
    cross join (values ('view'), ('booking_start')) a(action)
    where w.day = day_of_hour(p_hour_from) and p_hour_from < first_hour(p_first_day)
      and first_hour(p_first_day) < p_hour_to and not p_by_day
  ) w
  cross join lateral (
    select from activity_people s
    where s.venue_id = p_venue and s.subject = w.subject and s.action = w.action and s.previous_hour >= p_hour_from
      and s.previous_hour < first_hour(p_first_day) and s.day >= p_first_day and s.day < p_end_day
    union all
    select from activity_people s
    where s.venue_id = p_venue and s.subject = w.subject and s.action = w.action and s.previous_hour >= p_hour_from
      and s.previous_hour < first_hour(p_first_day) and s.day = p_end_day
      and s.hours & hour_bits_between(p_end_day, p_hour_from, p_hour_to) <> 0 and p_hour_to > first_hour(p_end_day)
  ) s
  group by w.subject
$$;
