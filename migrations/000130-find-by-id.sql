-- no transaction
-- An operator searches a movement, a payment or a dispute by its id alone.

create index concurrently if not exists movements_by_id on movements (movement_id);
create index concurrently if not exists holds_by_intent on holds (intent_id) where intent_id is not null;
create index concurrently if not exists holds_by_charge on holds (charge_id) where charge_id is not null;
create index concurrently if not exists disputes_by_id on disputes (dispute_id);
