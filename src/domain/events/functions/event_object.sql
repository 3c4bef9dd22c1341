-- The event as the API returns it and as deliveries send it: one place, so that both are the same bytes. It takes
-- columns, because the row of a shard has another type than the row of events.
create or replace function event_object(
  p_event text, p_type text, p_mode text, p_at timestamptz, p_sequence integer, p_data json
) returns text language sql stable as $$
  select '{"id":"' || p_event || '","object":"event","type":"' || p_type || '","mode":"' || p_mode
    || '","created_at":"' || utc_micros(p_at) || '","sequence":' || p_sequence
    || ',"data":' || p_data::text || '}'
$$;
