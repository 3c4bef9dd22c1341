-- The checkout as its partner sees it: the one place for responses, lists and events. It is PL/pgSQL because its plans
-- are cached: as one SQL function it took nearly three times as long. c is a row of checkouts: of any type, because the
-- row of a shard has a type of its own.
create or replace function checkout_object(c anyelement) returns json language plpgsql stable as $$
declare
  v_venue json;
  v_shares json := '[]';
  v_funded bigint := 0;
  v_disputes json := '[]';
  v_disputed_refunds bigint := 0;
begin
  select row_to_json(w) into v_venue from (
    select case when v.linked_at is null then null else v.venue_id end as id, v.name
    from venues v where v.venue_id = c.venue_id) w;
  if c.status <> 'open' then
    select coalesce(array_to_json(array_agg(row_to_json(r) order by p.position)), '[]'),
        coalesce(sum(p.amount) filter (where p.status in ('held', 'captured', 'refunded')), 0)
      into v_shares, v_funded
      from shares p cross join lateral (
        select p.share_id as id, p.amount, p.status, p.is_organizer,
          share_display_name(p.display_name, p.is_organizer, p.accepted_at, p.member_id) as display_name,
          utc_text(p.held_at) as held_at, greatest(p.refunded_amount - p.failed_refund_amount, 0) as refunded_amount) r
      where p.venue_id = c.venue_id and p.checkout_id = c.checkout_id and p.dropped_at is null;
  end if;
  if c.status = 'completed' or c.cancellation_reason is not null then
    select coalesce(array_to_json(array_agg(row_to_json(d) order by d.opened_at, d.id)), '[]') into v_disputes from (
      select d.dispute_id as id, d.share_id, d.amount, d.status, d.reason, utc_text(d.opened_at) as opened_at
      from disputes d where d.venue_id = c.venue_id and d.checkout_id = c.checkout_id) d;
  end if;
  if json_array_length(v_disputes) > 0 then
    select coalesce(sum(m.amount), 0) into v_disputed_refunds from movements m
      where m.venue_id = c.venue_id and m.checkout_id = c.checkout_id and m.kind in ('refund', 'return')
        and m.status = 'frozen';
  end if;
  return row_to_json(o) from (
    select c.checkout_id as id, 'checkout' as object, c.mode, c.status, c.amount, c.currency, c.party_size,
      utc_text(c.pay_by) as pay_by, c.description, utc_text(c.starts_at) as starts_at,
      utc_text(c.ends_at) as ends_at, c.location, v_venue as venue, c.external_booking_id, c.offering_external_id,
      c.url, c.return_url, c.cancel_url, v_shares as shares, v_funded as funded_amount,
      -- A capture that no share needed is given back without counting as refunded, and that can fail too.
      greatest(c.refunded_amount - c.failed_refund_amount, 0) as refunded_amount, c.failed_refund_amount,
      v_disputed_refunds as disputed_refund_amount, c.fee_amount,
      c.amount - c.fee_amount as net_amount, c.cancellation_reason, v_disputes as disputes,
      utc_micros(c.created_at) as created_at, utc_micros(c.completed_at) as completed_at, c.metadata) o;
end $$;
