-- Records the outcomes of attempts for the worker that holds the lease, and keeps or releases the endpoint's queue.
-- Returns `lost`: another worker has the lease, nothing was written. `dead`: a delivery reached its deadline and none
-- succeeded in all of its p_window. `stale`: the endpoint was disabled or its secret rotated, the worker must read it
-- again. Otherwise `recorded`.
create or replace function record_attempts(
  p_venue uuid, p_endpoint text, p_lease_token integer, p_now timestamptz, p_available_at timestamptz,
  p_failures integer, p_pace text, p_release boolean, p_secret bytea, p_created timestamptz[], p_ends float8[],
  p_statuses text[], p_codes integer[], p_errors text[], p_responses text[], p_durations integer[], p_at float8[],
  p_due float8[], p_window interval
) returns text language plpgsql as $$
declare
  v_success timestamptz;
  v_due timestamptz;
  v_end timestamptz;
begin
  select q.last_success_at, q.due_at into v_success, v_due from endpoint_queues q
    where q.venue_id = p_venue and q.endpoint_id = p_endpoint and q.lease_token = p_lease_token for update;
  if not found then return 'lost'; end if;
  -- A delivery that was redelivered meanwhile has a new deadline: its attempt is counted, and it stays due.
  update deliveries d set attempts = d.attempts + 1,
      status = case when is_same_deadline(d.ends_at, r.ends) then r.status else d.status end,
      tries = case when is_same_deadline(d.ends_at, r.ends) then d.tries + 1 else d.tries end,
      due_at = case when is_same_deadline(d.ends_at, r.ends) then to_timestamp(r.due / 1000.0) else d.due_at end,
      delivered_at = case when r.status = 'delivered' and is_same_deadline(d.ends_at, r.ends) then p_now end,
      earlier_attempts = case when d.attempts > 0 then add_last_attempt(d) end,
      last_status = r.code, last_error = r.error, last_response = r.response, last_duration_ms = r.duration,
      last_attempt_at = to_timestamp(r.at / 1000.0)
    from unnest(p_created, p_ends, p_statuses, p_codes, p_errors, p_responses, p_durations, p_at, p_due)
      as r(created_at, ends, status, code, error, response, duration, at, due)
    -- An attempt is recorded once: the worker repeats the call when it did not receive the result of the commit.
    where d.venue_id = p_venue and d.endpoint_id = p_endpoint and d.created_at = r.created_at and d.status = 'pending'
      and d.last_attempt_at is distinct from to_timestamp(r.at / 1000.0);
  if 'delivered' = any(p_statuses) then v_success := p_now; end if;
  if p_release then
    -- The index has untried deliveries and retries apart.
    select min(n.due_at) into v_due from unnest(array[0, 1]) as t(tried) cross join lateral (
      select d.due_at from deliveries d
      where d.venue_id = p_venue and d.endpoint_id = p_endpoint and least(d.attempts, 1) = t.tried
        and d.due_at is not null
      order by d.due_at limit 1) n;
  end if;
  update endpoint_queues q
    set available_at = p_available_at, failures = p_failures, pace = p_pace, last_success_at = v_success, due_at = v_due
    where q.venue_id = p_venue and q.endpoint_id = p_endpoint;
  if 'failed' = any(p_statuses) then
    select max(d.ends_at) into v_end from deliveries d
      where d.venue_id = p_venue and d.endpoint_id = p_endpoint and d.status = 'failed'
        and d.created_at = any(p_created);
    if v_end is not null and (v_success is null or v_success < v_end - p_window) then return 'dead'; end if;
  end if;
  perform 1 from webhook_endpoints w
    where w.venue_id = p_venue and w.endpoint_id = p_endpoint and w.status = 'active' and w.secret = p_secret;
  return case when found then 'recorded' else 'stale' end;
end $$;
