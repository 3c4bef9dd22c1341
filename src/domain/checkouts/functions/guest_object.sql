-- The checkout as guests see it: without fee, net amount, metadata and booking id. A seat is open while a guest may
-- still take it. covered_by is the person whose card was held last for the share, when that is not the share's own
-- member. renew_by is when a hold lapses whose renewal was refused, in the checkout's own time: until then its guest
-- can give another card. c is a row of checkouts, of any type (checkout_object says why).
create or replace function guest_object(c anyelement) returns json language plpgsql stable as $$
declare
  v_venue json;
  v_shares json := '[]';
  v_funded bigint := 0;
begin
  select row_to_json(w) into v_venue from (
    select case when v.linked_at is null then null else v.venue_id end as id, v.name
    from venues v where v.venue_id = c.venue_id) w;
  if c.status <> 'open' then
    select coalesce(array_to_json(array_agg(row_to_json(r) order by p.position)), '[]'),
        coalesce(sum(p.amount) filter (where p.status in ('held', 'captured', 'refunded')), 0)
      into v_shares, v_funded
      from shares p
      left join members m on m.member_id = p.member_id
      left join (
        select distinct on (h.share_id) h.share_id, h.payer_id from holds h
        where h.venue_id = c.venue_id and h.checkout_id = c.checkout_id and h.held_at is not null
        order by h.share_id, h.created_at desc) k
        on k.share_id = p.share_id and k.payer_id <> p.member_id
          and p.status in ('held', 'captured', 'released', 'refunded')
      left join shares q on q.venue_id = c.venue_id and q.checkout_id = c.checkout_id and q.member_id = k.payer_id
        and q.dropped_at is null
      left join holds g on g.venue_id = c.venue_id and g.checkout_id = c.checkout_id and g.share_id = p.share_id
        and g.renews is null and g.status = 'held' and g.renewal_refused_at is not null
      cross join lateral (
        select p.share_id as id, p.amount, p.status, p.is_organizer,
          share_display_name(p.display_name, p.is_organizer, p.accepted_at, p.member_id) as display_name,
          utc_text(p.held_at) as held_at,
          coalesce(m.is_seat, false) and c.status = 'collecting' and (p.amount = 0 or p.status in ('invited', 'failed'))
            as is_open_seat,
          coalesce(member_name(k.payer_id), q.display_name) as covered_by,
          -- Not a condition of the join: where it is false, a distributed database cannot plan the statement.
          case when c.status = 'collecting' then utc_text(g.capture_before + c.clock_ahead) end as renew_by) r
      where p.venue_id = c.venue_id and p.checkout_id = c.checkout_id and p.dropped_at is null;
  end if;
  return row_to_json(o) from (
    select c.checkout_id as id, 'checkout' as object, c.mode, c.status, c.amount, c.currency, c.party_size,
      utc_text(c.pay_by) as pay_by, c.description, utc_text(c.starts_at) as starts_at, utc_text(c.ends_at) as ends_at,
      c.location, v_venue as venue, v_funded as funded_amount, v_shares as shares,
      c.return_url, c.cancel_url, utc_micros(c.created_at) as created_at,
      utc_micros(c.completed_at) as completed_at) o;
end $$;
