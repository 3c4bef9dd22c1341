-- The rows of activity_people that a batch of events changes: the days of the batch, and the next day of each person,
-- whose previous hour changes. Each row is read once as it is (`old`) and returned once as it will be. A late event is
-- the only one that has a next day to look for. changed_hours are the hours whose gaps differ: earlier hours of a day
-- keep theirs, unless the previous hour changed. `prior` serves rows from before hours were counted, which have no
-- previous hour.
create or replace function people_changes(
  p_venue uuid, p_types text[], p_subjects uuid[], p_subject_modes text[], p_persons uuid[], p_ats timestamptz[]
) returns table (
  subject uuid, action text, person uuid, day date, row_id tid, old_hours integer, hours integer,
  old_previous_hour integer, previous_hour integer, changed_hours integer
) language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
#variable_conflict use_column
declare
  v_has_hourly_figures boolean := (select has_hourly_figures from activity_venues where venue_id = p_venue);
  v_newest integer := (select max(day_number(s.day)) from activity_people s where s.venue_id = p_venue);
begin
  return query with seen as materialized (
    select case when e.is_each then u.subject else all_experiences_id(u.subject_mode) end as subject, u.type as action,
      u.person, activity_day(u.at) as day, bit_or(1 << activity_hour(u.at) % 24) as hours
    from unnest(p_types, p_subjects, p_subject_modes, p_persons, p_ats) as u(type, subject, subject_mode, person, at)
    cross join (values (true), (false)) e(is_each) where u.type in ('view', 'booking_start') group by 1, 2, 3, 4
  ), with_stored_rows as materialized (
    select n.*, old.row_id, old.hours as old_hours, first_hour(old.day) + latest_hour(old.hours) as last_hour,
      coalesce(old.previous_hour, prior.previous_hour) as old_previous_hour,
      old.day is not distinct from n.day as is_same_day, next.day as next_day, next.row_id as next_row_id,
      next.hours as next_hours
    from seen n
    left join lateral (
      select s.day, s.hours, s.previous_hour, s.ctid as row_id from activity_people s
      where s.venue_id = p_venue and s.subject = n.subject and s.action = n.action and s.person = n.person
        and s.day <= n.day order by s.day desc limit 1
    ) old on true
    left join lateral (
      select first_hour(s.day) + latest_hour(s.hours) as previous_hour from activity_people s
      where s.venue_id = p_venue and s.subject = n.subject and s.action = n.action and s.person = n.person
        and s.day < n.day order by s.day desc limit 1
    ) prior on not v_has_hourly_figures and old.day = n.day
    left join lateral (
      select s.day, s.hours, s.ctid as row_id from activity_people s
      where s.venue_id = p_venue and s.subject = n.subject and s.action = n.action and s.person = n.person
        and s.day > n.day order by s.day limit 1
    ) next on day_number(n.day) < v_newest and (old.day is distinct from n.day or n.hours > old.hours)
    where old.day is distinct from n.day or n.hours & ~old.hours <> 0
  ), touched as (
    select k.subject, k.action, k.person, k.day, case when k.is_same_day then k.row_id end as row_id,
      case when k.is_same_day then k.old_hours end as old_hours,
      case when k.is_same_day then k.old_hours | k.hours else k.hours end as hours,
      case when k.is_same_day then k.old_previous_hour else k.last_hour end as old_previous_hour
    from with_stored_rows k
    union all
    select k.subject, k.action, k.person, k.next_day, k.next_row_id, k.next_hours, k.next_hours, k.last_hour
    from with_stored_rows k where k.next_day is not null
  ), with_previous_hour as (
    select c.*, recent_hour(
        greatest(c.old_previous_hour, lag(first_hour(c.day) + latest_hour(c.hours)) over w), c.day) as previous_hour
    from (
      select t.subject, t.action, t.person, t.day, min(t.row_id) as row_id, min(t.old_hours) as old_hours,
        bit_or(t.hours) as hours, max(t.old_previous_hour) as old_previous_hour
      from touched t group by t.subject, t.action, t.person, t.day
    ) c
    window w as (partition by c.subject, c.action, c.person order by c.day)
  )
  select l.*, case when l.previous_hour is not distinct from l.old_previous_hour
      then l.hours & ~coalesce(l.old_hours, 0) else l.hours end from with_previous_hour l;
end $$;
