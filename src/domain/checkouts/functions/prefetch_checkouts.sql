-- The views of several checkouts that callers with one key read at the same moment, in the order of p_ids: null where
-- the venue has no such checkout of this mode. p_now decides which are overdue.
create or replace function prefetch_checkouts(
  p_venue uuid, p_mode text, p_ids text[], p_now timestamptz, out views text[], out overdue boolean[]
) language plpgsql stable as $$
begin
  select array_agg(v.view order by n.position),
      array_agg(c.status in ('open', 'collecting') and c.expires_at <= p_now order by n.position)
    into views, overdue
    from unnest(p_ids) with ordinality as n(id, position)
    -- One at a time ("limit 1"): joined as a table, the planner may read every checkout of the venue.
    left join lateral (
      select c.checkout_id, c.status, c.expires_at from checkouts c
      where c.venue_id = p_venue and c.checkout_id = n.id and c.mode = p_mode limit 1) c on true
    left join checkout_views(p_venue, p_ids) v on v.id = c.checkout_id;
end $$;
