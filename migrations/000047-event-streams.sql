-- The places of a key for streams of events, over all servers. A server leases a place for as long as its stream is open.

create table event_streams (
  venue_id uuid not null,
  key_id text not null,
  place integer not null,
  holder text not null,
  leased_until timestamptz not null,
  constraint event_streams_pkey primary key (venue_id, key_id, place),
  constraint event_stream_place_is_positive check (place >= 1)
);
comment on table event_streams is
  'Streams of events that are open, at most one row for each place of a key. A place whose lease has ended is free.';
