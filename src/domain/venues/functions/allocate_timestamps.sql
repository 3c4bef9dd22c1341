-- Reserves p_count microseconds of a venue and mode, none of them given out before, and returns the first. Lists page
-- by these times, so they must be unique and in the order of commits: the row stays locked until the caller's commit.
-- The times are computed in UTC, because a time with a zone plus an interval is not immutable, and a distributed table
-- refuses that in ON CONFLICT.
create or replace function allocate_timestamps(p_venue uuid, p_mode text, p_now timestamptz, p_count integer)
returns timestamptz language plpgsql as $$
declare
  v_others interval := (p_count - 1) * interval '1 microsecond';
  v_earliest timestamptz := p_now + v_others;
  v_last timestamptz;
begin
  insert into venue_timestamps values (p_venue, p_mode, v_earliest)
    on conflict (venue_id, mode) do update set last_at = greatest(v_earliest,
      (venue_timestamps.last_at at time zone 'UTC' + interval '1 microsecond' + v_others) at time zone 'UTC')
    returning last_at into v_last;
  return v_last - v_others;
end $$;
