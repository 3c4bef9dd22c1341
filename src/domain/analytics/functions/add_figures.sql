-- Adds counts and people to the figures of days and hours. A negative number takes away. The second group of arrays is
-- people, one element for each gap. The caller holds the venue's lock.
create or replace function add_figures(
  p_venue uuid, p_subjects uuid[], p_days date[], p_hours_of_day smallint[], p_views bigint[], p_saves bigint[],
  p_bookings bigint[], p_guests bigint[], p_cents bigint[], p_check_ins bigint[],
  p_people_subjects uuid[], p_people_days date[], p_people_hours_of_day smallint[], p_actions text[], p_gaps smallint[],
  p_people integer[]
) returns void language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  with people as materialized (
    select x.subject, x.day, x.hour_of_day, array_agg(x.gap) filter (where x.action = 'view') as viewer_gaps,
      array_agg(x.people) filter (where x.action = 'view') as viewers,
      array_agg(x.gap) filter (where x.action = 'booking_start') as starter_gaps,
      array_agg(x.people) filter (where x.action = 'booking_start') as starters
    from unnest(p_people_subjects, p_people_days, p_people_hours_of_day, p_actions, p_gaps, p_people)
      as x(subject, day, hour_of_day, action, gap, people)
    group by x.subject, x.day, x.hour_of_day
  ), added as (
    select coalesce(c.subject, p.subject) as subject, coalesce(c.day, p.day) as day,
      coalesce(c.hour_of_day, p.hour_of_day) as hour_of_day,
      coalesce(c.views, 0) as views, coalesce(c.saves, 0) as saves, coalesce(c.bookings, 0) as bookings,
      coalesce(c.guests, 0) as guests, coalesce(c.cents, 0) as cents, coalesce(c.check_ins, 0) as check_ins,
      p.viewer_gaps, p.viewers, p.starter_gaps, p.starters
    from unnest(p_subjects, p_days, p_hours_of_day, p_views, p_saves, p_bookings, p_guests, p_cents, p_check_ins)
      as c(subject, day, hour_of_day, views, saves, bookings, guests, cents, check_ins)
    full join people p on p.subject = c.subject and p.day = c.day and p.hour_of_day = c.hour_of_day
  )
  insert into activity_days (venue_id, subject, day, hour_of_day, views, saves, bookings, guests, cents, check_ins,
      viewer_gaps, viewers, starter_gaps, starters)
  select p_venue, n.subject, n.day, n.hour_of_day, n.views + coalesce(o.views, 0), n.saves + coalesce(o.saves, 0),
    n.bookings + coalesce(o.bookings, 0), n.guests + coalesce(o.guests, 0), n.cents + coalesce(o.cents, 0),
    n.check_ins + coalesce(o.check_ins, 0), coalesce(v.gaps, o.viewer_gaps, '{}'), coalesce(v.people, o.viewers, '{}'),
    coalesce(b.gaps, o.starter_gaps, '{}'), coalesce(b.people, o.starters, '{}')
  from added n
  left join lateral (
    select * from activity_days x
    where x.venue_id = p_venue and x.subject = n.subject and x.hour_of_day = n.hour_of_day and x.day = n.day offset 0
  ) o on true
  left join lateral adjust_people_by_gap(
    coalesce(o.viewer_gaps, '{}'), coalesce(o.viewers, '{}'), n.viewer_gaps, n.viewers
  ) v on n.viewer_gaps is not null
  left join lateral adjust_people_by_gap(
    coalesce(o.starter_gaps, '{}'), coalesce(o.starters, '{}'), n.starter_gaps, n.starters
  ) b on n.starter_gaps is not null
  on conflict (venue_id, subject, hour_of_day, day) do update set views = excluded.views, saves = excluded.saves,
    bookings = excluded.bookings, guests = excluded.guests, cents = excluded.cents, check_ins = excluded.check_ins,
    viewer_gaps = excluded.viewer_gaps, viewers = excluded.viewers,
    starter_gaps = excluded.starter_gaps, starters = excluded.starters;
end $$;
