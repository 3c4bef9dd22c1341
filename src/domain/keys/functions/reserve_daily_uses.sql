-- Reserves p_uses uses of the subject, of which a rolling day has room for p_limit: a use is allowed a day after the
-- use p_limit places before it. Without p_may_wait all are granted now or none, and `at` says when all would be; with
-- it each row says from when its use is allowed. The count is exact across servers: a lock on the subject is held until
-- the transaction ends, and the database's clock is read after the lock is acquired.
create or replace function reserve_daily_uses(
  p_subject text, p_limit integer, p_uses integer, p_may_wait boolean
) returns table (granted boolean, at timestamptz, counted_at timestamptz) language plpgsql as $$
#variable_conflict use_column
declare
  v_last bigint;
  v_number bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended(p_subject, 0));
  counted_at := clock_timestamp();
  select coalesce(max(u.number), 0) into v_last from daily_uses u where u.subject = p_subject;
  if not p_may_wait then
    select u.at + interval '1 day' into at from daily_uses u
      where u.subject = p_subject and u.number = v_last + p_uses - p_limit;
    if at > counted_at then
      granted := false;
      return next;
      return;
    end if;
  end if;
  granted := true;
  for v_number in v_last + 1 .. v_last + p_uses loop
    select greatest(counted_at, max(u.at) + interval '1 day') into at from daily_uses u
      where u.subject = p_subject and u.number = v_number - p_limit;
    insert into daily_uses values (p_subject, v_number, at);
    return next;
  end loop;
end $$;
