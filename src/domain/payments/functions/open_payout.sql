-- Inserts the payout of a completed checkout at p_at, or right after the newest payout when that microsecond is in use:
-- lists page by the time, so it is unique for a venue and mode. Values, not a select, are inserted: on a distributed
-- table FOUND counts what a select gave, not what was inserted.
create or replace function open_payout(p_venue uuid, p_checkout text, p_payout uuid, p_at timestamptz) returns void
language plpgsql as $$
declare
  v_checkout record;
begin
  select c.mode, c.amount, c.fee_amount, c.currency into v_checkout
    from checkouts c where c.venue_id = p_venue and c.checkout_id = p_checkout;
  for v_round in 1..1000 loop
    insert into payouts (venue_id, payout_id, mode, checkout_id, amount, fee_amount, currency, created_at)
      values (p_venue, p_payout, v_checkout.mode, p_checkout, v_checkout.amount - v_checkout.fee_amount,
        v_checkout.fee_amount, v_checkout.currency, p_at)
      on conflict (venue_id, mode, created_at) do nothing;
    if found then return; end if;
    select max(o.created_at) + interval '1 microsecond' into p_at
      from payouts o where o.venue_id = p_venue and o.mode = v_checkout.mode;
  end loop;
  raise exception 'the payout of checkout % found no free time in 1000 rounds', p_checkout;
end $$;
