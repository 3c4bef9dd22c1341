-- Creates a checkout, as insert_checkout says, and its row of checkout_routes. Two functions, because a
-- distributed database has the checkout on the worker of its venue, and the way to it on the node of its id: a worker
-- would open a connection to that node for each create, and the coordinator keeps one.
create or replace function create_checkout(
  p_venue uuid, p_mode text, p_checkout text, p_event text, p_key text, p_fingerprint bytea, p_content json, p_url text,
  p_now timestamptz, p_may_create boolean, p_retention interval,
  out outcome text, out response text, out found_id text
) language plpgsql as $$
begin
  select c.outcome, c.response, c.found_id into outcome, response, found_id
    from insert_checkout(p_venue, p_mode, p_checkout, p_event, p_key, p_fingerprint, p_content, p_url, p_now,
      p_may_create, p_retention) c;
  if outcome = 'created' then insert into checkout_routes values (p_checkout, p_venue); end if;
end $$;
