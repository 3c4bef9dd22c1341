-- Reserves p_count microseconds of a venue and mode, none of them given out before, and returns the first. Lists page
-- by these times, so they must be unique and in the order of commits: the row stays locked until the caller's commit.
create or replace function allocate_timestamps(p_venue uuid, p_mode text, p_now timestamptz, p_count integer)
returns timestamptz language sql as $$
  insert into venue_timestamps values (p_venue, p_mode, p_now + (p_count - 1) * interval '1 microsecond')
  on conflict (venue_id, mode) do update
    set last_at = greatest(p_now, venue_timestamps.last_at + interval '1 microsecond')
      + (p_count - 1) * interval '1 microsecond'
  returning last_at - (p_count - 1) * interval '1 microsecond'
$$;
