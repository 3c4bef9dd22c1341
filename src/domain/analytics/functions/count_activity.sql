-- Adds the new live events of a batch to the figures: first who was seen (record_people), then the counts of each day
-- and hour, in one write of activity_days. Test events are stored and never counted.
create or replace function count_activity(
  p_venue uuid, p_types text[], p_subjects uuid[], p_subject_modes text[], p_persons uuid[],
  p_ats timestamptz[], p_guests integer[], p_cents integer[], p_modes text[], p_is_new boolean[]
) returns void language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  v_counts record;
  v_people record;
begin
  select array_agg(u.type), array_agg(u.subject), array_agg(u.subject_mode), array_agg(u.person), array_agg(u.at),
      array_agg(u.guests), array_agg(u.cents)
    into p_types, p_subjects, p_subject_modes, p_persons, p_ats, p_guests, p_cents
    from unnest(p_types, p_subjects, p_subject_modes, p_persons, p_ats, p_guests, p_cents, p_modes, p_is_new)
      as u(type, subject, subject_mode, person, at, guests, cents, mode, is_new)
    where u.is_new and u.mode = 'live';
  select array_agg(p.subject) as subjects, array_agg(p.day) as days, array_agg(p.hour_of_day) as hours_of_day,
      array_agg(p.action) as actions, array_agg(p.gap) as gaps, array_agg(p.people) as people
    into v_people from record_people(p_venue, p_types, p_subjects, p_subject_modes, p_persons, p_ats) p;
  select array_agg(c.subject) as subjects, array_agg(c.day) as days, array_agg(c.hour_of_day) as hours_of_day,
      array_agg(c.views) as views, array_agg(c.saves) as saves, array_agg(c.bookings) as bookings,
      array_agg(c.guests) as guests, array_agg(c.cents) as cents, array_agg(c.check_ins) as check_ins
    into v_counts
    from (
      select u.subject, activity_day(u.at) as day, coalesce(activity_hour(u.at) % 24, 24)::smallint as hour_of_day,
        count(*) filter (where u.type in ('view', 'venue_page_view')) as views,
        count(*) filter (where u.type = 'save') as saves, count(*) filter (where u.type = 'booking') as bookings,
        coalesce(sum(u.guests) filter (where u.type = 'booking'), 0) as guests,
        coalesce(sum(u.cents) filter (where u.type = 'booking'), 0) as cents,
        count(*) filter (where u.type = 'check_in') as check_ins
      from unnest(p_types, p_subjects, p_ats, p_guests, p_cents) as u(type, subject, at, guests, cents)
      group by u.subject, activity_day(u.at), rollup (activity_hour(u.at) % 24)
    ) c;
  perform add_figures(p_venue, v_counts.subjects, v_counts.days, v_counts.hours_of_day, v_counts.views, v_counts.saves,
    v_counts.bookings, v_counts.guests, v_counts.cents, v_counts.check_ins, v_people.subjects, v_people.days,
    v_people.hours_of_day, v_people.actions, v_people.gaps, v_people.people);
end $$;
