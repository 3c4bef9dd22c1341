-- no transaction
-- The desk lists the audit log of all venues, and what operators did.

create index concurrently if not exists audit_log_by_time on audit_log (audit_id);
create index concurrently if not exists audit_log_of_operators on audit_log (audit_id) where starts_with(actor, 'operator ');
