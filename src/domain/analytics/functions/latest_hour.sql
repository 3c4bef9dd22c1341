-- The latest hour of a day (0 to 23) among the bits of p_hours.
create or replace function latest_hour(p_hours integer) returns integer language sql immutable as $$
  select 24 - position(B'1' in p_hours::bit(24))
$$;
