-- Analytics: a window that begins or ends inside a day needs no look-up for each person of the day. Who was seen on a day is known with
-- the hours of it, and with the hour in which they were seen before; each hour of a day has figures of its own.

-- Hours are counted from the year 1. Hours of a day are the bits of a number, the first hour the lowest.
create function activity_hour(p_at timestamptz) returns integer language sql immutable as $$
  select (activity_day(p_at) - date '0001-01-01') * 24 + extract(hour from p_at at time zone 'UTC')::integer
$$;

create function first_hour(p_day date) returns integer language sql immutable as $$
  select (p_day - date '0001-01-01') * 24
$$;

create function day_of_hour(p_hour integer) returns date language sql immutable as $$
  select date '0001-01-01' + p_hour / 24
$$;

create function hour_begins(p_hour integer) returns timestamptz language sql immutable as $$
  select (timestamp '0001-01-01' + p_hour * interval '1 hour') at time zone 'UTC'
$$;

create function latest_of(p_hours integer) returns integer language sql immutable as $$
  select 24 - position(B'1' in p_hours::bit(24))
$$;

-- Those hours of a day that lie from p_low to before p_high.
create function hours_between(p_day date, p_low integer, p_high integer) returns integer language sql immutable as $$
  select ((1 << greatest(least(p_high - first_hour(p_day), 24), 0)) - 1)
    & ~((1 << greatest(least(p_low - first_hour(p_day), 24), 0)) - 1)
$$;

-- The gap of somebody in an hour: 1 to 23 hours back to one of the same day; 24 stands for the day before, 25 for the one before
-- that, and so on, as gap_between() counts days.
create function hour_gap(p_hours integer, p_hour integer, p_day date, p_before integer) returns smallint
language sql immutable as $$
  select (case when p_hours & ((1 << p_hour) - 1) > 0 then p_hour - latest_of(p_hours & ((1 << p_hour) - 1))
    else 23 + gap_between(day_of_hour(p_before), p_day) end)::smallint
$$;

-- The hour before, if it is not so long ago that no gap tells it from never.
create function near_hour(p_before integer, p_day date) returns integer language sql immutable as $$
  select case when gap_between(day_of_hour(p_before), p_day) < 400 then p_before end
$$;

-- Rows that are here know the day alone: they stand in its first hour, which leaves figures of days right, until a venue is counted
-- anew. Room is left in a page, so that another hour of a day touches no index.
alter table activity_seen add column hours integer not null default 1;
alter table activity_seen alter column hours drop default;
alter table activity_seen add column before integer;
alter table activity_seen set (fillfactor = 85);
create index activity_seen_by_before on activity_seen (venue_id, thing, did, before, day) where before is not null;

alter table activity_days add column part smallint not null default 24;
alter table activity_days
  alter column part drop default,
  add constraint activity_part_is_an_hour_or_the_day check (part between 0 and 24),
  drop constraint activity_days_pkey,
  add primary key (venue_id, thing, part, day);

-- Venues that are here already have no hours yet; those that come have.
alter table activity_venues add column by_hour boolean not null default false;
alter table activity_venues alter column by_hour set default true;

drop function record_activity(uuid, uuid[], text[], uuid[], text[], uuid[], timestamptz[], integer[], integer[], text[]);
drop function count_activity(uuid, text[], uuid[], text[], uuid[], timestamptz[], integer[], integer[], text[]);
drop function activity_figures(uuid, uuid[], timestamptz, timestamptz, boolean);
drop function mend_seen(uuid, date, uuid, uuid);
drop function true_counts(uuid, date);
drop function true_people(uuid, date, uuid, uuid);
drop function mend_day(uuid, date, bigint, uuid[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], uuid[], text[],
  smallint[], integer[]);

-- Counts a batch of one venue: what is new goes into the events and the figures, in one transaction. A row for each event
-- says what became of it.
create function record_activity(
  p_venue uuid, p_keys uuid[], p_types text[], p_things uuid[], p_thing_modes text[], p_persons uuid[],
  p_ats timestamptz[], p_guests integer[], p_cents integer[], p_modes text[]
) returns table (place integer, outcome text)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
  v_kept timestamptz;
  v_is_new boolean[];
