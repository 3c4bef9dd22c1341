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
) language plpgsql as $$
declare
  v_total bigint;
  v_last timestamptz;
  v_at timestamptz;
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
  select c.at, c.total - c.calls into v_oldest, v_before
    from limit_calls c where c.subject = p_subject and c.at > v_at - interval '1 hour' order by c.at limit 1;
  remaining := greatest(p_limit - (v_total - coalesce(v_before, v_total)), 0);
  granted := least(p_wanted, remaining);
  remaining := remaining - granted;
  if granted > 0 then
    with counted as (update limit_windows set total = v_total + granted, last_at = v_at where subject = p_subject)
    insert into limit_calls values (p_subject, v_at, granted, v_total + granted);
    -- Now and then the calls that have left the hour are swept up here; the worker sweeps up the rest.
    if (v_total + granted) / (64 * granted) <> v_total / (64 * granted) then
      delete from limit_calls c where c.subject = p_subject and c.at <= (
        select max(o.at) from (
          select s.at from limit_calls s where s.subject = p_subject and s.at <= v_at - interval '1 hour'
          order by s.at limit 256) o);
    end if;
  end if;
  reset_at := coalesce(v_oldest, case when granted > 0 then v_at end) + interval '1 hour';
  if granted < p_wanted then
    select c.at + interval '1 hour' into retry_at from limit_calls c
      where c.subject = p_subject and c.at > v_at - interval '1 hour' and c.total > v_total + granted - p_limit
      order by c.at limit 1;
  end if;
end $$;

-- Who is calling, and may they: one round trip for the keys, their venues and their hours, for as many keys as are waiting
-- at the same moment. Only a secret key has an hour of its own; whoever else comes is counted by take_all. Keys are taken
-- in one order, so that two servers cannot wait for each other. Whoever is let in to read a checkout (p_sights, with the time
-- by which it is overdue) is shown it at once: of the key's own venue and mode, as it is after the call came.
create function admit(
  p_hashes bytea[], p_effects text[], p_wanted integer[], p_sights text[] default null, p_now timestamptz default null
) returns table (
  place integer, venue_id uuid, venue_name text, venue_linked boolean, venue_origins text[],
  key_id text, kind text, mode text, scopes text[], allow_ips text[],
  writes_per_hour integer, reads_per_hour integer, created_at timestamptz, expires_at timestamptz,
  call_limit integer, granted integer, remaining integer,
  reset_at timestamptz, retry_at timestamptz, asked_at timestamptz, sight text, overdue boolean
) language plpgsql set lock_timeout = '3s' set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_order integer[] := '{1}';
  v_hash bytea;
  v_taken record;
begin
  if cardinality(p_hashes) > 1 then
    select array_agg(n.place order by n.hash, n.effect, n.place) into v_order
      from unnest(p_hashes, p_effects) with ordinality as n(hash, effect, place);
  end if;
  foreach place in array v_order loop
    v_hash := p_hashes[place];
    select v.venue_id, v.name, v.linked_at is not null, v.origins, k.key_id, k.kind, k.mode, k.scopes,
        k.allow_ips, k.writes_per_hour, k.reads_per_hour, k.created_at, k.expires_at
      into venue_id, venue_name, venue_linked, venue_origins, key_id, kind, mode, scopes,
        allow_ips, writes_per_hour, reads_per_hour, created_at, expires_at
      from key_routes r
      cross join lateral (select * from keys k where k.venue_id = r.venue_id and k.key_id = r.key_id offset 0) k
      cross join lateral (select * from venues v where v.venue_id = r.venue_id offset 0) v
      where r.key_hash = v_hash and k.revoked_at is null and v.revoked_at is null
        and (k.expires_at is null or k.expires_at > clock_timestamp());
    if kind = 'secret' then
      call_limit := case p_effects[place] when 'read' then reads_per_hour else writes_per_hour end;
      v_taken := take_calls('key ' || key_id || ' ' || p_effects[place], call_limit, p_wanted[place]);
      granted := v_taken.granted; remaining := v_taken.remaining; reset_at := v_taken.reset_at;
      retry_at := v_taken.retry_at; asked_at := v_taken.asked_at;
    else
      call_limit := null; granted := null; remaining := null; reset_at := null; retry_at := null; asked_at := null;
    end if;
    if p_sights is not null then
      -- Nothing is found for whoever asks for nothing, is not let in, or asks for what is another's.
      select checkout_view(c)::text, c.status in ('open', 'collecting') and c.expires_at <= p_now into sight, overdue
        from checkouts c
        where c.venue_id = admit.venue_id and c.checkout_id = p_sights[admit.place] and c.mode = admit.mode
          and admit.granted > 0;
    end if;
    return next;
  end loop;
end $$;

-- The same for subjects without a key of their own hour: addresses, and publishable keys at an address.
create function take_all(p_subjects text[], p_limit integer, p_wanted integer[]) returns table (
  place integer, granted integer, remaining integer, reset_at timestamptz, retry_at timestamptz, asked_at timestamptz
) language sql set lock_timeout = '3s' set plan_cache_mode = force_generic_plan as $$
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
  answer bytea,
  created_at timestamptz not null,
  -- A create that goes through create_checkout() keeps no copy of its answer: the event of the creation has it.
  refers_to text,
  primary key (venue_id, mode, idempotency_key),
  constraint idempotency_answer_is_kept_once check ((answer is null) <> (refers_to is null)),
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
  status text not null default 'active',
  disabled_at timestamptz,
  disabled_reason text,
  -- For 24 hours after a rotation the old secret signs beside the new one; newest first, each with its own end.
  earlier_secrets bytea[] not null default '{}',
  earlier_until timestamptz[] not null default '{}',
  primary key (venue_id, endpoint_id),
  constraint webhook_endpoint_mode_is_known check (mode in ('test', 'live')),
  constraint webhook_endpoint_url_is_https check (url like 'https://%'),
  constraint webhook_endpoint_has_events check (cardinality(events) between 1 and 20),
  constraint webhook_endpoint_status_is_known check (status in ('active', 'disabled')),
  constraint webhook_endpoint_disabled_has_a_reason
    check ((status = 'disabled') = (disabled_at is not null) and (disabled_at is null) = (disabled_reason is null)),
  constraint webhook_endpoint_earlier_secrets_end
    check (cardinality(earlier_secrets) = cardinality(earlier_until) and cardinality(earlier_secrets) <= 4)
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

-- The money: checkouts and their shares, card holds, refunds and payouts, the ledger, and what the processor told us.
-- Status moves are data (state_moves) and held by triggers; amounts never change; a party adds up at every commit; ledger
-- entries are pairs of accounts with one amount, so they cannot be unbalanced, and are never changed.

-- The same tables of moves stand in the program; a test proves that both agree. '' is "not there yet".
create table state_moves (
  machine text not null,
  from_status text not null,
  to_status text not null,
  primary key (machine, from_status, to_status)
);
insert into state_moves values
  ('checkout', '', 'open'),
  ('checkout', 'open', 'collecting'),
  ('checkout', 'open', 'expired'),
  ('checkout', 'open', 'canceled'),
  ('checkout', 'collecting', 'funded'),
  ('checkout', 'collecting', 'expired'),
  ('checkout', 'collecting', 'canceled'),
  ('checkout', 'funded', 'collecting'),
  ('checkout', 'funded', 'completed'),
  ('checkout', 'funded', 'canceled'),
  ('share', '', 'invited'),
  ('share', 'invited', 'held'),
  ('share', 'invited', 'failed'),
  ('share', 'failed', 'held'),
  ('share', 'held', 'captured'),
  ('share', 'held', 'released'),
  ('share', 'held', 'failed'),
  ('share', 'captured', 'refunded'),
  ('hold', '', 'asked'),
  ('hold', 'asked', 'open'),
  ('hold', 'asked', 'held'),
  ('hold', 'asked', 'releasing'),
  ('hold', 'asked', 'gone'),
  ('hold', 'open', 'held'),
  ('hold', 'open', 'releasing'),
  ('hold', 'open', 'gone'),
  ('hold', 'held', 'capturing'),
  ('hold', 'held', 'releasing'),
  ('hold', 'held', 'gone'),
  ('hold', 'capturing', 'captured'),
  ('hold', 'capturing', 'releasing'),
  ('hold', 'releasing', 'released'),
  ('hold', 'releasing', 'captured'),
  ('hold', 'releasing', 'returned'),
  ('movement', '', 'waiting'),
  ('movement', 'waiting', 'sending'),
  ('movement', 'waiting', 'dropped'),
  ('movement', 'sending', 'done'),
  ('movement', 'sending', 'failed'),
  ('movement', 'failed', 'waiting'),
  ('movement', 'failed', 'dropped');

create function keep_to_the_moves() returns trigger language plpgsql as $$
declare
  v_from text := case tg_op when 'INSERT' then '' else old.status end;
begin
  if v_from is distinct from new.status and not exists (
    select 1 from state_moves where machine = tg_argv[0] and from_status = v_from and to_status = new.status
  ) then
    raise exception 'a % cannot move from "%" to "%"', tg_argv[0], v_from, new.status using errcode = 'check_violation';
  end if;
  return new;
end $$;

create function keep_as_it_was() returns trigger language plpgsql as $$
begin
  raise exception 'amounts, currency and mode of % never change', tg_table_name using errcode = 'restrict_violation';
end $$;

create function keep_the_books() returns trigger language plpgsql as $$
begin
  raise exception 'what is in % is never deleted', tg_table_name using errcode = 'restrict_violation';
end $$;

create table checkouts (
  venue_id uuid not null references venues,
  checkout_id text not null,
  mode text not null,
  status text not null,
  amount integer not null,
  currency text not null,
  fee_amount integer not null,
  refunded_amount integer not null default 0,
  party_size smallint not null,
  pay_by timestamptz not null,
  -- When pay_by comes on the wall clock: pay_by itself, unless a test helper has moved this checkout's own clock ahead.
  expires_at timestamptz not null,
  clock_ahead interval not null default '0',
  description text not null,
  external_booking_id text not null,
  offering_external_id text,
  url text not null,
  return_url text not null,
  cancel_url text,
  metadata json not null,
  fingerprint bytea not null,
  organizer_id uuid,
  cancellation_reason text,
  -- Funded: when the captures are looked at next, and how often that was begun (whoever began an earlier turn is late).
  work_at timestamptz,
  turn integer not null default 0,
  created_at timestamptz not null,
  completed_at timestamptz,
  -- When its guests are told something next: -infinity at once, infinity not by itself, null: there is nobody to tell.
  tell_at timestamptz,
  primary key (venue_id, checkout_id),
  constraint checkout_mode_is_known check (mode in ('test', 'live')),
  constraint checkout_status_is_known check (
    status in ('open', 'collecting', 'funded', 'completed', 'expired', 'canceled')),
  constraint checkout_amount_is_a_charge check (amount between 100 and 99999999),
  constraint checkout_fee_is_within_the_amount check (fee_amount between 0 and amount),
  constraint checkout_refund_is_within_the_amount check (refunded_amount between 0 and amount),
  constraint checkout_refund_needs_an_end check (refunded_amount = 0 or status in ('completed', 'canceled')),
  constraint checkout_completed_has_a_time check ((completed_at is not null) = (status = 'completed')),
  constraint checkout_reason_goes_with_canceled check (cancellation_reason is null or status = 'canceled'),
  constraint checkout_party_has_an_organizer check (
    organizer_id is not null or status in ('open', 'expired', 'canceled')),
  constraint checkout_funded_is_due check ((work_at is not null) = (status = 'funded')),
  constraint checkout_clock_moves_in_test_mode_only check (mode = 'test' or clock_ahead = '0')
) with (fillfactor = 85);
create unique index checkouts_by_booking on checkouts (venue_id, mode, external_booking_id)
  where status not in ('expired', 'canceled');
create unique index checkouts_by_creation on checkouts (venue_id, mode, created_at);
create index checkouts_by_status on checkouts (venue_id, mode, status, created_at);
create index checkouts_to_expire on checkouts (expires_at, venue_id) where status in ('open', 'collecting');
create index checkouts_to_tell on checkouts (tell_at) where tell_at < 'infinity';
create index checkouts_to_capture on checkouts (work_at) where status = 'funded';
create trigger checkout_keeps_to_the_moves before insert or update of status on checkouts
  for each row execute function keep_to_the_moves('checkout');
create trigger checkouts_are_never_deleted before delete or truncate on checkouts
  for each statement execute function keep_the_books();
create trigger checkout_keeps_its_amount before update of amount, currency, fee_amount, mode on checkouts
  for each row execute function keep_as_it_was();

-- From a bare checkout or share id to its venue, for guests, who have no key.
create table checkout_routes (
  id text primary key,
  venue_id uuid not null
);

