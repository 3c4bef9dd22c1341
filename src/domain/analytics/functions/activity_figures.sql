-- The figures of some subjects from p_from (inclusive) to p_to (exclusive), in one snapshot. row_kind: the window as
-- answered; each subject; each day, without the venue's page. With p_by_day instead of the last two: each subject on
-- each day (subject_day), and the people of that day. A caller that asks for all experiences of a mode together
-- (all_experiences_id) names each of them as well. A subject without a row on the first or the last day is not looked
-- for there: each figure counted on a day has a row.
create or replace function activity_figures(
  p_venue uuid, p_subjects uuid[], p_from timestamptz, p_to timestamptz, p_by_day boolean
) returns table (
  row_kind text, subject uuid, day date, views bigint, saves bigint, bookings bigint, guests bigint, cents bigint,
  check_ins bigint, viewers bigint, starters bigint, window_from timestamptz, window_to timestamptz,
  retained_from timestamptz
) language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off
  set work_mem = '32MB' as $$
#variable_conflict use_column
declare
  w record;
  v_edge_subjects uuid[];
  v_edge_days date[];
begin
  select * into w from activity_window(p_venue, p_subjects, p_from, p_to);
  row_kind := 'window'; window_from := w.window_from; window_to := w.window_to; retained_from := w.retained_from;
  return next;
  select array_agg(s.subject), array_agg(e.day) into v_edge_subjects, v_edge_days
    from (
      select activity_day(w.counted_from) as day where w.counted_from > date_trunc('day', w.counted_from, 'UTC')
      union select w.end_day where w.counted_to > hour_start(first_hour(w.end_day))
    ) e
    cross join unnest(p_subjects) s(subject)
    cross join lateral (
      select from activity_days d
      where d.venue_id = p_venue and d.subject = s.subject and d.hour_of_day = 24 and d.day = e.day offset 0
    ) d;
  return query
  select case when grouping(f.day) = 0 then 'day' when p_by_day then 'subject_day' else 'subject' end,
    f.subject, case when grouping(f.day) = 0 then f.day else f.day_group end, sum(f.views)::bigint,
    sum(f.saves)::bigint, sum(f.bookings)::bigint, sum(f.guests)::bigint, sum(f.cents)::bigint,
    sum(f.check_ins)::bigint, sum(f.viewers)::bigint, sum(f.starters)::bigint, null::timestamptz, null::timestamptz,
    null::timestamptz
  from (
    select f.*, case when p_by_day then f.day end as day_group, f.subject = p_venue as is_page
    from (
      select * from whole_figures(p_venue, p_subjects, v_edge_subjects, v_edge_days, w.hour_from, w.hour_to,
        w.first_day, w.end_day, w.has_hours, p_by_day)
      union all
      select * from edge_figures(p_venue, p_subjects, v_edge_subjects, v_edge_days, w.head_from, w.head_to,
        w.tail_from, w.tail_to, w.hour_from, w.hour_to, p_by_day)
    ) f
  ) f
  group by grouping sets ((f.subject, f.day_group), (f.day, f.is_page))
  having grouping(f.subject) = 0 or not (p_by_day or f.is_page or f.day is null);
end $$;