begin
  perform lock_activity(p_venue);
  select kept_from into v_kept from activity_kept;
  with sent as materialized (
    select distinct on (u.key) u.key, u.at, u.place from unnest(p_keys, p_ats) with ordinality as u(key, at, place)
    where u.at >= v_kept order by u.key, u.place
  ), stored as (
    insert into activity_ids (venue_id, event_key, at) select p_venue, key, at from sent on conflict do nothing
    returning event_key
  ), fresh as (
    select s.place from sent s join stored n on n.event_key = s.key
  )
  select array_agg(f.place is not null order by u.place) into v_is_new
    from generate_series(1, cardinality(p_keys)) u(place) left join fresh f on f.place = u.place;
  insert into activity (venue_id, slot, at, type, thing, thing_mode, person, guests, cents, mode)
    select p_venue, activity_slot(u.at), u.at, u.type, u.thing, u.thing_mode, u.person, u.guests, u.cents, u.mode
    from unnest(p_ats, p_types, p_things, p_thing_modes, p_persons, p_guests, p_cents, p_modes, v_is_new)
      as u(at, type, thing, thing_mode, person, guests, cents, mode, is_new)
    where u.is_new;
  if found then
    perform count_activity(p_venue, p_types, p_things, p_thing_modes, p_persons, p_ats, p_guests, p_cents, p_modes, v_is_new);
  end if;
  return query
    select u.place::integer, case when u.is_new then 'counted' when u.at < v_kept then 'too_old' else 'duplicate' end
    from unnest(p_ats, v_is_new) with ordinality as u(at, is_new, place)
    order by u.place;
end $$;

-- Everybody's rows that change are the days of the batch, and the day that follows one of them: each is read once as it was and
-- written once as it is then. In between lie the gaps, which go off the figures as they were and on as they are. The people of a
-- day are those of its hours who were not seen earlier in it.
create function count_activity(
  p_venue uuid, p_types text[], p_things uuid[], p_thing_modes text[], p_persons uuid[],
  p_ats timestamptz[], p_guests integer[], p_cents integer[], p_modes text[], p_is_new boolean[]
) returns void language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
declare
  v_by_hour boolean := (select by_hour from activity_venues where venue_id = p_venue);
  -- No day of anybody's is after this: only what comes late has to look for one.
  v_newest integer := (select max(day_number(s.day)) from activity_seen s where s.venue_id = p_venue);
