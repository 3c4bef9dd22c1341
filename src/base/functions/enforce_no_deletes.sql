-- Rows of money tables are never deleted: ledger entries and the processor's records refer to them.
create or replace function enforce_no_deletes() returns trigger language plpgsql as $$
begin
  raise exception 'what is in % is never deleted', regexp_replace(tg_table_name, '_\d{6,}$', '')
    using errcode = 'restrict_violation';
end $$;
