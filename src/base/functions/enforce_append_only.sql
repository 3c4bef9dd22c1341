-- A row of an append-only table is never changed or deleted: the audit log, events and ledger entries are evidence. The
-- triggers that call this belong to their tables, in the migrations. One exception: the erasure of a guest (`everyshare
-- guest erase`) takes the guest's name out of the data of events, and nothing else of them.
create or replace function enforce_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'events' and current_setting('everyshare.erase_guest', true) = 'on' then
    if to_jsonb(new) - 'data' = to_jsonb(old) - 'data' then return new; end if;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;
