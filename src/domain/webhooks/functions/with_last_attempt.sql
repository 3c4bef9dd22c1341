-- The earlier attempts of a delivery with its last one added, before another attempt replaces it: nine at most, without
-- response bodies.
create or replace function with_last_attempt(d deliveries) returns jsonb language sql stable as $$
  select case when jsonb_array_length(d.earlier_attempts) >= 9 then d.earlier_attempts - 0
      else coalesce(d.earlier_attempts, '[]') end
    || jsonb_build_object('at', utc_micros(d.last_attempt_at), 'status', d.last_status, 'error', d.last_error,
      'duration_ms', d.last_duration_ms)
$$;
