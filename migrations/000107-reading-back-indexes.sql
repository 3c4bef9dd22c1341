-- no transaction
-- What a read of a whole list has named, and the deliveries that wait for a read.

create index concurrently if not exists hook_objects_by_read on hook_objects (venue_id, integration_id, read_hash)
  where read_hash is not null;
create index concurrently if not exists inbound_deliveries_reading on inbound_deliveries (venue_id, integration_id)
  where status = 'reading';
