-- Authenticates callers by the hash of their key and counts their calls, for all keys that wait at the same moment: one
-- round trip. Only a secret key has an hour of its own; other callers are counted by count_calls_each. Keys are locked
-- in one order, so that two servers cannot deadlock. A granted caller who wants to read a checkout (p_checkouts, one id
-- or null for each caller; p_now decides whether it is overdue) gets it in the same row, of the key's own venue and
-- mode.
create or replace function admit(
  p_hashes bytea[], p_effects text[], p_calls integer[], p_checkouts text[] default null,
  p_now timestamptz default null
) returns table (
  "position" integer, venue_id uuid, venue_name text, venue_linked boolean, venue_origins text[],
  key_id text, kind text, mode text, scopes text[], allow_ips text[],
  writes_per_hour integer, reads_per_hour integer, created_at timestamptz, expires_at timestamptz,
  call_limit integer, granted integer, remaining integer,
  reset_at timestamptz, retry_at timestamptz, counted_at timestamptz, prefetched text, overdue boolean
) language plpgsql set lock_timeout = '3s' set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_order integer[] := '{1}';
  v_hash bytea;
  v_counted record;
begin
  if cardinality(p_hashes) > 1 then
    select array_agg(n.position order by n.hash, n.effect, n.position) into v_order
      from unnest(p_hashes, p_effects) with ordinality as n(hash, effect, position);
  end if;
  foreach position in array v_order loop
    v_hash := p_hashes[position];
    select v.venue_id, v.name, v.linked_at is not null,
        case k.mode when 'live' then v.live_origins else v.origins end, k.key_id, k.kind, k.mode, k.scopes,
        k.allow_ips,
        case when k.raised_until > clock_timestamp() then greatest(k.writes_per_hour, k.raised_writes_per_hour)
          else k.writes_per_hour end,
        case when k.raised_until > clock_timestamp() then greatest(k.reads_per_hour, k.raised_reads_per_hour)
          else k.reads_per_hour end,
        k.created_at, k.expires_at
      into venue_id, venue_name, venue_linked, venue_origins, key_id, kind, mode, scopes,
        allow_ips, writes_per_hour, reads_per_hour, created_at, expires_at
      from key_routes r
      cross join lateral (select * from keys k where k.venue_id = r.venue_id and k.key_id = r.key_id offset 0) k
      cross join lateral (select * from venues v where v.venue_id = r.venue_id offset 0) v
      where r.key_hash = v_hash and k.revoked_at is null and v.revoked_at is null
        and (k.expires_at is null or k.expires_at > clock_timestamp());
    if kind = 'secret' then
      call_limit := case p_effects[position] when 'read' then reads_per_hour else writes_per_hour end;
      v_counted := count_calls('key ' || key_id || ' ' || p_effects[position], call_limit, p_calls[position]);
      granted := v_counted.granted; remaining := v_counted.remaining; reset_at := v_counted.reset_at;
      retry_at := v_counted.retry_at; counted_at := v_counted.counted_at;
    else
      call_limit := null; granted := null; remaining := null; reset_at := null; retry_at := null; counted_at := null;
    end if;
    if p_checkouts is not null then
      -- No row: the caller wants no checkout, is not granted, or names one of another venue or mode.
      select checkout_view(c)::text, c.status in ('open', 'collecting') and c.expires_at <= p_now
        into prefetched, overdue
        from checkouts c
        where c.venue_id = admit.venue_id and c.checkout_id = p_checkouts[admit.position] and c.mode = admit.mode
          and admit.granted > 0;
    end if;
    return next;
  end loop;
end $$;
