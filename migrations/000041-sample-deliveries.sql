-- The log of an endpoint also shows the samples that were sent to it. They have a table of their own: a sample belongs to
-- no event, is tried once, and must not take the place of an event's delivery, whose key is the event's time.

create table sample_deliveries (
  venue_id uuid not null,
  endpoint_id text not null,
  created_at timestamptz not null,
  event_id text not null,
  type text not null,
  is_delivered boolean not null,
  status smallint,
  error text,
  response text,
  duration_ms integer not null,
  constraint sample_deliveries_pkey primary key (venue_id, endpoint_id, created_at),
  constraint sample_fails_with_an_error check (is_delivered = (error is null))
);
create index sample_deliveries_by_age on sample_deliveries using brin (created_at);
comment on table sample_deliveries is 'Sample events that were sent to test an endpoint, for its log; kept for 30 days.';
