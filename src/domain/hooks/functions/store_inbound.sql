-- Stores a delivery once. Under the integration's row lock, a delivery with the same dedup hash within p_dedup_window
-- (null: any time) is returned instead. A delivery that would exceed p_max_bytes of its venue today is not stored, and
-- retry_after is the number of seconds until the day ends. No row: the integration was revoked meanwhile.
create or replace function store_inbound(
  p_venue uuid, p_integration text, p_delivery text, p_now timestamptz, p_dedup_hash bytea, p_dedup_window interval,
  p_event text, p_type text, p_body bytea, p_max_bytes bigint
) returns table (delivery_id text, is_duplicate boolean, retry_after integer)
language plpgsql as $$
#variable_conflict use_column
declare
  v_at timestamptz;
  v_today date := (p_now at time zone 'UTC')::date;
begin
  select greatest(p_now, i.last_delivery_at + interval '1 microsecond') into v_at from integrations i
    where i.venue_id = p_venue and i.integration_id = p_integration and i.revoked_at is null for no key update;
  if not found then return; end if;
  select d.delivery_id into delivery_id from inbound_deliveries d
    where d.venue_id = p_venue and d.integration_id = p_integration and d.dedup_hash = p_dedup_hash
      and d.received_at > coalesce(v_at - p_dedup_window, '-infinity')
    order by d.received_at limit 1;
  is_duplicate := found;
  if not is_duplicate then
    if p_max_bytes < octet_length(p_body) + (
        select coalesce(sum(i.stored_bytes), 0) from integrations i
        where i.venue_id = p_venue and i.stored_on = v_today) then
      retry_after := ceil(extract(epoch from ((v_today + 1)::timestamp at time zone 'UTC') - p_now));
      return next;
      return;
    end if;
    delivery_id := p_delivery;
    insert into inbound_deliveries (venue_id, delivery_id, integration_id, received_at, dedup_hash, provider_event_id,
        type, body, status, due_at)
      values (p_venue, p_delivery, p_integration, v_at, p_dedup_hash, p_event, p_type, p_body, 'pending', p_now);
    update integrations i set last_delivery_at = v_at, delivery_count = i.delivery_count + 1, stored_on = v_today,
        stored_bytes = octet_length(p_body) + case when i.stored_on = v_today then i.stored_bytes else 0 end
      where i.venue_id = p_venue and i.integration_id = p_integration;
  end if;
  return next;
end $$;
