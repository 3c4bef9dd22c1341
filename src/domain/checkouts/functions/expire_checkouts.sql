-- Expires as many due checkouts of a venue as p_events has ids, and returns how many. Separate statements, so that what
-- is read after the row lock was committed before it. The worker releases the holds at the processor.
create or replace function expire_checkouts(p_venue uuid, p_now timestamptz, p_events text[]) returns integer
language plpgsql as $$
declare
  v_ids text[];
  v_from timestamptz;
  v_left integer;
begin
  select array_agg(d.checkout_id order by d.checkout_id) into v_ids from (
    select c.checkout_id from checkouts c
    where c.venue_id = p_venue and c.status in ('open', 'collecting') and c.expires_at <= p_now
    order by c.expires_at limit cardinality(p_events) for no key update skip locked) d;
  if v_ids is null then return 0; end if;
  update shares s set status = 'released'
    where s.venue_id = p_venue and s.checkout_id = any(v_ids) and s.status = 'held' and s.dropped_at is null;
  update holds h set status = 'releasing', due_at = p_now
    where h.venue_id = p_venue and h.checkout_id = any(v_ids) and h.status in ('requested', 'open', 'held');
  update checkouts c set status = 'expired',
      notify_at = case when c.notify_at is not null then '-infinity'::timestamptz end
    where c.venue_id = p_venue and c.checkout_id = any(v_ids);
  -- Event times follow the venue's newest event; a concurrent writer that took one of them makes the loop repeat.
  for v_round in 1..1000 loop
    select greatest(p_now, max(e.at) + interval '1 microsecond') into v_from from (values ('test'), ('live')) m(mode)
      cross join lateral (select max(created_at) as at from events where venue_id = p_venue and mode = m.mode) e;
    insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
      select p_venue, p_events[n.position], c.mode, 'checkout.expired', c.checkout_id,
        (select coalesce(max(e.sequence), 0) + 1 from events e
          where e.venue_id = p_venue and e.subject = c.checkout_id),
        ('{"object":' || w.view || '}')::json, v_from + n.position * interval '1 microsecond'
      from unnest(v_ids) with ordinality as n(id, position)
      join checkouts c on c.venue_id = p_venue and c.checkout_id = n.id
      join checkout_views(p_venue, v_ids) w on w.id = n.id
      where v_round = 1
        or not exists (select 1 from events e where e.venue_id = p_venue and e.event_id = p_events[n.position])
      on conflict (venue_id, mode, created_at) do nothing;
    -- Counted, because on a distributed table row_count is what the select gave, not what was inserted.
    select cardinality(v_ids) - count(*) into v_left from events e
      where e.venue_id = p_venue and e.event_id = any(p_events[1:cardinality(v_ids)]);
    if v_left = 0 then return cardinality(v_ids); end if;
  end loop;
  raise exception 'no free time for % events of expired checkouts in 1000 rounds', v_left;
end $$;
