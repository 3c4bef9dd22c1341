-- Queues each new event for dispatch where an endpoint subscribes to it. A trigger does this, so that no writer of
-- events can forget it. For each row, because a distributed table refuses triggers that read all new rows at once.
create or replace function queue_events() returns trigger language plpgsql as $$
begin
  if exists (
    select from webhook_endpoints w
    where w.venue_id = new.venue_id and w.mode = new.mode and new.type = any(w.events)
  ) then
    insert into undispatched_events (venue_id, event_id) values (new.venue_id, new.event_id);
  end if;
  return null;
end $$;

create or replace trigger events_are_queued after insert on events for each row execute function queue_events();
