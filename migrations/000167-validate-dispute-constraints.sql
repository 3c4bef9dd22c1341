-- Reads all rows of two constraints of 000165. There it would keep every other statement waiting, because adding a
-- constraint locks the table until its transaction ends.

alter table disputes validate constraint dispute_loss_is_divided_completely;
alter table ledger_entries validate constraint ledger_entry_is_between_the_accounts_of_its_kind;
