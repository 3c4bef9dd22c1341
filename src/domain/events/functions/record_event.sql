-- Inserts an event at p_at, or right after the newest event when that microsecond is in use: times are unique for a
-- venue and mode. Sequences of a subject have no gap, because the caller holds the subject's row lock or has just
-- inserted it. Values, not a select, are inserted: on a distributed table FOUND counts what a select gave, not what was
-- inserted.
create or replace function record_event(
  p_venue uuid, p_event text, p_mode text, p_type text, p_subject text, p_data json, p_at timestamptz
) returns void language plpgsql as $$
declare
  v_sequence integer;
begin
  select coalesce(max(e.sequence), 0) + 1 into v_sequence from events e
    where e.venue_id = p_venue and e.subject = p_subject;
  for v_round in 1..1000 loop
    insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
      values (p_venue, p_event, p_mode, p_type, p_subject, v_sequence, p_data, p_at)
      on conflict (venue_id, mode, created_at) do nothing;
    if found then return; end if;
    select max(e.created_at) + interval '1 microsecond' into p_at
      from events e where e.venue_id = p_venue and e.mode = p_mode;
  end loop;
  raise exception 'the event % found no free time in 1000 rounds', p_event;
end $$;
