-- A row of an append-only table is never changed or deleted: the audit log, events and ledger entries are evidence. The
-- triggers that call this belong to their tables, in the migrations. There are two exceptions. The erasure of a guest
-- (`everyshare guest erase`) takes the guest out of the data of events, and removes the reason of a refund, which is
-- free text, from entries of the audit log that an earlier release wrote. The worker deletes old events
-- (EVENT_LOG_DAYS), and never the first of an object.
create or replace function enforce_append_only() returns trigger language plpgsql as $$
declare
  -- The name of a shard of a distributed table ends with its number.
  v_table text := regexp_replace(tg_table_name, '_\d{6,}$', '');
begin
  if tg_op = 'UPDATE' and current_setting('everyshare.erase_guest', true) = 'on' then
    if v_table = 'events' and to_jsonb(new) - 'data' = to_jsonb(old) - 'data' then return new; end if;
    if v_table = 'audit_log' and to_jsonb(new) = to_jsonb(old) #- '{detail,reason}' then return new; end if;
  end if;
  if tg_op = 'DELETE' and v_table = 'events' then
    if old.sequence > 1 and current_setting('everyshare.trim_events', true) = 'on' then return old; end if;
  end if;
  raise exception '% is append-only', v_table using errcode = 'restrict_violation';
end $$;
