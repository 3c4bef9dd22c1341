-- How many of a day's people were not seen in the p_gap - 1 days before it: people[i] have a gap of gaps[i] or more.
create or replace function count_new_people(p_gaps smallint[], p_people integer[], p_gap integer) returns integer
language sql immutable as $$
  select coalesce(p_people[width_bucket((p_gap - 1)::smallint, p_gaps) + 1], 0)
$$;
