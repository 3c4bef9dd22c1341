-- The event as the API returns it and as deliveries send it: one place, so that both are the same bytes.
create or replace function event_json(e events) returns text language sql stable as $$
  select '{"id":"' || e.event_id || '","object":"event","type":"' || e.type || '","mode":"' || e.mode
    || '","created_at":"' || utc_micros(e.created_at) || '","sequence":' || e.sequence
    || ',"data":' || e.data::text || '}'
$$;
