-- Reading is cheap: however many calls an hour has seen, however many keys a venue has, and with one question for a call.

-- As before, but what is swept up is found by the index and once in 64 batches, not once in 64 calls: a batch of a hot key
-- is as large as that, and each of them looked through all the calls of the hour. Its time limit and the kind of its plans
-- are set by whoever calls it, once for all subjects.
create or replace function take_calls(
  p_subject text, p_limit integer, p_wanted integer,
  out granted integer, out remaining integer, out reset_at timestamptz, out retry_at timestamptz, out asked_at timestamptz
) language plpgsql as $$
declare
  v_total bigint;
  v_last timestamptz;
  v_at timestamptz;
  v_oldest timestamptz;
  v_before bigint;
begin
  select total, last_at into v_total, v_last from limit_windows where subject = p_subject for update;
  if not found then
    insert into limit_windows values (p_subject, 0, '-infinity') on conflict do nothing;
    select total, last_at into v_total, v_last from limit_windows where subject = p_subject for update;
  end if;
  asked_at := clock_timestamp();
  v_at := greatest(asked_at, v_last + interval '1 microsecond');
  select c.at, c.total - c.calls into v_oldest, v_before
    from limit_calls c where c.subject = p_subject and c.at > v_at - interval '1 hour' order by c.at limit 1;
  remaining := greatest(p_limit - (v_total - coalesce(v_before, v_total)), 0);
  granted := least(p_wanted, remaining);
  remaining := remaining - granted;
  if granted > 0 then
    with counted as (update limit_windows set total = v_total + granted, last_at = v_at where subject = p_subject)
    insert into limit_calls values (p_subject, v_at, granted, v_total + granted);
    -- Now and then the calls that have left the hour are swept up here; the worker sweeps up the rest.
    if (v_total + granted) / (64 * granted) <> v_total / (64 * granted) then
      delete from limit_calls c where c.subject = p_subject and c.at <= (
        select max(o.at) from (
          select s.at from limit_calls s where s.subject = p_subject and s.at <= v_at - interval '1 hour'
          order by s.at limit 256) o);
    end if;
  end if;
  reset_at := coalesce(v_oldest, case when granted > 0 then v_at end) + interval '1 hour';
  if granted < p_wanted then
    select c.at + interval '1 hour' into retry_at from limit_calls c
      where c.subject = p_subject and c.at > v_at - interval '1 hour' and c.total > v_total + granted - p_limit
      order by c.at limit 1;
  end if;
end $$;
alter function take_calls(text, integer, integer) reset all;
alter function take_all(text[], integer, integer[]) set lock_timeout = '3s';
alter function take_all(text[], integer, integer[]) set plan_cache_mode = 'force_generic_plan';

-- As before, with three changes. A key is found by its own id, whatever the planner thinks of the table: not among all keys
-- of its venue. Keys are taken in the order of their hashes. And whoever is let in to read a checkout (p_sights, with the time
-- by which it is overdue) is shown it at once: of the key's own venue and mode, as it is after the call came.
drop function admit(bytea[], text[], integer[]);
create function admit(
  p_hashes bytea[], p_effects text[], p_wanted integer[], p_sights text[] default null, p_now timestamptz default null
) returns table (
  place integer, venue_id uuid, venue_name text, venue_linked boolean, venue_origins text[],
  key_id text, kind text, mode text, scopes text[], allow_ips text[],
  writes_per_hour integer, reads_per_hour integer, created_at timestamptz, expires_at timestamptz,
  call_limit integer, granted integer, remaining integer,
  reset_at timestamptz, retry_at timestamptz, asked_at timestamptz, sight text, overdue boolean
) language plpgsql set lock_timeout = '3s' set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_order integer[] := '{1}';
  v_hash bytea;
  v_taken record;
begin
  if cardinality(p_hashes) > 1 then
    select array_agg(n.place order by n.hash, n.effect, n.place) into v_order
      from unnest(p_hashes, p_effects) with ordinality as n(hash, effect, place);
  end if;
  foreach place in array v_order loop
    v_hash := p_hashes[place];
    select v.venue_id, v.name, v.linked_at is not null, v.origins, k.key_id, k.kind, k.mode, k.scopes,
        k.allow_ips, k.writes_per_hour, k.reads_per_hour, k.created_at, k.expires_at
      into venue_id, venue_name, venue_linked, venue_origins, key_id, kind, mode, scopes,
        allow_ips, writes_per_hour, reads_per_hour, created_at, expires_at
      from key_routes r
      cross join lateral (select * from keys k where k.venue_id = r.venue_id and k.key_id = r.key_id offset 0) k
      cross join lateral (select * from venues v where v.venue_id = r.venue_id offset 0) v
      where r.key_hash = v_hash and k.revoked_at is null and v.revoked_at is null
        and (k.expires_at is null or k.expires_at > clock_timestamp());
    if kind = 'secret' then
      call_limit := case p_effects[place] when 'read' then reads_per_hour else writes_per_hour end;
      v_taken := take_calls('key ' || key_id || ' ' || p_effects[place], call_limit, p_wanted[place]);
      granted := v_taken.granted; remaining := v_taken.remaining; reset_at := v_taken.reset_at;
      retry_at := v_taken.retry_at; asked_at := v_taken.asked_at;
    else
      call_limit := null; granted := null; remaining := null; reset_at := null; retry_at := null; asked_at := null;
    end if;
    if p_sights is not null then
      -- Nothing is found for whoever asks for nothing, is not let in, or asks for what is another's.
      select checkout_view(c)::text, c.status in ('open', 'collecting') and c.expires_at <= p_now into sight, overdue
        from checkouts c
        where c.venue_id = admit.venue_id and c.checkout_id = p_sights[admit.place] and c.mode = admit.mode
          and admit.granted > 0;
    end if;
    return next;
  end loop;
end $$;
