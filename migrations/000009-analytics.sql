-- Analytics: activity of the members' app comes in, exact figures go out, and nothing in them leads to a person.

-- From the id of a live experience to its venue and mode: the members' app knows nothing else.
create table experience_routes (
  experience_id uuid primary key,
  venue_id uuid not null,
  mode text not null,
  constraint experience_route_mode_is_known check (mode in ('test', 'live'))
);
create unique index experiences_by_live_id on experiences (venue_id, experience_id);
insert into experience_routes select experience_id, venue_id, mode from experiences where experience_id is not null;

-- Activity of the members' app. Members and the app's own ids of events stand here only as keyed hashes, a member's another
-- one for each venue. What is counted is a thing: an experience, or the venue's own page (its thing is the venue's id), or
-- all live, or all test experiences of a venue together, which matter for counting people once.
create function everything_of(p_mode text) returns uuid language sql immutable as $$
  select case p_mode when 'live' then uuid '00000000-0000-0000-0000-000000000001'
    when 'test' then uuid '00000000-0000-0000-0000-000000000002' end
$$;

create function activity_day(p_at timestamptz) returns date language sql immutable as $$
  select (p_at at time zone 'UTC')::date
$$;

create function day_number(p_day date) returns integer language sql immutable as $$
  select p_day - date '2000-01-01'
$$;

-- Months go round in 24 partitions, so that there is one for every time there is, and none has to be made ahead.
create function activity_slot(p_at timestamptz) returns smallint language sql immutable as $$
  select ((extract(year from p_at at time zone 'UTC') * 12 + extract(month from p_at at time zone 'UTC'))::integer % 24)::smallint
$$;

-- Whoever changes the figures of a venue holds its row until commit: batches of one venue are counted one after the other.
create table activity_venues (
  venue_id uuid primary key references venues,
  -- Goes up whenever counting anew mends something, so that two who count anew at once do not both add what was missing.
  mendings bigint not null default 0
);

-- One row for the whole installation: before this time single events are gone, figures stand by the day, and nothing more is
-- counted. Always the beginning of a day in UTC.
create table activity_kept (
  only_row boolean primary key default true,
  kept_from timestamptz not null,
  constraint activity_kept_has_one_row check (only_row),
  constraint activity_kept_begins_a_day check (kept_from = '-infinity' or kept_from = date_trunc('day', kept_from, 'UTC'))
);
insert into activity_kept (kept_from) values ('-infinity');

-- Every event counts once, whatever its time says: kept as long as the event.
create table activity_ids (
  venue_id uuid not null,
  event_key uuid not null,
  at timestamptz not null,
  primary key (venue_id, event_key)
);

-- The events themselves: for windows that begin or end inside a day, and for counting anew.
create table activity (
  venue_id uuid not null,
  slot smallint not null,
  at timestamptz not null,
  type text not null,
  thing uuid not null,
  -- The mode of the experience; null: the venue's own page.
  thing_mode text,
  person uuid not null,
  guests integer not null,
  cents integer not null,
  -- Of the event. Only live ones are counted.
  mode text not null,
  constraint activity_type_is_known
    check (type in ('view', 'booking_start', 'save', 'booking', 'check_in', 'venue_page_view')),
  constraint activity_page_has_no_mode check ((type = 'venue_page_view') = (thing_mode is null)),
  constraint activity_mode_is_known check (mode in ('test', 'live'))
) partition by list (slot);
-- By the day for counting anew alone: as an expression, so that a look-up by the time itself cannot take it.
create index activity_by_day on activity (venue_id, activity_day(at));
create index activity_by_thing on activity (venue_id, thing, at);
do $$
begin
  for slot in 0..23 loop
    execute format('create table activity_slot_%s partition of activity for values in (%s)', to_char(slot, 'FM00'), slot);
  end loop;
end $$;

-- Who did what on which day, once however often: from it comes when somebody was seen before.
create table activity_seen (
  venue_id uuid not null,
  thing uuid not null,
  did text not null,
  person uuid not null,
  day date not null,
  primary key (venue_id, thing, did, person, day),
  constraint activity_seen_did_is_known check (did in ('view', 'booking_start'))
);
create index activity_seen_by_day on activity_seen (venue_id, day_number(day));

