-- A delivery that was never tried goes before every retry of its endpoint, so the index has the two apart. Only a missing
-- answer counts against an endpoint: an error that it answers with is about one event.

drop index deliveries_due;
create index deliveries_due on deliveries (venue_id, endpoint_id, least(attempts, 1), due_at) where due_at is not null;

comment on column endpoint_queues.failures is 'Attempts in a row that got no answer. An error is an answer.';
