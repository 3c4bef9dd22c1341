-- Writes who was seen when, and returns how many people each day and hour gains or loses at each gap. The people of a
-- whole day (hour_of_day 24) are those of its hours who were not seen earlier on that day.
create or replace function record_people(
  p_venue uuid, p_types text[], p_subjects uuid[], p_subject_modes text[], p_persons uuid[], p_ats timestamptz[]
) returns table (subject uuid, day date, hour_of_day smallint, action text, gap smallint, people integer)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
#variable_conflict use_column
begin
  return query
  with changed as materialized (
    select * from people_changes(p_venue, p_types, p_subjects, p_subject_modes, p_persons, p_ats)
  ), inserted as (
    insert into activity_people (venue_id, subject, action, person, day, hours, previous_hour)
    select p_venue, c.subject, c.action, c.person, c.day, c.hours, c.previous_hour from changed c where c.row_id is null
  ), updated as (
    update activity_people s set hours = c.hours, previous_hour = c.previous_hour from changed c where s.ctid = c.row_id
  ), gap_changes as materialized (
    select h.subject, h.day, h.action, h.hour_of_day,
      gap_in_hours(h.hours, h.hour_of_day, h.day, h.previous_hour) as gap, sum(h.people)::integer as people
    from (
      select x.*, generate_series(latest_hour(x.changed_hours & -x.changed_hours), latest_hour(x.hours)) as hour_of_day
      from (
        select c.subject, c.day, c.action, c.hours, c.previous_hour, c.changed_hours, 1 as people from changed c
        union all
        select c.subject, c.day, c.action, c.old_hours, c.old_previous_hour, c.changed_hours, -1
        from changed c where c.old_hours is not null
      ) x
    ) h
    where h.hours & (1 << h.hour_of_day) <> 0
    group by 1, 2, 3, 4, 5 having sum(h.people) <> 0
  )
  select m.subject, m.day, m.hour_of_day::smallint, m.action, m.gap, m.people from gap_changes m
  union all
  select m.subject, m.day, 24::smallint, m.action, (m.gap - 23)::smallint, sum(m.people)::integer
  from gap_changes m where m.gap > 23 group by m.subject, m.day, m.action, m.gap having sum(m.people) <> 0;
end $$;
