-- Limits of a rolling day on texts: codes for a phone, new phones of an organizer, invites of a venue.

create table daily_uses (
  subject text not null,
  number bigint not null,
  at timestamptz not null,
  primary key (subject, number)
);
create index daily_uses_by_age on daily_uses (at);
comment on table daily_uses is
  'The rolling day: what one subject used, numbered in order. The use N places before limits the next one to a day '
  'later. Logged, unlike the rolling hour: texts cost money, so a crash must not reset the counts.';
comment on column daily_uses.at is 'In the future: the use waits until then.';

create table named_phones (
  member_id uuid not null references members (member_id),
  phone_hash bytea not null,
  named_at timestamptz not null,
  primary key (member_id, phone_hash)
);
comment on table named_phones is
  'The phones that an organizer has named in parties, by their keyed hash. Only a phone that is new to the organizer '
  'counts for the daily limit; whether it is known to others makes no difference.';
