-- Analytics: about a thing that has no row on the first or the last day of a window, nothing more is asked of that day.

create or replace function activity_figures(
  p_venue uuid, p_things uuid[], p_from timestamptz, p_to timestamptz, p_by_day boolean
) returns table (
  what text, thing uuid, day date, views bigint, saves bigint, bookings bigint, guests bigint, cents bigint,
  check_ins bigint, viewers bigint, starters bigint, window_from timestamptz, window_to timestamptz, parts_since timestamptz
) language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off
  set work_mem = '32MB' as $$
#variable_conflict use_column
declare
  v_kept timestamptz := (select kept_from from activity_kept);
  -- A venue whose hours were never counted has whole days alone.
  v_step integer := case when (select by_hour from activity_venues where venue_id = p_venue) then 1 else 24 end;
  v_head timestamptz := date_trunc('day', p_from, 'UTC');
  v_tail timestamptz := date_trunc('day', p_to, 'UTC');
  -- As they are counted: at the end of a day where nothing was cut off.
  v_from timestamptz;
  v_to timestamptz;
  -- Whole hours: from v_low to before v_high; whole days among them: from v_first to before v_end.
  v_low integer; v_high integer;
  v_first date; v_end date;
  v_from1 timestamptz; v_to1 timestamptz;
  v_from2 timestamptz; v_to2 timestamptz;
