-- Records an event with the checkout as the transaction has made it so far; p_more is further JSON members of its data.
create or replace function record_checkout_event(
  p_venue uuid, p_checkout text, p_event text, p_type text, p_more text, p_at timestamptz
) returns void language plpgsql as $$
declare
  v_view text;
  v_mode text;
begin
  select checkout_object(c)::text, c.mode into strict v_view, v_mode
    from checkouts c where c.venue_id = p_venue and c.checkout_id = p_checkout;
  perform record_event(p_venue, p_event, v_mode, p_type, p_checkout,
    ('{"object":' || v_view || coalesce(',' || p_more, '') || '}')::json, p_at);
end $$;
