-- The figures of the parts of hours at both ends of a window, from events. Their people count if no whole hour of the
-- window has them (with p_by_day: no whole hour of that day). SQL without settings, so that the planner inlines it into
-- activity_figures.
create or replace function edge_figures(
  p_venue uuid, p_subjects uuid[], p_edge_subjects uuid[], p_edge_days date[], p_head_from timestamptz,
  p_head_to timestamptz, p_tail_from timestamptz, p_tail_to timestamptz, p_hour_from integer, p_hour_to integer,
  p_by_day boolean
) returns table (
  subject uuid, day date, views bigint, saves bigint, bookings bigint, guests bigint, cents bigint, check_ins bigint,
  viewers bigint, starters bigint
) language sql stable as $$
  with grouped as materialized (
    select e.subject, e.subject_mode, e.type, e.person, e.day, count(*) as times, sum(e.guests) as guests,
      sum(e.cents) as cents
    from (values (p_head_from, p_head_to), (p_tail_from, p_tail_to)) r(since, until)
    join unnest(p_edge_subjects, p_edge_days) w(subject, day) on w.day = activity_day(r.since)
    cross join lateral (
      select a.subject, a.subject_mode, a.type, a.person, a.guests, a.cents, activity_day(r.since) as day
      from activity a
      where a.venue_id = p_venue and a.partition_number = activity_partition(r.since) and a.mode = 'live'
        and a.subject = w.subject and a.at >= r.since and a.at < r.until
      order by a.at
    ) e
    where r.since is not null
    group by e.subject, e.subject_mode, e.type, e.person, e.day
  ), seen as materialized (
    select distinct p.subject, p.type as action, p.person, case when p_by_day then p.day end as day
    from (
      select case when e.is_each then p.subject else all_experiences_id(p.subject_mode) end as subject, p.type,
        p.person, p.day
      from grouped p cross join (values (true), (false)) e(is_each) where p.type in ('view', 'booking_start')
    ) p
    where p.subject = any (p_subjects)
  )
  select p.subject, p.day, coalesce(sum(p.times) filter (where p.type in ('view', 'venue_page_view')), 0)::bigint,
    coalesce(sum(p.times) filter (where p.type = 'save'), 0)::bigint,
    coalesce(sum(p.times) filter (where p.type = 'booking'), 0)::bigint,
    coalesce(sum(p.guests) filter (where p.type = 'booking'), 0)::bigint,
    coalesce(sum(p.cents) filter (where p.type = 'booking'), 0)::bigint,
    coalesce(sum(p.times) filter (where p.type = 'check_in'), 0)::bigint, 0, 0
  from grouped p
  group by p.subject, p.day
  union all
  select m.subject, m.day, 0, 0, 0, 0, 0, 0, count(*) filter (where m.action = 'view'),
    count(*) filter (where m.action = 'booking_start')
  from seen m left join lateral (
    select true as is_counted from activity_people s
    where s.venue_id = p_venue and s.subject = m.subject and s.action = m.action and s.person = m.person
      and s.day >= coalesce(m.day, day_of_hour(p_hour_from)) and s.day <= coalesce(m.day, day_of_hour(p_hour_to))
      and s.hours & hour_bits_between(s.day, p_hour_from, p_hour_to) <> 0
    order by s.day limit 1
  ) s on true
  where s.is_counted is null
  group by m.subject, m.day
$$;
