-- Adds what the figures of a day and its hours miss, as the caller computed it when the venue had p_repairs repairs.
-- Returns how many rows it repaired; null: another repair committed meanwhile, and the caller must compute again. A day
-- whose events were dropped is left alone: what was computed without them is wrong.
create or replace function repair_day(
  p_venue uuid, p_day date, p_repairs bigint, p_subjects uuid[], p_hours_of_day smallint[], p_views bigint[],
  p_saves bigint[], p_bookings bigint[], p_guests bigint[], p_cents bigint[], p_check_ins bigint[],
  p_people_subjects uuid[], p_people_hours_of_day smallint[], p_actions text[], p_gaps smallint[], p_people integer[]
) returns integer language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  perform lock_activity_venue(p_venue);
  perform from activity_retention where retained_from <= p_day::timestamp at time zone 'UTC' for share;
  if not found then return 0; end if;
  update activity_venues set repairs = repairs + 1 where venue_id = p_venue and repairs = p_repairs;
  if not found then return null; end if;
  perform add_figures(p_venue, p_subjects, array_fill(p_day, array[cardinality(p_subjects)]), p_hours_of_day, p_views,
    p_saves, p_bookings, p_guests, p_cents, p_check_ins, p_people_subjects,
    array_fill(p_day, array[cardinality(p_people_subjects)]), p_people_hours_of_day, p_actions, p_gaps, p_people);
  return cardinality(p_subjects);
end $$;
