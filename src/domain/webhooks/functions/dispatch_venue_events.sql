-- Takes these events of a venue from the queue, as dispatch_events says, and returns how many it took. The endpoints
-- are read before the deliveries are inserted: one that subscribes meanwhile would get a delivery, and its queue would
-- not become due.
create or replace function dispatch_venue_events(
  p_venue uuid, p_events text[], p_now timestamptz, p_ends_at timestamptz
) returns integer language plpgsql as $$
declare
  v_events text[];
  v_modes text[];
  v_types text[];
  v_times timestamptz[];
  v_endpoints text[];
begin
  with taken as (
    delete from undispatched_events u where u.venue_id = p_venue and u.event_id = any(array(
      select q.event_id from undispatched_events q
      where q.venue_id = p_venue and q.event_id = any(p_events) for update skip locked))
    returning u.event_id)
  select array_agg(t.event_id) into v_events from taken t;
  if v_events is null then return 0; end if;
  select array_agg(e.event_id), array_agg(e.mode), array_agg(e.type), array_agg(e.created_at)
    into v_events, v_modes, v_types, v_times
    from events e where e.venue_id = p_venue and e.event_id = any(v_events);
  select array_agg(w.endpoint_id) into v_endpoints from webhook_endpoints w
    where w.venue_id = p_venue and exists (
      select from unnest(v_modes, v_types) as e(mode, type) where e.mode = w.mode and e.type = any(w.events));
  insert into deliveries (venue_id, endpoint_id, event_id, type, status, due_at, ends_at, created_at)
    select p_venue, w.endpoint_id, e.event_id, e.type, 'pending', p_now, p_ends_at, e.created_at
    from unnest(v_events, v_modes, v_types, v_times) as e(event_id, mode, type, created_at)
    join webhook_endpoints w on w.venue_id = p_venue and w.mode = e.mode and e.type = any(w.events)
    where w.endpoint_id = any(v_endpoints)
    on conflict do nothing;
  perform schedule_venue_queues(p_venue, v_endpoints, p_now);
  return cardinality(v_events);
end $$;
