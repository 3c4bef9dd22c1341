-- Makes the queues of these endpoints of a venue due. Rows are locked in one order, so that two callers cannot
-- deadlock. A worker that releases a queue at the same time either released it before, or reads the deliveries that
-- this caller inserted.
create or replace function schedule_venue_queues(p_venue uuid, p_endpoints text[], p_now timestamptz) returns void
language plpgsql as $$
begin
  perform 1 from endpoint_queues q where q.venue_id = p_venue and q.endpoint_id = any(p_endpoints)
    order by q.endpoint_id for update;
  update endpoint_queues q set due_at = least(q.due_at, p_now)
    where q.venue_id = p_venue and q.endpoint_id = any(p_endpoints);
end $$;
