-- Deliveries: what runs out ends its endpoint as a failed last try does; a turn learns that its endpoint was disabled or its
-- secret rotated; an attempt that ends after its delivery was sent again only counts; the last ten attempts are kept.

alter table deliveries
  -- The attempts before the last; null: there is none.
  add column earlier jsonb,
  -- Why it was ended without another try.
  add column ended_as text;

drop function due_deliveries(uuid, text, integer, timestamptz, integer, timestamptz[], text);
drop function record_attempts(
  uuid, text, integer, timestamptz, timestamptz, integer, text, boolean, timestamptz[], text[], integer[], text[], text[], integer[],
  float8[], float8[]);

-- What is due on a lane, with the bytes to send; without them, where its time is up and it is to be ended.
create function due_deliveries(
  p_venue uuid, p_endpoint text, p_turn integer, p_now timestamptz, p_limit integer, p_under_way timestamptz[]
) returns table (created_at timestamptz, tries integer, ends_at timestamptz, body text)
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  perform 1 from delivery_lanes l
    where l.venue_id = p_venue and l.endpoint_id = p_endpoint and l.turn = p_turn for update;
  if not found then return; end if;
  return query select d.created_at, d.tries::integer, d.ends_at, case when d.ends_at > p_now then event_json(e) end
    from (
      select * from deliveries d
      where d.venue_id = p_venue and d.endpoint_id = p_endpoint and d.due_at <= p_now and d.created_at <> all(p_under_way)
      order by d.due_at limit p_limit) d
    join events e on e.venue_id = d.venue_id and e.event_id = d.event_id
    order by d.due_at, d.created_at;
end $$;

-- Ends what can no longer be tried: its time is up, or, p_limit at a time, all that waits (p_over says why). Answers as
-- record_attempts does. What was never tried is nobody's failure.
create function end_deliveries(
  p_venue uuid, p_endpoint text, p_turn integer, p_now timestamptz, p_limit integer, p_under_way timestamptz[],
  p_over text
) returns text language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  v_success timestamptz;
  v_end timestamptz;
begin
  select l.last_success_at into v_success from delivery_lanes l
    where l.venue_id = p_venue and l.endpoint_id = p_endpoint and l.turn = p_turn for update;
  if not found then return 'lost'; end if;
  with ended as (
    update deliveries d set status = 'failed', due_at = null,
        ended_as = coalesce(p_over, case when d.last_error is null then 'expired' end)
      where d.venue_id = p_venue and d.endpoint_id = p_endpoint and d.due_at is not null and d.created_at = any(array(
        select o.created_at from deliveries o
        where o.venue_id = p_venue and o.endpoint_id = p_endpoint and o.due_at is not null
          and (p_over is not null or o.ends_at <= p_now) and o.created_at <> all(p_under_way)
        order by o.due_at limit p_limit))
      returning d.ends_at, d.tries)
  select max(e.ends_at) into v_end from ended e where e.tries > 0;
  if p_over is null and (v_success is null or v_success < v_end - interval '72 hours') and v_end is not null then
    return 'dead';
  end if;
  return 'kept';
end $$;

-- Are these the 72 hours that an attempt belongs to, which was told their end in milliseconds?
create function is_end(p_end timestamptz, p_told float8) returns boolean language sql stable as $$
  select (extract(epoch from p_end) * 1000)::float8 = p_told
$$;

-- The attempts before the last, which makes way for another: nine at the most, without what came back.
create function earlier_attempts(d deliveries) returns jsonb language sql stable as $$
  select case when jsonb_array_length(d.earlier) >= 9 then d.earlier - 0 else coalesce(d.earlier, '[]') end
    || jsonb_build_object('at', utc_micros(d.last_attempt_at), 'status', d.last_status, 'error', d.last_error,
      'duration_ms', d.last_duration_ms)
$$;

-- Writes what came of attempts, for whoever still has the lane, and keeps or lets go of it. `lost`: another has taken the
-- lane, nothing was written. `dead`: a delivery has ended and none had succeeded in all of its time. `stale`: what is known
-- of the endpoint holds no longer: it was disabled, or its secret rotated. Else `kept`.
create function record_attempts(
  p_venue uuid, p_endpoint text, p_turn integer, p_now timestamptz, p_free_at timestamptz, p_failures integer,
  p_pace text, p_let_go boolean, p_secret bytea, p_created timestamptz[], p_ends float8[], p_statuses text[],
  p_codes integer[], p_errors text[], p_answers text[], p_durations integer[], p_at float8[], p_due float8[]
) returns text language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  v_success timestamptz;
  v_due timestamptz;
  v_end timestamptz;
begin
  select l.last_success_at, l.due_at into v_success, v_due from delivery_lanes l
    where l.venue_id = p_venue and l.endpoint_id = p_endpoint and l.turn = p_turn for update;
  if not found then return 'lost'; end if;
  -- One that was sent again meanwhile, and has a new end, is only counted: it stays due.
  update deliveries d set attempts = d.attempts + 1,
      status = case when is_end(d.ends_at, r.ends) then r.status else d.status end,
      tries = case when is_end(d.ends_at, r.ends) then d.tries + 1 else d.tries end,
      due_at = case when is_end(d.ends_at, r.ends) then to_timestamp(r.due / 1000.0) else d.due_at end,
      delivered_at = case when r.status = 'delivered' and is_end(d.ends_at, r.ends) then p_now end,
      earlier = case when d.attempts > 0 then earlier_attempts(d) end,
      last_status = r.code, last_error = r.error, last_response = r.answer, last_duration_ms = r.duration,
      last_attempt_at = to_timestamp(r.at / 1000.0)
    from unnest(p_created, p_ends, p_statuses, p_codes, p_errors, p_answers, p_durations, p_at, p_due)
      as r(created_at, ends, status, code, error, answer, duration, at, due)
    -- Not twice: the answer to an earlier commit may have been lost.
    where d.venue_id = p_venue and d.endpoint_id = p_endpoint and d.created_at = r.created_at and d.status = 'pending'
      and d.last_attempt_at is distinct from to_timestamp(r.at / 1000.0);
  if 'delivered' = any(p_statuses) then v_success := p_now; end if;
  if p_let_go then
    select min(d.due_at) into v_due from deliveries d
      where d.venue_id = p_venue and d.endpoint_id = p_endpoint and d.due_at is not null;
  end if;
  update delivery_lanes l
    set free_at = p_free_at, failures = p_failures, pace = p_pace, last_success_at = v_success, due_at = v_due
    where l.venue_id = p_venue and l.endpoint_id = p_endpoint;
  if 'failed' = any(p_statuses) then
    select max(d.ends_at) into v_end from deliveries d
      where d.venue_id = p_venue and d.endpoint_id = p_endpoint and d.status = 'failed'
        and d.created_at = any(p_created);
    if v_end is not null and (v_success is null or v_success < v_end - interval '72 hours') then return 'dead'; end if;
  end if;
  perform 1 from webhook_endpoints w
    where w.venue_id = p_venue and w.endpoint_id = p_endpoint and w.status = 'active' and w.secret = p_secret;
  return case when found then 'kept' else 'stale' end;
end $$;
