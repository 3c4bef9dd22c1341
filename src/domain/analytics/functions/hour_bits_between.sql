-- The bits of a day's hours from p_low (inclusive) to p_high (exclusive).
create or replace function hour_bits_between(p_day date, p_low integer, p_high integer) returns integer
language sql immutable as $$
  select ((1 << greatest(least(p_high - first_hour(p_day), 24), 0)) - 1)
    & ~((1 << greatest(least(p_low - first_hour(p_day), 24), 0)) - 1)
$$;
