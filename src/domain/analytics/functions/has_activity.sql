-- Whether any counted event of these subjects lies between two times of one day.
create or replace function has_activity(p_venue uuid, p_subjects uuid[], p_from timestamptz, p_to timestamptz)
returns boolean language plpgsql stable set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_sort = off as $$
begin
  return exists (
    select from unnest(p_subjects) w(subject) cross join lateral (
      select from activity a
      where a.venue_id = p_venue and a.partition_number = activity_partition(p_from) and a.subject = w.subject
        and a.mode = 'live' and a.at >= p_from and a.at < p_to
      order by a.at limit 1
    ) a
  );
end $$;
