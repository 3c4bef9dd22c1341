-- Until the transaction ends, or this is called with false, PostgreSQL keeps one plan for each statement. By itself it
-- compares the plan that it keeps with one for the values at hand, and where that looks a little cheaper it plans the
-- statement again at every call, which can take several times as long as running it.
-- Only for statements that look up each row by its whole key: a kept plan does not know how many rows a list, a range,
-- a limit or one large venue has. A distributed database needs the values to find the node, so it plans as before.
create or replace function keep_plans(p_keep boolean) returns void language plpgsql as $$
begin
  if current_setting('citus.shard_count', true) is null then
    perform set_config('plan_cache_mode', case when p_keep then 'force_generic_plan' else 'auto' end, true);
  end if;
end $$;
