-- Finds the integration of a hook token and counts the call. No row: the token is unknown, revoked, or of another
-- provider. One round trip, because every hook request makes it.
create or replace function admit_hook(p_hash bytea, p_provider text, p_limit integer) returns table (
  venue_id uuid, integration_id text, mode text, secret bytea, address text,
  granted integer, remaining integer, reset_at timestamptz, retry_at timestamptz, counted_at timestamptz
) language plpgsql as $$
#variable_conflict use_column
begin
  -- The route first, then the rest with a venue that is known when it is planned: a distributed database asks one node.
  select r.venue_id, r.integration_id into venue_id, integration_id from hook_routes r where r.token_hash = p_hash;
  select i.mode, i.secret, i.address into mode, secret, address
    from integrations i join venues v on v.venue_id = i.venue_id
    where i.venue_id = admit_hook.venue_id and i.integration_id = admit_hook.integration_id
      and i.provider = p_provider and i.revoked_at is null and v.revoked_at is null;
  if not found then return; end if;
  select t.granted, t.remaining, t.reset_at, t.retry_at, t.counted_at
    into granted, remaining, reset_at, retry_at, counted_at
    from count_calls('hook ' || integration_id, p_limit, 1) t;
  return next;
end $$;
