-- Queues each new event for dispatch where an endpoint subscribes to it. A trigger does this, so that no writer of
-- events can forget it.
create or replace function queue_events() returns trigger language plpgsql as $$
begin
  insert into undispatched_events (venue_id, event_id)
    select n.venue_id, n.event_id from new_events n
    where exists (
      select 1 from webhook_endpoints w where w.venue_id = n.venue_id and w.mode = n.mode and n.type = any(w.events));
  return null;
end $$;

create or replace trigger events_are_queued after insert on events referencing new table as new_events
  for each statement execute function queue_events();