begin
  with happened as materialized (
    select u.type, u.thing, u.thing_mode, u.person, activity_day(u.at) as day,
      extract(hour from u.at at time zone 'UTC')::integer as part, u.guests, u.cents
    from unnest(p_types, p_things, p_thing_modes, p_persons, p_ats, p_guests, p_cents, p_modes, p_is_new)
      as u(type, thing, thing_mode, person, at, guests, cents, mode, is_new)
    where u.is_new and u.mode = 'live'
  ), met as materialized (
    select case when e.is_each then h.thing else everything_of(h.thing_mode) end as thing, h.type as did, h.person, h.day,
      bit_or(1 << h.part) as hours
    from happened h cross join (values (true), (false)) e(is_each)
    where h.type in ('view', 'booking_start')
    group by 1, 2, 3, 4
  ), known as materialized (
    select m.thing, m.did, m.person, m.day, m.hours, old.spot, old.hours as old_hours,
      coalesce(old.before, prior.before) as old_before,
      -- The last hour until now, of this day or of the one before: what follows was counted from there.
      first_hour(old.day) + latest_of(old.hours) as before, old.day is not distinct from m.day as is_here,
      after.day as after, after.spot as after_spot, after.hours as after_hours
    from met m
    left join lateral (
      select s.day, s.hours, s.before, s.ctid as spot from activity_seen s
      where s.venue_id = p_venue and s.thing = m.thing and s.did = m.did and s.person = m.person and s.day <= m.day
      order by s.day desc limit 1
    ) old on true
    -- Rows from before hours were counted do not know.
    left join lateral (
      select first_hour(s.day) + latest_of(s.hours) as before from activity_seen s
      where s.venue_id = p_venue and s.thing = m.thing and s.did = m.did and s.person = m.person and s.day < m.day
      order by s.day desc limit 1
    ) prior on not v_by_hour and old.day = m.day
    left join lateral (
      select s.day, s.hours, s.ctid as spot from activity_seen s
      where s.venue_id = p_venue and s.thing = m.thing and s.did = m.did and s.person = m.person and s.day > m.day
      order by s.day limit 1
    ) after on day_number(m.day) < v_newest and (old.day is distinct from m.day or m.hours > old.hours)
    where old.day is distinct from m.day or m.hours & ~old.hours <> 0
  ), touched as (
    select k.thing, k.did, k.person, k.day, case when k.is_here then k.spot end as spot,
      case when k.is_here then k.old_hours end as old_hours, case when k.is_here then k.old_hours | k.hours else k.hours end as hours,
      case when k.is_here then k.old_before else k.before end as old_before
    from known k
    union all
    select k.thing, k.did, k.person, k.after, k.after_spot, k.after_hours, k.after_hours, k.before
    from known k where k.after is not null
  ), linked as (
    select c.*, near_hour(greatest(c.old_before, lag(first_hour(c.day) + latest_of(c.hours)) over w), c.day) as before
    from (
      select t.thing, t.did, t.person, t.day, min(t.spot) as spot, min(t.old_hours) as old_hours, bit_or(t.hours) as hours,
        max(t.old_before) as old_before
      from touched t group by t.thing, t.did, t.person, t.day
    ) c
    window w as (partition by c.thing, c.did, c.person order by c.day)
  ), changed as materialized (
    -- Hours earlier than the first new one have the gaps they had, unless another day has come in before.
    select l.*,
      case when l.before is not distinct from l.old_before then l.hours & ~coalesce(l.old_hours, 0) else l.hours end as since
    from linked l
  ), noted as (
    insert into activity_seen (venue_id, thing, did, person, day, hours, before)
    select p_venue, thing, did, person, day, hours, before from changed where spot is null
  ), added_to as (
    update activity_seen s set hours = c.hours, before = c.before from changed c where s.ctid = c.spot
  ), moved as (
    select h.thing, h.day, h.did, h.part, hour_gap(h.hours, h.part, h.day, h.before) as gap, sum(h.people)::integer as people
    from (
      select x.*, generate_series(latest_of(x.since & -x.since), latest_of(x.hours)) as part
      from (
        select thing, day, did, hours, before, since, 1 as people from changed
        union all
        select thing, day, did, old_hours, old_before, since, -1 from changed where old_hours is not null
      ) x
    ) h
    where h.hours & (1 << h.part) <> 0
    group by 1, 2, 3, 4, 5 having sum(h.people) <> 0
  ), people as (
    select e.thing, e.day, e.part,
      array_agg(e.gap) filter (where e.did = 'view') as viewer_gaps, array_agg(e.people) filter (where e.did = 'view') as viewers,
      array_agg(e.gap) filter (where e.did = 'booking_start') as starter_gaps,
      array_agg(e.people) filter (where e.did = 'booking_start') as starters
    from (
      select m.thing, m.day, m.part, m.did, m.gap, m.people from moved m
      union all
      select m.thing, m.day, 24, m.did, (m.gap - 23)::smallint, sum(m.people)::integer
      from moved m where m.gap > 23 group by m.thing, m.day, m.did, m.gap having sum(m.people) <> 0
    ) e group by e.thing, e.day, e.part
  ), counts as (
    select h.thing, h.day, coalesce(h.part, 24) as part,
      count(*) filter (where h.type in ('view', 'venue_page_view')) as views,
      count(*) filter (where h.type = 'save') as saves, count(*) filter (where h.type = 'booking') as bookings,
      coalesce(sum(h.guests) filter (where h.type = 'booking'), 0) as guests,
      coalesce(sum(h.cents) filter (where h.type = 'booking'), 0) as cents,
      count(*) filter (where h.type = 'check_in') as check_ins
    from happened h group by h.thing, h.day, rollup (h.part)
  )
  insert into activity_days as d
    (venue_id, thing, day, part, views, saves, bookings, guests, cents, check_ins, viewer_gaps, viewers, starter_gaps, starters)
  select p_venue, n.thing, n.day, n.part, n.views + coalesce(o.views, 0), n.saves + coalesce(o.saves, 0),
    n.bookings + coalesce(o.bookings, 0), n.guests + coalesce(o.guests, 0), n.cents + coalesce(o.cents, 0),
    n.check_ins + coalesce(o.check_ins, 0),
    coalesce(v.gaps, o.viewer_gaps, '{}'), coalesce(v.people, o.viewers, '{}'),
    coalesce(b.gaps, o.starter_gaps, '{}'), coalesce(b.people, o.starters, '{}')
  from (
    select coalesce(c.thing, p.thing) as thing, coalesce(c.day, p.day) as day, coalesce(c.part, p.part) as part,
      coalesce(c.views, 0) as views, coalesce(c.saves, 0) as saves, coalesce(c.bookings, 0) as bookings,
      coalesce(c.guests, 0) as guests, coalesce(c.cents, 0) as cents, coalesce(c.check_ins, 0) as check_ins,
      p.viewer_gaps, p.viewers, p.starter_gaps, p.starters
    from counts c full join people p on p.thing = c.thing and p.day = c.day and p.part = c.part
  ) n
  left join lateral (
    select * from activity_days x where x.venue_id = p_venue and x.thing = n.thing and x.part = n.part and x.day = n.day offset 0
  ) o on true
  left join lateral people_by_gap(coalesce(o.viewer_gaps, '{}'), coalesce(o.viewers, '{}'), n.viewer_gaps, n.viewers) v
    on n.viewer_gaps is not null
  left join lateral people_by_gap(coalesce(o.starter_gaps, '{}'), coalesce(o.starters, '{}'), n.starter_gaps, n.starters) b
    on n.starter_gaps is not null
  on conflict (venue_id, thing, part, day) do update set views = excluded.views, saves = excluded.saves,
    bookings = excluded.bookings, guests = excluded.guests, cents = excluded.cents, check_ins = excluded.check_ins,
    viewer_gaps = excluded.viewer_gaps, viewers = excluded.viewers,
    starter_gaps = excluded.starter_gaps, starters = excluded.starters;
