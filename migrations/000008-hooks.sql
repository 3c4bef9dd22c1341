-- What venue systems send us. A delivery is stored before it is answered, counted once however often it comes, and applied
-- by the worker in the order in which it came, integration by integration.

create table integrations (
  venue_id uuid not null references venues,
  integration_id text not null,
  mode text not null,
  provider text not null,
  -- Sealed; null: this provider signs nothing.
  secret bytea,
  -- The address that was handed out, without its token: a provider may sign it.
  address text not null,
  -- What to take where a payload says nothing: kind, timezone, currency, category.
  defaults json not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  last_delivery_at timestamptz,
  delivery_count bigint not null default 0,
  primary key (venue_id, integration_id),
  constraint integration_mode_is_known check (mode in ('test', 'live')),
  constraint integration_delivery_is_counted check ((delivery_count = 0) = (last_delivery_at is null))
) with (fillfactor = 70);

-- From the hash of the token in a hook address to its integration. The token itself is kept nowhere.
create table hook_routes (
  token_hash bytea primary key,
  venue_id uuid not null,
  integration_id text not null,
  constraint token_hash_is_sha256 check (octet_length(token_hash) = 32)
);

-- Who applies the deliveries of an integration holds its row until it commits, so that they are applied in their order.
-- Whoever stores a delivery does not look at it: a venue system never waits for the worker.
create table hook_lanes (
  venue_id uuid not null,
  integration_id text not null,
  primary key (venue_id, integration_id),
  foreign key (venue_id, integration_id) references integrations
);

-- One delivery. received_at is unique for its integration: lists page by it, and it is the order in which they are applied.
create table inbound_deliveries (
  venue_id uuid not null,
  delivery_id text not null,
  integration_id text not null,
  received_at timestamptz not null,
  -- Of the provider's own id of the event, else of the body.
  sameness bytea not null,
  provider_event_id text,
  type text,
  -- The bytes that came, sealed: they can name guests.
  body bytea not null,
  status text not null,
  reason text,
  offering_external_id text,
  applied_at timestamptz,
  -- When the worker must look at it; null: it is done with.
  due_at timestamptz,
  attempts smallint not null default 0,
  primary key (venue_id, delivery_id),
  foreign key (venue_id, integration_id) references integrations,
  constraint inbound_delivery_status_is_known
    check (status in ('pending', 'applied', 'ignored', 'superseded', 'unmapped', 'needs_api_read', 'failed')),
  constraint inbound_delivery_pending_is_due check ((status = 'pending') = (due_at is not null)),
  constraint inbound_delivery_applied_has_a_time check ((status = 'applied') = (applied_at is not null))
) with (autovacuum_vacuum_scale_factor = 0.05);
-- Sealed bytes do not shrink: trying costs more than it saves.
alter table inbound_deliveries alter column body set storage external;
create unique index inbound_deliveries_in_order on inbound_deliveries (venue_id, integration_id, received_at);
create index inbound_deliveries_same on inbound_deliveries (venue_id, integration_id, sameness, received_at);
create index inbound_deliveries_due on inbound_deliveries (venue_id, integration_id, received_at) where due_at is not null;
create index inbound_deliveries_by_age on inbound_deliveries using brin (received_at);

-- The newest that was applied to each thing of a venue system, so that an older one that comes late changes nothing.
create table hook_objects (
  venue_id uuid not null,
  integration_id text not null,
  object_hash bytea not null,
  -- The provider's own count or time of the change; null: it has none, and the order of arrival decides.
  version numeric,
  received_at timestamptz not null,
  offering_external_id text,
  primary key (venue_id, integration_id, object_hash),
  constraint object_hash_is_sha256 check (octet_length(object_hash) = 32)
);
create index hook_objects_by_age on hook_objects using brin (received_at);

-- Whose token is this, and is there room in its hour? No row: unknown, revoked, or another provider's.
create function admit_hook(p_hash bytea, p_provider text, p_limit integer) returns table (
  venue_id uuid, integration_id text, mode text, secret bytea, address text,
  granted integer, remaining integer, reset_at timestamptz, retry_at timestamptz, asked_at timestamptz
) language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  select i.venue_id, i.integration_id, i.mode, i.secret, i.address into venue_id, integration_id, mode, secret, address
    from hook_routes r
    join integrations i on i.venue_id = r.venue_id and i.integration_id = r.integration_id
    join venues v on v.venue_id = r.venue_id
    where r.token_hash = p_hash and i.provider = p_provider and i.revoked_at is null and v.revoked_at is null;
  if not found then return; end if;
  select t.granted, t.remaining, t.reset_at, t.retry_at, t.asked_at into granted, remaining, reset_at, retry_at, asked_at
    from take_calls('hook ' || integration_id, p_limit, 1) t;
  return next;
end $$;

-- Stores a delivery once: under the integration's row lock, one of the same sameness within p_within (null: as long as we
-- remember) answers for it. No row: the integration was revoked meanwhile.
create function store_inbound(
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
      values (p_venue, p_delivery, p_integration, v_at, p_sameness, p_event, p_type, p_body, 'pending', v_at);
    update integrations i set last_delivery_at = v_at, delivery_count = i.delivery_count + 1
      where i.venue_id = p_venue and i.integration_id = p_integration;
  end if;
  return next;
end $$;
