-- Takes these events of a venue from the queue, as dispatch_events says, and returns how many it took. The endpoints
-- are read before the deliveries are inserted: one that subscribes meanwhile would get a delivery, and its queue would
-- not become due.
create or replace function dispatch_venue_events(
  p_venue uuid, p_events text[], p_now timestamptz, p_ends_at timestamptz
) returns integer language plpgsql as $$
declare
  v_events text[];
  v_endpoints text[];
begin
  select array_agg(t.event_id) into v_events from (
    select q.event_id from undispatched_events q
    where q.venue_id = p_venue and q.event_id = any(p_events) for update skip locked) t;
  if v_events is null then return 0; end if;
  delete from undispatched_events u where u.venue_id = p_venue and u.event_id = any(v_events);
  select array_agg(distinct w.endpoint_id) into v_endpoints from events e
    join webhook_endpoints w on w.venue_id = e.venue_id and w.mode = e.mode and e.type = any(w.events)
    where e.venue_id = p_venue and e.event_id = any(v_events);
  insert into deliveries (venue_id, endpoint_id, event_id, type, status, due_at, ends_at, created_at)
    select e.venue_id, w.endpoint_id, e.event_id, e.type, 'pending', p_now, p_ends_at, e.created_at
    from events e
    join webhook_endpoints w on w.venue_id = e.venue_id and w.mode = e.mode and e.type = any(w.events)
    where e.venue_id = p_venue and e.event_id = any(v_events) and w.endpoint_id = any(v_endpoints)
    on conflict do nothing;
  perform schedule_venue_queues(p_venue, v_endpoints, p_now);
  return cardinality(v_events);
end $$;
