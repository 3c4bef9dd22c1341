-- The bits of a day's hours from p_hour_from (inclusive) to p_hour_to (exclusive).
create or replace function hour_bits_between(p_day date, p_hour_from integer, p_hour_to integer) returns integer
language sql immutable as $$
  select ((1 << greatest(least(p_hour_to - first_hour(p_day), 24), 0)) - 1)
    & ~((1 << greatest(least(p_hour_from - first_hour(p_day), 24), 0)) - 1)
$$;
