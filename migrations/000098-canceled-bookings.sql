-- A booking of a venue system that is known to be canceled: an active state that comes late does not undo it.
alter table hook_bookings add column is_canceled boolean not null default false;
comment on column hook_bookings.is_canceled is 'The last delivery about the booking canceled all of it.';
