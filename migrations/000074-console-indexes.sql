-- no transaction
-- Indexes of the console's screens on tables that calls write. They were part of 000063, 000070 and 000073, which stopped
-- those calls while they were built; a database that has them keeps them.

create index concurrently if not exists audit_log_by_subject on audit_log (venue_id, subject, audit_id);
create index concurrently if not exists checkouts_by_completion on checkouts (venue_id, mode, completed_at) include (amount, currency)
  where completed_at is not null;
create index concurrently if not exists movements_sent on movements (venue_id, mode, done_at)
  where kind = 'transfer' and done_at is not null;
create index concurrently if not exists movements_to_send on movements (venue_id, mode, due_at)
  where kind = 'transfer' and status in ('waiting', 'sending', 'pending', 'frozen', 'failed');
create index concurrently if not exists keys_expiring on keys (expires_at) where expires_at is not null and revoked_at is null;
create index concurrently if not exists shares_dropped on shares (venue_id, checkout_id) where dropped_at is not null;
