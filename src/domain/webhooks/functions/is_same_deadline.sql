-- Whether an attempt belongs to the delivery's present 72 hours. The worker names them by their end in milliseconds; a
-- redelivery starts new ones. Computed in UTC, which is immutable: a distributed table refuses stable functions in
-- UPDATE.
create or replace function is_same_deadline(p_ends_at timestamptz, p_deadline_ms float8) returns boolean
language sql immutable as $$
  select (extract(epoch from p_ends_at at time zone 'UTC') * 1000)::float8 = p_deadline_ms
$$;
