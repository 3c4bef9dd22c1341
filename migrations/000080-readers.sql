-- Reading back from venue systems: the credentials of an integration, the queue of objects that a delivery only named, and
-- the runs that read a whole catalogue.

create table integration_readers (
  venue_id uuid not null,
  integration_id text not null,
  -- The credentials as sealed JSON, and the names of their fields, which may be shown.
  credentials bytea not null,
  fields text[] not null,
  set_at timestamptz not null,
  -- The venue system has refused the credentials: nothing is read until they change.
  paused_at timestamptz,
  pause_reason text,
  -- When the next read is due: not before the pace of the provider, a back-off or the daily limit allows it. Null: none waits.
  due_at timestamptz,
  next_request_at timestamptz not null,
  wait_reason text,
  failures integer not null default 0,
  -- How many requests were made on the last day (UTC) on which any were.
  requests_on date,
  requests_count integer not null default 0,
  lease_token text,
  leased_until timestamptz,
  last_read_at timestamptz,
  primary key (venue_id, integration_id),
  foreign key (venue_id, integration_id) references integrations (venue_id, integration_id),
  constraint integration_reader_pause_has_a_reason check ((paused_at is null) = (pause_reason is null)),
  constraint integration_reader_lease_has_an_end check ((lease_token is null) = (leased_until is null)),
  constraint integration_reader_wait_is_known
    check (wait_reason in ('rate_limited', 'provider_unavailable', 'daily_limit'))
);
create index integration_readers_due on integration_readers (due_at) where due_at is not null and paused_at is null;
comment on table integration_readers is 'The credentials with which an integration reads its venue system, and the state of its reads.';

create table hook_reads (
  venue_id uuid not null,
  integration_id text not null,
  object_hash bytea not null constraint hook_read_object_is_sha256 check (octet_length(object_hash) = 32),
  -- Which entry of the reader file reads the object, and the ids that the delivery named.
  read_name text not null,
  variables jsonb not null,
  -- The newest version that a delivery named, and the one that was read last.
  wanted_version bigint,
  wanted_at timestamptz not null,
  read_version bigint,
  read_at timestamptz,
  due_at timestamptz,
  -- Since when it waits; a read that fails for three days is given up.
  waiting_since timestamptz,
  attempts integer not null default 0,
  offering_external_id text,
  updated_at timestamptz not null,
  primary key (venue_id, integration_id, object_hash),
  foreign key (venue_id, integration_id) references integration_readers (venue_id, integration_id) on delete cascade,
  constraint hook_read_waits_since_a_time check ((due_at is null) = (waiting_since is null))
);
create index hook_reads_due on hook_reads (venue_id, integration_id, due_at) where due_at is not null;
create index hook_reads_by_age on hook_reads (updated_at);
comment on table hook_reads is 'Objects of venue systems that deliveries or catalogue runs named: one row and at most one read for each object and version.';

create table hook_read_waits (
  venue_id uuid not null,
  -- A delivery or a catalogue run.
  waiter_id text not null,
  object_hash bytea not null,
  integration_id text not null,
  wanted_at timestamptz not null,
  -- What became of the object; null while it waits.
  outcome jsonb,
  primary key (venue_id, waiter_id, object_hash),
  foreign key (venue_id, integration_id, object_hash) references hook_reads (venue_id, integration_id, object_hash)
    on delete cascade
);
create index hook_read_waits_by_object on hook_read_waits (venue_id, integration_id, object_hash);
comment on table hook_read_waits is 'Which deliveries and catalogue runs wait for which reads.';

create table hook_syncs (
  venue_id uuid not null,
  integration_id text not null,
  sync_id text not null,
  status text not null,
  reason text,
  -- Where the listing of the catalogue goes on; null: at its beginning.
  cursor jsonb,
  is_listed boolean not null default false,
  listed_count integer not null default 0,
  read_count integer not null default 0,
  created_count integer not null default 0,
  changed_count integer not null default 0,
  unchanged_count integer not null default 0,
  skipped_count integer not null default 0,
  -- The first objects that were skipped, with their reasons.
  skipped jsonb not null default '[]',
  started_at timestamptz not null,
  finished_at timestamptz,
  primary key (venue_id, integration_id, sync_id),
  foreign key (venue_id, integration_id) references integrations (venue_id, integration_id),
  constraint hook_sync_status_is_known check (status in ('running', 'finished', 'failed', 'canceled')),
  constraint hook_sync_end_has_a_time check ((status = 'running') = (finished_at is null))
);
create unique index hook_syncs_running on hook_syncs (venue_id, integration_id) where status = 'running';
create index hook_syncs_by_age on hook_syncs (started_at);
comment on table hook_syncs is 'Runs that read the whole catalogue of a venue system, with their progress.';

alter table inbound_deliveries drop constraint inbound_delivery_status_is_known;
alter table inbound_deliveries add constraint inbound_delivery_status_is_known
  check (status in ('pending', 'reading', 'applied', 'ignored', 'superseded', 'unmapped', 'needs_api_read', 'failed'));
