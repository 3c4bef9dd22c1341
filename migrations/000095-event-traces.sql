-- The trace in which an event was recorded, so that its deliveries belong to the same trace. The setting lasts for one
-- transaction; without tracing there is none, and the column is null.
alter table events add column traceparent text default nullif(current_setting('everyshare.traceparent', true), '');
