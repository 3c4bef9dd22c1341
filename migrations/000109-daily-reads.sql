-- An object whose answers list times for a number of days is read again once a day, without a delivery: its days move on,
-- and prices and places change.
-- few rows: hook_reads: objects of venue systems that are read back, at most thousands
-- few rows: integration_readers: one for each connected system
-- earlier text: f9302a09cd691299f9ffc242f649fadf7c4f8ad1b3e5fdbb169383cf4ef09d7a

-- When the object is read again, if no delivery and no catalogue run waits for it. Null: only when one names it.
alter table hook_reads add column refresh_at timestamptz;

-- Objects that were read before are read again within a day, and every day from then on.
update hook_reads h set refresh_at = now() + random() * interval '1 day' from integrations i
where i.venue_id = h.venue_id and i.integration_id = h.integration_id and h.read_at is not null
  and (i.provider, h.read_name) in (('mews', 'service'), ('cloudbeds', 'rooms'), ('foreup', 'teesheet'),
    ('mindbody', 'class_description'), ('peek', 'product'), ('ventrata', 'product'));
update integration_readers r set due_at = now()
where r.due_at is null and exists (select 1 from hook_reads h
  where h.venue_id = r.venue_id and h.integration_id = r.integration_id and h.refresh_at is not null);
