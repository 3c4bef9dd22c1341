-- The partition of a month: months rotate through 24 partitions, so that every time has one and none is created ahead.
create or replace function activity_partition(p_at timestamptz) returns smallint language sql immutable as $$
  select (
    (extract(year from p_at at time zone 'UTC') * 12 + extract(month from p_at at time zone 'UTC'))::integer % 24
  )::smallint
$$;
