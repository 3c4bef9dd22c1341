-- The catalogue: what a venue sells, its review, and the event log.
-- Lists page by a time that is unique for a venue and mode: venue_ticks hands these times out, and whoever holds its row
-- is the only writer of that venue's lists until commit, so times are in the order of commits and no page loses a row.

create table venue_ticks (
  venue_id uuid not null references venues,
  mode text not null,
  last_at timestamptz not null,
  primary key (venue_id, mode),
  constraint venue_tick_mode_is_known check (mode in ('test', 'live'))
) with (fillfactor = 50);

-- Reserves `p_count` microseconds, none of them handed out before, and gives the first one back.
create function take_ticks(p_venue uuid, p_mode text, p_now timestamptz, p_count integer) returns timestamptz
language sql as $$
  insert into venue_ticks values (p_venue, p_mode, p_now + (p_count - 1) * interval '1 microsecond')
  on conflict (venue_id, mode) do update
    set last_at = greatest(p_now, venue_ticks.last_at + interval '1 microsecond') + (p_count - 1) * interval '1 microsecond'
  returning last_at - (p_count - 1) * interval '1 microsecond'
$$;

create table offerings (
  venue_id uuid not null references venues,
  offering_id uuid not null,
  mode text not null,
  external_id text not null,
  status text not null,
  review_note text,
  content json not null,
  fingerprint bytea not null,
  approved json,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  reviewed_at timestamptz,
  primary key (venue_id, offering_id),
  constraint offering_mode_is_known check (mode in ('test', 'live')),
  constraint offering_status_is_known check (status in ('pending', 'approved', 'rejected')),
  constraint offering_note_goes_with_rejection check ((review_note is not null) = (status = 'rejected')),
  constraint offering_approved_has_a_version check (status <> 'approved' or approved is not null)
);
create unique index offerings_by_external_id on offerings (venue_id, mode, external_id);
create unique index offerings_by_change on offerings (venue_id, mode, changed_at);
create index offerings_by_status on offerings (venue_id, mode, status, changed_at);
create index offerings_waiting on offerings (created_at) where status = 'pending';

create table experiences (
  venue_id uuid not null references venues,
  submission_id uuid not null,
  mode text not null,
  external_id text,
  form text not null,
  status text not null,
  review_note text,
  content json not null,
  experience_id uuid,
  created_at timestamptz not null,
  reviewed_at timestamptz,
  primary key (venue_id, submission_id),
  constraint experience_mode_is_known check (mode in ('test', 'live')),
  constraint experience_form_is_known check (form in ('event', 'legacy_experience')),
  constraint experience_status_is_known check (status in ('pending', 'approved', 'rejected')),
  constraint experience_note_goes_with_rejection check ((review_note is not null) = (status = 'rejected')),
  constraint experience_is_live_once_approved check ((experience_id is not null) = (status = 'approved'))
);
create unique index experiences_by_external_id on experiences (venue_id, mode, external_id) where external_id is not null;
create unique index experiences_by_creation on experiences (venue_id, mode, created_at);
create index experiences_by_status on experiences (venue_id, mode, status, created_at);
create index experiences_waiting on experiences (created_at) where status = 'pending';

create table boats (
  venue_id uuid not null references venues,
  boat_id uuid not null,
  mode text not null,
  external_id text not null,
  status text not null,
  review_note text,
  content json not null,
  extra json,
  fingerprint bytea not null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  reviewed_at timestamptz,
  calendar_url text,
  calendar_due_at timestamptz,
  calendar_checked_at timestamptz,
  calendar_read_at timestamptz,
  calendar_error text,
  calendar_failures integer not null default 0,
  calendar_blocks json,
  calendar_problems json,
  primary key (venue_id, boat_id),
  constraint boat_mode_is_known check (mode in ('test', 'live')),
  constraint boat_status_is_known check (status in ('pending', 'approved', 'rejected', 'inactive')),
  constraint boat_note_goes_with_rejection check ((review_note is not null) = (status = 'rejected')),
  constraint boat_calendar_is_due_when_there_is_one check ((calendar_url is null) = (calendar_due_at is null))
);
create unique index boats_by_external_id on boats (venue_id, mode, external_id);
create unique index boats_by_change on boats (venue_id, mode, changed_at);
create index boats_by_status on boats (venue_id, mode, status, changed_at);
create index boats_waiting on boats (created_at) where status = 'pending';
create index boats_with_calendar_due on boats (calendar_due_at) where calendar_due_at is not null;

-- From a bare id to its venue, for whoever reviews.
create table review_routes (
  object_id uuid primary key,
  kind text not null,
  venue_id uuid not null,
  constraint review_kind_is_known check (kind in ('offering', 'experience', 'boat'))
);

-- The event log: one row for each change, in the transaction of the change, counted up for each subject.
create table events (
  venue_id uuid not null references venues,
  event_id text not null,
  mode text not null,
  type text not null,
  subject text not null,
  sequence integer not null,
  data json not null,
  created_at timestamptz not null,
  primary key (venue_id, event_id),
  constraint event_mode_is_known check (mode in ('test', 'live'))
);
create unique index events_by_subject on events (venue_id, subject, sequence);
create unique index events_by_time on events (venue_id, mode, created_at);
create trigger events_are_append_only before update or delete on events
  for each row execute function refuse_change();
create trigger events_are_never_emptied before truncate on events
  for each statement execute function refuse_change();
