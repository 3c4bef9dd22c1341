-- Takes up to p_limit events from the queue and inserts one delivery for each endpoint that subscribes, due at once and
-- retried for p_window. Returns how many events it took: those that another worker takes at the same moment are left to
-- it, and the next ones are taken instead. Venue by venue, because a distributed database has the rows of different
-- venues on different nodes.
create or replace function dispatch_events(p_now timestamptz, p_limit integer, p_window interval) returns integer
language plpgsql as $$
declare
  v_queued record;
  v_seen integer;
  v_taken integer := 0;
begin
  for v_workers_ahead in 0..7 loop
    v_seen := 0;
    for v_queued in
      select q.venue_id, array_agg(q.event_id order by q.event_id) as ids
      from (select u.venue_id, u.event_id from undispatched_events u
        order by u.event_id limit p_limit offset v_workers_ahead * p_limit) q
      group by q.venue_id order by q.venue_id loop
      v_seen := v_seen + cardinality(v_queued.ids);
      v_taken := v_taken + dispatch_venue_events(v_queued.venue_id, v_queued.ids, p_now, p_now + p_window);
    end loop;
    exit when v_taken > 0 or v_seen < p_limit;
  end loop;
  return v_taken;
end $$;