create table shares (
  venue_id uuid not null,
  share_id text not null,
  checkout_id text not null,
  place smallint not null,
  amount integer not null,
  status text not null,
  is_organizer boolean not null,
  member_id uuid not null,
  display_name text,
  refunded_amount integer not null default 0,
  invited_at timestamptz not null,
  held_at timestamptz,
  -- The organizer chose the party again without it: kept for the books, no part of the party.
  dropped_at timestamptz,
  -- When the hold of this share was lost last, and up to when its person was reminded (by the checkout's own clock).
  lost_at timestamptz,
  reminded_at timestamptz,
  primary key (venue_id, share_id),
  foreign key (venue_id, checkout_id) references checkouts,
  constraint share_status_is_known check (status in ('invited', 'held', 'captured', 'released', 'refunded', 'failed')),
  constraint share_amount_is_nothing_or_a_charge check (amount = 0 or amount between 50 and 99999999),
  constraint share_refund_is_within_the_amount check (refunded_amount between 0 and amount),
  constraint share_held_has_a_time check (held_at is not null or status in ('invited', 'failed')),
  constraint share_dropped_is_not_held check (dropped_at is null or status not in ('held', 'captured', 'refunded'))
) with (fillfactor = 85);
create index shares_by_checkout on shares (venue_id, checkout_id, place) where dropped_at is null;
create unique index shares_by_member on shares (venue_id, checkout_id, member_id) where dropped_at is null;
create trigger share_keeps_to_the_moves before insert or update of status on shares
  for each row execute function keep_to_the_moves('share');
create trigger shares_are_never_deleted before delete or truncate on shares
  for each statement execute function keep_the_books();
create trigger share_keeps_its_amount before update of amount on shares
  for each row execute function keep_as_it_was();

-- Judged at commit: a party adds up to the amount, a terminal checkout holds nobody's card, a completed one has them all.
create function party_adds_up() returns trigger language plpgsql as $$
declare
  v_status text;
  v_amount integer;
  v_sum bigint;
  v_count integer;
  v_held integer;
  v_kept integer;
begin
  select c.status, c.amount into v_status, v_amount
    from checkouts c where c.venue_id = new.venue_id and c.checkout_id = new.checkout_id;
  select count(*), coalesce(sum(s.amount), 0), count(*) filter (where s.status = 'held'),
      count(*) filter (where s.status in ('captured', 'refunded'))
    into v_count, v_sum, v_held, v_kept
    from shares s where s.venue_id = new.venue_id and s.checkout_id = new.checkout_id and s.dropped_at is null;
  if v_sum <> v_amount and not (v_count = 0 and v_status in ('open', 'expired', 'canceled')) then
    raise exception 'the shares of % add up to %, not to %', new.checkout_id, v_sum, v_amount
      using errcode = 'check_violation';
  end if;
  if v_status in ('completed', 'expired', 'canceled') and v_held > 0 then
    raise exception '% is % and still holds a card', new.checkout_id, v_status using errcode = 'check_violation';
  end if;
  if v_status = 'completed' and v_kept <> v_count then
    raise exception '% is completed and a share is not captured', new.checkout_id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger party_adds_up after insert or update of dropped_at on shares
  deferrable initially deferred for each row execute function party_adds_up();
create constraint trigger party_adds_up after update of status on checkouts
  deferrable initially deferred for each row execute function party_adds_up();

-- A hold is one payment intent at the processor. `asked`: we have decided to make it, and whether it was made is not known
-- yet. `capturing` and `releasing` are decisions in the same way. due_at is when it is looked at next.
create table holds (
  venue_id uuid not null,
  hold_id uuid not null,
  checkout_id text not null,
  share_id text not null,
  mode text not null,
  status text not null,
  amount integer not null,
  currency text not null,
  -- The hold that this one takes the place of before it lapses.
  renews uuid,
  keeps_card boolean not null,
  intent_id text,
  client_secret bytea,
  customer_id text,
  payment_method_id text,
  charge_id text,
  held_at timestamptz,
  capture_before timestamptz,
  refusal text,
  -- How often the processor answered "not now" to a capture: it keeps such an answer under its key, so each has its own.
  capture_tries smallint not null default 0,
  due_at timestamptz,
  turn integer not null default 0,
  created_at timestamptz not null,
  -- Who asked for the hold, and so pays it; null: the share's own person, or a test helper.
  payer_id uuid,
  primary key (venue_id, hold_id),
  foreign key (venue_id, share_id) references shares,
  constraint hold_mode_is_known check (mode in ('test', 'live')),
  constraint hold_status_is_known check (
    status in ('asked', 'open', 'held', 'capturing', 'captured', 'releasing', 'released', 'returned', 'gone')),
  constraint hold_amount_is_a_charge check (amount between 50 and 99999999),
  constraint hold_is_known_to_the_processor check (
    intent_id is not null or status in ('asked', 'releasing', 'released', 'gone')),
  constraint hold_taken_has_a_charge check (charge_id is not null or status not in ('held', 'capturing', 'captured')),
  constraint hold_decided_is_due check (due_at is not null or status not in ('asked', 'releasing'))
) with (fillfactor = 80);
create unique index holds_one_for_a_share on holds (venue_id, share_id)
  where renews is null and status in ('asked', 'open', 'held', 'capturing', 'captured');
create unique index holds_one_renewal_of_each on holds (venue_id, renews)
  where renews is not null and status in ('asked', 'open', 'held', 'capturing', 'captured');
create index holds_by_checkout on holds (venue_id, checkout_id);
create index holds_due on holds (due_at) where due_at is not null;
create trigger hold_keeps_to_the_moves before insert or update of status on holds
  for each row execute function keep_to_the_moves('hold');
create trigger holds_are_never_deleted before delete or truncate on holds
  for each statement execute function keep_the_books();
create trigger hold_keeps_its_amount before update of amount, currency, mode on holds
  for each row execute function keep_as_it_was();

-- Money that goes from us to somebody: a refund to a guest (a return, when the booking never became complete), a transfer
-- to the venue, a transfer taken back. `sending`: it
-- may have happened; the same call with the same key finds out. What a waiting transfer carries may still get smaller.
create table movements (
  venue_id uuid not null,
  movement_id uuid not null,
  kind text not null,
  mode text not null,
  checkout_id text not null,
  share_id text not null,
  hold_id uuid not null,
  status text not null,
  amount integer not null,
  -- Of a refund: how much of it comes out of our fee. Of a reversal: which transfer it takes back.
  fee_part integer not null default 0,
  takes_back uuid,
  currency text not null,
  reason text,
  processor_id text,
  trouble text,
  -- How often the processor said no: nothing was done then, and the next try takes another key.
  refusals smallint not null default 0,
  due_at timestamptz,
  turn integer not null default 0,
  created_at timestamptz not null,
  done_at timestamptz,
  primary key (venue_id, movement_id),
  foreign key (venue_id, hold_id) references holds,
  constraint movement_kind_is_known check (kind in ('refund', 'return', 'transfer', 'reversal')),
  constraint movement_mode_is_known check (mode in ('test', 'live')),
  constraint movement_status_is_known check (status in ('waiting', 'sending', 'done', 'failed', 'dropped')),
  constraint movement_amount_is_positive check (amount > 0 or (amount = 0 and status = 'dropped')),
  constraint movement_fee_part_is_within check (fee_part between 0 and amount),
  constraint movement_reversal_names_its_transfer check ((takes_back is not null) = (kind = 'reversal')),
  constraint movement_open_is_due check ((due_at is not null) = (status in ('waiting', 'sending'))),
  constraint movement_done_has_a_time check ((done_at is not null) = (status = 'done'))
) with (fillfactor = 80);
create unique index movements_one_transfer_for_a_share on movements (venue_id, hold_id) where kind = 'transfer';
create index movements_by_checkout on movements (venue_id, checkout_id);
create index movements_by_hold on movements (venue_id, hold_id);
create index movements_to_look_at on movements (mode, movement_id) where status in ('sending', 'failed');
create index movements_due on movements (due_at) where due_at is not null;
create trigger movements_are_never_deleted before delete or truncate on movements
  for each statement execute function keep_the_books();
create trigger movement_keeps_to_the_moves before insert or update of status on movements
  for each row execute function keep_to_the_moves('movement');

-- What a venue is paid for one completed checkout; its transfers are movements. Paged by created_at, which is unique.
create table payouts (
  venue_id uuid not null,
  payout_id uuid not null,
  mode text not null,
  checkout_id text not null,
  amount integer not null,
  fee_amount integer not null,
  currency text not null,
  created_at timestamptz not null,
  primary key (venue_id, payout_id),
  foreign key (venue_id, checkout_id) references checkouts,
  constraint payout_mode_is_known check (mode in ('test', 'live')),
  constraint payout_amounts_are_not_negative check (amount >= 0 and fee_amount >= 0)
);
create unique index payouts_one_for_a_checkout on payouts (venue_id, checkout_id);
create unique index payouts_by_time on payouts (venue_id, mode, created_at);

create function open_payout(p_venue uuid, p_checkout text, p_payout uuid, p_at timestamptz) returns void
language plpgsql as $$
begin
  loop
    insert into payouts (venue_id, payout_id, mode, checkout_id, amount, fee_amount, currency, created_at)
      select c.venue_id, p_payout, c.mode, c.checkout_id, c.amount - c.fee_amount, c.fee_amount, c.currency, p_at
      from checkouts c where c.venue_id = p_venue and c.checkout_id = p_checkout
      on conflict (venue_id, mode, created_at) do nothing;
    exit when found;
    select max(o.created_at) + interval '1 microsecond' into p_at
      from payouts o join checkouts c on c.venue_id = o.venue_id and c.checkout_id = p_checkout
      where o.venue_id = p_venue and o.mode = c.mode;
  end loop;
end $$;

-- Where a venue's money is sent, for each mode.
create table payout_accounts (
  venue_id uuid not null references venues,
  mode text not null,
  account_id text not null,
  payouts_enabled boolean not null,
  created_at timestamptz not null,
  primary key (venue_id, mode),
  constraint payout_account_mode_is_known check (mode in ('test', 'live'))
);

create table disputes (
  venue_id uuid not null,
  dispute_id text not null,
  mode text not null,
  checkout_id text not null,
  share_id text not null,
  hold_id uuid not null,
  amount integer not null,
  currency text not null,
  status text not null,
  reason text not null,
  -- Whether the processor took the money back, and whether it gave it to us again: told in any order.
  withdrawn boolean not null default false,
  reinstated boolean not null default false,
  opened_at timestamptz not null,
  changed_at timestamptz not null,
  primary key (venue_id, dispute_id),
  foreign key (venue_id, hold_id) references holds,
  constraint dispute_mode_is_known check (mode in ('test', 'live')),
  constraint dispute_amount_is_not_negative check (amount >= 0)
);
create index disputes_by_checkout on disputes (venue_id, checkout_id);

-- What the processor told us that needs asking back before we know whose it is.
create table processor_notices (
  notice_id text primary key,
  mode text not null,
  about json not null,
  due_at timestamptz,
  turn integer not null default 0,
  received_at timestamptz not null
);
create index processor_notices_due on processor_notices (due_at) where due_at is not null;
create index processor_notices_by_age on processor_notices (received_at);

-- The chart of accounts is data here and in the program; a test proves that both agree.
create table ledger_accounts (
  account text primary key,
  side text not null,
  meaning text not null,
  constraint ledger_side_is_known check (side in ('debit', 'credit'))
);
insert into ledger_accounts values
  ('processor_balance', 'debit', 'what the processor keeps for us'),
  ('guest_funds', 'credit', 'captured from guests, for a booking that is not complete yet'),
  ('venue_payable', 'credit', 'what we owe a venue; below zero, what it owes us until a transfer is taken back'),
  ('fee_income', 'credit', 'our fee'),
  ('disputed_funds', 'debit', 'what the processor took back because a guest disputed a charge');

create table ledger_entries (
  venue_id uuid not null references venues,
  kind text not null,
  subject text not null,
  mode text not null,
  checkout_id text not null,
  debit text not null,
  credit text not null,
  amount integer not null,
  currency text not null,
  at timestamptz not null,
  primary key (venue_id, kind, subject),
  constraint ledger_entry_is_between_the_accounts_of_its_kind check ((kind, debit, credit) in (
    ('capture', 'processor_balance', 'guest_funds'), ('earning', 'guest_funds', 'venue_payable'),
    ('fee', 'guest_funds', 'fee_income'), ('transfer', 'venue_payable', 'processor_balance'),
    ('reversal', 'processor_balance', 'venue_payable'), ('refund', 'venue_payable', 'processor_balance'),
    ('fee_return', 'fee_income', 'processor_balance'), ('return', 'guest_funds', 'processor_balance'),
    ('dispute', 'disputed_funds', 'processor_balance'), ('dispute_won', 'processor_balance', 'disputed_funds'))),
  constraint ledger_entry_moves_something check (amount > 0 and debit <> credit)
);
create index ledger_entries_by_checkout on ledger_entries (venue_id, checkout_id);
create trigger ledger_entries_are_append_only before update or delete on ledger_entries
  for each row execute function refuse_change();
create trigger ledger_entries_are_never_emptied before truncate on ledger_entries
  for each statement execute function refuse_change();

-- A time in UTC, its fraction without trailing zeros.
create function utc_text(p_at timestamptz) returns text language sql stable parallel safe as $$
  select rtrim(rtrim(to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z'
$$;

-- The same with all six digits, for times that lists are ordered by: as text they are in the same order.
create function utc_micros(p_at timestamptz) returns text language sql stable parallel safe as $$
  select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

-- The checkout as its partner sees it: the one place that says so, for answers, lists and events. In PL/pgSQL, whose plans
-- are kept: as one SQL function it cost nearly three times as much.
create function checkout_view(c checkouts) returns json language plpgsql stable as $$
declare
  v_venue json;
  v_shares json := '[]';
  v_funded bigint := 0;
  v_disputes json := '[]';
begin
  select row_to_json(w) into v_venue from (
    select case when v.linked_at is null then null else v.venue_id end as id, v.name
    from venues v where v.venue_id = c.venue_id) w;
  if c.status <> 'open' then
    select coalesce(array_to_json(array_agg(row_to_json(r) order by p.place)), '[]'),
        coalesce(sum(p.amount) filter (where p.status in ('held', 'captured', 'refunded')), 0)
      into v_shares, v_funded
      from shares p cross join lateral (
        select p.share_id as id, p.amount, p.status, p.is_organizer, coalesce(p.display_name, member_name(p.member_id)) as display_name,
          utc_text(p.held_at) as held_at, p.refunded_amount) r
      where p.venue_id = c.venue_id and p.checkout_id = c.checkout_id and p.dropped_at is null;
  end if;
  if c.status = 'completed' or c.cancellation_reason is not null then
    select coalesce(array_to_json(array_agg(row_to_json(d) order by d.opened_at, d.id)), '[]') into v_disputes from (
      select d.dispute_id as id, d.share_id, d.amount, d.status, d.reason, utc_text(d.opened_at) as opened_at
      from disputes d where d.venue_id = c.venue_id and d.checkout_id = c.checkout_id) d;
  end if;
  return row_to_json(o) from (
    select c.checkout_id as id, 'checkout' as object, c.mode, c.status, c.amount, c.currency, c.party_size,
      utc_text(c.pay_by) as pay_by, c.description, v_venue as venue, c.external_booking_id, c.offering_external_id,
      c.url, c.return_url, c.cancel_url, v_shares as shares, v_funded as funded_amount, c.refunded_amount, c.fee_amount,
      c.amount - c.fee_amount as net_amount, c.cancellation_reason, v_disputes as disputes,
      utc_micros(c.created_at) as created_at, utc_micros(c.completed_at) as completed_at, c.metadata) o;
end $$;

-- Writes an event at p_at, or, when that microsecond is taken, right after the newest. Sequences count up for each subject without a gap:
-- the caller holds the subject's row, or has just made it.
create function record_event(
  p_venue uuid, p_event text, p_mode text, p_type text, p_subject text, p_data json, p_at timestamptz
) returns void language plpgsql as $$
begin
  loop
    insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
      select p_venue, p_event, p_mode, p_type, p_subject, coalesce(max(e.sequence), 0) + 1, p_data, p_at
      from events e where e.venue_id = p_venue and e.subject = p_subject
      on conflict (venue_id, mode, created_at) do nothing;
    exit when found;
    select max(e.created_at) + interval '1 microsecond' into p_at
      from events e where e.venue_id = p_venue and e.mode = p_mode;
  end loop;
end $$;

-- Tells what a checkout looks like now, with anything else that belongs to the event.
create function tell_checkout(
  p_venue uuid, p_checkout text, p_event text, p_type text, p_more text, p_at timestamptz
) returns void language plpgsql as $$
declare
  v_view text;
  v_mode text;
begin
  select checkout_view(c)::text, c.mode into strict v_view, v_mode
    from checkouts c where c.venue_id = p_venue and c.checkout_id = p_checkout;
  perform record_event(p_venue, p_event, v_mode, p_type, p_checkout,
    ('{"object":' || v_view || coalesce(',' || p_more, '') || '}')::json, p_at);
end $$;

-- The first answer to a create, byte for byte: what its event says.
create function first_answer(p_venue uuid, p_checkout text) returns text language plpgsql stable as $$
begin
  return (
    select (e.data -> 'object')::text from events e where e.venue_id = p_venue and e.subject = p_checkout and e.sequence = 1);
end $$;

-- Creates a checkout, or finds out why not, in one round trip. Twins wait for one another on the unique indexes and then
-- find the first one's answer. What can come back: created, replayed, key_reused, booking_in_progress, overdue (the
-- booking's checkout is past its time: expire it and come again), refused (p_may_create was false), unknown_offering.
create function create_checkout(
  p_venue uuid, p_mode text, p_checkout text, p_event text, p_key text, p_fingerprint bytea, p_content json, p_url text,
  p_now timestamptz, p_may_create boolean,
  out outcome text, out answer text, out found_id text
) language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  v_kept record;
  v_twin record;
  v_venue record;
  v_row checkouts;
  v_booking text;
  v_offering text;
  v_amount integer;
  v_at timestamptz := p_now;
begin
  loop
    if p_key is not null then
      select k.fingerprint, k.refers_to into v_kept from idempotency_keys k
        where k.venue_id = p_venue and k.mode = p_mode and k.idempotency_key = p_key
          and k.created_at > p_now - interval '30 days';
      if found then
        if v_kept.fingerprint <> p_fingerprint or v_kept.refers_to is null then outcome := 'key_reused'; return; end if;
        outcome := 'replayed'; found_id := v_kept.refers_to; answer := first_answer(p_venue, v_kept.refers_to); return;
      end if;
    end if;
    v_booking := p_content ->> 'external_booking_id';
    select c.checkout_id, c.fingerprint, c.status, c.expires_at into v_twin from checkouts c
      where c.venue_id = p_venue and c.mode = p_mode and c.external_booking_id = v_booking
        and c.status not in ('expired', 'canceled');
    if found then
      -- Our own twin may have been committed since the key was looked for: then it is a replay, and the loop finds it.
      continue when p_key is not null and exists (
        select from idempotency_keys k
        where k.venue_id = p_venue and k.mode = p_mode and k.idempotency_key = p_key and k.refers_to = v_twin.checkout_id
          and k.created_at > p_now - interval '30 days');
      found_id := v_twin.checkout_id;
      if v_twin.status in ('open', 'collecting') and v_twin.expires_at <= p_now then outcome := 'overdue';
      elsif p_key is not null then outcome := 'booking_in_progress';
      elsif v_twin.fingerprint <> p_fingerprint then outcome := 'key_reused';
      else outcome := 'replayed'; answer := first_answer(p_venue, v_twin.checkout_id);
      end if;
      return;
    end if;
    v_offering := p_content ->> 'offering_external_id';
    v_amount := (p_content ->> 'amount')::numeric::integer;
    if v_offering is not null and not exists (
      select 1 from offerings o where o.venue_id = p_venue and o.mode = p_mode and o.external_id = v_offering
    ) then outcome := 'unknown_offering'; return; end if;
    if not p_may_create then outcome := 'refused'; return; end if;
    if p_key is not null then
      insert into idempotency_keys (venue_id, mode, idempotency_key, fingerprint, status, answer, refers_to, created_at)
        values (p_venue, p_mode, p_key, p_fingerprint, 201, null, p_checkout, p_now)
        on conflict (venue_id, mode, idempotency_key) do update
          set fingerprint = excluded.fingerprint, status = 201, answer = null, refers_to = excluded.refers_to,
            created_at = excluded.created_at
          where idempotency_keys.created_at <= p_now - interval '30 days';
      continue when not found;
    end if;
    select v.fee_bps, v.fee_fixed into v_venue from venues v where v.venue_id = p_venue;
    insert into checkouts (venue_id, checkout_id, mode, status, amount, currency, fee_amount, party_size, pay_by,
        expires_at, description, external_booking_id, offering_external_id, url, return_url, cancel_url, metadata,
        fingerprint, created_at)
      values (p_venue, p_checkout, p_mode, 'open', v_amount, p_content ->> 'currency',
        least(v_amount, (v_amount::bigint * v_venue.fee_bps + 5000) / 10000 + v_venue.fee_fixed),
        (p_content ->> 'party_size')::numeric::smallint, (p_content ->> 'pay_by')::timestamptz,
        (p_content ->> 'pay_by')::timestamptz, p_content ->> 'description', v_booking, v_offering, p_url,
        p_content ->> 'return_url', p_content ->> 'cancel_url', coalesce(p_content -> 'metadata', '{}'), p_fingerprint, v_at)
      on conflict do nothing returning * into v_row;
    exit when v_row.checkout_id is not null;
    -- Somebody has the booking, or only this microsecond. The loop finds out which; our key goes with us.
    if p_key is not null then
      delete from idempotency_keys k where k.venue_id = p_venue and k.mode = p_mode and k.idempotency_key = p_key
        and k.refers_to = p_checkout;
    end if;
    select greatest(v_at, max(c.created_at)) + interval '1 microsecond' into v_at
      from checkouts c where c.venue_id = p_venue and c.mode = p_mode;
  end loop;
  insert into checkout_routes values (p_checkout, p_venue);
  answer := checkout_view(v_row)::text;
  perform record_event(p_venue, p_event, p_mode, 'checkout.created', p_checkout, ('{"object":' || answer || '}')::json, v_at);
  outcome := 'created';
  found_id := p_checkout;
end $$;

-- Expires up to p_limit checkouts of one venue whose time has come (p_only narrows to one). Statement by statement, so
-- that what is read after the lock is what was committed before it. Holds are let go by the worker.
create function expire_checkouts(
  p_venue uuid, p_now timestamptz, p_limit integer, p_only text, p_events text[]
) returns integer language plpgsql as $$
declare
  v_ids text[];
  v_from timestamptz;
  v_left integer;
  v_told integer;
begin
  if p_only is null then
    select array_agg(d.checkout_id order by d.checkout_id) into v_ids from (
      select c.checkout_id from checkouts c
      where c.venue_id = p_venue and c.status in ('open', 'collecting') and c.expires_at <= p_now
      order by c.expires_at limit p_limit for no key update skip locked) d;
  else
    -- Whoever asks about one waits for it: what comes next depends on it.
    select array[c.checkout_id] into v_ids from checkouts c
      where c.venue_id = p_venue and c.checkout_id = p_only and c.status in ('open', 'collecting')
        and c.expires_at <= p_now for no key update;
  end if;
  if v_ids is null then return 0; end if;
  v_left := cardinality(v_ids);
  update shares s set status = 'released'
    where s.venue_id = p_venue and s.checkout_id = any(v_ids) and s.status = 'held' and s.dropped_at is null;
  update holds h set status = 'releasing', due_at = p_now
    where h.venue_id = p_venue and h.checkout_id = any(v_ids) and h.status in ('asked', 'open', 'held');
  update checkouts c set status = 'expired', tell_at = case when c.tell_at is not null then '-infinity'::timestamptz end
    where c.venue_id = p_venue and c.checkout_id = any(v_ids);
  -- After the newest event of the venue, so that the times are free; whoever was quicker makes us go round once more.
  loop
    select greatest(p_now, max(e.at) + interval '1 microsecond') into v_from from (values ('test'), ('live')) m(mode)
      cross join lateral (select max(created_at) as at from events where venue_id = p_venue and mode = m.mode) e;
    insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
      select p_venue, p_events[n.place], c.mode, 'checkout.expired', c.checkout_id,
        (select coalesce(max(e.sequence), 0) + 1 from events e where e.venue_id = p_venue and e.subject = c.checkout_id),
        ('{"object":' || checkout_view(c)::text || '}')::json, v_from + n.place * interval '1 microsecond'
      from unnest(v_ids) with ordinality as n(id, place)
      join checkouts c on c.venue_id = p_venue and c.checkout_id = n.id
      where not exists (select 1 from events e where e.venue_id = p_venue and e.event_id = p_events[n.place])
      on conflict (venue_id, mode, created_at) do nothing;
    get diagnostics v_told = row_count;
    v_left := v_left - v_told;
    exit when v_left = 0;
  end loop;
  return cardinality(v_ids);
end $$;

-- The guests: people with a phone, how they sign in, their group chats and friends, the text messages to them, and the
-- invite of each share. Phones, codes and invites are kept only sealed or as keyed hashes.

create table members (
  member_id uuid primary key,
  display_name text,
  -- Null: made by an operator's own issuer, or for a test; such a member is sent nothing.
  phone_hash bytea,
  phone bytea,
  -- When they first signed in; before that they are only somebody that an organizer named.
  joined_at timestamptz,
  created_at timestamptz not null,
  -- A place in a party that nobody is named for yet: whoever opens its link and signs in takes it.
  is_seat boolean not null default false,
  -- In which language they are written to; null: English.
  language text,
  constraint member_language_is_a_code check (language ~ '^[a-z]{2,3}$'),
  constraint member_seat_is_nobody check (not is_seat or (phone_hash is null and joined_at is null)),
  constraint member_name_has_1_to_80_characters check (char_length(display_name) between 1 and 80),
  constraint member_phone_is_found_by_its_hash check ((phone is null) = (phone_hash is null))
);
create unique index members_by_phone on members (phone_hash) where phone_hash is not null;

create table sign_in_challenges (
  challenge_id uuid primary key,
  phone_hash bytea not null,
  phone bytea not null,
  code_hash bytea not null,
  tries smallint not null default 0,
  expires_at timestamptz not null,
  spent_at timestamptz,
  created_at timestamptz not null,
  constraint challenge_is_tried_at_most_5_times check (tries between 0 and 5)
);
create index sign_in_challenges_by_age on sign_in_challenges (expires_at);

-- A browser that stays signed in on the hosted pages: its cookie is kept as a hash.
create table member_sessions (
  token_hash bytea primary key,
  member_id uuid not null references members,
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index member_sessions_by_age on member_sessions (expires_at);

-- The keys that sign members' tokens, shared by every server; the newest one signs.
create table token_keys (
  key_id text primary key,
  private_key bytea not null,
  public_jwk json not null,
  created_at timestamptz not null
);

create table channels (
  channel_id uuid primary key,
  name text,
  created_at timestamptz not null
);

create table channel_members (
  channel_id uuid not null references channels,
  member_id uuid not null references members,
  primary key (channel_id, member_id)
);
create index channel_members_by_member on channel_members (member_id);

-- People who were in a party together.
create table friends (
  member_id uuid not null references members,
  friend_id uuid not null references members,
  last_at timestamptz not null,
  primary key (member_id, friend_id),
  constraint friend_is_somebody_else check (member_id <> friend_id)
);

-- Text messages, to be sent by the worker; the words are sealed, since they carry codes and invites.
create table messages (
  message_id uuid primary key,
  member_id uuid references members,
  phone_hash bytea not null,
  phone bytea not null,
  kind text not null,
  -- One of each kind for a subject: a crash between two lines sends nothing twice.
  subject text not null,
  words bytea not null,
  status text not null,
  provider_id text,
  trouble text,
  due_at timestamptz,
  turn smallint not null default 0,
  created_at timestamptz not null,
  sent_at timestamptz,
  constraint message_kind_is_known check (
    kind in ('code', 'invite', 'reminder', 'released', 'ended', 'lost', 'completed')),
  constraint message_status_is_known check (status in ('waiting', 'sent', 'failed', 'dropped')),
  constraint message_waiting_is_due check ((due_at is not null) = (status = 'waiting'))
);
create unique index messages_one_of_each on messages (kind, subject);
create index messages_due on messages (due_at) where due_at is not null;
create index messages_by_age on messages (created_at);
create index messages_by_phone on messages (phone_hash, created_at);

-- Who answered STOP, by the hash of the phone: also somebody who is no member yet, or whose answer comes first.
create table stopped_phones (
  phone_hash bytea primary key,
  at timestamptz not null
);

-- The invite of a share: told to the organizer by the sealed token, found by the token's hash.
create table invites (
  venue_id uuid not null,
  share_id text not null,
  token bytea not null,
  created_at timestamptz not null,
  primary key (venue_id, share_id),
  foreign key (venue_id, share_id) references shares
);

create table invite_routes (
  token_hash bytea primary key,
  venue_id uuid not null,
  share_id text not null
);
create index venues_by_origin on venues using gin (origins);

-- Cards that were declined, each once, for an hour's limit on a share and on an address; kept a day.
create table declines (
  venue_id uuid not null,
  -- The processor's charge, or its notice where there was none.
  decline_id text not null,
  share_id text not null,
  -- Of whoever had asked for the hold last, as a keyed hash; null: not known, or too long ago.
  address_hash bytea,
  at timestamptz not null,
  primary key (venue_id, decline_id)
);
create index declines_by_share on declines (venue_id, share_id, at);
create index declines_by_address on declines (address_hash, at) where address_hash is not null;
create index declines_by_age on declines (at);

-- From which address a hold was asked for last, as a keyed hash; kept a day.
create table hold_askers (
  venue_id uuid not null,
  hold_id uuid not null,
  address_hash bytea not null,
  at timestamptz not null,
  primary key (venue_id, hold_id)
);
create index hold_askers_by_age on hold_askers (at);

-- What somebody goes by where the party has no name for them.
create function member_name(p_member uuid) returns text language sql stable as $$
  select m.display_name from members m where m.member_id = p_member
$$;

-- The checkout as guests see it: no fee, no net amount, no metadata, no booking id. A seat is open while somebody may still
-- take it; a share is covered by whoever's card was held for it last, when that is not its own person's.
create function guest_view(c checkouts) returns json language sql stable as $$
  select row_to_json(o) from (
    select c.checkout_id as id, 'checkout' as object, c.mode, c.status, c.amount, c.currency, c.party_size,
      utc_text(c.pay_by) as pay_by, c.description,
      (select row_to_json(w) from (
        select case when v.linked_at is null then null else v.venue_id end as id, v.name
        from venues v where v.venue_id = c.venue_id) w) as venue,
      coalesce(s.funded, 0) as funded_amount, coalesce(s.shares, '[]'::json) as shares,
      c.return_url, c.cancel_url, utc_micros(c.created_at) as created_at, utc_micros(c.completed_at) as completed_at
    from (select 1) one
    left join lateral (
      select array_to_json(array_agg(row_to_json(r) order by p.place)) as shares,
        sum(p.amount) filter (where p.status in ('held', 'captured', 'refunded')) as funded
      from shares p
      left join members m on m.member_id = p.member_id
      left join (
        select distinct on (h.share_id) h.share_id, h.payer_id from holds h
        where h.venue_id = c.venue_id and h.checkout_id = c.checkout_id and h.held_at is not null
        order by h.share_id, h.created_at desc) k
        on k.share_id = p.share_id and k.payer_id <> p.member_id
          and p.status in ('held', 'captured', 'released', 'refunded')
      left join shares q on q.venue_id = c.venue_id and q.checkout_id = c.checkout_id and q.member_id = k.payer_id
        and q.dropped_at is null
      cross join lateral (
        select p.share_id as id, p.amount, p.status, p.is_organizer, coalesce(p.display_name, m.display_name) as display_name,
          utc_text(p.held_at) as held_at,
          coalesce(m.is_seat, false) and c.status = 'collecting' and (p.amount = 0 or p.status in ('invited', 'failed'))
            as is_open_seat,
          coalesce(member_name(k.payer_id), q.display_name) as covered_by) r
      where c.status <> 'open' and p.venue_id = c.venue_id and p.checkout_id = c.checkout_id
        and p.dropped_at is null) s on true) o
$$;

-- Events on their way out: two loops that meet at a table. Dispatch makes one delivery for each endpoint that wants the
-- event; delivery sends what is due, endpoint by endpoint, so that a dead one can be left alone without a look at its rows.

-- Events that nobody has dispatched yet. Written with the event where an endpoint wants it, deleted with its deliveries
-- made. Ids are ordered by time: the oldest goes first.
create table undispatched_events (
  venue_id uuid not null,
  event_id text not null
) with (autovacuum_vacuum_scale_factor = 0.05);
create index undispatched_events_oldest on undispatched_events (event_id);

create function queue_events() returns trigger language plpgsql as $$
begin
  insert into undispatched_events (venue_id, event_id)
    select f.venue_id, f.event_id from fresh f
    where exists (
      select 1 from webhook_endpoints w where w.venue_id = f.venue_id and w.mode = f.mode and f.type = any(w.events));
  return null;
end $$;

create trigger events_are_queued after insert on events referencing new table as fresh
  for each statement execute function queue_events();

-- One event on its way to one endpoint. It has no id of its own: the event and the endpoint name it. created_at is the
-- event's, which is unique for a venue and mode: it is the key, and lists page by it.
create table deliveries (
  venue_id uuid not null,
  endpoint_id text not null,
  event_id text not null,
  type text not null,
  status text not null,
  -- Ever, and in the 72 hours that run now: a redelivery begins new ones.
  attempts integer not null default 0,
  tries smallint not null default 0,
  due_at timestamptz,
  ends_at timestamptz not null,
  last_status smallint,
  last_error text,
  last_response text,
  last_duration_ms integer,
  last_attempt_at timestamptz,
  -- The attempts before the last; null: there is none.
  earlier jsonb,
  -- Why it was ended without another try.
  ended_as text,
  delivered_at timestamptz,
  created_at timestamptz not null,
  primary key (venue_id, endpoint_id, created_at),
  constraint delivery_status_is_known check (status in ('pending', 'delivered', 'failed')),
  constraint delivery_pending_is_due check ((due_at is not null) = (status = 'pending')),
  constraint delivery_is_tried_within_its_time check (due_at <= ends_at)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index deliveries_due on deliveries (venue_id, endpoint_id, due_at) where due_at is not null;
create index deliveries_by_age on deliveries using brin (created_at);

-- The way to one endpoint: who may send to it, and when somebody must. due_at is never later than the soonest delivery's;
-- nobody takes the lane before free_at (somebody has it until then, or it rests); turn fences whoever had it before.
create table delivery_lanes (
  venue_id uuid not null,
  endpoint_id text not null,
  turn integer not null default 0,
  due_at timestamptz,
  free_at timestamptz not null default '-infinity',
  -- Attempts that failed in a row.
  failures integer not null default 0,
  -- How it went last. Lanes of each pace are taken into places of their own.
  pace text not null default 'quick',
  last_success_at timestamptz,
  primary key (venue_id, endpoint_id),
  foreign key (venue_id, endpoint_id) references webhook_endpoints on delete cascade,
  constraint delivery_lane_pace_is_known check (pace in ('quick', 'slow', 'failing', 'dead'))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index delivery_lanes_due on delivery_lanes (pace, greatest(due_at, free_at)) where due_at is not null;

-- The event as it is read and sent, the same bytes each time.
create function event_json(e events) returns text language sql stable as $$
  select '{"id":"' || e.event_id || '","object":"event","type":"' || e.type || '","mode":"' || e.mode
    || '","created_at":"' || utc_micros(e.created_at) || '","sequence":' || e.sequence || ',"data":' || e.data::text || '}'
$$;

-- Takes up to p_limit events from the queue and makes their deliveries, due at once. Answers how many events it took.
create function dispatch_events(p_now timestamptz, p_limit integer) returns integer
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  v_venues uuid[];
  v_events text[];
  v_to_venues uuid[];
  v_to text[];
begin
  with taken as (
    delete from undispatched_events u where u.ctid = any(array(
      select q.ctid from undispatched_events q order by q.event_id limit p_limit for update skip locked))
    returning u.venue_id, u.event_id)
  select array_agg(t.venue_id), array_agg(t.event_id) into v_venues, v_events from taken t;
  if v_events is null then return 0; end if;
  with made as (
    insert into deliveries (venue_id, endpoint_id, event_id, type, status, due_at, ends_at, created_at)
    select e.venue_id, w.endpoint_id, e.event_id, e.type, 'pending', p_now, p_now + interval '72 hours', e.created_at
    from unnest(v_venues, v_events) as t(venue_id, event_id)
    join events e on e.venue_id = t.venue_id and e.event_id = t.event_id
    join webhook_endpoints w on w.venue_id = e.venue_id and w.mode = e.mode and e.type = any(w.events)
    on conflict do nothing
    returning deliveries.venue_id, deliveries.endpoint_id)
  select array_agg(m.venue_id), array_agg(m.endpoint_id) into v_to_venues, v_to
    from (select distinct venue_id, endpoint_id from made) m;
  perform wake_lanes(v_to_venues, v_to, p_now);
  return cardinality(v_events);
end $$;

-- Somebody must look at these endpoints. Their lanes are locked in one order, so that two who wake the same do not wait
-- for each other; whoever lets a lane go meanwhile has done so before, or sees what we have made.
create function wake_lanes(p_venues uuid[], p_endpoints text[], p_now timestamptz) returns void
language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  perform 1 from unnest(p_venues, p_endpoints) as t(venue_id, endpoint_id)
    join delivery_lanes l on l.venue_id = t.venue_id and l.endpoint_id = t.endpoint_id
    order by l.venue_id, l.endpoint_id for update of l;
  update delivery_lanes l set due_at = least(l.due_at, p_now)
    from unnest(p_venues, p_endpoints) as t(venue_id, endpoint_id)
    where l.venue_id = t.venue_id and l.endpoint_id = t.endpoint_id;
end $$;

-- What is due on a lane, with the bytes to send; without them, where its time is up and it is to be ended.
create function due_deliveries(
  p_venue uuid, p_endpoint text, p_turn integer, p_now timestamptz, p_limit integer, p_under_way timestamptz[]
) returns table (created_at timestamptz, tries integer, ends_at timestamptz, body text)
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  perform 1 from delivery_lanes l
    where l.venue_id = p_venue and l.endpoint_id = p_endpoint and l.turn = p_turn for update;
  if not found then return; end if;
  return query select d.created_at, d.tries::integer, d.ends_at, case when d.ends_at > p_now then event_json(e) end
    from (
      select * from deliveries d
      where d.venue_id = p_venue and d.endpoint_id = p_endpoint and d.due_at <= p_now and d.created_at <> all(p_under_way)
      order by d.due_at limit p_limit) d
    join events e on e.venue_id = d.venue_id and e.event_id = d.event_id
    order by d.due_at, d.created_at;
end $$;

-- Ends what can no longer be tried: its time is up, or, p_limit at a time, all that waits (p_over says why). Answers as
-- record_attempts does. What was never tried is nobody's failure.
create function end_deliveries(
  p_venue uuid, p_endpoint text, p_turn integer, p_now timestamptz, p_limit integer, p_under_way timestamptz[],
  p_over text
) returns text language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  v_success timestamptz;
  v_end timestamptz;
begin
  select l.last_success_at into v_success from delivery_lanes l
    where l.venue_id = p_venue and l.endpoint_id = p_endpoint and l.turn = p_turn for update;
  if not found then return 'lost'; end if;
  with ended as (
    update deliveries d set status = 'failed', due_at = null,
        ended_as = coalesce(p_over, case when d.last_error is null then 'expired' end)
      where d.venue_id = p_venue and d.endpoint_id = p_endpoint and d.due_at is not null and d.created_at = any(array(
        select o.created_at from deliveries o
        where o.venue_id = p_venue and o.endpoint_id = p_endpoint and o.due_at is not null
          and (p_over is not null or o.ends_at <= p_now) and o.created_at <> all(p_under_way)
        order by o.due_at limit p_limit))
      returning d.ends_at, d.tries)
  select max(e.ends_at) into v_end from ended e where e.tries > 0;
  if p_over is null and (v_success is null or v_success < v_end - interval '72 hours') and v_end is not null then
    return 'dead';
  end if;
  return 'kept';
end $$;

-- Are these the 72 hours that an attempt belongs to, which was told their end in milliseconds?
create function is_end(p_end timestamptz, p_told float8) returns boolean language sql stable as $$
  select (extract(epoch from p_end) * 1000)::float8 = p_told
$$;

-- The attempts before the last, which makes way for another: nine at the most, without what came back.
create function earlier_attempts(d deliveries) returns jsonb language sql stable as $$
  select case when jsonb_array_length(d.earlier) >= 9 then d.earlier - 0 else coalesce(d.earlier, '[]') end
    || jsonb_build_object('at', utc_micros(d.last_attempt_at), 'status', d.last_status, 'error', d.last_error,
      'duration_ms', d.last_duration_ms)
$$;

-- Writes what came of attempts, for whoever still has the lane, and keeps or lets go of it. `lost`: another has taken the
-- lane, nothing was written. `dead`: a delivery has ended and none had succeeded in all of its time. `stale`: what is known
-- of the endpoint holds no longer: it was disabled, or its secret rotated. Else `kept`.
create function record_attempts(
  p_venue uuid, p_endpoint text, p_turn integer, p_now timestamptz, p_free_at timestamptz, p_failures integer,
  p_pace text, p_let_go boolean, p_secret bytea, p_created timestamptz[], p_ends float8[], p_statuses text[],
  p_codes integer[], p_errors text[], p_answers text[], p_durations integer[], p_at float8[], p_due float8[]
) returns text language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  v_success timestamptz;
  v_due timestamptz;
  v_end timestamptz;
begin
  select l.last_success_at, l.due_at into v_success, v_due from delivery_lanes l
    where l.venue_id = p_venue and l.endpoint_id = p_endpoint and l.turn = p_turn for update;
  if not found then return 'lost'; end if;
  -- One that was sent again meanwhile, and has a new end, is only counted: it stays due.
  update deliveries d set attempts = d.attempts + 1,
      status = case when is_end(d.ends_at, r.ends) then r.status else d.status end,
      tries = case when is_end(d.ends_at, r.ends) then d.tries + 1 else d.tries end,
      due_at = case when is_end(d.ends_at, r.ends) then to_timestamp(r.due / 1000.0) else d.due_at end,
      delivered_at = case when r.status = 'delivered' and is_end(d.ends_at, r.ends) then p_now end,
      earlier = case when d.attempts > 0 then earlier_attempts(d) end,
      last_status = r.code, last_error = r.error, last_response = r.answer, last_duration_ms = r.duration,
      last_attempt_at = to_timestamp(r.at / 1000.0)
    from unnest(p_created, p_ends, p_statuses, p_codes, p_errors, p_answers, p_durations, p_at, p_due)
      as r(created_at, ends, status, code, error, answer, duration, at, due)
    -- Not twice: the answer to an earlier commit may have been lost.
    where d.venue_id = p_venue and d.endpoint_id = p_endpoint and d.created_at = r.created_at and d.status = 'pending'
      and d.last_attempt_at is distinct from to_timestamp(r.at / 1000.0);
  if 'delivered' = any(p_statuses) then v_success := p_now; end if;
  if p_let_go then
    select min(d.due_at) into v_due from deliveries d
      where d.venue_id = p_venue and d.endpoint_id = p_endpoint and d.due_at is not null;
  end if;
  update delivery_lanes l
    set free_at = p_free_at, failures = p_failures, pace = p_pace, last_success_at = v_success, due_at = v_due
    where l.venue_id = p_venue and l.endpoint_id = p_endpoint;
  if 'failed' = any(p_statuses) then
    select max(d.ends_at) into v_end from deliveries d
      where d.venue_id = p_venue and d.endpoint_id = p_endpoint and d.status = 'failed'
        and d.created_at = any(p_created);
    if v_end is not null and (v_success is null or v_success < v_end - interval '72 hours') then return 'dead'; end if;
  end if;
  perform 1 from webhook_endpoints w
    where w.venue_id = p_venue and w.endpoint_id = p_endpoint and w.status = 'active' and w.secret = p_secret;
  return case when found then 'kept' else 'stale' end;
end $$;

create table integrations (
  venue_id uuid not null references venues,
  integration_id text not null,
  mode text not null,
  provider text not null,
  -- Sealed; null: this provider signs nothing.
  secret bytea,
  -- The address that was handed out, without its token: a provider may sign it.
  address text not null,
  -- What to take where a payload says nothing: kind, timezone, currency, category.
  defaults json not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  last_delivery_at timestamptz,
  delivery_count bigint not null default 0,
  -- How many bytes were stored on the last day (UTC) on which any were.
  stored_on date,
  stored_bytes bigint not null default 0,
  -- The last delivery that was refused, and the code that it was refused with.
  refused_at timestamptz,
  refused_as text,
  primary key (venue_id, integration_id),
  constraint integration_mode_is_known check (mode in ('test', 'live')),
  constraint integration_delivery_is_counted check ((delivery_count = 0) = (last_delivery_at is null)),
  constraint integration_refusal_has_a_time check ((refused_at is null) = (refused_as is null))
) with (fillfactor = 70);
create index integrations_stored on integrations (venue_id, stored_on);

-- From the hash of the token in a hook address to its integration. The token itself is kept nowhere.
create table hook_routes (
  token_hash bytea primary key,
  venue_id uuid not null,
  integration_id text not null,
  constraint token_hash_is_sha256 check (octet_length(token_hash) = 32)
);

-- Who applies the deliveries of an integration holds its row until it commits, so that they are applied in their order.
-- Whoever stores a delivery does not look at it: a venue system never waits for the worker.
create table hook_lanes (
  venue_id uuid not null,
  integration_id text not null,
  primary key (venue_id, integration_id),
  foreign key (venue_id, integration_id) references integrations
);

-- One delivery. received_at is unique for its integration: lists page by it, and it is the order in which they are applied.
create table inbound_deliveries (
  venue_id uuid not null,
  delivery_id text not null,
  integration_id text not null,
  received_at timestamptz not null,
  -- Of the provider's own id of the event, else of the body.
  sameness bytea not null,
  provider_event_id text,
  type text,
  -- The bytes that came, sealed: they can name guests. Null: it changed nothing, and its day is over.
  body bytea,
  status text not null,
  reason text,
  offering_external_id text,
  applied_at timestamptz,
  -- When the worker must look at it; null: it is done with.
  due_at timestamptz,
  attempts smallint not null default 0,
  primary key (venue_id, delivery_id),
  foreign key (venue_id, integration_id) references integrations,
  constraint inbound_delivery_status_is_known
    check (status in ('pending', 'applied', 'ignored', 'superseded', 'unmapped', 'needs_api_read', 'failed')),
  constraint inbound_delivery_pending_is_due check ((status = 'pending') = (due_at is not null)),
  constraint inbound_delivery_applied_has_a_time check ((status = 'applied') = (applied_at is not null)),
  constraint inbound_delivery_pending_has_its_body check (status <> 'pending' or body is not null)
) with (autovacuum_vacuum_scale_factor = 0.05);
-- Sealed bytes do not shrink: trying costs more than it saves.
alter table inbound_deliveries alter column body set storage external;
create unique index inbound_deliveries_in_order on inbound_deliveries (venue_id, integration_id, received_at);
create index inbound_deliveries_same on inbound_deliveries (venue_id, integration_id, sameness, received_at);
create index inbound_deliveries_due on inbound_deliveries (venue_id, integration_id, received_at) where due_at is not null;
create index inbound_deliveries_ignored on inbound_deliveries (received_at) where status = 'ignored' and body is not null;
create index inbound_deliveries_by_age on inbound_deliveries using brin (received_at);

-- The newest that was applied to each thing of a venue system, so that an older one that comes late changes nothing.
create table hook_objects (
  venue_id uuid not null,
  integration_id text not null,
  object_hash bytea not null,
  -- The provider's own count or time of the change; null: it has none, and the order of arrival decides.
  version numeric,
  received_at timestamptz not null,
  offering_external_id text,
  primary key (venue_id, integration_id, object_hash),
  constraint object_hash_is_sha256 check (octet_length(object_hash) = 32)
);
create index hook_objects_by_age on hook_objects using brin (received_at);

-- A booking of a venue system, and what it has taken of which slot.
create table hook_bookings (
  venue_id uuid not null,
  integration_id text not null,
  booking_hash bytea not null,
  -- As in hook_objects.
  version numeric,
  received_at timestamptz not null,
  takes json not null,
  -- The start of its last slot, or when it was last heard of: it is forgotten some time after that.
  last_at timestamptz not null,
  primary key (venue_id, integration_id, booking_hash),
  constraint booking_hash_is_sha256 check (octet_length(booking_hash) = 32)
);
create index hook_bookings_by_age on hook_bookings (last_at);

-- A slot that bookings have taken from, or that was called off: how many places are left of what was stated last.
create table hook_slots (
  venue_id uuid not null,
  mode text not null,
  slot_hash bytea not null,
  -- Below none where more was booked than there was; null: nobody has said.
  places_left integer,
  off_by text,
  statement integer not null,
  last_at timestamptz not null,
  primary key (venue_id, mode, slot_hash),
  constraint hook_slot_mode_is_known check (mode in ('test', 'live')),
  constraint slot_hash_is_sha256 check (octet_length(slot_hash) = 32)
);
create index hook_slots_by_age on hook_slots (last_at);

-- Which provider an offering comes from, as long as it is connected: ids of two systems can be the same.
create table hook_offerings (
  venue_id uuid not null,
  mode text not null,
  external_id text not null,
  provider text not null,
  held_at timestamptz not null,
  primary key (venue_id, mode, external_id),
  constraint hook_offering_mode_is_known check (mode in ('test', 'live'))
);

-- Whose token is this, and is there room in its hour? No row: unknown, revoked, or another provider's.
create function admit_hook(p_hash bytea, p_provider text, p_limit integer) returns table (
  venue_id uuid, integration_id text, mode text, secret bytea, address text,
  granted integer, remaining integer, reset_at timestamptz, retry_at timestamptz, asked_at timestamptz
) language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  select i.venue_id, i.integration_id, i.mode, i.secret, i.address into venue_id, integration_id, mode, secret, address
    from hook_routes r
    join integrations i on i.venue_id = r.venue_id and i.integration_id = r.integration_id
    join venues v on v.venue_id = r.venue_id
    where r.token_hash = p_hash and i.provider = p_provider and i.revoked_at is null and v.revoked_at is null;
  if not found then return; end if;
  select t.granted, t.remaining, t.reset_at, t.retry_at, t.asked_at into granted, remaining, reset_at, retry_at, asked_at
    from take_calls('hook ' || integration_id, p_limit, 1) t;
  return next;
end $$;

-- Stores a delivery once: under the integration's row lock, one of the same sameness within p_within (null: as long as we
-- remember) answers for it. What would be more than p_most bytes of its venue today is not stored: retry_after says in how
-- many seconds the day is over. No row: the integration was revoked meanwhile.
create function store_inbound(
  p_venue uuid, p_integration text, p_delivery text, p_now timestamptz, p_sameness bytea, p_within interval,
  p_event text, p_type text, p_body bytea, p_most bigint
) returns table (delivery_id text, is_duplicate boolean, retry_after integer)
language plpgsql set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_at timestamptz;
  v_today date := (p_now at time zone 'UTC')::date;
begin
  select greatest(p_now, i.last_delivery_at + interval '1 microsecond') into v_at from integrations i
    where i.venue_id = p_venue and i.integration_id = p_integration and i.revoked_at is null for no key update;
  if not found then return; end if;
  select d.delivery_id into delivery_id from inbound_deliveries d
    where d.venue_id = p_venue and d.integration_id = p_integration and d.sameness = p_sameness
      and d.received_at > coalesce(v_at - p_within, '-infinity')
    order by d.received_at limit 1;
  is_duplicate := found;
  if not is_duplicate then
    if p_most < octet_length(p_body) + (
        select coalesce(sum(i.stored_bytes), 0) from integrations i where i.venue_id = p_venue and i.stored_on = v_today) then
      retry_after := ceil(extract(epoch from ((v_today + 1)::timestamp at time zone 'UTC') - p_now));
      return next;
      return;
    end if;
    delivery_id := p_delivery;
    insert into inbound_deliveries (venue_id, delivery_id, integration_id, received_at, sameness, provider_event_id, type,
        body, status, due_at)
      values (p_venue, p_delivery, p_integration, v_at, p_sameness, p_event, p_type, p_body, 'pending', p_now);
    update integrations i set last_delivery_at = v_at, delivery_count = i.delivery_count + 1, stored_on = v_today,
        stored_bytes = octet_length(p_body) + case when i.stored_on = v_today then i.stored_bytes else 0 end
      where i.venue_id = p_venue and i.integration_id = p_integration;
  end if;
  return next;
end $$;

-- From the id of a live experience to its venue and mode: the members' app knows nothing else.
create table experience_routes (
  experience_id uuid primary key,
  venue_id uuid not null,
  mode text not null,
  constraint experience_route_mode_is_known check (mode in ('test', 'live'))
);
create unique index experiences_by_live_id on experiences (venue_id, experience_id);

-- Activity of the members' app. Members and the app's own ids of events stand here only as keyed hashes, a member's another
-- one for each venue. What is counted is a thing: an experience, or the venue's own page (its thing is the venue's id), or
-- all live, or all test experiences of a venue together, which matter for counting people once.
create function everything_of(p_mode text) returns uuid language sql immutable as $$
  select case p_mode when 'live' then uuid '00000000-0000-0000-0000-000000000001'
    when 'test' then uuid '00000000-0000-0000-0000-000000000002' end
$$;

create function activity_day(p_at timestamptz) returns date language sql immutable as $$
  select (p_at at time zone 'UTC')::date
$$;

create function day_number(p_day date) returns integer language sql immutable as $$
  select p_day - date '2000-01-01'
$$;

create function gap_between(p_before date, p_day date) returns smallint language sql immutable as $$
  select least(coalesce(p_day - p_before, 400), 400)::smallint
$$;

-- Hours are counted from the year 1. Hours of a day are the bits of a number, the first hour the lowest.
create function activity_hour(p_at timestamptz) returns integer language sql immutable as $$
  select (activity_day(p_at) - date '0001-01-01') * 24 + extract(hour from p_at at time zone 'UTC')::integer
$$;

create function first_hour(p_day date) returns integer language sql immutable as $$
  select (p_day - date '0001-01-01') * 24
$$;

create function day_of_hour(p_hour integer) returns date language sql immutable as $$
  select date '0001-01-01' + p_hour / 24
$$;

create function hour_begins(p_hour integer) returns timestamptz language sql immutable as $$
  select (timestamp '0001-01-01' + p_hour * interval '1 hour') at time zone 'UTC'
$$;

create function latest_of(p_hours integer) returns integer language sql immutable as $$
  select 24 - position(B'1' in p_hours::bit(24))
$$;

-- Those hours of a day that lie from p_low to before p_high.
create function hours_between(p_day date, p_low integer, p_high integer) returns integer language sql immutable as $$
  select ((1 << greatest(least(p_high - first_hour(p_day), 24), 0)) - 1)
    & ~((1 << greatest(least(p_low - first_hour(p_day), 24), 0)) - 1)
$$;

-- The gap of somebody in an hour: 1 to 23 hours back to one of the same day; 24 stands for the day before, 25 for the one before
-- that, and so on, as gap_between() counts days.
create function hour_gap(p_hours integer, p_hour integer, p_day date, p_before integer) returns smallint
language sql immutable as $$
  select (case when p_hours & ((1 << p_hour) - 1) > 0 then p_hour - latest_of(p_hours & ((1 << p_hour) - 1))
    else 23 + gap_between(day_of_hour(p_before), p_day) end)::smallint
$$;

-- The hour before, if it is not so long ago that no gap tells it from never.
create function near_hour(p_before integer, p_day date) returns integer language sql immutable as $$
  select case when gap_between(day_of_hour(p_before), p_day) < 400 then p_before end
$$;

-- Months go round in 24 partitions, so that there is one for every time there is, and none has to be made ahead.
create function activity_slot(p_at timestamptz) returns smallint language sql immutable as $$
  select ((extract(year from p_at at time zone 'UTC') * 12 + extract(month from p_at at time zone 'UTC'))::integer % 24)::smallint
$$;

-- Whoever changes the figures of a venue holds its row until commit: batches of one venue are counted one after the other.
create table activity_venues (
  venue_id uuid primary key references venues,
  -- Goes up whenever counting anew mends something, so that two who count anew at once do not both add what was missing.
  mendings bigint not null default 0,
  -- Its hours are counted; not yet those of a venue from before there were any.
  by_hour boolean not null default true
);

-- One row for the whole installation: before this time single events are gone, figures stand by the day, and nothing more is
-- counted. Always the beginning of a day in UTC.
create table activity_kept (
  only_row boolean primary key default true,
  kept_from timestamptz not null,
  constraint activity_kept_has_one_row check (only_row),
  constraint activity_kept_begins_a_day check (kept_from = '-infinity' or kept_from = date_trunc('day', kept_from, 'UTC'))
);
insert into activity_kept (kept_from) values ('-infinity');

-- Every event counts once, whatever its time says: kept as long as the event.
create table activity_ids (
  venue_id uuid not null,
  event_key uuid not null,
  at timestamptz not null,
  primary key (venue_id, event_key)
);

-- The events themselves: for windows that begin or end inside a day, and for counting anew.
create table activity (
  venue_id uuid not null,
  slot smallint not null,
  at timestamptz not null,
  type text not null,
  thing uuid not null,
  -- The mode of the experience; null: the venue's own page.
  thing_mode text,
  person uuid not null,
  guests integer not null,
  cents integer not null,
  -- Of the event. Only live ones are counted.
  mode text not null,
  constraint activity_type_is_known
    check (type in ('view', 'booking_start', 'save', 'booking', 'check_in', 'venue_page_view')),
  constraint activity_page_has_no_mode check ((type = 'venue_page_view') = (thing_mode is null)),
  constraint activity_mode_is_known check (mode in ('test', 'live'))
) partition by list (slot);
-- By the day for counting anew alone: as an expression, so that a look-up by the time itself cannot take it.
create index activity_by_day on activity (venue_id, activity_day(at));
create index activity_by_thing on activity (venue_id, thing, at);
do $$
begin
  for slot in 0..23 loop
    execute format('create table activity_slot_%s partition of activity for values in (%s)', to_char(slot, 'FM00'), slot);
  end loop;
end $$;

-- Who did what on which day, in which of its hours, once however often, and the hour in which they did it before that day. Room is
-- left in a page, so that another hour touches no index.
create table activity_seen (
  venue_id uuid not null,
  thing uuid not null,
  did text not null,
  person uuid not null,
  day date not null,
  hours integer not null,
  -- Null: never, or so long ago that no gap tells it from never.
  before integer,
  primary key (venue_id, thing, did, person, day),
  constraint activity_seen_did_is_known check (did in ('view', 'booking_start'))
) with (fillfactor = 85);
create index activity_seen_by_day on activity_seen (venue_id, day_number(day));
create index activity_seen_by_before on activity_seen (venue_id, thing, did, before, day) where before is not null;

-- The figures of a thing on a day. People are kept by the gap since the day on which they were seen before: viewers[i] people
-- have a gap of viewer_gaps[i] days or more. A person is new to a window that begins on day A if the gap reaches back before
-- A, so that the different people of a window are one look-up a day. 400 stands for every longer gap, and for none before.
-- Each hour of a day has a row like it, with its people by the gap as hour_gap() counts it.
create table activity_days (
  venue_id uuid not null,
  thing uuid not null,
  day date not null,
  views bigint not null,
  saves bigint not null,
  bookings bigint not null,
  guests bigint not null,
  cents bigint not null,
  check_ins bigint not null,
  viewer_gaps smallint[] not null,
  viewers integer[] not null,
  starter_gaps smallint[] not null,
  starters integer[] not null,
  -- The hour of the day; 24: the whole day.
  part smallint not null,
  primary key (venue_id, thing, part, day),
  constraint activity_part_is_an_hour_or_the_day check (part between 0 and 24),
  constraint activity_viewers_have_gaps check (cardinality(viewers) = cardinality(viewer_gaps)),
  constraint activity_starters_have_gaps check (cardinality(starters) = cardinality(starter_gaps))
) with (fillfactor = 80);

-- How many of a day's people were not seen in the p_gap - 1 days before it.
create function people_since(p_gaps smallint[], p_people integer[], p_gap integer) returns integer language sql immutable as $$
  select coalesce(p_people[width_bucket((p_gap - 1)::smallint, p_gaps) + 1], 0)
$$;

-- A day's people with some more, or fewer, at some gaps.
create function people_by_gap(p_gaps smallint[], p_people integer[], p_more_gaps smallint[], p_more integer[])
returns table (gaps smallint[], people integer[]) language sql immutable as $$
  select coalesce(array_agg(c.gap order by c.gap), '{}'), coalesce(array_agg(c.people order by c.gap), '{}')
  from (
    select n.gap, (sum(n.here) over (order by n.gap desc))::integer as people
    from (
      select o.gap, sum(o.here) as here
      from (
        select u.gap, u.people - lead(u.people, 1, 0) over (order by u.gap) as here from unnest(p_gaps, p_people) u(gap, people)
        union all select * from unnest(p_more_gaps, p_more)
      ) o
      group by o.gap having sum(o.here) <> 0
    ) n
  ) c
$$;

create function lock_activity(p_venue uuid) returns void language plpgsql as $$
begin
  perform from activity_venues where venue_id = p_venue for no key update;
  if not found then
    insert into activity_venues values (p_venue) on conflict do nothing;
    perform from activity_venues where venue_id = p_venue for no key update;
  end if;
end $$;

-- These functions keep their plans, made perhaps while a table was empty: enable_seqscan = off keeps them from reading all of it
-- once it is not. enable_sort = off keeps a look-up of one person (or of one thing's events) to the index that has them in order:
-- another that begins with the venue as well can look as good to the planner, and reads all of the venue.

-- Counts a batch of one venue: what is new goes into the events and the figures, in one transaction. A row for each event
-- says what became of it.
create function record_activity(
  p_venue uuid, p_keys uuid[], p_types text[], p_things uuid[], p_thing_modes text[], p_persons uuid[],
  p_ats timestamptz[], p_guests integer[], p_cents integer[], p_modes text[]
) returns table (place integer, outcome text)
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
  v_kept timestamptz;
  v_is_new boolean[];
begin
  perform lock_activity(p_venue);
  select kept_from into v_kept from activity_kept;
  with sent as materialized (
    select distinct on (u.key) u.key, u.at, u.place from unnest(p_keys, p_ats) with ordinality as u(key, at, place)
    where u.at >= v_kept order by u.key, u.place
  ), stored as (
    insert into activity_ids (venue_id, event_key, at) select p_venue, key, at from sent on conflict do nothing
    returning event_key
  ), fresh as (
    select s.place from sent s join stored n on n.event_key = s.key
  )
  select array_agg(f.place is not null order by u.place) into v_is_new
    from generate_series(1, cardinality(p_keys)) u(place) left join fresh f on f.place = u.place;
  insert into activity (venue_id, slot, at, type, thing, thing_mode, person, guests, cents, mode)
    select p_venue, activity_slot(u.at), u.at, u.type, u.thing, u.thing_mode, u.person, u.guests, u.cents, u.mode
    from unnest(p_ats, p_types, p_things, p_thing_modes, p_persons, p_guests, p_cents, p_modes, v_is_new)
      as u(at, type, thing, thing_mode, person, guests, cents, mode, is_new)
    where u.is_new;
  if found then
    perform count_activity(p_venue, p_types, p_things, p_thing_modes, p_persons, p_ats, p_guests, p_cents, p_modes, v_is_new);
  end if;
  return query
    select u.place::integer, case when u.is_new then 'counted' when u.at < v_kept then 'too_old' else 'duplicate' end
    from unnest(p_ats, v_is_new) with ordinality as u(at, is_new, place)
    order by u.place;
end $$;

-- Everybody's rows that change are the days of the batch, and the day that follows one of them: each is read once as it was and
-- written once as it is then. In between lie the gaps, which go off the figures as they were and on as they are. The people of a
-- day are those of its hours who were not seen earlier in it.
create function count_activity(
  p_venue uuid, p_types text[], p_things uuid[], p_thing_modes text[], p_persons uuid[],
  p_ats timestamptz[], p_guests integer[], p_cents integer[], p_modes text[], p_is_new boolean[]
) returns void language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
declare
  v_by_hour boolean := (select by_hour from activity_venues where venue_id = p_venue);
  -- No day of anybody's is after this: only what comes late has to look for one.
  v_newest integer := (select max(day_number(s.day)) from activity_seen s where s.venue_id = p_venue);
begin
  with happened as materialized (
    select u.type, u.thing, u.thing_mode, u.person, activity_day(u.at) as day,
      extract(hour from u.at at time zone 'UTC')::integer as part, u.guests, u.cents
    from unnest(p_types, p_things, p_thing_modes, p_persons, p_ats, p_guests, p_cents, p_modes, p_is_new)
      as u(type, thing, thing_mode, person, at, guests, cents, mode, is_new)
    where u.is_new and u.mode = 'live'
  ), met as materialized (
    select case when e.is_each then h.thing else everything_of(h.thing_mode) end as thing, h.type as did, h.person, h.day,
      bit_or(1 << h.part) as hours
    from happened h cross join (values (true), (false)) e(is_each)
    where h.type in ('view', 'booking_start')
    group by 1, 2, 3, 4
  ), known as materialized (
    select m.thing, m.did, m.person, m.day, m.hours, old.spot, old.hours as old_hours,
      coalesce(old.before, prior.before) as old_before,
      -- The last hour until now, of this day or of the one before: what follows was counted from there.
      first_hour(old.day) + latest_of(old.hours) as before, old.day is not distinct from m.day as is_here,
      after.day as after, after.spot as after_spot, after.hours as after_hours
    from met m
    left join lateral (
      select s.day, s.hours, s.before, s.ctid as spot from activity_seen s
      where s.venue_id = p_venue and s.thing = m.thing and s.did = m.did and s.person = m.person and s.day <= m.day
      order by s.day desc limit 1
    ) old on true
    -- Rows from before hours were counted do not know.
    left join lateral (
      select first_hour(s.day) + latest_of(s.hours) as before from activity_seen s
      where s.venue_id = p_venue and s.thing = m.thing and s.did = m.did and s.person = m.person and s.day < m.day
      order by s.day desc limit 1
    ) prior on not v_by_hour and old.day = m.day
    left join lateral (
      select s.day, s.hours, s.ctid as spot from activity_seen s
      where s.venue_id = p_venue and s.thing = m.thing and s.did = m.did and s.person = m.person and s.day > m.day
      order by s.day limit 1
    ) after on day_number(m.day) < v_newest and (old.day is distinct from m.day or m.hours > old.hours)
    where old.day is distinct from m.day or m.hours & ~old.hours <> 0
  ), touched as (
    select k.thing, k.did, k.person, k.day, case when k.is_here then k.spot end as spot,
      case when k.is_here then k.old_hours end as old_hours, case when k.is_here then k.old_hours | k.hours else k.hours end as hours,
      case when k.is_here then k.old_before else k.before end as old_before
    from known k
    union all
    select k.thing, k.did, k.person, k.after, k.after_spot, k.after_hours, k.after_hours, k.before
    from known k where k.after is not null
  ), linked as (
    select c.*, near_hour(greatest(c.old_before, lag(first_hour(c.day) + latest_of(c.hours)) over w), c.day) as before
    from (
      select t.thing, t.did, t.person, t.day, min(t.spot) as spot, min(t.old_hours) as old_hours, bit_or(t.hours) as hours,
        max(t.old_before) as old_before
      from touched t group by t.thing, t.did, t.person, t.day
    ) c
    window w as (partition by c.thing, c.did, c.person order by c.day)
  ), changed as materialized (
    -- Hours earlier than the first new one have the gaps they had, unless another day has come in before.
    select l.*,
      case when l.before is not distinct from l.old_before then l.hours & ~coalesce(l.old_hours, 0) else l.hours end as since
    from linked l
  ), noted as (
    insert into activity_seen (venue_id, thing, did, person, day, hours, before)
    select p_venue, thing, did, person, day, hours, before from changed where spot is null
  ), added_to as (
    update activity_seen s set hours = c.hours, before = c.before from changed c where s.ctid = c.spot
  ), moved as (
    select h.thing, h.day, h.did, h.part, hour_gap(h.hours, h.part, h.day, h.before) as gap, sum(h.people)::integer as people
    from (
      select x.*, generate_series(latest_of(x.since & -x.since), latest_of(x.hours)) as part
      from (
        select thing, day, did, hours, before, since, 1 as people from changed
        union all
        select thing, day, did, old_hours, old_before, since, -1 from changed where old_hours is not null
      ) x
    ) h
    where h.hours & (1 << h.part) <> 0
    group by 1, 2, 3, 4, 5 having sum(h.people) <> 0
  ), people as (
    select e.thing, e.day, e.part,
      array_agg(e.gap) filter (where e.did = 'view') as viewer_gaps, array_agg(e.people) filter (where e.did = 'view') as viewers,
      array_agg(e.gap) filter (where e.did = 'booking_start') as starter_gaps,
      array_agg(e.people) filter (where e.did = 'booking_start') as starters
    from (
      select m.thing, m.day, m.part, m.did, m.gap, m.people from moved m
      union all
      select m.thing, m.day, 24, m.did, (m.gap - 23)::smallint, sum(m.people)::integer
      from moved m where m.gap > 23 group by m.thing, m.day, m.did, m.gap having sum(m.people) <> 0
    ) e group by e.thing, e.day, e.part
  ), counts as (
    select h.thing, h.day, coalesce(h.part, 24) as part,
      count(*) filter (where h.type in ('view', 'venue_page_view')) as views,
      count(*) filter (where h.type = 'save') as saves, count(*) filter (where h.type = 'booking') as bookings,
      coalesce(sum(h.guests) filter (where h.type = 'booking'), 0) as guests,
      coalesce(sum(h.cents) filter (where h.type = 'booking'), 0) as cents,
      count(*) filter (where h.type = 'check_in') as check_ins
    from happened h group by h.thing, h.day, rollup (h.part)
  )
  insert into activity_days as d
    (venue_id, thing, day, part, views, saves, bookings, guests, cents, check_ins, viewer_gaps, viewers, starter_gaps, starters)
  select p_venue, n.thing, n.day, n.part, n.views + coalesce(o.views, 0), n.saves + coalesce(o.saves, 0),
    n.bookings + coalesce(o.bookings, 0), n.guests + coalesce(o.guests, 0), n.cents + coalesce(o.cents, 0),
    n.check_ins + coalesce(o.check_ins, 0),
    coalesce(v.gaps, o.viewer_gaps, '{}'), coalesce(v.people, o.viewers, '{}'),
    coalesce(b.gaps, o.starter_gaps, '{}'), coalesce(b.people, o.starters, '{}')
  from (
    select coalesce(c.thing, p.thing) as thing, coalesce(c.day, p.day) as day, coalesce(c.part, p.part) as part,
      coalesce(c.views, 0) as views, coalesce(c.saves, 0) as saves, coalesce(c.bookings, 0) as bookings,
      coalesce(c.guests, 0) as guests, coalesce(c.cents, 0) as cents, coalesce(c.check_ins, 0) as check_ins,
      p.viewer_gaps, p.viewers, p.starter_gaps, p.starters
    from counts c full join people p on p.thing = c.thing and p.day = c.day and p.part = c.part
  ) n
  left join lateral (
    select * from activity_days x where x.venue_id = p_venue and x.thing = n.thing and x.part = n.part and x.day = n.day offset 0
  ) o on true
  left join lateral people_by_gap(coalesce(o.viewer_gaps, '{}'), coalesce(o.viewers, '{}'), n.viewer_gaps, n.viewers) v
    on n.viewer_gaps is not null
  left join lateral people_by_gap(coalesce(o.starter_gaps, '{}'), coalesce(o.starters, '{}'), n.starter_gaps, n.starters) b
    on n.starter_gaps is not null
  on conflict (venue_id, thing, part, day) do update set views = excluded.views, saves = excluded.saves,
    bookings = excluded.bookings, guests = excluded.guests, cents = excluded.cents, check_ins = excluded.check_ins,
    viewer_gaps = excluded.viewer_gaps, viewers = excluded.viewers,
    starter_gaps = excluded.starter_gaps, starters = excluded.starters;
end $$;

-- The figures of some things from p_from, inclusive, to p_to, exclusive, as they are at one moment. Whole days come from
-- activity_days, and so do whole hours of the first and the last day; what is left of an hour comes from its events, whose people
-- count if no whole hour of the window has them. An end inside a day that is whole all the same (nothing of these things was cut
-- off) costs nothing; inside a day whose events are gone the window is widened to the day. Rows: the window as answered; each
-- thing; each day, the page apart; with p_by_day instead of the last two each thing on each day, and the people of that day. Who
-- asks for all experiences of a mode together names each of them as well.
--
-- A person counts where they first are in the window, that is, where the hour before was outside it. Those of later days whose
-- hour before lies on the first day count by the day alone; the ones among them who were there inside the window are taken off
-- again, by one range of activity_seen_by_before.
create function activity_figures(
  p_venue uuid, p_things uuid[], p_from timestamptz, p_to timestamptz, p_by_day boolean
) returns table (
  what text, thing uuid, day date, views bigint, saves bigint, bookings bigint, guests bigint, cents bigint,
  check_ins bigint, viewers bigint, starters bigint, window_from timestamptz, window_to timestamptz, parts_since timestamptz
) language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off
  set work_mem = '32MB' as $$
#variable_conflict use_column
declare
  v_kept timestamptz := (select kept_from from activity_kept);
  -- A venue whose hours were never counted has whole days alone.
  v_step integer := case when (select by_hour from activity_venues where venue_id = p_venue) then 1 else 24 end;
  v_head timestamptz := date_trunc('day', p_from, 'UTC');
  v_tail timestamptz := date_trunc('day', p_to, 'UTC');
  -- As they are counted: at the end of a day where nothing was cut off.
  v_from timestamptz;
  v_to timestamptz;
  -- Whole hours: from v_low to before v_high; whole days among them: from v_first to before v_end.
  v_low integer; v_high integer;
  v_first date; v_end date;
  v_from1 timestamptz; v_to1 timestamptz;
  v_from2 timestamptz; v_to2 timestamptz;
begin
  -- Since when events are kept, where an end lies inside a day: if that has changed by now, some were gone already.
  if p_from > v_head or p_to > v_tail then parts_since := v_kept; end if;
  if p_from > v_head and v_head < v_kept then p_from := v_head; end if;
  if p_to > v_tail and v_tail < v_kept then p_to := v_tail + interval '24 hours'; end if;
  v_from := p_from;
  v_to := p_to;
  if p_to > v_tail and not any_activity(p_venue, p_things, p_to, v_tail + interval '24 hours') then
    v_to := v_tail + interval '24 hours';
  end if;
  if p_from > v_head and not any_activity(p_venue, p_things, v_head, p_from) then v_from := v_head; end if;
  v_low := (activity_hour(v_from) + v_step - 1) / v_step * v_step;
  if hour_begins(v_low) < v_from then v_low := v_low + v_step; end if;
  v_high := activity_hour(v_to) / v_step * v_step;
  if v_low > v_high then
    v_from1 := v_from;
    v_to1 := v_to;
    v_high := v_low;
  else
    if v_from < hour_begins(v_low) then v_from1 := v_from; v_to1 := hour_begins(v_low); end if;
    if v_to > hour_begins(v_high) then v_from2 := hour_begins(v_high); v_to2 := v_to; end if;
  end if;
  v_first := day_of_hour(v_low + 23);
  v_end := day_of_hour(v_high);
  what := 'window'; window_from := p_from; window_to := p_to;
  return next;
  return query
  with there as materialized (
    -- Whatever was counted on a day has a row for it: most things have nothing on the first day or the last, and no more is asked
    -- about those.
    select w.thing, e.day
    from (select activity_day(v_from) as day where v_from > v_head union select v_end where v_to > hour_begins(first_hour(v_end))) e
    cross join unnest(p_things) w(thing)
    cross join lateral (
      select from activity_days d where d.venue_id = p_venue and d.thing = w.thing and d.part = 24 and d.day = e.day offset 0
    ) d
  ), part as materialized (
    select e.thing, e.thing_mode, e.type, e.person, e.day, count(*) as times, sum(e.guests) as guests, sum(e.cents) as cents
    from (values (v_from1, v_to1), (v_from2, v_to2)) r(since, until)
    join there w on w.day = activity_day(r.since)
    cross join lateral (
      select a.thing, a.thing_mode, a.type, a.person, a.guests, a.cents, activity_day(r.since) as day from activity a
      where a.venue_id = p_venue and a.slot = activity_slot(r.since) and a.mode = 'live' and a.thing = w.thing
        and a.at >= r.since and a.at < r.until
      order by a.at
    ) e
    where r.since is not null
    group by e.thing, e.thing_mode, e.type, e.person, e.day
  ), met as materialized (
    select distinct p.thing, p.type as did, p.person, case when p_by_day then p.day end as day
    from (
      select case when e.is_each then p.thing else everything_of(p.thing_mode) end as thing, p.type, p.person, p.day
      from part p cross join (values (true), (false)) e(is_each) where p.type in ('view', 'booking_start')
    ) p
    where p.thing = any (p_things)
  ), alone as (
    select m.thing, m.did, m.day
    from met m left join lateral (
      select true as is_there from activity_seen s
      where s.venue_id = p_venue and s.thing = m.thing and s.did = m.did and s.person = m.person
        and s.day >= coalesce(m.day, day_of_hour(v_low)) and s.day <= coalesce(m.day, day_of_hour(v_high))
        and s.hours & hours_between(s.day, v_low, v_high) <> 0
      order by s.day limit 1
    ) s on true
    where s.is_there is null
  ), whole as (
    select d.*, d.day - v_first + 1 as gap from activity_days d
    where d.venue_id = p_venue and d.thing = any (p_things) and d.part = 24 and d.day >= v_first and d.day < v_end
    union all
    -- Hours of the first day, and of the last.
    select d.*, coalesce(e.gap, h.hour - v_low + 1)
    from (
      values (day_of_hour(v_low), v_low, least(v_high, first_hour(v_first)), null::integer),
        (v_end, greatest(first_hour(v_end), first_hour(v_first)), v_high,
          case when p_by_day then 24 else 23 + v_end - v_first + 1 end)
    ) e(day, low, high, gap)
    join there w on w.day = e.day
    cross join lateral generate_series(e.low, e.high - 1) h(hour)
    cross join lateral (
      select * from activity_days d
      where d.venue_id = p_venue and d.thing = w.thing and d.part = h.hour % 24 and d.day = e.day offset 0
    ) d
    where v_step = 1 and e.low < e.high
  ), figures as (
    select d.thing, d.day, d.views, d.saves, d.bookings, d.guests, d.cents, d.check_ins,
      people_since(d.viewer_gaps, d.viewers, case when p_by_day and d.part = 24 then 1 else d.gap end) as viewers,
      people_since(d.starter_gaps, d.starters, case when p_by_day and d.part = 24 then 1 else d.gap end) as starters
    from whole d
    union all
    select w.thing, null, 0, 0, 0, 0, 0, 0, -count(*) filter (where w.did = 'view'),
      -count(*) filter (where w.did = 'booking_start')
    from (
      select w.thing, d.did from there w cross join (values ('view'), ('booking_start')) d(did)
      where w.day = day_of_hour(v_low) and v_low < first_hour(v_first) and first_hour(v_first) < v_high and not p_by_day
    ) w
    cross join lateral (
      select from activity_seen s
      where s.venue_id = p_venue and s.thing = w.thing and s.did = w.did and s.before >= v_low
        and s.before < first_hour(v_first) and s.day >= v_first and s.day < v_end
      union all
      select from activity_seen s
      where s.venue_id = p_venue and s.thing = w.thing and s.did = w.did and s.before >= v_low
        and s.before < first_hour(v_first) and s.day = v_end and s.hours & hours_between(v_end, v_low, v_high) <> 0
        and v_high > first_hour(v_end)
    ) s
    group by w.thing
    union all
    select p.thing, p.day, coalesce(sum(p.times) filter (where p.type in ('view', 'venue_page_view')), 0),
      coalesce(sum(p.times) filter (where p.type = 'save'), 0), coalesce(sum(p.times) filter (where p.type = 'booking'), 0),
      coalesce(sum(p.guests) filter (where p.type = 'booking'), 0),
      coalesce(sum(p.cents) filter (where p.type = 'booking'), 0),
      coalesce(sum(p.times) filter (where p.type = 'check_in'), 0), 0, 0
    from part p
    group by p.thing, p.day
    union all
    select m.thing, m.day, 0, 0, 0, 0, 0, 0, count(*) filter (where m.did = 'view'),
      count(*) filter (where m.did = 'booking_start')
    from alone m
    group by m.thing, m.day
  )
  select case when grouping(f.day) = 0 then 'day' when p_by_day then 'both' else 'thing' end,
    f.thing, case when grouping(f.day) = 0 then f.day else f.line end, sum(f.views)::bigint, sum(f.saves)::bigint,
    sum(f.bookings)::bigint, sum(f.guests)::bigint, sum(f.cents)::bigint, sum(f.check_ins)::bigint,
    sum(f.viewers)::bigint, sum(f.starters)::bigint, null::timestamptz, null::timestamptz, null::timestamptz
  from (
    select f.*, case when p_by_day then f.day end as line, f.thing = p_venue as is_page from figures f
  ) f
  group by grouping sets ((f.thing, f.line), (f.day, f.is_page))
  having grouping(f.thing) = 0 or not (p_by_day or f.is_page or f.day is null);
end $$;

-- Whether anything that counts happened to one of these things. Both times are of one day.
create function any_activity(p_venue uuid, p_things uuid[], p_from timestamptz, p_to timestamptz) returns boolean
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
begin
  return exists (
    select from unnest(p_things) w(thing) cross join lateral (
      select from activity a where a.venue_id = p_venue and a.slot = activity_slot(p_from) and a.thing = w.thing
        and a.mode = 'live' and a.at >= p_from and a.at < p_to
      order by a.at limit 1
    ) a
  );
end $$;

-- Everybody of a day. Whoever wants a range of people takes it from here, and not from the index by person, which has all days.
create function seen_on(p_venue uuid, p_day date)
returns table (thing uuid, did text, person uuid, hours integer, before integer, spot tid) language sql stable as $$
  select s.thing, s.did, s.person, s.hours, s.before, s.ctid from activity_seen s
  where s.venue_id = p_venue and day_number(s.day) = day_number(p_day) offset 0
$$;

-- Counting anew, beside whoever records. First who was seen: a day at a time, of a busy day a range of its people at a time
-- (their hashes spread evenly), each under the venue's row for a moment. Says how much was wrong. Nothing is done to a day
-- whose events are gone, and none can go meanwhile. Days are done in their order: before this one all is mended, and so the hour
-- before is found right away.
create function mend_seen(p_venue uuid, p_day date, p_low uuid, p_high uuid) returns integer
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
declare
  v_start timestamptz := p_day::timestamp at time zone 'UTC';
  v_changed integer;
begin
  perform lock_activity(p_venue);
  perform from activity_kept where kept_from <= v_start for share;
  if not found then return 0; end if;
  with truth as materialized (
    select t.thing, a.type as did, a.person, bit_or(1 << activity_hour(a.at) % 24) as hours
    from activity a cross join lateral (values (a.thing), (everything_of(a.thing_mode))) t(thing)
    where a.venue_id = p_venue and a.slot = activity_slot(v_start) and a.mode = 'live' and activity_day(a.at) = p_day
      and a.type in ('view', 'booking_start') and a.person >= p_low and a.person <= p_high
    group by t.thing, a.type, a.person
  ), kept as materialized (
    select s.thing, s.did, s.person, s.hours from seen_on(p_venue, p_day) s where s.person >= p_low and s.person <= p_high
  ), wrong as materialized (
    select k.thing, k.did, k.person from kept k except select t.thing, t.did, t.person from truth t
  ), lacking as materialized (
    select t.thing, t.did, t.person, t.hours from truth t except select k.thing, k.did, k.person, k.hours from kept k
  ), gone as (
    delete from activity_seen s where s.ctid = any (array(
      select x.spot from wrong w cross join lateral (
        select s.ctid as spot from activity_seen s where s.venue_id = p_venue and s.thing = w.thing and s.did = w.did
          and s.person = w.person and s.day = p_day offset 0
      ) x
    )) returning 1
  ), added as (
    insert into activity_seen (venue_id, thing, did, person, day, hours, before)
    select p_venue, t.thing, t.did, t.person, p_day, t.hours, near_hour(first_hour(b.day) + latest_of(b.hours), p_day)
    from lacking t left join lateral (
      select b.day, b.hours from activity_seen b
      where b.venue_id = p_venue and b.thing = t.thing and b.did = t.did and b.person = t.person and b.day < p_day
      order by b.day desc limit 1
    ) b on true
    on conflict (venue_id, thing, did, person, day) do update set hours = excluded.hours
    returning 1
  )
  select (select count(*) from gone) + (select count(*) from added) into v_changed;
  if v_changed > 0 then update activity_venues set mendings = mendings + 1 where venue_id = p_venue; end if;
  return v_changed;
end $$;

-- When that is done for all days, in the same manner when each of them was seen before: wrong where what was there already followed
-- somebody who is gone, or was followed by somebody who is new.
create function mend_before(p_venue uuid, p_day date, p_low uuid, p_high uuid) returns integer
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
declare
  v_changed integer;
begin
  perform lock_activity(p_venue);
  perform from activity_kept where kept_from <= p_day::timestamp at time zone 'UTC' for share;
  if not found then return 0; end if;
  with truth as materialized (
    select s.spot, near_hour(first_hour(b.day) + latest_of(b.hours), p_day) as before, s.before as kept
    from seen_on(p_venue, p_day) s left join lateral (
      select b.day, b.hours from activity_seen b
      where b.venue_id = p_venue and b.thing = s.thing and b.did = s.did and b.person = s.person and b.day < p_day
      order by b.day desc limit 1
    ) b on true
    where s.person >= p_low and s.person <= p_high
  )
  update activity_seen s set before = t.before from truth t where t.before is distinct from t.kept and s.ctid = t.spot;
  get diagnostics v_changed = row_count;
  if v_changed > 0 then update activity_venues set mendings = mendings + 1 where venue_id = p_venue; end if;
  return v_changed;
end $$;

-- When that is done for all days as well, the figures. What they lack (or have too much) does not change by what is recorded
-- meanwhile, which adds the same to the figures and to the truth. So the two are compared in a snapshot, range by range, without
-- holding the venue, and only adding the difference needs its row.
create function true_counts(p_venue uuid, p_day date) returns table (
  thing uuid, part smallint, views bigint, saves bigint, bookings bigint, guests bigint, cents bigint, check_ins bigint
) language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  return query
  select a.thing, coalesce(activity_hour(a.at) % 24, 24)::smallint,
    count(*) filter (where a.type in ('view', 'venue_page_view')), count(*) filter (where a.type = 'save'),
    count(*) filter (where a.type = 'booking'), coalesce(sum(a.guests) filter (where a.type = 'booking'), 0)::bigint,
    coalesce(sum(a.cents) filter (where a.type = 'booking'), 0)::bigint, count(*) filter (where a.type = 'check_in')
  from activity a
  where a.venue_id = p_venue and a.slot = activity_slot(p_day::timestamp at time zone 'UTC') and a.mode = 'live'
    and activity_day(a.at) = p_day
  group by a.thing, rollup (activity_hour(a.at) % 24);
end $$;

create function true_people(p_venue uuid, p_day date, p_low uuid, p_high uuid)
returns table (thing uuid, part smallint, did text, gap smallint, people integer)
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
#variable_conflict use_column
begin
  return query
  select x.thing, p.part::smallint, x.did, p.gap::smallint, count(*)::integer
  from (
    select s.thing, s.did, s.hours, h.part, hour_gap(s.hours, h.part, p_day, s.before) as gap
    from seen_on(p_venue, p_day) s cross join generate_series(0, 23) h(part)
    where s.person >= p_low and s.person <= p_high and s.hours & (1 << h.part) <> 0
  ) x
  cross join lateral (values (x.part, x.gap::integer), (24, case when x.gap > 23 then x.gap - 23 end)) p(part, gap)
  where p.gap is not null
  group by x.thing, p.part, x.did, p.gap;
end $$;

-- The rows of a day and its hours, found thing by thing: an index that had the day first would be for this alone.
create function kept_figures(p_venue uuid, p_day date) returns setof activity_days
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
begin
  return query
  with recursive things as (
    (select d.thing from activity_days d where d.venue_id = p_venue order by d.thing limit 1)
    union all
    select n.thing from things t cross join lateral (
      select d.thing from activity_days d where d.venue_id = p_venue and d.thing > t.thing order by d.thing limit 1
    ) n
  )
  select k.* from things t cross join generate_series(0, 24) p(part) cross join lateral (
    select * from activity_days d
    where d.venue_id = p_venue and d.thing = t.thing and d.part = p.part and d.day = p_day offset 0
  ) k;
end $$;

-- Adds what the figures of a day and its hours lack; people one row for each gap. Says how many rows that mended; null: somebody
-- else mended meanwhile, and it must be found anew.
create function mend_day(
  p_venue uuid, p_day date, p_mendings bigint, p_things uuid[], p_parts smallint[], p_views bigint[], p_saves bigint[],
  p_bookings bigint[], p_guests bigint[], p_cents bigint[], p_check_ins bigint[],
  p_of uuid[], p_of_parts smallint[], p_dids text[], p_gaps smallint[], p_people integer[]
) returns integer language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  perform lock_activity(p_venue);
  perform from activity_kept where kept_from <= p_day::timestamp at time zone 'UTC' for share;
  -- Its events are gone by now: what was found without them is not the truth.
  if not found then return 0; end if;
  update activity_venues set mendings = mendings + 1 where venue_id = p_venue and mendings = p_mendings;
  if not found then return null; end if;
  with people as materialized (
    select x.of as thing, x.part,
      array_agg(x.gap) filter (where x.did = 'view') as viewer_gaps, array_agg(x.people) filter (where x.did = 'view') as viewers,
      array_agg(x.gap) filter (where x.did = 'booking_start') as starter_gaps,
      array_agg(x.people) filter (where x.did = 'booking_start') as starters
    from unnest(p_of, p_of_parts, p_dids, p_gaps, p_people) as x(of, part, did, gap, people) group by x.of, x.part
  ), lacking as (
    select u.*, coalesce(p.viewer_gaps, '{}') as viewer_gaps, coalesce(p.viewers, '{}') as viewers,
      coalesce(p.starter_gaps, '{}') as starter_gaps, coalesce(p.starters, '{}') as starters
    from unnest(p_things, p_parts, p_views, p_saves, p_bookings, p_guests, p_cents, p_check_ins)
      as u(thing, part, views, saves, bookings, guests, cents, check_ins)
    left join people p on p.thing = u.thing and p.part = u.part
  )
  insert into activity_days as d
    (venue_id, thing, day, part, views, saves, bookings, guests, cents, check_ins, viewer_gaps, viewers, starter_gaps, starters)
  select p_venue, n.thing, p_day, n.part, n.views + coalesce(o.views, 0), n.saves + coalesce(o.saves, 0),
    n.bookings + coalesce(o.bookings, 0), n.guests + coalesce(o.guests, 0), n.cents + coalesce(o.cents, 0),
    n.check_ins + coalesce(o.check_ins, 0), v.gaps, v.people, b.gaps, b.people
  from lacking n
  left join lateral (
    select * from activity_days x where x.venue_id = p_venue and x.thing = n.thing and x.part = n.part and x.day = p_day offset 0
  ) o on true
  cross join lateral people_by_gap(coalesce(o.viewer_gaps, '{}'), coalesce(o.viewers, '{}'), n.viewer_gaps, n.viewers) v
  cross join lateral people_by_gap(coalesce(o.starter_gaps, '{}'), coalesce(o.starters, '{}'), n.starter_gaps, n.starters) b
  on conflict (venue_id, thing, part, day) do update set views = excluded.views, saves = excluded.saves,
    bookings = excluded.bookings, guests = excluded.guests, cents = excluded.cents, check_ins = excluded.check_ins,
    viewer_gaps = excluded.viewer_gaps, viewers = excluded.viewers,
    starter_gaps = excluded.starter_gaps, starters = excluded.starters;
  return cardinality(p_things);
end $$;