begin
  -- Since when events are kept, where an end lies inside a day: if that has changed by now, some were gone already.
  if p_from > v_head or p_to > v_tail then parts_since := v_kept; end if;
  if p_from > v_head and v_head < v_kept then p_from := v_head; end if;
  if p_to > v_tail and v_tail < v_kept then p_to := v_tail + interval '24 hours'; end if;
  v_from := p_from;
  v_to := p_to;
  if p_to > v_tail and not any_activity(p_venue, p_things, p_to, v_tail + interval '24 hours') then
    v_to := v_tail + interval '24 hours';
  end if;
  if p_from > v_head and not any_activity(p_venue, p_things, v_head, p_from) then v_from := v_head; end if;
  v_low := (activity_hour(v_from) + v_step - 1) / v_step * v_step;
  if hour_begins(v_low) < v_from then v_low := v_low + v_step; end if;
  v_high := activity_hour(v_to) / v_step * v_step;
  if v_low > v_high then
    v_from1 := v_from;
    v_to1 := v_to;
    v_high := v_low;
  else
    if v_from < hour_begins(v_low) then v_from1 := v_from; v_to1 := hour_begins(v_low); end if;
    if v_to > hour_begins(v_high) then v_from2 := hour_begins(v_high); v_to2 := v_to; end if;
  end if;
  v_first := day_of_hour(v_low + 23);
  v_end := day_of_hour(v_high);
  what := 'window'; window_from := p_from; window_to := p_to;
  return next;
  return query
  with there as materialized (
    -- Whatever was counted on a day has a row for it: most things have nothing on the first day or the last, and no more is asked
    -- about those.
    select w.thing, e.day
    from (select activity_day(v_from) as day where v_from > v_head union select v_end where v_to > hour_begins(first_hour(v_end))) e
    cross join unnest(p_things) w(thing)
    cross join lateral (
      select from activity_days d where d.venue_id = p_venue and d.thing = w.thing and d.part = 24 and d.day = e.day offset 0
    ) d
  ), part as materialized (
    select e.thing, e.thing_mode, e.type, e.person, e.day, count(*) as times, sum(e.guests) as guests, sum(e.cents) as cents
    from (values (v_from1, v_to1), (v_from2, v_to2)) r(since, until)
    join there w on w.day = activity_day(r.since)
    cross join lateral (
      select a.thing, a.thing_mode, a.type, a.person, a.guests, a.cents, activity_day(r.since) as day from activity a
      where a.venue_id = p_venue and a.slot = activity_slot(r.since) and a.mode = 'live' and a.thing = w.thing
        and a.at >= r.since and a.at < r.until
      order by a.at
    ) e
    where r.since is not null
    group by e.thing, e.thing_mode, e.type, e.person, e.day
  ), met as materialized (
    select distinct p.thing, p.type as did, p.person, case when p_by_day then p.day end as day
    from (
      select case when e.is_each then p.thing else everything_of(p.thing_mode) end as thing, p.type, p.person, p.day
      from part p cross join (values (true), (false)) e(is_each) where p.type in ('view', 'booking_start')
    ) p
    where p.thing = any (p_things)
  ), alone as (
    select m.thing, m.did, m.day
    from met m left join lateral (
      select true as is_there from activity_seen s
      where s.venue_id = p_venue and s.thing = m.thing and s.did = m.did and s.person = m.person
        and s.day >= coalesce(m.day, day_of_hour(v_low)) and s.day <= coalesce(m.day, day_of_hour(v_high))
        and s.hours & hours_between(s.day, v_low, v_high) <> 0
      order by s.day limit 1
    ) s on true
    where s.is_there is null
  ), whole as (
    select d.*, d.day - v_first + 1 as gap from activity_days d
    where d.venue_id = p_venue and d.thing = any (p_things) and d.part = 24 and d.day >= v_first and d.day < v_end
    union all
    -- Hours of the first day, and of the last.
    select d.*, coalesce(e.gap, h.hour - v_low + 1)
    from (
      values (day_of_hour(v_low), v_low, least(v_high, first_hour(v_first)), null::integer),
        (v_end, greatest(first_hour(v_end), first_hour(v_first)), v_high,
          case when p_by_day then 24 else 23 + v_end - v_first + 1 end)
    ) e(day, low, high, gap)
    join there w on w.day = e.day
    cross join lateral generate_series(e.low, e.high - 1) h(hour)
    cross join lateral (
      select * from activity_days d
      where d.venue_id = p_venue and d.thing = w.thing and d.part = h.hour % 24 and d.day = e.day offset 0
    ) d
    where v_step = 1 and e.low < e.high
  ), figures as (
    select d.thing, d.day, d.views, d.saves, d.bookings, d.guests, d.cents, d.check_ins,
      people_since(d.viewer_gaps, d.viewers, case when p_by_day and d.part = 24 then 1 else d.gap end) as viewers,
      people_since(d.starter_gaps, d.starters, case when p_by_day and d.part = 24 then 1 else d.gap end) as starters
    from whole d
    union all
    select w.thing, null, 0, 0, 0, 0, 0, 0, -count(*) filter (where w.did = 'view'),
      -count(*) filter (where w.did = 'booking_start')
    from (
      select w.thing, d.did from there w cross join (values ('view'), ('booking_start')) d(did)
      where w.day = day_of_hour(v_low) and v_low < first_hour(v_first) and first_hour(v_first) < v_high and not p_by_day
    ) w
    cross join lateral (
      select from activity_seen s
      where s.venue_id = p_venue and s.thing = w.thing and s.did = w.did and s.before >= v_low
        and s.before < first_hour(v_first) and s.day >= v_first and s.day < v_end
      union all
      select from activity_seen s
      where s.venue_id = p_venue and s.thing = w.thing and s.did = w.did and s.before >= v_low
        and s.before < first_hour(v_first) and s.day = v_end and s.hours & hours_between(v_end, v_low, v_high) <> 0
        and v_high > first_hour(v_end)
    ) s
    group by w.thing
    union all
    select p.thing, p.day, coalesce(sum(p.times) filter (where p.type in ('view', 'venue_page_view')), 0),
      coalesce(sum(p.times) filter (where p.type = 'save'), 0), coalesce(sum(p.times) filter (where p.type = 'booking'), 0),
      coalesce(sum(p.guests) filter (where p.type = 'booking'), 0),
      coalesce(sum(p.cents) filter (where p.type = 'booking'), 0),
      coalesce(sum(p.times) filter (where p.type = 'check_in'), 0), 0, 0
    from part p
    group by p.thing, p.day
    union all
    select m.thing, m.day, 0, 0, 0, 0, 0, 0, count(*) filter (where m.did = 'view'),
      count(*) filter (where m.did = 'booking_start')
    from alone m
    group by m.thing, m.day
  )
  select case when grouping(f.day) = 0 then 'day' when p_by_day then 'both' else 'thing' end,
    f.thing, case when grouping(f.day) = 0 then f.day else f.line end, sum(f.views)::bigint, sum(f.saves)::bigint,
    sum(f.bookings)::bigint, sum(f.guests)::bigint, sum(f.cents)::bigint, sum(f.check_ins)::bigint,
    sum(f.viewers)::bigint, sum(f.starters)::bigint, null::timestamptz, null::timestamptz, null::timestamptz
  from (
    select f.*, case when p_by_day then f.day end as line, f.thing = p_venue as is_page from figures f
  ) f
  group by grouping sets ((f.thing, f.line), (f.day, f.is_page))
  having grouping(f.thing) = 0 or not (p_by_day or f.is_page or f.day is null);
end $$;
