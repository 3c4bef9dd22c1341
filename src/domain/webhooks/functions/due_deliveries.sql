-- The deliveries of an endpoint that are due, with the bytes to send. body is null where the deadline has passed: the
-- worker ends such a delivery. A worker with a stale lease token gets no row.
create or replace function due_deliveries(
  p_venue uuid, p_endpoint text, p_lease_token integer, p_now timestamptz, p_limit integer, p_in_flight timestamptz[]
) returns table (created_at timestamptz, tries integer, ends_at timestamptz, body text)
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  perform 1 from endpoint_queues q
    where q.venue_id = p_venue and q.endpoint_id = p_endpoint and q.lease_token = p_lease_token for update;
  if not found then return; end if;
  return query select d.created_at, d.tries::integer, d.ends_at, case when d.ends_at > p_now then event_json(e) end
    from (
      select * from deliveries d
      where d.venue_id = p_venue and d.endpoint_id = p_endpoint and d.due_at <= p_now
        and d.created_at <> all(p_in_flight)
      order by d.due_at limit p_limit) d
    join events e on e.venue_id = d.venue_id and e.event_id = d.event_id
    order by d.due_at, d.created_at;
end $$;
