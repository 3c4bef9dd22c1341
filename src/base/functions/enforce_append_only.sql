-- A row of an append-only table is never changed or deleted: the audit log, events and ledger entries are evidence. The
-- triggers that call this belong to their tables, in the migrations.
create or replace function enforce_append_only() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;
