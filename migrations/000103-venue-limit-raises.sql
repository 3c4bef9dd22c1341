-- Limits that are raised for a venue hold for the keys that it makes later, too: each new secret key takes them over.

create table venue_limit_raises (
  venue_id uuid not null,
  writes_per_hour integer not null,
  reads_per_hour integer not null,
  until timestamptz not null,
  constraint venue_limit_raises_pkey primary key (venue_id),
  constraint venue_limit_raises_venue_id_fkey foreign key (venue_id) references venues(venue_id),
  constraint raised_limits_are_positive check (writes_per_hour >= 1 and reads_per_hour >= 1)
);
comment on table venue_limit_raises is 'The newest raise for all secret keys of a venue. One row for each venue; it counts until its end.';
