-- Inserts a checkout in one round trip, or returns why not. Two calls with one key or booking wait for each other on
-- the unique indexes; the second finds the first one's response. Outcomes: created, replayed, key_reused,
-- booking_in_progress, overdue (the booking's checkout is past its time: the caller expires it and tries again),
-- suspended (an operator has suspended the venue), not_payable (a live checkout of a venue that the processor cannot
-- pay: its guests must not be charged), refused (p_may_create is false), unknown_offering. The loop starts again
-- whenever another transaction committed first. An idempotency key is used for p_retention. p_content is the body of
-- the request, and created_by, which no body has. The caller inserts its row of checkout_routes
-- (create_checkout).
create or replace function insert_checkout(
  p_venue uuid, p_mode text, p_checkout text, p_event text, p_key text, p_fingerprint bytea, p_content json, p_url text,
  p_now timestamptz, p_may_create boolean, p_retention interval,
  out outcome text, out response text, out found_id text
) language plpgsql as $$
declare
  v_key record;
  v_existing record;
  v_venue record;
  v_row checkouts;
  v_booking text;
  v_offering text;
  v_amount integer;
  v_at timestamptz := p_now;
  v_forgotten timestamptz := p_now - p_retention;
begin
  for v_round in 1..1000 loop
    if p_key is not null then
      select k.fingerprint, k.refers_to into v_key from idempotency_keys k
        where k.venue_id = p_venue and k.mode = p_mode and k.idempotency_key = p_key
          and k.created_at > v_forgotten;
      if found then
        if v_key.fingerprint <> p_fingerprint or v_key.refers_to is null then outcome := 'key_reused'; return; end if;
        outcome := 'replayed'; found_id := v_key.refers_to; response := find_stored_response(p_venue, v_key.refers_to);
        return;
      end if;
    end if;
    v_booking := p_content ->> 'external_booking_id';
    select c.checkout_id, c.fingerprint, c.status, c.expires_at into v_existing from checkouts c
      where c.venue_id = p_venue and c.mode = p_mode and c.external_booking_id = v_booking
        and c.status not in ('expired', 'canceled');
    if found then
      -- A call with the same key may have committed since the key was read: the next round finds the replay.
      continue when p_key is not null and exists (
        select from idempotency_keys k
        where k.venue_id = p_venue and k.mode = p_mode and k.idempotency_key = p_key
          and k.refers_to = v_existing.checkout_id and k.created_at > v_forgotten);
      found_id := v_existing.checkout_id;
      if v_existing.status in ('open', 'collecting') and v_existing.expires_at <= p_now then outcome := 'overdue';
      elsif p_key is not null then outcome := 'booking_in_progress';
      elsif v_existing.fingerprint <> p_fingerprint then outcome := 'key_reused';
      else outcome := 'replayed'; response := find_stored_response(p_venue, v_existing.checkout_id);
      end if;
      return;
    end if;
    select v.fee_bps, v.fee_fixed, v.suspended_at into v_venue from venues v where v.venue_id = p_venue;
    if v_venue.suspended_at is not null then outcome := 'suspended'; return; end if;
    if p_mode = 'live' and not is_venue_payable(p_venue, p_mode) then outcome := 'not_payable'; return; end if;
    v_offering := p_content ->> 'offering_external_id';
    v_amount := (p_content ->> 'amount')::numeric::integer;
    -- Two conditions: one with both would be planned again for each checkout without an offering.
    if v_offering is not null then
      if not exists (
        select 1 from offerings o where o.venue_id = p_venue and o.mode = p_mode and o.external_id = v_offering
      ) then outcome := 'unknown_offering'; return; end if;
    end if;
    if not p_may_create then outcome := 'refused'; return; end if;
    if p_key is not null then
      insert into idempotency_keys
          (venue_id, mode, idempotency_key, fingerprint, status, response, refers_to, created_at)
        values (p_venue, p_mode, p_key, p_fingerprint, 201, null, p_checkout, p_now)
        on conflict (venue_id, mode, idempotency_key) do update
          set fingerprint = excluded.fingerprint, status = 201, response = null, refers_to = excluded.refers_to,
            created_at = excluded.created_at
          where idempotency_keys.created_at <= v_forgotten;
      continue when not found;
    end if;
    insert into checkouts (venue_id, checkout_id, mode, status, amount, currency, fee_amount, party_size, pay_by,
        expires_at, description, starts_at, ends_at, location, external_booking_id, offering_external_id, url,
        return_url, cancel_url, metadata, fingerprint, created_at, created_by)
      values (p_venue, p_checkout, p_mode, 'open', v_amount, p_content ->> 'currency',
        least(v_amount, (v_amount::bigint * v_venue.fee_bps + 5000) / 10000 + v_venue.fee_fixed),
        (p_content ->> 'party_size')::numeric::smallint, (p_content ->> 'pay_by')::timestamptz,
        (p_content ->> 'pay_by')::timestamptz, p_content ->> 'description',
        (p_content ->> 'starts_at')::timestamptz, (p_content ->> 'ends_at')::timestamptz, p_content ->> 'location',
        v_booking, v_offering, p_url, p_content ->> 'return_url', p_content ->> 'cancel_url',
        coalesce(p_content -> 'metadata', '{}'), p_fingerprint, v_at, p_content ->> 'created_by')
      on conflict do nothing returning * into v_row;
    exit when v_row.checkout_id is not null;
    -- Another checkout has the booking or this microsecond; the next round finds out which. The key is released first.
    if p_key is not null then
      delete from idempotency_keys k where k.venue_id = p_venue and k.mode = p_mode and k.idempotency_key = p_key
        and k.refers_to = p_checkout;
    end if;
    select greatest(v_at, max(c.created_at)) + interval '1 microsecond' into v_at
      from checkouts c where c.venue_id = p_venue and c.mode = p_mode;
  end loop;
  if v_row.checkout_id is null then
    raise exception 'other creates came first in 1000 rounds: checkout % was not created', p_checkout;
  end if;
  if v_offering is not null then insert into image_requests values (p_venue, p_checkout, p_mode, v_offering); end if;
  response := checkout_object(v_row)::text;
  perform record_event(
    p_venue, p_event, p_mode, 'checkout.created', p_checkout, ('{"object":' || response || '}')::json, v_at);
  outcome := 'created';
  found_id := p_checkout;
end $$;
