-- Reading back from venue systems: which deliveries a read covers without comparing clocks, since when the provider fails,
-- errors of our own apart from those of the provider, and which objects a read of a whole list has named.

alter table hook_reads
  -- Counts how often the object was named. A read covers those that came before it began.
  add column wanted_seq bigint not null default 0,
  -- Since when the provider fails; pauses are not counted.
  add column failing_since timestamptz,
  add column internal_errors integer not null default 0;

alter table hook_read_waits
  add column wanted_seq bigint not null default 0,
  add column wanted_version bigint;

alter table hook_syncs
  add column failing_since timestamptz,
  add column internal_errors integer not null default 0;

-- The object of hook_reads that named this one in a whole list. Null: it was not in a whole list.
alter table hook_objects add column read_hash bytea;
