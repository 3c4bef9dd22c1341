-- A time in UTC, its fraction without trailing zeros.
create or replace function utc_text(p_at timestamptz) returns text language sql stable parallel safe as $$
  select rtrim(rtrim(to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z'
$$;
