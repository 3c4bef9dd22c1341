-- The deliveries of an endpoint that are due, with the bytes to send: those that were never tried before retries, so
-- that an event that fails delays no other. An endpoint that does not answer is probed with the newest untried one.
-- body is null where the deadline has passed: the worker ends such a delivery. A worker with a stale lease token gets
-- no row. The queue's row is not locked: the lock would last until the worker has read all of these bytes, and the
-- dispatch and every outcome would wait for it. A worker that loses its lease after this look records nothing
-- (record_attempts).
create or replace function due_deliveries(
  p_venue uuid, p_endpoint text, p_lease_token integer, p_now timestamptz, p_limit integer, p_in_flight timestamptz[]
) returns table (created_at timestamptz, tries integer, ends_at timestamptz, body text)
language plpgsql as $$
#variable_conflict use_column
declare
  v_is_probed boolean;
begin
  select q.pace = 'dead' into v_is_probed from endpoint_queues q
    where q.venue_id = p_venue and q.endpoint_id = p_endpoint and q.lease_token = p_lease_token;
  if not found then return; end if;
  return query
    with newest as (
      select d.* from deliveries d
      where v_is_probed and d.venue_id = p_venue and d.endpoint_id = p_endpoint and least(d.attempts, 1) = 0
        and d.due_at <= p_now and d.created_at <> all(p_in_flight)
      order by d.due_at desc, d.created_at desc limit p_limit),
    untried as (
      select d.* from deliveries d
      where not v_is_probed and d.venue_id = p_venue and d.endpoint_id = p_endpoint and least(d.attempts, 1) = 0
        and d.due_at <= p_now and d.created_at <> all(p_in_flight)
      order by d.due_at limit p_limit),
    retries as (
      select d.* from deliveries d
      where d.venue_id = p_venue and d.endpoint_id = p_endpoint and least(d.attempts, 1) = 1
        and d.due_at <= p_now and d.created_at <> all(p_in_flight)
      order by d.due_at limit p_limit),
    due as (
      select * from newest union all select * from untried union all select * from retries limit p_limit)
    select d.created_at, d.tries::integer, d.ends_at, case when d.ends_at > p_now then
        event_object(e.event_id, e.type, e.mode, e.created_at, e.sequence, e.data) end
    from due d
    join events e on e.venue_id = d.venue_id and e.event_id = d.event_id
    order by least(d.attempts, 1), d.due_at, d.created_at;
end $$;
