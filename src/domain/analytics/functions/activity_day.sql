-- The day of an event, in UTC. The index activity_by_day is built on this expression: its result must never change.
create or replace function activity_day(p_at timestamptz) returns date language sql immutable as $$
  select (p_at at time zone 'UTC')::date
$$;
