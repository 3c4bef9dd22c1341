-- The counts of a day and its hours as its events say. The caller compares them with stored_figures in one snapshot,
-- without a lock: an event recorded meanwhile adds the same to both sides.
create or replace function recount_events(p_venue uuid, p_day date) returns table (
  subject uuid, hour_of_day smallint, views bigint, saves bigint, bookings bigint, guests bigint, cents bigint,
  check_ins bigint
) language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return query
  select a.subject, coalesce(activity_hour(a.at) % 24, 24)::smallint,
    count(*) filter (where a.type in ('view', 'venue_page_view')), count(*) filter (where a.type = 'save'),
    count(*) filter (where a.type = 'booking'), coalesce(sum(a.guests) filter (where a.type = 'booking'), 0)::bigint,
    coalesce(sum(a.cents) filter (where a.type = 'booking'), 0)::bigint, count(*) filter (where a.type = 'check_in')
  from activity a
  where a.venue_id = p_venue and a.partition_number = activity_partition(p_day::timestamp at time zone 'UTC')
    and a.mode = 'live' and activity_day(a.at) = p_day
  group by a.subject, rollup (activity_hour(a.at) % 24);
end $$;
