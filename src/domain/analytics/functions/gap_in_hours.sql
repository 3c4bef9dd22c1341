-- The gap of a person in an hour: 1 to 23 hours back to an hour of the same day; 24 is the day before, 25 the day
-- before that, and so on as gap_in_days counts.
create or replace function gap_in_hours(p_hours integer, p_hour integer, p_day date, p_previous_hour integer)
returns smallint language sql immutable as $$
  select (case when p_hours & ((1 << p_hour) - 1) > 0 then p_hour - latest_hour(p_hours & ((1 << p_hour) - 1))
    else 23 + gap_in_days(day_of_hour(p_previous_hour), p_day) end)::smallint
$$;
