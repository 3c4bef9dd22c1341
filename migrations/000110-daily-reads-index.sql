-- no transaction
-- The objects of an integration that are read again, by time.

create index concurrently if not exists hook_reads_refresh on hook_reads (venue_id, integration_id, refresh_at)
  where refresh_at is not null and due_at is null;