-- The figures of a thing on a day. People are kept by the gap since the day on which they were seen before: viewers[i] people
-- have a gap of viewer_gaps[i] days or more. A person is new to a window that begins on day A if the gap reaches back before
-- A, so that the different people of a window are one look-up a day. 400 stands for every longer gap, and for none before.
create table activity_days (
  venue_id uuid not null,
  thing uuid not null,
  day date not null,
  views bigint not null,
  saves bigint not null,
  bookings bigint not null,
  guests bigint not null,
  cents bigint not null,
  check_ins bigint not null,
  viewer_gaps smallint[] not null,
  viewers integer[] not null,
  starter_gaps smallint[] not null,
  starters integer[] not null,
  primary key (venue_id, thing, day),
  constraint activity_viewers_have_gaps check (cardinality(viewers) = cardinality(viewer_gaps)),
  constraint activity_starters_have_gaps check (cardinality(starters) = cardinality(starter_gaps))
) with (fillfactor = 80);

-- How many of a day's people were not seen in the p_gap - 1 days before it.
create function people_since(p_gaps smallint[], p_people integer[], p_gap integer) returns integer language sql immutable as $$
  select coalesce(p_people[width_bucket((p_gap - 1)::smallint, p_gaps) + 1], 0)
$$;

create function gap_between(p_before date, p_day date) returns smallint language sql immutable as $$
  select least(coalesce(p_day - p_before, 400), 400)::smallint
$$;

-- A day's people with some more, or fewer, at some gaps.
create function people_by_gap(p_gaps smallint[], p_people integer[], p_more_gaps smallint[], p_more integer[])
returns table (gaps smallint[], people integer[]) language sql immutable as $$
  select coalesce(array_agg(c.gap order by c.gap), '{}'), coalesce(array_agg(c.people order by c.gap), '{}')
  from (
    select n.gap, (sum(n.here) over (order by n.gap desc))::integer as people
    from (
      select o.gap, sum(o.here) as here
      from (
        select u.gap, u.people - lead(u.people, 1, 0) over (order by u.gap) as here from unnest(p_gaps, p_people) u(gap, people)
        union all select * from unnest(p_more_gaps, p_more)
      ) o
      group by o.gap having sum(o.here) <> 0
    ) n
  ) c
$$;

create function lock_activity(p_venue uuid) returns void language plpgsql as $$
begin
  perform from activity_venues where venue_id = p_venue for no key update;
  if not found then
    insert into activity_venues values (p_venue) on conflict do nothing;
    perform from activity_venues where venue_id = p_venue for no key update;
  end if;
end $$;

