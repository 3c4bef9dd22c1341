-- The parts of a window. Whole hours run from hour_from to before hour_to, and whole days among them from first_day to
-- before end_day. What is left at either end (head_from to head_to, tail_from to tail_to; null: nothing) must be
-- counted from events.
-- window_from and window_to are the window as answered: an end inside a day whose events were dropped is widened to the
-- day. counted_from and counted_to go further to the edge of a day where no event is cut off, which saves the look at
-- its events. retained_from is set where an end lies inside a day: if the retention has moved since, the caller must
-- ask again. A venue without hourly figures has whole days alone.
create or replace function activity_window(
  p_venue uuid, p_subjects uuid[], p_from timestamptz, p_to timestamptz,
  out window_from timestamptz, out window_to timestamptz, out retained_from timestamptz,
  out counted_from timestamptz, out counted_to timestamptz, out has_hours boolean,
  out hour_from integer, out hour_to integer, out first_day date, out end_day date,
  out head_from timestamptz, out head_to timestamptz, out tail_from timestamptz, out tail_to timestamptz
) language plpgsql stable as $$
declare
  v_retained_from timestamptz := (select r.retained_from from activity_retention r);
  v_head timestamptz := date_trunc('day', p_from, 'UTC');
  v_tail timestamptz := date_trunc('day', p_to, 'UTC');
  v_step integer;
begin
  has_hours := coalesce((select v.has_hourly_figures from activity_venues v where v.venue_id = p_venue), false);
  v_step := case when has_hours then 1 else 24 end;
  if p_from > v_head or p_to > v_tail then retained_from := v_retained_from; end if;
  window_from := case when v_head < v_retained_from then v_head else p_from end;
  window_to := p_to;
  if p_to > v_tail and v_tail < v_retained_from then window_to := v_tail + interval '24 hours'; end if;
  counted_from := window_from;
  counted_to := window_to;
  if window_to > v_tail and not has_activity(p_venue, p_subjects, window_to, v_tail + interval '24 hours') then
    counted_to := v_tail + interval '24 hours';
  end if;
  if window_from > v_head and not has_activity(p_venue, p_subjects, v_head, window_from) then
    counted_from := v_head;
  end if;
  hour_from := (activity_hour(counted_from) + v_step - 1) / v_step * v_step;
  if hour_start(hour_from) < counted_from then hour_from := hour_from + v_step; end if;
  hour_to := activity_hour(counted_to) / v_step * v_step;
  if hour_from > hour_to then
    head_from := counted_from;
    head_to := counted_to;
    hour_to := hour_from;
  else
    if counted_from < hour_start(hour_from) then head_from := counted_from; head_to := hour_start(hour_from); end if;
    if counted_to > hour_start(hour_to) then tail_from := hour_start(hour_to); tail_to := counted_to; end if;
  end if;
  first_day := day_of_hour(hour_from + 23);
  end_day := day_of_hour(hour_to);
end $$;
