-- What an organizer has typed on the page for choosing the party and not sent yet: a reload, going back or another language
-- loses nothing. It holds phones, so it is sealed. Kept for a day.

create table party_drafts (
  venue_id uuid not null,
  checkout_id text not null,
  member_id uuid not null,
  draft bytea not null,
  updated_at timestamptz not null,
  constraint party_drafts_pkey primary key (venue_id, checkout_id, member_id)
);
comment on table party_drafts is 'Parties that were typed and not sent yet, sealed; deleted when sent, or after a day.';
create index party_drafts_updated_at on party_drafts (updated_at);
