-- checkout_object for many checkouts of one venue, in one statement and as text. It takes a third of the time for
-- each, because it writes the members itself, where row_to_json looks up the type of each again. Each checkout is
-- looked up by its key, and so are its shares: with a list of ids PostgreSQL may read a whole venue. One alone is
-- faster with checkout_object. test/agreement/checkout-views.test.ts compares the bytes of both over random states.
create or replace function checkout_views(p_venue uuid, p_ids text[]) returns table (id text, view text)
language plpgsql stable as $$
#variable_conflict use_column
declare
  v_venue text;
begin
  select '{"id":' || coalesce('"' || case when v.linked_at is not null then v.venue_id end || '"', 'null')
      || ',"name":' || to_json(v.name) || '}'
    into v_venue from venues v where v.venue_id = p_venue;
  return query
    select c.checkout_id, '{"id":"' || c.checkout_id || '","object":"checkout","mode":"' || c.mode
      || '","status":"' || c.status || '","amount":' || c.amount || ',"currency":' || to_json(c.currency)
      || ',"party_size":' || c.party_size || ',"pay_by":"' || utc_text(c.pay_by)
      || '","description":' || to_json(c.description)
      || ',"starts_at":' || coalesce('"' || utc_text(c.starts_at) || '"', 'null')
      || ',"ends_at":' || coalesce('"' || utc_text(c.ends_at) || '"', 'null')
      || ',"location":' || coalesce(to_json(c.location)::text, 'null') || ',"venue":' || v_venue
      || ',"external_booking_id":' || to_json(c.external_booking_id)
      || ',"offering_external_id":' || coalesce(to_json(c.offering_external_id)::text, 'null')
      || ',"url":' || to_json(c.url) || ',"return_url":' || to_json(c.return_url)
      || ',"cancel_url":' || coalesce(to_json(c.cancel_url)::text, 'null')
      || ',"shares":[' || coalesce(s.shares, '') || '],"funded_amount":' || coalesce(s.funded, 0)
      || ',"refunded_amount":' || greatest(c.refunded_amount - c.failed_refund_amount, 0)
      || ',"failed_refund_amount":' || c.failed_refund_amount
      || ',"disputed_refund_amount":' || case when d.disputes is null then 0 else (
          select coalesce(sum(m.amount), 0) from movements m
          where m.venue_id = p_venue and m.checkout_id = c.checkout_id and m.kind in ('refund', 'return')
            and m.status = 'frozen') end
      || ',"fee_amount":' || c.fee_amount || ',"net_amount":' || c.amount - c.fee_amount
      || ',"cancellation_reason":' || coalesce(to_json(c.cancellation_reason)::text, 'null')
      || ',"disputes":' || coalesce(d.disputes, '[]') || ',"created_at":"' || utc_micros(c.created_at)
      || '","completed_at":' || coalesce('"' || utc_micros(c.completed_at) || '"', 'null')
      || ',"metadata":' || c.metadata || '}'
    from (select distinct u.id from unnest(p_ids) u(id)) n
    cross join lateral (
      select * from checkouts k where k.venue_id = p_venue and k.checkout_id = n.id limit 1) c
    left join lateral (
      select string_agg('{"id":"' || p.share_id || '","amount":' || p.amount
          || ',"status":"' || p.status || '","is_organizer":' || case when p.is_organizer then 'true' else 'false' end
          || ',"display_name":' || coalesce(to_json(
            share_display_name(p.display_name, p.is_organizer, p.accepted_at, p.member_id))::text, 'null')
          || ',"held_at":' || coalesce('"' || utc_text(p.held_at) || '"', 'null')
          || ',"refunded_amount":' || greatest(p.refunded_amount - p.failed_refund_amount, 0) || '}', ','
          order by p.position) as shares,
        sum(p.amount) filter (where p.status in ('held', 'captured', 'refunded')) as funded
      from shares p
      where p.venue_id = p_venue and p.checkout_id = n.id and p.dropped_at is null and c.status <> 'open') s on true
    left join lateral (
      select array_to_json(array_agg(row_to_json(r) order by r.opened_at, r.id))::text as disputes
      from disputes d cross join lateral (
        select d.dispute_id as id, d.share_id, d.amount, d.status, d.reason, utc_text(d.opened_at) as opened_at) r
      where d.venue_id = p_venue and d.checkout_id = n.id
        and (c.status = 'completed' or c.cancellation_reason is not null)) d on true;
end $$;
