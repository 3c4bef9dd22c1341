-- The trace in which a refund, transfer or reversal was decided, so that the worker's call to the processor belongs to the
-- same trace. The setting lasts for one transaction; without tracing there is none, and the column is null.
alter table movements add column traceparent text default nullif(current_setting('everyshare.traceparent', true), '');