-- These functions keep their plans, made perhaps while a table was empty: enable_seqscan = off keeps them from reading all of it
-- once it is not. enable_sort = off keeps a look-up of one person (or of one thing's events) to the index that has them in order:
-- another that begins with the venue as well can look as good to the planner, and reads all of the venue.

-- Counts a batch of one venue: what is new goes into the events and the figures, in one transaction. A row for each event
-- says what became of it. Gaps are found from who had been seen before the batch: between two such days of a person all new
-- ones stand in a row, and the later of the two, if there is one, gets a shorter gap.
create function record_activity(
  p_venue uuid, p_keys uuid[], p_types text[], p_things uuid[], p_thing_modes text[], p_persons uuid[],
  p_ats timestamptz[], p_guests integer[], p_cents integer[], p_modes text[]
) returns table (place integer, outcome text)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
  v_kept timestamptz;
  v_ats timestamptz[] := p_ats;
  v_new integer[];
begin
  perform lock_activity(p_venue);
  select kept_from into v_kept from activity_kept;
  with sent as (
    select distinct on (u.key) u.key, u.at, u.place from unnest(p_keys, p_ats) with ordinality as u(key, at, place)
    where u.at >= v_kept order by u.key, u.place
  ), stored as (
    insert into activity_ids (venue_id, event_key, at) select p_venue, key, at from sent on conflict do nothing
    returning event_key
  )
  select array_agg(s.place::integer order by s.place) into v_new from sent s join stored n on n.event_key = s.key;
  if v_new is not null then
    select array_agg(u.type), array_agg(u.thing), array_agg(u.thing_mode), array_agg(u.person), array_agg(u.at),
        array_agg(u.guests), array_agg(u.cents), array_agg(u.mode)
      into p_types, p_things, p_thing_modes, p_persons, p_ats, p_guests, p_cents, p_modes
      from unnest(p_types, p_things, p_thing_modes, p_persons, p_ats, p_guests, p_cents, p_modes) with ordinality
        as u(type, thing, thing_mode, person, at, guests, cents, mode, place)
      join unnest(v_new) n(place) on n.place = u.place;
    insert into activity (venue_id, slot, at, type, thing, thing_mode, person, guests, cents, mode)
      select p_venue, activity_slot(u.at), u.at, u.type, u.thing, u.thing_mode, u.person, u.guests, u.cents, u.mode
      from unnest(p_ats, p_types, p_things, p_thing_modes, p_persons, p_guests, p_cents, p_modes)
        as u(at, type, thing, thing_mode, person, guests, cents, mode);
    perform count_activity(p_venue, p_types, p_things, p_thing_modes, p_persons, p_ats, p_guests, p_cents, p_modes);
  end if;
  return query
    select u.place::integer, case when u.at < v_kept then 'too_old' when n.place is null then 'duplicate' else 'counted' end
    from unnest(v_ats) with ordinality as u(at, place) left join unnest(v_new) n(place) on n.place = u.place
    order by u.place;
end $$;

create function count_activity(
  p_venue uuid, p_types text[], p_things uuid[], p_thing_modes text[], p_persons uuid[],
  p_ats timestamptz[], p_guests integer[], p_cents integer[], p_modes text[]
) returns void language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
begin
  with happened as materialized (
    select u.type, u.thing, u.thing_mode, u.person, activity_day(u.at) as day, u.guests, u.cents
    from unnest(p_types, p_things, p_thing_modes, p_persons, p_ats, p_guests, p_cents, p_modes)
      as u(type, thing, thing_mode, person, at, guests, cents, mode)
    where u.mode = 'live'
  ), met as materialized (
    select distinct t.thing, h.type as did, h.person, h.day
    from happened h cross join lateral (values (h.thing), (everything_of(h.thing_mode))) t(thing)
    where h.type in ('view', 'booking_start')
  ), fresh as materialized (
    select m.thing, m.did, m.person, m.day, before.day as before, after.day as after
    from met m
    left join lateral (
      select s.day from activity_seen s
      where s.venue_id = p_venue and s.thing = m.thing and s.did = m.did and s.person = m.person and s.day <= m.day
      order by s.day desc limit 1
    ) before on true
    left join lateral (
      select s.day from activity_seen s
      where s.venue_id = p_venue and s.thing = m.thing and s.did = m.did and s.person = m.person and s.day > m.day
      order by s.day limit 1
    ) after on before.day is distinct from m.day
    where before.day is distinct from m.day
  ), placed as materialized (
    select f.*, coalesce(lag(f.day) over w, f.before) as previous, lead(f.day) over w is null as is_last
    from fresh f window w as (partition by f.thing, f.did, f.person, f.after order by f.day)
  ), noted as (
    insert into activity_seen (venue_id, thing, did, person, day)
    select p_venue, thing, did, person, day from fresh order by thing, did, person, day
  ), moved as (
    select c.thing, c.day, c.did, c.gap, sum(c.people)::integer as people
    from placed p cross join lateral (values
      (p.thing, p.day, p.did, gap_between(p.previous, p.day), 1),
      (p.thing, case when p.is_last then p.after end, p.did, gap_between(p.before, p.after), -1),
      (p.thing, case when p.is_last then p.after end, p.did, gap_between(p.day, p.after), 1)
    ) c(thing, day, did, gap, people)
    where c.day is not null
    group by c.thing, c.day, c.did, c.gap having sum(c.people) <> 0
  ), people as (
    select thing, day,
      array_agg(gap) filter (where did = 'view') as viewer_gaps, array_agg(people) filter (where did = 'view') as viewers,
      array_agg(gap) filter (where did = 'booking_start') as starter_gaps,
      array_agg(people) filter (where did = 'booking_start') as starters
    from moved group by thing, day
  ), counts as (
    select thing, day, count(*) filter (where type in ('view', 'venue_page_view')) as views,
      count(*) filter (where type = 'save') as saves, count(*) filter (where type = 'booking') as bookings,
      coalesce(sum(guests) filter (where type = 'booking'), 0) as guests,
      coalesce(sum(cents) filter (where type = 'booking'), 0) as cents,
      count(*) filter (where type = 'check_in') as check_ins
    from happened group by thing, day
  )
  insert into activity_days as d
    (venue_id, thing, day, views, saves, bookings, guests, cents, check_ins, viewer_gaps, viewers, starter_gaps, starters)
  select p_venue, n.thing, n.day, n.views + coalesce(o.views, 0), n.saves + coalesce(o.saves, 0),
    n.bookings + coalesce(o.bookings, 0), n.guests + coalesce(o.guests, 0), n.cents + coalesce(o.cents, 0),
    n.check_ins + coalesce(o.check_ins, 0),
    coalesce(v.gaps, o.viewer_gaps, '{}'), coalesce(v.people, o.viewers, '{}'),
    coalesce(b.gaps, o.starter_gaps, '{}'), coalesce(b.people, o.starters, '{}')
  from (
    select coalesce(c.thing, p.thing) as thing, coalesce(c.day, p.day) as day, coalesce(c.views, 0) as views,
      coalesce(c.saves, 0) as saves, coalesce(c.bookings, 0) as bookings, coalesce(c.guests, 0) as guests,
      coalesce(c.cents, 0) as cents, coalesce(c.check_ins, 0) as check_ins,
      p.viewer_gaps, p.viewers, p.starter_gaps, p.starters
    from counts c full join people p on p.thing = c.thing and p.day = c.day
  ) n
  left join lateral (
    select * from activity_days x where x.venue_id = p_venue and x.thing = n.thing and x.day = n.day offset 0
  ) o on true
  left join lateral people_by_gap(coalesce(o.viewer_gaps, '{}'), coalesce(o.viewers, '{}'), n.viewer_gaps, n.viewers) v
    on n.viewer_gaps is not null
  left join lateral people_by_gap(coalesce(o.starter_gaps, '{}'), coalesce(o.starters, '{}'), n.starter_gaps, n.starters) b
    on n.starter_gaps is not null
  on conflict (venue_id, thing, day) do update set views = excluded.views, saves = excluded.saves,
    bookings = excluded.bookings, guests = excluded.guests, cents = excluded.cents, check_ins = excluded.check_ins,
    viewer_gaps = excluded.viewer_gaps, viewers = excluded.viewers,
    starter_gaps = excluded.starter_gaps, starters = excluded.starters;
end $$;

-- The figures of some things from p_from, inclusive, to p_to, exclusive, as they are at one moment. Whole days come from
-- activity_days; what is left of the first and the last day comes from the events, whose people count if no whole day of the
-- window has them. An end inside a day that is whole all the same (nothing of these things was cut off) costs nothing; inside a
-- day whose events are gone the window is widened to the day. Rows: the window as answered; each thing; each day, the page
-- apart; with p_by_day instead of the last two each thing on each day, and the people of that day. Who asks for all experiences
-- of a mode together names each of them as well.
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
  v_head timestamptz := date_trunc('day', p_from, 'UTC');
  v_tail timestamptz := date_trunc('day', p_to, 'UTC');
  -- Whole days: from v_first to before v_end.
  v_first date := activity_day(p_from);
  v_end date := activity_day(p_to);
  v_from1 timestamptz; v_to1 timestamptz;
  v_from2 timestamptz; v_to2 timestamptz;
begin
  -- Since when events are kept, where an end lies inside a day: if that has changed by now, some were gone already.
  if p_from > v_head or p_to > v_tail then parts_since := v_kept; end if;
  if p_to > v_tail then
    if v_tail < v_kept then
      p_to := v_tail + interval '24 hours';
      v_end := v_end + 1;
    elsif not any_activity(p_venue, p_things, p_to, v_tail + interval '24 hours') then
      v_end := v_end + 1;
    else
      v_from2 := v_tail;
      v_to2 := p_to;
    end if;
  end if;
  if p_from > v_head then
    if v_head < v_kept then
      p_from := v_head;
    elsif any_activity(p_venue, p_things, v_head, p_from) then
      v_first := v_first + 1;
      v_from1 := p_from;
      v_to1 := least(p_to, v_head + interval '24 hours');
      -- Both ends in one day: there is only this part of it.
      if v_end < v_first then
        v_from2 := null;
        v_to2 := null;
      end if;
    end if;
  end if;
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
    select p.thing, p.type as did, p.person, p.day from part p where p_by_day and p.type in ('view', 'booking_start')
    union all
    select distinct t.thing, p.type, p.person, null::date
    from part p cross join lateral (values (p.thing), (everything_of(p.thing_mode))) t(thing)
    where not p_by_day and p.type in ('view', 'booking_start') and t.thing = any (p_things)
  ), figures as (
    select d.thing, d.day, d.views, d.saves, d.bookings, d.guests, d.cents, d.check_ins,
      people_since(d.viewer_gaps, d.viewers, case when p_by_day then 1 else d.day - v_first + 1 end) as viewers,
      people_since(d.starter_gaps, d.starters, case when p_by_day then 1 else d.day - v_first + 1 end) as starters
    from activity_days d
    where d.venue_id = p_venue and d.thing = any (p_things) and d.day >= v_first and d.day < v_end
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
    from met m left join lateral (
      select true as is_seen from activity_seen s where not p_by_day and s.venue_id = p_venue and s.thing = m.thing
        and s.did = m.did and s.person = m.person and s.day >= v_first and s.day < v_end
      order by s.day limit 1
    ) s on true
    where s.is_seen is null
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

-- Whether anything that counts happened to one of these things. Both times are of one day.
create function any_activity(p_venue uuid, p_things uuid[], p_from timestamptz, p_to timestamptz) returns boolean
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
begin
  return exists (
    select from unnest(p_things) w(thing) cross join lateral (
      select from activity a where a.venue_id = p_venue and a.slot = activity_slot(p_from) and a.thing = w.thing
        and a.mode = 'live' and a.at >= p_from and a.at < p_to
      order by a.at limit 1
    ) a
  );
end $$;

-- Counting anew, beside whoever records. First who was seen: a day at a time, of a busy day a range of its people at a time
-- (their hashes spread evenly), each under the venue's row for a moment. Says how much was wrong. Nothing is done to a day
-- whose events are gone, and none can go meanwhile.
create function mend_seen(p_venue uuid, p_day date, p_low uuid, p_high uuid) returns integer
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  v_start timestamptz := p_day::timestamp at time zone 'UTC';
  v_changed integer;
begin
  perform lock_activity(p_venue);
  perform from activity_kept where kept_from <= v_start for share;
  if not found then return 0; end if;
  with truth as materialized (
    select distinct t.thing, a.type as did, a.person
    from activity a cross join lateral (values (a.thing), (everything_of(a.thing_mode))) t(thing)
    where a.venue_id = p_venue and a.slot = activity_slot(v_start) and a.mode = 'live' and activity_day(a.at) = p_day
      and a.type in ('view', 'booking_start') and a.person >= p_low and a.person <= p_high
  ), wrong as materialized (
    select s.thing, s.did, s.person from activity_seen s
    where s.venue_id = p_venue and day_number(s.day) = day_number(p_day) and s.person >= p_low and s.person <= p_high
    except select t.thing, t.did, t.person from truth t
  ), gone as (
    delete from activity_seen s using wrong w
    where s.venue_id = p_venue and s.thing = w.thing and s.did = w.did and s.person = w.person and s.day = p_day
    returning 1
  ), added as (
    insert into activity_seen (venue_id, thing, did, person, day)
    select p_venue, t.thing, t.did, t.person, p_day from truth t on conflict do nothing
    returning 1
  )
  select (select count(*) from gone) + (select count(*) from added) into v_changed;
  if v_changed > 0 then update activity_venues set mendings = mendings + 1 where venue_id = p_venue; end if;
  return v_changed;
end $$;

-- When that is done for all days, the figures. What they lack (or have too much) does not change by what is recorded meanwhile,
-- which adds the same to the figures and to the truth. So the two are compared in a snapshot, range by range, without holding the
-- venue, and only adding the difference needs its row.
create function true_counts(p_venue uuid, p_day date) returns table (
  thing uuid, views bigint, saves bigint, bookings bigint, guests bigint, cents bigint, check_ins bigint
) language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return query
  select a.thing, count(*) filter (where a.type in ('view', 'venue_page_view')), count(*) filter (where a.type = 'save'),
    count(*) filter (where a.type = 'booking'), coalesce(sum(a.guests) filter (where a.type = 'booking'), 0)::bigint,
    coalesce(sum(a.cents) filter (where a.type = 'booking'), 0)::bigint, count(*) filter (where a.type = 'check_in')
  from activity a
  where a.venue_id = p_venue and a.slot = activity_slot(p_day::timestamp at time zone 'UTC') and a.mode = 'live'
    and activity_day(a.at) = p_day
  group by a.thing;
end $$;

create function true_people(p_venue uuid, p_day date, p_low uuid, p_high uuid)
returns table (thing uuid, did text, gap smallint, people integer)
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
#variable_conflict use_column
begin
  return query
  select s.thing, s.did, gap_between(b.day, p_day), count(*)::integer
  from activity_seen s left join lateral (
    select b.day from activity_seen b
    where b.venue_id = p_venue and b.thing = s.thing and b.did = s.did and b.person = s.person and b.day < p_day
    order by b.day desc limit 1
  ) b on true
  where s.venue_id = p_venue and day_number(s.day) = day_number(p_day) and s.person >= p_low and s.person <= p_high
  group by s.thing, s.did, gap_between(b.day, p_day);
end $$;

-- Adds what a day's figures lack; people one row for each gap. Says how many rows that mended; null: somebody else mended
-- meanwhile, and it must be found anew.
create function mend_day(
  p_venue uuid, p_day date, p_mendings bigint, p_things uuid[], p_views bigint[], p_saves bigint[], p_bookings bigint[],
  p_guests bigint[], p_cents bigint[], p_check_ins bigint[],
  p_of uuid[], p_dids text[], p_gaps smallint[], p_people integer[]
) returns integer language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  perform lock_activity(p_venue);
  perform from activity_kept where kept_from <= p_day::timestamp at time zone 'UTC' for share;
  -- Its events are gone by now: what was found without them is not the truth.
  if not found then return 0; end if;
  update activity_venues set mendings = mendings + 1 where venue_id = p_venue and mendings = p_mendings;
  if not found then return null; end if;
  with people as materialized (
    select x.of as thing,
      array_agg(x.gap) filter (where x.did = 'view') as viewer_gaps, array_agg(x.people) filter (where x.did = 'view') as viewers,
      array_agg(x.gap) filter (where x.did = 'booking_start') as starter_gaps,
      array_agg(x.people) filter (where x.did = 'booking_start') as starters
    from unnest(p_of, p_dids, p_gaps, p_people) as x(of, did, gap, people) group by x.of
  ), lacking as (
    select u.*, coalesce(p.viewer_gaps, '{}') as viewer_gaps, coalesce(p.viewers, '{}') as viewers,
      coalesce(p.starter_gaps, '{}') as starter_gaps, coalesce(p.starters, '{}') as starters
    from unnest(p_things, p_views, p_saves, p_bookings, p_guests, p_cents, p_check_ins)
      as u(thing, views, saves, bookings, guests, cents, check_ins)
    left join people p on p.thing = u.thing
  )
  insert into activity_days as d
    (venue_id, thing, day, views, saves, bookings, guests, cents, check_ins, viewer_gaps, viewers, starter_gaps, starters)
  select p_venue, n.thing, p_day, n.views + coalesce(o.views, 0), n.saves + coalesce(o.saves, 0),
    n.bookings + coalesce(o.bookings, 0), n.guests + coalesce(o.guests, 0), n.cents + coalesce(o.cents, 0),
    n.check_ins + coalesce(o.check_ins, 0), v.gaps, v.people, b.gaps, b.people
  from lacking n
  left join lateral (
    select * from activity_days x where x.venue_id = p_venue and x.thing = n.thing and x.day = p_day offset 0
  ) o on true
  cross join lateral people_by_gap(coalesce(o.viewer_gaps, '{}'), coalesce(o.viewers, '{}'), n.viewer_gaps, n.viewers) v
  cross join lateral people_by_gap(coalesce(o.starter_gaps, '{}'), coalesce(o.starters, '{}'), n.starter_gaps, n.starters) b
  on conflict (venue_id, thing, day) do update set views = excluded.views, saves = excluded.saves,
    bookings = excluded.bookings, guests = excluded.guests, cents = excluded.cents, check_ins = excluded.check_ins,
    viewer_gaps = excluded.viewer_gaps, viewers = excluded.viewers,
    starter_gaps = excluded.starter_gaps, starters = excluded.starters;
  return cardinality(p_things);
end $$;
