-- Finds the shared address of a hook token and counts the call. No row: the token is unknown, revoked, or of another
-- provider.
create or replace function admit_shared_hook(p_hash bytea, p_provider text, p_limit integer) returns table (
  shared_hook_id text, mode text,
  granted integer, remaining integer, reset_at timestamptz, retry_at timestamptz, counted_at timestamptz
) language plpgsql as $$
#variable_conflict use_column
begin
  select s.shared_hook_id, s.mode into shared_hook_id, mode from shared_hooks s
    where s.token_hash = p_hash and s.provider = p_provider and s.revoked_at is null;
  if not found then return; end if;
  select t.granted, t.remaining, t.reset_at, t.retry_at, t.counted_at
    into granted, remaining, reset_at, retry_at, counted_at
    from count_calls('shared hook ' || shared_hook_id, p_limit, 1) t;
  return next;
end $$;
