-- Finds the integration of a hook token and counts the call. No row: the token is unknown, revoked, or of another
-- provider. One round trip, because every hook request makes it.
create or replace function admit_hook(p_hash bytea, p_provider text, p_limit integer) returns table (
  venue_id uuid, integration_id text, mode text, secret bytea, address text,
  granted integer, remaining integer, reset_at timestamptz, retry_at timestamptz, counted_at timestamptz
) language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  select i.venue_id, i.integration_id, i.mode, i.secret, i.address into venue_id, integration_id, mode, secret, address
    from hook_routes r
    join integrations i on i.venue_id = r.venue_id and i.integration_id = r.integration_id
    join venues v on v.venue_id = r.venue_id
    where r.token_hash = p_hash and i.provider = p_provider and i.revoked_at is null and v.revoked_at is null;
  if not found then return; end if;
  select t.granted, t.remaining, t.reset_at, t.retry_at, t.counted_at
    into granted, remaining, reset_at, retry_at, counted_at
    from count_calls('hook ' || integration_id, p_limit, 1) t;
  return next;
end $$;
