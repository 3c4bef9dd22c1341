-- The hour of an event, numbered from the year 1 in UTC. The hours of one day are also kept as the bits of an integer,
-- the first hour the lowest bit.
create or replace function activity_hour(p_at timestamptz) returns integer language sql immutable as $$
  select (activity_day(p_at) - date '0001-01-01') * 24 + extract(hour from p_at at time zone 'UTC')::integer
$$;
