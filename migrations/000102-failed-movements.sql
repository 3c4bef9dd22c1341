-- no transaction
-- The money page of the desk counts and sums every failed movement: an index of those alone keeps that cheap.

create index concurrently if not exists movements_failed on movements (mode, first_due_at, movement_id) include (kind, amount)
  where status = 'failed';
