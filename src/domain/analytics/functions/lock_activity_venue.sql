-- Locks the venue's row until commit: transactions that change its figures run one after the other.
create or replace function lock_activity_venue(p_venue uuid) returns void language plpgsql as $$
begin
  perform from activity_venues where venue_id = p_venue for no key update;
  if not found then
    insert into activity_venues values (p_venue) on conflict do nothing;
    perform from activity_venues where venue_id = p_venue for no key update;
  end if;
end $$;
