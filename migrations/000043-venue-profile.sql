-- What guests see of a venue beside its name: its time zone, contacts, terms, colour and logo.

alter table venues
  add column timezone text not null default 'UTC',
  add column support_email text,
  add column support_phone text,
  add column support_url text,
  add column terms_url text,
  add column privacy_url text,
  add column accent_color text,
  add column logo_url text;
comment on column venues.timezone is 'An IANA time zone: for the texts and pages of a booking whose offering has none.';
alter table venues add constraint accent_color_is_rrggbb check (accent_color ~ '^#[0-9a-f]{6}$');
alter table venues add constraint addresses_are_https check (
  coalesce(support_url, 'https://') like 'https://%' and coalesce(terms_url, 'https://') like 'https://%'
  and coalesce(privacy_url, 'https://') like 'https://%' and coalesce(logo_url, 'https://') like 'https://%');

-- Until now texts used the zone of the venue's latest offering that has one: existing venues keep it.
update venues v set timezone = coalesce((
  select o.content #>> '{availability,timezone}' from offerings o
  where o.venue_id = v.venue_id and o.content #>> '{availability,timezone}' is not null
  order by o.mode, o.changed_at desc limit 1), 'UTC');
