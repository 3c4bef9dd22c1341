-- A ping of ids that is sent again within ten seconds is one delivery, but the object may have changed between the two: the
-- delivery is applied again, and its objects are read in any case.

alter table inbound_deliveries add column is_repeated boolean not null default false;
