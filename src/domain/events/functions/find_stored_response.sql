-- The stored response to a create, byte for byte: the object of the checkout's first event. A create stores no second
-- copy of its response.
create or replace function find_stored_response(p_venue uuid, p_checkout text) returns text
language plpgsql stable as $$
begin
  return (
    select (e.data -> 'object')::text from events e
    where e.venue_id = p_venue and e.subject = p_checkout and e.sequence = 1);
end $$;
