-- When and where a booking takes place, if the partner says so: for the guests' pages, the calendar file and the
-- cancellation policy.

alter table checkouts add column starts_at timestamptz, add column ends_at timestamptz, add column location text;
comment on column checkouts.starts_at is 'The start of the booking itself; null: the partner did not say.';
-- Equal times pass here: the API compares milliseconds, and rounding to microseconds can make them equal.
alter table checkouts add constraint booking_ends_after_it_starts
  check (ends_at is null or (starts_at is not null and ends_at >= starts_at));
alter table checkouts add constraint location_has_1_to_200_characters check (char_length(location) between 1 and 200);
