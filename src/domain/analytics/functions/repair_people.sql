-- Makes activity_people of one day agree with its events, for a range of people at a time, so that the venue's row is
-- locked only briefly. Returns how many rows were wrong. A day whose events were dropped is left alone; the share lock
-- keeps them from being dropped meanwhile. The caller repairs days in order, so that the previous hour found is right.
create or replace function repair_people(p_venue uuid, p_day date, p_low uuid, p_high uuid) returns integer
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
declare
  v_start timestamptz := p_day::timestamp at time zone 'UTC';
  v_changed integer;
begin
  perform lock_activity_venue(p_venue);
  perform from activity_retention where retained_from <= v_start for share;
  if not found then return 0; end if;
  with actual as materialized (
    select t.subject, a.type as action, a.person, bit_or(1 << activity_hour(a.at) % 24) as hours
    from activity a cross join lateral (values (a.subject), (all_experiences_id(a.subject_mode))) t(subject)
    where a.venue_id = p_venue and a.partition_number = activity_partition(v_start) and a.mode = 'live'
      and activity_day(a.at) = p_day and a.type in ('view', 'booking_start')
      and a.person >= p_low and a.person <= p_high
    group by t.subject, a.type, a.person
  ), stored as materialized (
    select s.subject, s.action, s.person, s.hours from people_on_day(p_venue, p_day) s
    where s.person >= p_low and s.person <= p_high
  ), wrong as materialized (
    select k.subject, k.action, k.person from stored k except select t.subject, t.action, t.person from actual t
  ), missing as materialized (
    select t.subject, t.action, t.person, t.hours from actual t
    except select k.subject, k.action, k.person, k.hours from stored k
  ), deleted as (
    delete from activity_people s where s.ctid = any (array(
      select x.row_id from wrong w cross join lateral (
        select s.ctid as row_id from activity_people s
        where s.venue_id = p_venue and s.subject = w.subject and s.action = w.action and s.person = w.person
          and s.day = p_day offset 0
      ) x
    )) returning 1
  ), added as (
    insert into activity_people (venue_id, subject, action, person, day, hours, previous_hour)
    select p_venue, t.subject, t.action, t.person, p_day, t.hours,
      recent_hour(first_hour(b.day) + latest_hour(b.hours), p_day)
    from missing t left join lateral (
      select b.day, b.hours from activity_people b
      where b.venue_id = p_venue and b.subject = t.subject and b.action = t.action and b.person = t.person
        and b.day < p_day
      order by b.day desc limit 1
    ) b on true
    on conflict (venue_id, subject, action, person, day) do update set hours = excluded.hours
    returning 1
  )
  select (select count(*) from deleted) + (select count(*) from added) into v_changed;
  if v_changed > 0 then update activity_venues set repairs = repairs + 1 where venue_id = p_venue; end if;
  return v_changed;
end $$;
