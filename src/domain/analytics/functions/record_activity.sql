-- Records a batch of events of one venue, each once, in the events and in the figures. Returns an outcome for each
-- event. The analytics functions cache their plans, perhaps while a table is empty: enable_seqscan = off keeps them
-- from reading a whole table later, and enable_sort = off keeps look-ups on the index that has the rows in order.
create or replace function record_activity(
  p_venue uuid, p_keys uuid[], p_types text[], p_subjects uuid[], p_subject_modes text[], p_persons uuid[],
  p_ats timestamptz[], p_guests integer[], p_cents integer[], p_modes text[]
) returns table ("position" integer, outcome text)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
  v_retained_from timestamptz;
  v_is_new boolean[];
begin
  perform lock_activity_venue(p_venue);
  select retained_from into v_retained_from from activity_retention;
  with sent as materialized (
    select distinct on (u.key) u.key, u.at, u.position
    from unnest(p_keys, p_ats) with ordinality as u(key, at, position)
    where u.at >= v_retained_from order by u.key, u.position
  ), stored as (
    insert into activity_ids (venue_id, event_key, at) select p_venue, key, at from sent on conflict do nothing
    returning event_key
  ), new_events as (
    select s.position from sent s join stored n on n.event_key = s.key
  )
  select array_agg(f.position is not null order by u.position) into v_is_new
    from generate_series(1, cardinality(p_keys)) u(position) left join new_events f on f.position = u.position;
  insert into activity (venue_id, partition_number, at, type, subject, subject_mode, person, guests, cents, mode)
    select p_venue, activity_partition(u.at), u.at, u.type, u.subject, u.subject_mode, u.person, u.guests, u.cents,
      u.mode
    from unnest(p_ats, p_types, p_subjects, p_subject_modes, p_persons, p_guests, p_cents, p_modes, v_is_new)
      as u(at, type, subject, subject_mode, person, guests, cents, mode, is_new)
    where u.is_new;
  if found then
    perform count_activity(
      p_venue, p_types, p_subjects, p_subject_modes, p_persons, p_ats, p_guests, p_cents, p_modes, v_is_new);
  end if;
  return query
    select u.position::integer,
      case when u.is_new then 'counted' when u.at < v_retained_from then 'too_old' else 'duplicate' end
    from unnest(p_ats, v_is_new) with ordinality as u(at, is_new, position)
    order by u.position;
end $$;
