-- A venue has a list of origins for each mode: pages that are being built register for test mode alone. Until now one list
-- was for both, so that each mode begins with it.

alter table venues add column live_origins text[] not null default '{}';
update venues set live_origins = origins;
comment on column venues.origins is 'The pages that may use publishable keys of test mode, and to which guests of test checkouts return.';
comment on column venues.live_origins is 'The same for live mode.';
alter table venues add constraint venue_has_at_most_50_live_origins check (cardinality(live_origins) <= 50);
create index venues_by_live_origin on venues using gin (live_origins);
