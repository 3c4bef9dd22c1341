-- Takes up to p_limit events from the queue and inserts one delivery for each endpoint that subscribes, due at once and
-- retried for p_window. Returns how many events it took.
create or replace function dispatch_events(p_now timestamptz, p_limit integer, p_window interval) returns integer
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  v_venues uuid[];
  v_events text[];
  v_endpoint_venues uuid[];
  v_endpoints text[];
begin
  with taken as (
    delete from undispatched_events u where u.ctid = any(array(
      select q.ctid from undispatched_events q order by q.event_id limit p_limit for update skip locked))
    returning u.venue_id, u.event_id)
  select array_agg(t.venue_id), array_agg(t.event_id) into v_venues, v_events from taken t;
  if v_events is null then return 0; end if;
  with inserted as (
    insert into deliveries (venue_id, endpoint_id, event_id, type, status, due_at, ends_at, created_at)
    select e.venue_id, w.endpoint_id, e.event_id, e.type, 'pending', p_now, p_now + p_window, e.created_at
    from unnest(v_venues, v_events) as t(venue_id, event_id)
    join events e on e.venue_id = t.venue_id and e.event_id = t.event_id
    join webhook_endpoints w on w.venue_id = e.venue_id and w.mode = e.mode and e.type = any(w.events)
    on conflict do nothing
    returning deliveries.venue_id, deliveries.endpoint_id)
  select array_agg(m.venue_id), array_agg(m.endpoint_id) into v_endpoint_venues, v_endpoints
    from (select distinct venue_id, endpoint_id from inserted) m;
  perform schedule_endpoint_queues(v_endpoint_venues, v_endpoints, p_now);
  return cardinality(v_events);
end $$;
