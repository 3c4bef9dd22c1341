-- The hour, or null when it is 400 days or more before p_day: such a gap counts as none.
create or replace function recent_hour(p_hour integer, p_day date) returns integer language sql immutable as $$
  select case when gap_in_days(day_of_hour(p_hour), p_day) < 400 then p_hour end
$$;
