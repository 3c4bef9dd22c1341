-- A new checkout proposes the group of the organizer's last one at the venue, if that one expired or was canceled.

create index checkouts_by_organizer on checkouts (venue_id, organizer_id, mode, created_at) where organizer_id is not null;
