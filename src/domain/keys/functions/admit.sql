-- Authenticates callers by the hash of their key and counts their calls, for all keys that wait at the same moment: one
-- round trip. Only a secret key has an hour of its own; other callers are counted by count_calls_each. Keys are locked
-- in one order, so that two servers cannot deadlock. Calls with one key and effect are counted together, once for all
-- checkouts that they read: each count updates the row of the key's hour. A granted caller who wants to read a checkout
-- (p_checkouts, one id or null for each caller; p_now decides whether it is overdue) gets it in the same row, of the
-- key's own venue and mode.
create or replace function admit(
  p_hashes bytea[], p_effects text[], p_calls integer[], p_checkouts text[] default null,
  p_now timestamptz default null
) returns table (
  "position" integer, venue_id uuid, venue_name text, venue_linked boolean, venue_origins text[],
  key_id text, kind text, mode text, scopes text[], allow_ips text[],
  writes_per_hour integer, reads_per_hour integer, created_at timestamptz, expires_at timestamptz,
  call_limit integer, granted integer, remaining integer,
  reset_at timestamptz, retry_at timestamptz, counted_at timestamptz, prefetched text, overdue boolean
) language plpgsql set lock_timeout = '3s' as $$
#variable_conflict use_column
declare
  v_order integer[] := '{1}';
  -- For each of v_order: its checkout, and how many callers and calls its key and effect have.
  v_checkouts text[];
  v_callers integer[];
  v_calls integer[] := p_calls;
  v_first integer;
  v_clock timestamptz;
  v_route record;
  v_counted record;
  -- Calls that were granted to the key and that no caller has got yet.
  v_left integer;
  v_read record;
begin
  perform keep_plans(true);
  if cardinality(p_hashes) > 1 then
    select array_agg(position), array_agg(checkout), array_agg(callers), array_agg(calls)
      into v_order, v_checkouts, v_callers, v_calls from (
        select u.position::integer, p_checkouts[u.position] as checkout, (count(*) over w)::integer as callers,
          (sum(u.calls) over w)::integer as calls
        from unnest(p_hashes, p_effects, p_calls) with ordinality as u(hash, effect, calls, position)
        window w as (partition by u.hash, u.effect) order by u.hash, u.effect, u.position) n;
  end if;
  for v_index in 1..cardinality(v_order) loop
    position := v_order[v_index];
    if v_index = 1 or v_index = v_first + v_callers[v_first] then
      v_first := v_index;
      -- The route first, then the rest of a venue that is known when it is planned: a distributed database asks one
      -- node.
      v_route := null; v_clock := clock_timestamp();
      select r.venue_id, r.key_id into v_route from key_routes r where r.key_hash = p_hashes[admit.position];
      select v.venue_id, v.name, v.linked_at is not null,
          case k.mode when 'live' then v.live_origins else v.origins end, k.key_id, k.kind, k.mode, k.scopes,
          k.allow_ips,
          case when k.raised_until > v_clock then greatest(k.writes_per_hour, k.raised_writes_per_hour)
            else k.writes_per_hour end,
          case when k.raised_until > v_clock then greatest(k.reads_per_hour, k.raised_reads_per_hour)
            else k.reads_per_hour end,
          k.created_at, k.expires_at
        into venue_id, venue_name, venue_linked, venue_origins, key_id, kind, mode, scopes,
          allow_ips, writes_per_hour, reads_per_hour, created_at, expires_at
        from keys k join venues v on v.venue_id = k.venue_id
        where k.venue_id = v_route.venue_id and k.key_id = v_route.key_id
          and k.revoked_at is null and v.revoked_at is null and (k.expires_at is null or k.expires_at > v_clock);
      call_limit := null; granted := null; remaining := null; reset_at := null; retry_at := null; counted_at := null;
      v_read := null;
      if kind = 'secret' then
        call_limit := case p_effects[position] when 'read' then reads_per_hour else writes_per_hour end;
        select * into v_counted
          from count_calls('key ' || key_id || ' ' || p_effects[position], call_limit, v_calls[v_index]);
        v_left := v_counted.granted; reset_at := v_counted.reset_at; counted_at := v_counted.counted_at;
        if p_checkouts is not null and v_left > 2 and v_callers[v_index] > 2 then
          v_read := prefetch_checkouts(venue_id, mode, v_checkouts[v_index:v_index + v_callers[v_index] - 1], p_now);
        end if;
      end if;
    end if;
    if kind = 'secret' then
      granted := least(p_calls[position], v_left);
      v_left := v_left - granted;
      remaining := v_counted.remaining + v_left;
      retry_at := case when granted < p_calls[position] then v_counted.retry_at end;
    end if;
    if v_read is not null then
      prefetched := case when granted > 0 then v_read.views[v_index - v_first + 1] end;
      overdue := v_read.overdue[v_index - v_first + 1];
    elsif p_checkouts is not null then
      -- No row: the caller wants no checkout, is not granted, or names one of another venue or mode.
      select checkout_object(c)::text, c.status in ('open', 'collecting') and c.expires_at <= p_now
        into prefetched, overdue
        from checkouts c
        where c.venue_id = admit.venue_id and c.checkout_id = p_checkouts[admit.position] and c.mode = admit.mode
          and admit.granted > 0;
    end if;
    return next;
  end loop;
end $$;
