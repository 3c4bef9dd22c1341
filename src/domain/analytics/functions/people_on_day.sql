-- All people of a day. A caller that wants a range of people filters these: the index by person holds all days. offset
-- 0 keeps the planner from moving the caller's filter below.
create or replace function people_on_day(p_venue uuid, p_day date)
returns table (subject uuid, action text, person uuid, hours integer, previous_hour integer, row_id tid)
language sql stable as $$
  select s.subject, s.action, s.person, s.hours, s.previous_hour, s.ctid from activity_people s
  where s.venue_id = p_venue and day_number(s.day) = day_number(p_day) offset 0
$$;
