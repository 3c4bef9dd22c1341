-- The sum of all migrations, for reading: what the database looks like now. A test proves that it is.

-- One row for the whole installation: proves at start that ENCRYPTION_KEY is the one this database was written with.
create table installation (
  only_row boolean primary key default true,
  key_proof bytea not null,
  created_at timestamptz not null,
  constraint installation_has_one_row check (only_row)
);

create table venues (
  venue_id uuid primary key,
  name text not null,
  origins text[] not null default '{}',
  fee_bps integer not null default 0,
  fee_fixed integer not null default 0,
  linked_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null,
  constraint venue_name_has_1_to_120_characters check (char_length(name) between 1 and 120),
  constraint venue_has_at_most_50_origins check (cardinality(origins) <= 50),
  constraint venue_fee_is_a_share_of_the_amount check (fee_bps between 0 and 10000),
  constraint venue_fixed_fee_is_not_negative check (fee_fixed between 0 and 99999999)
);

create table keys (
  venue_id uuid not null references venues,
  key_id text not null,
  kind text not null,
  mode text not null,
  hint text not null,
  scopes text[] not null,
  writes_per_hour integer not null,
  reads_per_hour integer not null,
  allow_ips text[],
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null,
  primary key (venue_id, key_id),
  constraint key_kind_is_known check (kind in ('secret', 'publishable')),
  constraint key_mode_is_known check (mode in ('test', 'live')),
  constraint key_limits_are_positive check (writes_per_hour > 0 and reads_per_hour > 0)
);

-- From a key's hash to its venue: the one look-up that every request makes.
create table key_routes (
  key_hash bytea primary key,
  venue_id uuid not null,
  key_id text not null,
  constraint key_hash_is_sha256 check (octet_length(key_hash) = 32)
);
create unique index key_routes_by_key on key_routes (key_id);

