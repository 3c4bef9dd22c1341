-- A time in UTC with all six digits, for columns that lists are ordered by: as text the times sort in the same order.
create or replace function utc_micros(p_at timestamptz) returns text language sql stable parallel safe as $$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;
