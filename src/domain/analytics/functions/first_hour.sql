-- The number of a day's first hour.
create or replace function first_hour(p_day date) returns integer language sql immutable as $$
  select (p_day - date '0001-01-01') * 24
$$;
