-- The integrations after the given one, in their order, whose next inbound delivery is due: deliveries are applied in
-- the order of their arrival. Reads a page of waiting deliveries and goes on after the integration in which the page
-- ended, because one integration may have very many. A recursive query would do the same, and a distributed database
-- has none over several venues.
create or replace function due_inbound_queues(
  p_after_venue uuid, p_after_integration text, p_now timestamptz, p_limit integer
) returns table (venue_id uuid, integration_id text)
language plpgsql as $$
#variable_conflict use_column
declare
  c_page constant integer := 200;
  v_row record;
  v_venue uuid := p_after_venue;
  v_integration text := p_after_integration;
  v_found integer := 0;
  v_seen integer;
begin
  for v_page in 1..1000 loop
    v_seen := 0;
    for v_row in
      select d.venue_id, d.integration_id, d.due_at from inbound_deliveries d
      where d.due_at is not null and (d.venue_id, d.integration_id) > (v_venue, v_integration)
      order by d.venue_id, d.integration_id, d.received_at limit c_page loop
      v_seen := v_seen + 1;
      continue when v_row.venue_id = v_venue and v_row.integration_id = v_integration;
      v_venue := v_row.venue_id;
      v_integration := v_row.integration_id;
      continue when v_row.due_at > p_now;
      venue_id := v_venue;
      integration_id := v_integration;
      return next;
      v_found := v_found + 1;
      exit when v_found = p_limit;
    end loop;
    exit when v_found = p_limit or v_seen < c_page;
  end loop;
end $$;
