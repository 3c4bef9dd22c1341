-- Makes the previous hours of one day's people right, once repair_people has run for all days: they are wrong where a
-- row before them was deleted or added.
create or replace function repair_previous_hours(p_venue uuid, p_day date, p_low uuid, p_high uuid) returns integer
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
declare
  v_changed integer;
begin
  perform lock_activity_venue(p_venue);
  perform from activity_retention where retained_from <= p_day::timestamp at time zone 'UTC' for share;
  if not found then return 0; end if;
  with actual as materialized (
    select s.row_id, recent_hour(first_hour(b.day) + latest_hour(b.hours), p_day) as previous_hour,
      s.previous_hour as stored
    from people_on_day(p_venue, p_day) s left join lateral (
      select b.day, b.hours from activity_people b
      where b.venue_id = p_venue and b.subject = s.subject and b.action = s.action and b.person = s.person
        and b.day < p_day
      order by b.day desc limit 1
    ) b on true
    where s.person >= p_low and s.person <= p_high
  )
  update activity_people s set previous_hour = t.previous_hour from actual t
    where t.previous_hour is distinct from t.stored and s.ctid = t.row_id;
  get diagnostics v_changed = row_count;
  if v_changed > 0 then update activity_venues set repairs = repairs + 1 where venue_id = p_venue; end if;
  return v_changed;
end $$;
