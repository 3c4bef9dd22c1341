-- Whether an attempt belongs to the delivery's present 72 hours. The worker names them by their end in milliseconds; a
-- redelivery starts new ones.
create or replace function is_same_deadline(p_ends_at timestamptz, p_deadline_ms float8) returns boolean
language sql stable as $$
  select (extract(epoch from p_ends_at) * 1000)::float8 = p_deadline_ms
$$;
