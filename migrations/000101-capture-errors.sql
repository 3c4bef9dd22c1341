-- Why the cards of a funded checkout are not charged yet, for the people who run the service.

alter table checkouts add column capture_error text;
comment on column checkouts.capture_error is 'Of a funded checkout: why the last try to charge its cards did not end. Null: no try has failed.';
