-- The days since a person was last seen, 400 at most; 400 also when there is no earlier day.
create or replace function gap_in_days(p_previous date, p_day date) returns smallint language sql immutable as $$
  select least(coalesce(p_day - p_previous, 400), 400)::smallint
$$;
