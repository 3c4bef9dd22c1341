-- no transaction
-- The console filters the audit log of a venue by action.

create index concurrently if not exists audit_log_by_action on audit_log (venue_id, action, audit_id);