create table audit_log (
  venue_id uuid not null references venues,
  audit_id uuid not null,
  at timestamptz not null,
  actor text not null,
  via text not null,
  address text,
  request_id text,
  action text not null,
  subject text not null,
  detail jsonb not null default '{}',
  primary key (venue_id, audit_id)
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

create trigger audit_log_is_append_only before update or delete on audit_log
  for each row execute function refuse_change();
create trigger audit_log_is_never_emptied before truncate on audit_log
  for each statement execute function refuse_change();

-- The rolling hour. limit_windows has one row for each subject (a key's reads, a key's writes, an address, …): the lock
-- and the running total. limit_calls has one row for each batch of calls let through, with the total after it, so that
-- the calls of the last hour are (total now) less (total before the oldest row inside the hour): two index probes,
-- however many calls there were. Unlogged: an answer never waits for a disk flush; after a crash the counts start anew.
create unlogged table limit_windows (
  subject text primary key,
  total bigint not null,
  last_at timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

create unlogged table limit_calls (
  subject text not null,
  at timestamptz not null,
  calls integer not null,
  total bigint not null,
  primary key (subject, at)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index limit_calls_by_age on limit_calls using brin (at);

-- Lets through as many of `wanted` calls as the last hour still has room for. Exact: the window's row is locked, and
-- the clock is read after that, once for everybody, here. A call made at T counts until T + 1 hour, to the microsecond.
-- Should the clock step back, calls go on from the last one counted, and `asked_at` tells the real time to wait from.
create function take_calls(
  p_subject text, p_limit integer, p_wanted integer,
  out granted integer, out remaining integer, out reset_at timestamptz, out retry_at timestamptz, out asked_at timestamptz
) language plpgsql set lock_timeout = '3s' set plan_cache_mode = force_generic_plan as $$
declare
  v_total bigint;
  v_last timestamptz;
  v_at timestamptz;
  v_cutoff timestamptz;
  v_oldest timestamptz;
  v_before bigint;
begin
  select total, last_at into v_total, v_last from limit_windows where subject = p_subject for update;
  if not found then
    insert into limit_windows values (p_subject, 0, '-infinity') on conflict do nothing;
    select total, last_at into v_total, v_last from limit_windows where subject = p_subject for update;
  end if;
  asked_at := clock_timestamp();
  v_at := greatest(asked_at, v_last + interval '1 microsecond');
  v_cutoff := v_at - interval '1 hour';
  select c.at, c.total - c.calls into v_oldest, v_before
    from limit_calls c where c.subject = p_subject and c.at > v_cutoff order by c.at limit 1;
  remaining := greatest(p_limit - (v_total - coalesce(v_before, v_total)), 0);
  granted := least(p_wanted, remaining);
  remaining := remaining - granted;
  if granted > 0 then
    insert into limit_calls values (p_subject, v_at, granted, v_total + granted);
    update limit_windows set total = v_total + granted, last_at = v_at where subject = p_subject;
    -- Now and then the calls that have left the hour are swept up here; the worker sweeps up the rest.
    if (v_total + granted) / 64 <> v_total / 64 then
      delete from limit_calls where ctid = any(array(
        select d.ctid from limit_calls d where d.subject = p_subject and d.at <= v_cutoff order by d.at limit 256));
    end if;
  end if;
  reset_at := coalesce(v_oldest, case when granted > 0 then v_at end) + interval '1 hour';
  if granted < p_wanted then
    select c.at + interval '1 hour' into retry_at from limit_calls c
      where c.subject = p_subject and c.at > v_cutoff and c.total > v_total + granted - p_limit order by c.at limit 1;
  end if;
end $$;

-- Who is calling, and may they: one round trip for the keys, their venues and their hours, for as many keys as are waiting
-- at the same moment. Only a secret key has an hour of its own; whoever else comes is counted by take_all. Keys are taken
-- in one order, so that two servers cannot wait for each other.
create function admit(p_hashes bytea[], p_effects text[], p_wanted integer[]) returns table (
  place integer, venue_id uuid, venue_name text, venue_linked boolean, venue_origins text[],
  key_id text, kind text, mode text, scopes text[], allow_ips text[],
  writes_per_hour integer, reads_per_hour integer, created_at timestamptz, expires_at timestamptz,
  call_limit integer, granted integer, remaining integer,
  reset_at timestamptz, retry_at timestamptz, asked_at timestamptz
) language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  c record;
begin
  for c in
    select n.place, n.effect, n.wanted, k.*
    from unnest(p_hashes, p_effects, p_wanted) with ordinality as n(hash, effect, wanted, place)
    left join lateral (
      select v.venue_id, v.name, v.linked_at is not null as linked, v.origins, k.key_id, k.kind, k.mode, k.scopes,
        k.allow_ips, k.writes_per_hour, k.reads_per_hour, k.created_at, k.expires_at
      from key_routes r
      join keys k on k.venue_id = r.venue_id and k.key_id = r.key_id
      join venues v on v.venue_id = r.venue_id
      where r.key_hash = n.hash and k.revoked_at is null and v.revoked_at is null
        and (k.expires_at is null or k.expires_at > clock_timestamp())
      limit 1) k on true
    order by k.key_id, n.effect
  loop
    place := c.place; venue_id := c.venue_id; venue_name := c.name; venue_linked := c.linked; venue_origins := c.origins;
    key_id := c.key_id; kind := c.kind; mode := c.mode; scopes := c.scopes; allow_ips := c.allow_ips;
    writes_per_hour := c.writes_per_hour; reads_per_hour := c.reads_per_hour;
    created_at := c.created_at; expires_at := c.expires_at;
    call_limit := null; granted := null; remaining := null; reset_at := null; retry_at := null; asked_at := null;
    if c.kind = 'secret' then
      call_limit := case c.effect when 'read' then c.reads_per_hour else c.writes_per_hour end;
      select t.granted, t.remaining, t.reset_at, t.retry_at, t.asked_at into granted, remaining, reset_at, retry_at, asked_at
        from take_calls('key ' || c.key_id || ' ' || c.effect, call_limit, c.wanted) t;
    end if;
    return next;
  end loop;
end $$;

-- The same for subjects without a key of their own hour: addresses, and publishable keys at an address.
create function take_all(p_subjects text[], p_limit integer, p_wanted integer[]) returns table (
  place integer, granted integer, remaining integer, reset_at timestamptz, retry_at timestamptz, asked_at timestamptz
) language sql as $$
  select n.place::integer, t.granted, t.remaining, t.reset_at, t.retry_at, t.asked_at
  from (select * from unnest(p_subjects, p_wanted) with ordinality as u(subject, wanted, place) order by subject) n
  cross join lateral take_calls(n.subject, p_limit, n.wanted) t
$$;

-- A header key and the first answer to it, kept 30 days, written in the transaction of the effect. The answer is sealed.
create table idempotency_keys (
  venue_id uuid not null references venues,
  mode text not null,
  idempotency_key text not null,
  fingerprint bytea not null,
  status smallint not null,
  answer bytea not null,
  created_at timestamptz not null,
  primary key (venue_id, mode, idempotency_key),
  constraint idempotency_mode_is_known check (mode in ('test', 'live')),
  constraint idempotency_key_has_1_to_255_characters check (char_length(idempotency_key) between 1 and 255)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

create table webhook_endpoints (
  venue_id uuid not null references venues,
  endpoint_id text not null,
  mode text not null,
  url text not null,
  events text[] not null,
  secret bytea not null,
  created_at timestamptz not null,
  primary key (venue_id, endpoint_id),
  constraint webhook_endpoint_mode_is_known check (mode in ('test', 'live')),
  constraint webhook_endpoint_url_is_https check (url like 'https://%'),
  constraint webhook_endpoint_has_events check (cardinality(events) between 1 and 20)
);


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
