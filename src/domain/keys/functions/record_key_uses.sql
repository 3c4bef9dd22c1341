-- Records when each key was last used, to the minute, and from where. Another server that writes the same key at this
-- moment says the same: its row is skipped, so that no server waits, and two cannot deadlock. Key by key, because a
-- distributed database has the keys of different venues on different nodes.
create or replace function record_key_uses(
  p_venues uuid[], p_keys text[], p_at_ms double precision[], p_addresses text[]
) returns void language plpgsql as $$
declare
  v_venue uuid;
  v_key text;
  v_at timestamptz;
  v_minute_before timestamptz;
  v_address text;
begin
  for v_use in 1..cardinality(p_keys) loop
    v_venue := p_venues[v_use];
    v_key := p_keys[v_use];
    v_at := to_timestamp(p_at_ms[v_use] / 1000.0);
    v_minute_before := v_at - interval '1 minute';
    v_address := p_addresses[v_use];
    update keys k set last_used_at = v_at, last_used_address = v_address
      where k.venue_id = v_venue and k.key_id in (
        select d.key_id from keys d
        where d.venue_id = v_venue and d.key_id = v_key
          and (d.last_used_at is null or d.last_used_at <= v_minute_before)
        for no key update skip locked);
  end loop;
end $$;