end $$;

-- The figures of some things from p_from, inclusive, to p_to, exclusive, as they are at one moment. Whole days come from
-- activity_days, and so do whole hours of the first and the last day; what is left of an hour comes from its events, whose people
-- count if no whole hour of the window has them. An end inside a day that is whole all the same (nothing of these things was cut
-- off) costs nothing; inside a day whose events are gone the window is widened to the day. Rows: the window as answered; each
-- thing; each day, the page apart; with p_by_day instead of the last two each thing on each day, and the people of that day. Who
-- asks for all experiences of a mode together names each of them as well.
--
-- A person counts where they first are in the window, that is, where the hour before was outside it. Those of later days whose
-- hour before lies on the first day count by the day alone; the ones among them who were there inside the window are taken off
-- again, by one range of activity_seen_by_before.
create function activity_figures(
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
  with part as materialized (
    select e.thing, e.thing_mode, e.type, e.person, e.day, count(*) as times, sum(e.guests) as guests, sum(e.cents) as cents
    from (values (v_from1, v_to1), (v_from2, v_to2)) r(since, until)
    cross join unnest(p_things) w(thing)
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
    select d.*, h.gap
    from (
      select h.hour, h.hour - v_low + 1 as gap from generate_series(v_low, least(v_high, first_hour(v_first)) - 1) h(hour)
      union all
      select h.hour, case when p_by_day then 24 else 23 + v_end - v_first + 1 end
      from generate_series(greatest(first_hour(v_end), first_hour(v_first)), v_high - 1) h(hour)
    ) h
    cross join unnest(p_things) w(thing)
    cross join lateral (
      select * from activity_days d
      where d.venue_id = p_venue and d.thing = w.thing and d.part = h.hour % 24 and d.day = day_of_hour(h.hour) offset 0
    ) d
    where v_step = 1
  ), figures as (
    select d.thing, d.day, d.views, d.saves, d.bookings, d.guests, d.cents, d.check_ins,
      people_since(d.viewer_gaps, d.viewers, case when p_by_day and d.part = 24 then 1 else d.gap end) as viewers,
      people_since(d.starter_gaps, d.starters, case when p_by_day and d.part = 24 then 1 else d.gap end) as starters
    from whole d
    union all
    select w.thing, null, 0, 0, 0, 0, 0, 0, -count(*) filter (where w.did = 'view'),
      -count(*) filter (where w.did = 'booking_start')
    from (
      select w.thing, d.did from unnest(p_things) w(thing) cross join (values ('view'), ('booking_start')) d(did)
      where v_low < first_hour(v_first) and first_hour(v_first) < v_high and not p_by_day
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

-- Everybody of a day. Whoever wants a range of people takes it from here, and not from the index by person, which has all days.
create function seen_on(p_venue uuid, p_day date)
returns table (thing uuid, did text, person uuid, hours integer, before integer, spot tid) language sql stable as $$
  select s.thing, s.did, s.person, s.hours, s.before, s.ctid from activity_seen s
  where s.venue_id = p_venue and day_number(s.day) = day_number(p_day) offset 0
$$;

-- Counting anew, beside whoever records. First who was seen: a day at a time, of a busy day a range of its people at a time
-- (their hashes spread evenly), each under the venue's row for a moment. Says how much was wrong. Nothing is done to a day
-- whose events are gone, and none can go meanwhile. Days are done in their order: before this one all is mended, and so the hour
-- before is found right away.
create function mend_seen(p_venue uuid, p_day date, p_low uuid, p_high uuid) returns integer
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
declare
  v_start timestamptz := p_day::timestamp at time zone 'UTC';
  v_changed integer;
begin
  perform lock_activity(p_venue);
  perform from activity_kept where kept_from <= v_start for share;
  if not found then return 0; end if;
  with truth as materialized (
    select t.thing, a.type as did, a.person, bit_or(1 << activity_hour(a.at) % 24) as hours
    from activity a cross join lateral (values (a.thing), (everything_of(a.thing_mode))) t(thing)
    where a.venue_id = p_venue and a.slot = activity_slot(v_start) and a.mode = 'live' and activity_day(a.at) = p_day
      and a.type in ('view', 'booking_start') and a.person >= p_low and a.person <= p_high
    group by t.thing, a.type, a.person
  ), kept as materialized (
    select s.thing, s.did, s.person, s.hours from seen_on(p_venue, p_day) s where s.person >= p_low and s.person <= p_high
  ), wrong as materialized (
    select k.thing, k.did, k.person from kept k except select t.thing, t.did, t.person from truth t
  ), lacking as materialized (
    select t.thing, t.did, t.person, t.hours from truth t except select k.thing, k.did, k.person, k.hours from kept k
  ), gone as (
    delete from activity_seen s where s.ctid = any (array(
      select x.spot from wrong w cross join lateral (
        select s.ctid as spot from activity_seen s where s.venue_id = p_venue and s.thing = w.thing and s.did = w.did
          and s.person = w.person and s.day = p_day offset 0
      ) x
    )) returning 1
  ), added as (
    insert into activity_seen (venue_id, thing, did, person, day, hours, before)
    select p_venue, t.thing, t.did, t.person, p_day, t.hours, near_hour(first_hour(b.day) + latest_of(b.hours), p_day)
    from lacking t left join lateral (
      select b.day, b.hours from activity_seen b
      where b.venue_id = p_venue and b.thing = t.thing and b.did = t.did and b.person = t.person and b.day < p_day
      order by b.day desc limit 1
    ) b on true
    on conflict (venue_id, thing, did, person, day) do update set hours = excluded.hours
    returning 1
  )
  select (select count(*) from gone) + (select count(*) from added) into v_changed;
  if v_changed > 0 then update activity_venues set mendings = mendings + 1 where venue_id = p_venue; end if;
  return v_changed;
end $$;

-- When that is done for all days, in the same manner when each of them was seen before: wrong where what was there already followed
-- somebody who is gone, or was followed by somebody who is new.
create function mend_before(p_venue uuid, p_day date, p_low uuid, p_high uuid) returns integer
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
declare
  v_changed integer;
begin
  perform lock_activity(p_venue);
  perform from activity_kept where kept_from <= p_day::timestamp at time zone 'UTC' for share;
  if not found then return 0; end if;
  with truth as materialized (
    select s.spot, near_hour(first_hour(b.day) + latest_of(b.hours), p_day) as before, s.before as kept
    from seen_on(p_venue, p_day) s left join lateral (
      select b.day, b.hours from activity_seen b
      where b.venue_id = p_venue and b.thing = s.thing and b.did = s.did and b.person = s.person and b.day < p_day
      order by b.day desc limit 1
    ) b on true
    where s.person >= p_low and s.person <= p_high
  )
  update activity_seen s set before = t.before from truth t where t.before is distinct from t.kept and s.ctid = t.spot;
  get diagnostics v_changed = row_count;
  if v_changed > 0 then update activity_venues set mendings = mendings + 1 where venue_id = p_venue; end if;
  return v_changed;
end $$;

-- When that is done for all days as well, the figures. What they lack (or have too much) does not change by what is recorded
-- meanwhile, which adds the same to the figures and to the truth. So the two are compared in a snapshot, range by range, without
-- holding the venue, and only adding the difference needs its row.
create function true_counts(p_venue uuid, p_day date) returns table (
  thing uuid, part smallint, views bigint, saves bigint, bookings bigint, guests bigint, cents bigint, check_ins bigint
) language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return query
  select a.thing, coalesce(activity_hour(a.at) % 24, 24)::smallint,
    count(*) filter (where a.type in ('view', 'venue_page_view')), count(*) filter (where a.type = 'save'),
    count(*) filter (where a.type = 'booking'), coalesce(sum(a.guests) filter (where a.type = 'booking'), 0)::bigint,
    coalesce(sum(a.cents) filter (where a.type = 'booking'), 0)::bigint, count(*) filter (where a.type = 'check_in')
  from activity a
  where a.venue_id = p_venue and a.slot = activity_slot(p_day::timestamp at time zone 'UTC') and a.mode = 'live'
    and activity_day(a.at) = p_day
  group by a.thing, rollup (activity_hour(a.at) % 24);
end $$;

create function true_people(p_venue uuid, p_day date, p_low uuid, p_high uuid)
returns table (thing uuid, part smallint, did text, gap smallint, people integer)
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
#variable_conflict use_column
begin
  return query
  select x.thing, p.part::smallint, x.did, p.gap::smallint, count(*)::integer
  from (
    select s.thing, s.did, s.hours, h.part, hour_gap(s.hours, h.part, p_day, s.before) as gap
    from seen_on(p_venue, p_day) s cross join generate_series(0, 23) h(part)
    where s.person >= p_low and s.person <= p_high and s.hours & (1 << h.part) <> 0
  ) x
  cross join lateral (values (x.part, x.gap::integer), (24, case when x.gap > 23 then x.gap - 23 end)) p(part, gap)
  where p.gap is not null
  group by x.thing, p.part, x.did, p.gap;
end $$;

-- The rows of a day and its hours, found thing by thing: an index that had the day first would be for this alone.
create function kept_figures(p_venue uuid, p_day date) returns setof activity_days
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
begin
  return query
  with recursive things as (
    (select d.thing from activity_days d where d.venue_id = p_venue order by d.thing limit 1)
    union all
    select n.thing from things t cross join lateral (
      select d.thing from activity_days d where d.venue_id = p_venue and d.thing > t.thing order by d.thing limit 1
    ) n
  )
  select k.* from things t cross join generate_series(0, 24) p(part) cross join lateral (
    select * from activity_days d
    where d.venue_id = p_venue and d.thing = t.thing and d.part = p.part and d.day = p_day offset 0
  ) k;
end $$;

-- Adds what the figures of a day and its hours lack; people one row for each gap. Says how many rows that mended; null: somebody
-- else mended meanwhile, and it must be found anew.
create function mend_day(
  p_venue uuid, p_day date, p_mendings bigint, p_things uuid[], p_parts smallint[], p_views bigint[], p_saves bigint[],
  p_bookings bigint[], p_guests bigint[], p_cents bigint[], p_check_ins bigint[],
  p_of uuid[], p_of_parts smallint[], p_dids text[], p_gaps smallint[], p_people integer[]
) returns integer language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  perform lock_activity(p_venue);
  perform from activity_kept where kept_from <= p_day::timestamp at time zone 'UTC' for share;
  -- Its events are gone by now: what was found without them is not the truth.
  if not found then return 0; end if;
  update activity_venues set mendings = mendings + 1 where venue_id = p_venue and mendings = p_mendings;
  if not found then return null; end if;
  with people as materialized (
    select x.of as thing, x.part,
      array_agg(x.gap) filter (where x.did = 'view') as viewer_gaps, array_agg(x.people) filter (where x.did = 'view') as viewers,
      array_agg(x.gap) filter (where x.did = 'booking_start') as starter_gaps,
      array_agg(x.people) filter (where x.did = 'booking_start') as starters
    from unnest(p_of, p_of_parts, p_dids, p_gaps, p_people) as x(of, part, did, gap, people) group by x.of, x.part
  ), lacking as (
    select u.*, coalesce(p.viewer_gaps, '{}') as viewer_gaps, coalesce(p.viewers, '{}') as viewers,
      coalesce(p.starter_gaps, '{}') as starter_gaps, coalesce(p.starters, '{}') as starters
    from unnest(p_things, p_parts, p_views, p_saves, p_bookings, p_guests, p_cents, p_check_ins)
      as u(thing, part, views, saves, bookings, guests, cents, check_ins)
    left join people p on p.thing = u.thing and p.part = u.part
  )
  insert into activity_days as d
    (venue_id, thing, day, part, views, saves, bookings, guests, cents, check_ins, viewer_gaps, viewers, starter_gaps, starters)
  select p_venue, n.thing, p_day, n.part, n.views + coalesce(o.views, 0), n.saves + coalesce(o.saves, 0),
    n.bookings + coalesce(o.bookings, 0), n.guests + coalesce(o.guests, 0), n.cents + coalesce(o.cents, 0),
    n.check_ins + coalesce(o.check_ins, 0), v.gaps, v.people, b.gaps, b.people
  from lacking n
  left join lateral (
    select * from activity_days x where x.venue_id = p_venue and x.thing = n.thing and x.part = n.part and x.day = p_day offset 0
  ) o on true
  cross join lateral people_by_gap(coalesce(o.viewer_gaps, '{}'), coalesce(o.viewers, '{}'), n.viewer_gaps, n.viewers) v
  cross join lateral people_by_gap(coalesce(o.starter_gaps, '{}'), coalesce(o.starters, '{}'), n.starter_gaps, n.starters) b
  on conflict (venue_id, thing, part, day) do update set views = excluded.views, saves = excluded.saves,
    bookings = excluded.bookings, guests = excluded.guests, cents = excluded.cents, check_ins = excluded.check_ins,
    viewer_gaps = excluded.viewer_gaps, viewers = excluded.viewers,
    starter_gaps = excluded.starter_gaps, starters = excluded.starters;
  return cardinality(p_things);
end $$;
