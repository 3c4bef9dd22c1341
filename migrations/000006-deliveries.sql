-- Events on their way out: two loops that meet at a table. Dispatch makes one delivery for each endpoint that wants the
-- event; delivery sends what is due, endpoint by endpoint, so that a dead one can be left alone without a look at its rows.

alter table webhook_endpoints
  add column status text not null default 'active',
  add column disabled_at timestamptz,
  add column disabled_reason text,
  -- For 24 hours after a rotation the old secret signs beside the new one.
  add column previous_secret bytea,
  add column previous_until timestamptz,
  add constraint webhook_endpoint_status_is_known check (status in ('active', 'disabled')),
  add constraint webhook_endpoint_disabled_has_a_reason
    check ((status = 'disabled') = (disabled_at is not null) and (disabled_at is null) = (disabled_reason is null)),
  add constraint webhook_endpoint_previous_secret_ends check ((previous_secret is null) = (previous_until is null));

-- Events that nobody has dispatched yet. Written with the event where an endpoint wants it, deleted with its deliveries
-- made. Ids are ordered by time: the oldest goes first.
create table undispatched_events (
  venue_id uuid not null,
  event_id text not null
) with (autovacuum_vacuum_scale_factor = 0.05);
create index undispatched_events_oldest on undispatched_events (event_id);

create function queue_events() returns trigger language plpgsql as $$
begin
  insert into undispatched_events (venue_id, event_id)
    select f.venue_id, f.event_id from fresh f
    where exists (
      select 1 from webhook_endpoints w where w.venue_id = f.venue_id and w.mode = f.mode and f.type = any(w.events));
  return null;
end $$;

create trigger events_are_queued after insert on events referencing new table as fresh
  for each statement execute function queue_events();

-- One event on its way to one endpoint. It has no id of its own: the event and the endpoint name it. created_at is the
-- event's, which is unique for a venue and mode: it is the key, and lists page by it.
create table deliveries (
  venue_id uuid not null,
  endpoint_id text not null,
  event_id text not null,
  type text not null,
  status text not null,
  -- Ever, and in the 72 hours that run now: a redelivery begins new ones.
  attempts integer not null default 0,
  tries smallint not null default 0,
  due_at timestamptz,
  ends_at timestamptz not null,
  last_status smallint,
  last_error text,
  last_response text,
  last_duration_ms integer,
  last_attempt_at timestamptz,
  -- The attempts before the last; null: there is none.
  earlier jsonb,
  -- Why it was ended without another try.
  ended_as text,
  delivered_at timestamptz,
  created_at timestamptz not null,
  primary key (venue_id, endpoint_id, created_at),
  constraint delivery_status_is_known check (status in ('pending', 'delivered', 'failed')),
  constraint delivery_pending_is_due check ((due_at is not null) = (status = 'pending')),
  constraint delivery_is_tried_within_its_time check (due_at <= ends_at)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index deliveries_due on deliveries (venue_id, endpoint_id, due_at) where due_at is not null;
create index deliveries_by_age on deliveries using brin (created_at);

-- The way to one endpoint: who may send to it, and when somebody must. due_at is never later than the soonest delivery's;
-- nobody takes the lane before free_at (somebody has it until then, or it rests); turn fences whoever had it before.
create table delivery_lanes (
  venue_id uuid not null,
  endpoint_id text not null,
  turn integer not null default 0,
  due_at timestamptz,
  free_at timestamptz not null default '-infinity',
  -- Attempts that failed in a row.
  failures integer not null default 0,
  -- How it went last. Lanes of each pace are taken into places of their own.
  pace text not null default 'quick',
  last_success_at timestamptz,
  primary key (venue_id, endpoint_id),
  foreign key (venue_id, endpoint_id) references webhook_endpoints on delete cascade,
  constraint delivery_lane_pace_is_known check (pace in ('quick', 'slow', 'failing', 'dead'))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index delivery_lanes_due on delivery_lanes (pace, greatest(due_at, free_at)) where due_at is not null;
insert into delivery_lanes (venue_id, endpoint_id) select venue_id, endpoint_id from webhook_endpoints;

-- The event as it is read and sent, the same bytes each time.
create function event_json(e events) returns text language sql stable as $$
  select '{"id":"' || e.event_id || '","object":"event","type":"' || e.type || '","mode":"' || e.mode
    || '","created_at":"' || utc_micros(e.created_at) || '","sequence":' || e.sequence || ',"data":' || e.data::text || '}'
$$;

-- Takes up to p_limit events from the queue and makes their deliveries, due at once. Answers how many events it took.
create function dispatch_events(p_now timestamptz, p_limit integer) returns integer
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  v_venues uuid[];
  v_events text[];
  v_to_venues uuid[];
  v_to text[];
begin
  with taken as (
    delete from undispatched_events u where u.ctid = any(array(
      select q.ctid from undispatched_events q order by q.event_id limit p_limit for update skip locked))
    returning u.venue_id, u.event_id)
  select array_agg(t.venue_id), array_agg(t.event_id) into v_venues, v_events from taken t;
  if v_events is null then return 0; end if;
  with made as (
    insert into deliveries (venue_id, endpoint_id, event_id, type, status, due_at, ends_at, created_at)
    select e.venue_id, w.endpoint_id, e.event_id, e.type, 'pending', p_now, p_now + interval '72 hours', e.created_at
    from unnest(v_venues, v_events) as t(venue_id, event_id)
    join events e on e.venue_id = t.venue_id and e.event_id = t.event_id
    join webhook_endpoints w on w.venue_id = e.venue_id and w.mode = e.mode and e.type = any(w.events)
    on conflict do nothing
    returning deliveries.venue_id, deliveries.endpoint_id)
  select array_agg(m.venue_id), array_agg(m.endpoint_id) into v_to_venues, v_to
    from (select distinct venue_id, endpoint_id from made) m;
  perform wake_lanes(v_to_venues, v_to, p_now);
  return cardinality(v_events);
end $$;

-- Somebody must look at these endpoints. Their lanes are locked in one order, so that two who wake the same do not wait
-- for each other; whoever lets a lane go meanwhile has done so before, or sees what we have made.
create function wake_lanes(p_venues uuid[], p_endpoints text[], p_now timestamptz) returns void
language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  perform 1 from unnest(p_venues, p_endpoints) as t(venue_id, endpoint_id)
    join delivery_lanes l on l.venue_id = t.venue_id and l.endpoint_id = t.endpoint_id
    order by l.venue_id, l.endpoint_id for update of l;
  update delivery_lanes l set due_at = least(l.due_at, p_now)
    from unnest(p_venues, p_endpoints) as t(venue_id, endpoint_id)
    where l.venue_id = t.venue_id and l.endpoint_id = t.endpoint_id;
end $$;

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
