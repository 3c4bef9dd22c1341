-- Amounts, currency and mode never change after the insert: holds, ledger entries and events were made from them. The
-- triggers name the columns; they belong to their tables, in the migrations.
create or replace function enforce_fixed_amounts() returns trigger language plpgsql as $$
begin
  raise exception 'amounts, currency and mode of % never change', regexp_replace(tg_table_name, '_\d{6,}$', '')
    using errcode = 'restrict_violation';
end $$;
