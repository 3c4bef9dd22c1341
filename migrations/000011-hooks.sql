-- What bookings take off slots: each counts once, and a cancellation gives back what was taken.

-- A booking of a venue system, and what it has taken of which slot.
create table hook_bookings (
  venue_id uuid not null,
  integration_id text not null,
  booking_hash bytea not null,
  -- As in hook_objects.
  version numeric,
  received_at timestamptz not null,
  takes json not null,
  -- The start of its last slot, or when it was last heard of: it is forgotten some time after that.
  last_at timestamptz not null,
  primary key (venue_id, integration_id, booking_hash),
  constraint booking_hash_is_sha256 check (octet_length(booking_hash) = 32)
);
create index hook_bookings_by_age on hook_bookings (last_at);

-- A slot that bookings have taken from, or that was called off: how many places are left of what was stated last.
create table hook_slots (
  venue_id uuid not null,
  mode text not null,
  slot_hash bytea not null,
  -- Below none where more was booked than there was; null: nobody has said.
  places_left integer,
  off_by text,
  statement integer not null,
  last_at timestamptz not null,
  primary key (venue_id, mode, slot_hash),
  constraint hook_slot_mode_is_known check (mode in ('test', 'live')),
  constraint slot_hash_is_sha256 check (octet_length(slot_hash) = 32)
);
create index hook_slots_by_age on hook_slots (last_at);

-- As before, but due at once by the clock of whoever stores: one server's clock that runs ahead delays nothing.
create or replace function store_inbound(
  p_venue uuid, p_integration text, p_delivery text, p_now timestamptz, p_sameness bytea, p_within interval,
  p_event text, p_type text, p_body bytea
) returns table (delivery_id text, is_duplicate boolean)
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_at timestamptz;
begin
  select greatest(p_now, i.last_delivery_at + interval '1 microsecond') into v_at from integrations i
    where i.venue_id = p_venue and i.integration_id = p_integration and i.revoked_at is null for no key update;
  if not found then return; end if;
  select d.delivery_id into delivery_id from inbound_deliveries d
    where d.venue_id = p_venue and d.integration_id = p_integration and d.sameness = p_sameness
      and d.received_at > coalesce(v_at - p_within, '-infinity')
    order by d.received_at limit 1;
  is_duplicate := found;
  if not is_duplicate then
    delivery_id := p_delivery;
    insert into inbound_deliveries (venue_id, delivery_id, integration_id, received_at, sameness, provider_event_id, type,
        body, status, due_at)
      values (p_venue, p_delivery, p_integration, v_at, p_sameness, p_event, p_type, p_body, 'pending', p_now);
    update integrations i set last_delivery_at = v_at, delivery_count = i.delivery_count + 1
      where i.venue_id = p_venue and i.integration_id = p_integration;
  end if;
  return next;
end $$;
