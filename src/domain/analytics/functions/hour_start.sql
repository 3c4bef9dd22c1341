-- The time at which an hour begins.
create or replace function hour_start(p_hour integer) returns timestamptz language sql immutable as $$
  select (timestamp '0001-01-01' + p_hour * interval '1 hour') at time zone 'UTC'
$$;
