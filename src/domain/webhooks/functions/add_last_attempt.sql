-- The earlier attempts of a delivery (a row of deliveries, of any type: the row of a shard has its own) with its last
-- one added, before another attempt replaces it: nine at most, without response bodies. It is immutable, because a
-- distributed table refuses stable functions in UPDATE; utc_micros gives the same text under every setting.
create or replace function add_last_attempt(d anyelement) returns jsonb language plpgsql immutable as $$
begin
  return case when jsonb_array_length(d.earlier_attempts) >= 9 then d.earlier_attempts - 0
      else coalesce(d.earlier_attempts, '[]') end
    || jsonb_build_object('at', utc_micros(d.last_attempt_at), 'status', d.last_status, 'error', d.last_error,
      'duration_ms', d.last_duration_ms);
end $$;
