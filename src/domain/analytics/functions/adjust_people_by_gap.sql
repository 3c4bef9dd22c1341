-- A day's people by gap, with p_more people added (or removed, where negative) at p_more_gaps.
create or replace function adjust_people_by_gap(
  p_gaps smallint[], p_people integer[], p_more_gaps smallint[], p_more integer[]
) returns table (gaps smallint[], people integer[]) language sql immutable as $$
  select coalesce(array_agg(c.gap order by c.gap), '{}'), coalesce(array_agg(c.people order by c.gap), '{}')
  from (
    select n.gap, (sum(n.people_at_gap) over (order by n.gap desc))::integer as people
    from (
      select o.gap, sum(o.people_at_gap) as people_at_gap
      from (
        select u.gap, u.people - lead(u.people, 1, 0) over (order by u.gap) as people_at_gap
        from unnest(p_gaps, p_people) u(gap, people)
        union all select * from unnest(p_more_gaps, p_more)
      ) o
      group by o.gap having sum(o.people_at_gap) <> 0
    ) n
  ) c
$$;
