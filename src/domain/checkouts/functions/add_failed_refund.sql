-- A refund to a guest failed (or, with a negative amount, is paid again): the checkout and the share show it as not
-- refunded.
create or replace function add_failed_refund(p_venue uuid, p_checkout text, p_share text, p_amount integer) returns void
language plpgsql as $$
begin
  update checkouts set failed_refund_amount = failed_refund_amount + p_amount
    where venue_id = p_venue and checkout_id = p_checkout;
  update shares set failed_refund_amount = failed_refund_amount + p_amount
    where venue_id = p_venue and share_id = p_share;
end $$;
