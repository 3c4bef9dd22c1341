-- Venue systems: what was refused leaves a trace, a venue stores so many bytes a day, what changed nothing loses its body
-- after a day, and two systems never write one offering.

alter table integrations
  -- How many bytes were stored on the last day (UTC) on which any were.
  add column stored_on date,
  add column stored_bytes bigint not null default 0,
  -- The last delivery that was refused, and the code that it was refused with.
  add column refused_at timestamptz,
  add column refused_as text,
  add constraint integration_refusal_has_a_time check ((refused_at is null) = (refused_as is null));
create index integrations_stored on integrations (venue_id, stored_on);

alter table inbound_deliveries
  alter column body drop not null,
  add constraint inbound_delivery_pending_has_its_body check (status <> 'pending' or body is not null);
create index inbound_deliveries_ignored on inbound_deliveries (received_at) where status = 'ignored' and body is not null;

-- Which provider an offering comes from, as long as it is connected: ids of two systems can be the same.
create table hook_offerings (
  venue_id uuid not null,
  mode text not null,
  external_id text not null,
  provider text not null,
  held_at timestamptz not null,
  primary key (venue_id, mode, external_id),
  constraint hook_offering_mode_is_known check (mode in ('test', 'live'))
);

drop function store_inbound(uuid, text, text, timestamptz, bytea, interval, text, text, bytea);

-- Stores a delivery once: under the integration's row lock, one of the same sameness within p_within (null: as long as we
-- remember) answers for it. What would be more than p_most bytes of its venue today is not stored: retry_after says in how
-- many seconds the day is over. No row: the integration was revoked meanwhile.
create function store_inbound(
  p_venue uuid, p_integration text, p_delivery text, p_now timestamptz, p_sameness bytea, p_within interval,
  p_event text, p_type text, p_body bytea, p_most bigint
) returns table (delivery_id text, is_duplicate boolean, retry_after integer)
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_at timestamptz;
  v_today date := (p_now at time zone 'UTC')::date;
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
    if p_most < octet_length(p_body) + (
        select coalesce(sum(i.stored_bytes), 0) from integrations i where i.venue_id = p_venue and i.stored_on = v_today) then
      retry_after := ceil(extract(epoch from ((v_today + 1)::timestamp at time zone 'UTC') - p_now));
      return next;
      return;
    end if;
    delivery_id := p_delivery;
    insert into inbound_deliveries (venue_id, delivery_id, integration_id, received_at, sameness, provider_event_id, type,
        body, status, due_at)
      values (p_venue, p_delivery, p_integration, v_at, p_sameness, p_event, p_type, p_body, 'pending', p_now);
    update integrations i set last_delivery_at = v_at, delivery_count = i.delivery_count + 1, stored_on = v_today,
        stored_bytes = octet_length(p_body) + case when i.stored_on = v_today then i.stored_bytes else 0 end
      where i.venue_id = p_venue and i.integration_id = p_integration;
  end if;
  return next;
end $$;
