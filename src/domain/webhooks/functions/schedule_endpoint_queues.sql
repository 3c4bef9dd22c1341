-- Makes the queues of these endpoints due. Rows are locked in one order, so that two callers cannot deadlock. A worker
-- that releases a queue at the same time either released it before, or reads the deliveries that this caller inserted.
create or replace function schedule_endpoint_queues(p_venues uuid[], p_endpoints text[], p_now timestamptz) returns void
language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  perform 1 from unnest(p_venues, p_endpoints) as t(venue_id, endpoint_id)
    join endpoint_queues q on q.venue_id = t.venue_id and q.endpoint_id = t.endpoint_id
    order by q.venue_id, q.endpoint_id for update of q;
  update endpoint_queues q set due_at = least(q.due_at, p_now)
    from unnest(p_venues, p_endpoints) as t(venue_id, endpoint_id)
    where q.venue_id = t.venue_id and q.endpoint_id = t.endpoint_id;
end $$;
