-- Grants as many of p_calls as the subject's last hour has room for. The count is exact across servers: the
-- window's row is locked first, and the database's clock is read after that. A call made at T counts until T + 1 hour,
-- to the microsecond. If the clock steps back, calls continue from the last one counted; counted_at is the real time,
-- from which the caller computes how long to wait.
create or replace function count_calls(
  p_subject text, p_limit integer, p_calls integer,
  out granted integer, out remaining integer, out reset_at timestamptz, out retry_at timestamptz,
  out counted_at timestamptz
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
    -- Locks the row too if another transaction has just created it.
    v_at := clock_timestamp() - interval '1 hour';
    insert into limit_windows as w values (p_subject, 0, v_at)
      on conflict (subject) do update set total = w.total returning w.total, w.last_at into v_total, v_last;
    -- The worker finds a window by its last call. One that is only locked has none: it gets a row too old to count.
    if p_calls = 0 and v_last = v_at then
      insert into limit_calls values (p_subject, v_at, 0, 0) on conflict do nothing;
    end if;
  end if;
  counted_at := clock_timestamp();
  v_at := greatest(counted_at, v_last + interval '1 microsecond');
  select c.at, c.total - c.calls into v_oldest, v_before
    from limit_calls c where c.subject = p_subject and c.at > v_at - interval '1 hour' order by c.at limit 1;
  remaining := greatest(p_limit - (v_total - coalesce(v_before, v_total)), 0);
  granted := least(p_calls, remaining);
  remaining := remaining - granted;
  if granted > 0 then
    with counted as (update limit_windows set total = v_total + granted, last_at = v_at where subject = p_subject)
    insert into limit_calls values (p_subject, v_at, granted, v_total + granted);
    -- Every 64th grant deletes calls that left the hour; the worker deletes those of idle subjects.
    if (v_total + granted) / (64 * granted) <> v_total / (64 * granted) then
      delete from limit_calls c where c.subject = p_subject and c.at <= (
        select max(o.at) from (
          select s.at from limit_calls s where s.subject = p_subject and s.at <= v_at - interval '1 hour'
          order by s.at limit 256) o);
    end if;
  end if;
  reset_at := coalesce(v_oldest, case when granted > 0 then v_at end) + interval '1 hour';
  if granted < p_calls then
    select c.at + interval '1 hour' into retry_at from limit_calls c
      where c.subject = p_subject and c.at > v_at - interval '1 hour' and c.total > v_total + granted - p_limit
      order by c.at limit 1;
  end if;
end $$;
