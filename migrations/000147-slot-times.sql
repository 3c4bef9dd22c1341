-- A read of a list of times and a delivery about one of them overlap: each stores when it was received, so that the older
-- one never replaces the number of places of the newer one.

-- When the delivery or read that changed the slot last was received. Null: before this column existed.
alter table hook_slots add column changed_at timestamptz;

-- When the newest read of all times of the offering began, and up to which time it lists them. Null: none was read.
alter table hook_offerings add column listed_at timestamptz, add column listed_until timestamptz;
