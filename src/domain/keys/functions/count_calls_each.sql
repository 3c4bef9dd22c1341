-- count_calls for several subjects without a key of their own: addresses, and publishable keys at an address. Subjects
-- are locked in one order, so that two servers cannot deadlock. One after the other, because a distributed database has
-- their rows on different nodes.
create or replace function count_calls_each(p_subjects text[], p_limit integer, p_calls integer[]) returns table (
  "position" integer, granted integer, remaining integer, reset_at timestamptz, retry_at timestamptz,
  counted_at timestamptz
) language plpgsql set lock_timeout = '3s' as $$
#variable_conflict use_column
declare
  v_subject record;
begin
  for v_subject in
    select u.subject, u.calls, u.place::integer as place
    from unnest(p_subjects, p_calls) with ordinality as u(subject, calls, place) order by u.subject loop
    position := v_subject.place;
    select t.granted, t.remaining, t.reset_at, t.retry_at, t.counted_at
      into granted, remaining, reset_at, retry_at, counted_at
      from count_calls(v_subject.subject, p_limit, v_subject.calls) t;
    return next;
  end loop;
end $$;
