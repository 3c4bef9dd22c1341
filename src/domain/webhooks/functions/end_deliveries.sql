-- Ends deliveries that must not be tried again: those past their deadline, or, with p_end_reason, up to p_limit of all
-- that wait. Returns the outcomes of record_attempts. A delivery that was never tried does not count as the endpoint's
-- failure.
create or replace function end_deliveries(
  p_venue uuid, p_endpoint text, p_lease_token integer, p_now timestamptz, p_limit integer, p_in_flight timestamptz[],
  p_end_reason text, p_window interval
) returns text language plpgsql as $$
declare
  v_success timestamptz;
  v_end timestamptz;
begin
  select q.last_success_at into v_success from endpoint_queues q
    where q.venue_id = p_venue and q.endpoint_id = p_endpoint and q.lease_token = p_lease_token for update;
  if not found then return 'lost'; end if;
  with ended as (
    update deliveries d set status = 'failed', due_at = null,
        end_reason = coalesce(p_end_reason, case when d.last_error is null then 'expired' end)
      where d.venue_id = p_venue and d.endpoint_id = p_endpoint and d.due_at is not null and d.created_at = any(array(
        select o.created_at from deliveries o
        where o.venue_id = p_venue and o.endpoint_id = p_endpoint and o.due_at is not null
          and (p_end_reason is not null or o.ends_at <= p_now) and o.created_at <> all(p_in_flight)
        order by least(o.attempts, 1), o.due_at limit p_limit))
      returning d.ends_at, d.tries)
  select max(e.ends_at) into v_end from ended e where e.tries > 0;
  if p_end_reason is null and (v_success is null or v_success < v_end - p_window) and v_end is not null then
    return 'dead';
  end if;
  return 'recorded';
end $$;
