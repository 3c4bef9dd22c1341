-- The day in which an hour lies.
create or replace function day_of_hour(p_hour integer) returns date language sql immutable as $$
  select date '0001-01-01' + p_hour / 24
$$;
