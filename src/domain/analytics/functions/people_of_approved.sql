-- The people of the approved experiences of a mode in a window: those of all experiences together (p_all), without
-- those who were seen in p_taken_down alone. An experience that was taken down keeps its rows, and no answer counts its
-- people.
create or replace function people_of_approved(
  p_venue uuid, p_all uuid, p_taken_down uuid[], p_approved uuid[], p_from timestamptz, p_to timestamptz
) returns table (viewers bigint, starters bigint) language plpgsql stable set enable_seqscan = off as $$
#variable_conflict use_column
declare
  w record;
begin
  select * into w from activity_window(p_venue, p_taken_down || p_approved, p_from, p_to);
  return query
  with together as (
    select f.viewers, f.starters
    from activity_figures(p_venue, p_taken_down || p_approved || p_all, p_from, p_to, false) f
    where f.row_kind = 'subject' and f.subject = p_all
  ), edges as materialized (
    select distinct e.type as action, e.person, e.subject = any (p_taken_down) as is_taken_down
    from (values (w.head_from, w.head_to), (w.tail_from, w.tail_to)) r(since, until)
    cross join lateral (
      select a.subject, a.type, a.person from activity a
      where a.venue_id = p_venue and a.partition_number = activity_partition(r.since) and a.mode = 'live'
        and a.subject = any (p_taken_down || p_approved) and a.type in ('view', 'booking_start')
        and a.at >= r.since and a.at < r.until
    ) e
    where r.since is not null
  ), of_taken_down as (
    select s.action, s.person from activity_people s
    where s.venue_id = p_venue and s.subject = any (p_taken_down)
      and s.day >= day_of_hour(w.hour_from) and s.day <= day_of_hour(w.hour_to)
      and s.hours & hour_bits_between(s.day, w.hour_from, w.hour_to) <> 0
    union
    select e.action, e.person from edges e where e.is_taken_down
  ), nowhere_else as (
    select count(*) filter (where t.action = 'view') as viewers,
      count(*) filter (where t.action = 'booking_start') as starters
    from of_taken_down t
    where not exists (
      select from edges e where not e.is_taken_down and e.action = t.action and e.person = t.person
    ) and not exists (
      select from activity_people s
      where s.venue_id = p_venue and s.subject = any (p_approved) and s.action = t.action and s.person = t.person
        and s.day >= day_of_hour(w.hour_from) and s.day <= day_of_hour(w.hour_to)
        and s.hours & hour_bits_between(s.day, w.hour_from, w.hour_to) <> 0
    )
  )
  select coalesce((select t.viewers from together t), 0) - n.viewers,
    coalesce((select t.starters from together t), 0) - n.starters
  from nowhere_else n;
end $$;
