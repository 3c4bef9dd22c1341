-- Inserts the payout of a completed checkout at p_at, or right after the newest payout when that microsecond is in use:
-- lists page by the time, so it is unique for a venue and mode.
create or replace function open_payout(p_venue uuid, p_checkout text, p_payout uuid, p_at timestamptz) returns void
language plpgsql as $$
begin
  for v_round in 1..1000 loop
    insert into payouts (venue_id, payout_id, mode, checkout_id, amount, fee_amount, currency, created_at)
      select c.venue_id, p_payout, c.mode, c.checkout_id, c.amount - c.fee_amount, c.fee_amount, c.currency, p_at
      from checkouts c where c.venue_id = p_venue and c.checkout_id = p_checkout
      on conflict (venue_id, mode, created_at) do nothing;
    if found then return; end if;
    select max(o.created_at) + interval '1 microsecond' into p_at
      from payouts o join checkouts c on c.venue_id = o.venue_id and c.checkout_id = p_checkout
      where o.venue_id = p_venue and o.mode = c.mode;
  end loop;
  raise exception 'the payout of checkout % found no free time in 1000 rounds', p_checkout;
end $$;
