-- Leases the endpoint queues that have been due longest until p_until, up to p_max_runs of each pace, and returns each
-- with what is needed to send. Those that another worker or a caller has locked are left to it, and the next ones are
-- taken instead. Queue by queue, because a distributed database has the rows of different venues on different nodes.
create or replace function claim_queues(
  p_now timestamptz, p_until timestamptz, p_paces text[], p_max_runs integer[]
) returns table (
  venue_id uuid, endpoint_id text, lease_token integer, failures integer, pace text, mode text, url text, status text,
  secret bytea, earlier_secrets bytea[]
) language plpgsql as $$
#variable_conflict use_column
declare
  -- So many of the queues may be locked.
  c_spare constant integer := 32;
  v_due record;
  v_free integer;
begin
  -- Mostly nothing is due, and one look says so for all paces.
  if not exists (
    select 1 from endpoint_queues q where q.due_at is not null and q.pace = any(p_paces)
      and greatest(q.due_at, q.available_at) <= p_now
  ) then return; end if;
  for v_pace in 1..cardinality(p_paces) loop
    v_free := p_max_runs[v_pace];
    continue when v_free <= 0;
    for v_due in
      select q.venue_id, q.endpoint_id from endpoint_queues q
      where q.due_at is not null and q.pace = p_paces[v_pace] and greatest(q.due_at, q.available_at) <= p_now
      order by greatest(q.due_at, q.available_at) limit v_free + c_spare loop
      return query
        update endpoint_queues q set lease_token = q.lease_token + 1, available_at = p_until
        from webhook_endpoints w
        where q.venue_id = v_due.venue_id and q.endpoint_id in (
            select c.endpoint_id from endpoint_queues c
            where c.venue_id = v_due.venue_id and c.endpoint_id = v_due.endpoint_id and c.due_at is not null
              and c.pace = p_paces[v_pace] and greatest(c.due_at, c.available_at) <= p_now
            for update skip locked)
          and w.venue_id = v_due.venue_id and w.endpoint_id = v_due.endpoint_id
        returning q.venue_id, q.endpoint_id, q.lease_token, q.failures, q.pace,
          w.mode, w.url, w.status, w.secret,
          array(select e.secret
            from unnest(w.earlier_secrets, w.earlier_until) with ordinality as e(secret, until, place)
            where e.until > p_now order by e.place);
      if found then v_free := v_free - 1; end if;
      exit when v_free = 0;
    end loop;
  end loop;
end $$;
