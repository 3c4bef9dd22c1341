-- Days as numbers. The index activity_people_by_day is built on this expression, so that a look-up by the day itself
-- cannot choose it; its result must never change.
create or replace function day_number(p_day date) returns integer language sql immutable as $$
  select p_day - date '2000-01-01'
$$;
