-- The schema of a migrated database, for reading. Made by `npm run schema`; do not edit. A test fails when it is not
-- current.

-- Codes sent by mail: to sign in, or to prove again who uses a session. The code is stored as a keyed hash.
CREATE TABLE account_challenges (
  challenge_id uuid NOT NULL,
  purpose text NOT NULL,
  session_id uuid,
  email bytea NOT NULL,
  email_hash bytea NOT NULL,
  code_hash bytea NOT NULL,
  tries smallint NOT NULL DEFAULT 0,
  spent_at timestamp with time zone,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT account_challenges_pkey PRIMARY KEY (challenge_id),
  CONSTRAINT account_challenge_of_step_up_has_session CHECK ((purpose = ANY (ARRAY['step_up'::text, 'domain'::text, 'email'::text])) = (session_id IS NOT NULL)),
  CONSTRAINT account_challenge_purpose_is_known CHECK (purpose = ANY (ARRAY['sign_in'::text, 'step_up'::text, 'link'::text, 'domain'::text, 'email'::text]))
);
CREATE INDEX account_challenges_by_age ON account_challenges USING btree (expires_at);

-- Browsers in which an account has signed in within 90 days. The cookie that marks a browser is stored as a hash.
CREATE TABLE account_devices (
  account_id uuid NOT NULL,
  device_hash bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone NOT NULL,
  CONSTRAINT account_devices_pkey PRIMARY KEY (account_id, device_hash),
  CONSTRAINT account_devices_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id)
);
CREATE INDEX account_devices_by_age ON account_devices USING btree (last_used_at);

-- Public keys with which a person signs in and steps up. A browser names one by its credential id.
CREATE TABLE account_passkeys (
  passkey_id uuid NOT NULL,
  account_id uuid NOT NULL,
  credential_id bytea NOT NULL,
  public_key bytea NOT NULL,
  -- How often the authenticator has signed, by its own count; it never goes back. 0: it does not count.
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  name text NOT NULL,
  is_synced boolean NOT NULL,
  created_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone,
  CONSTRAINT account_passkeys_pkey PRIMARY KEY (passkey_id),
  CONSTRAINT account_passkeys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT account_passkey_counter_is_positive CHECK (counter >= 0),
  CONSTRAINT account_passkey_credential_is_short CHECK (octet_length(credential_id) >= 1 AND octet_length(credential_id) <= 1023),
  CONSTRAINT account_passkey_key_is_short CHECK (octet_length(public_key) >= 1 AND octet_length(public_key) <= 4096)
);
CREATE INDEX account_passkeys_by_account ON account_passkeys USING btree (account_id, created_at);
CREATE UNIQUE INDEX account_passkeys_by_credential ON account_passkeys USING btree (credential_id);

-- Browsers signed in to the console; the cookie is stored as a hash. An ended one stays for 30 days: the networks that
-- an account has used have a limit of codes of their own.
CREATE TABLE account_sessions (
  session_id uuid NOT NULL,
  account_id uuid NOT NULL,
  token_hash bytea NOT NULL,
  address text,
  network text,
  created_at timestamp with time zone NOT NULL,
  -- Written at most every five minutes.
  last_used_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  stepped_up_at timestamp with time zone,
  ended_at timestamp with time zone,
  -- Browser and system in words; the header itself is not stored.
  device text,
  -- Of the last use, written with last_used_at; null: that of the sign-in.
  last_address text,
  is_new_device boolean NOT NULL DEFAULT false,
  CONSTRAINT account_sessions_pkey PRIMARY KEY (session_id),
  CONSTRAINT account_sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT account_session_device_is_short CHECK (length(device) <= 60)
);
CREATE INDEX account_sessions_by_account ON account_sessions USING btree (account_id, created_at);
CREATE INDEX account_sessions_by_age ON account_sessions USING btree (created_at);
CREATE UNIQUE INDEX account_sessions_by_token ON account_sessions USING btree (token_hash);

-- People who use the console. The mail address is sealed, and found by its keyed hash.
CREATE TABLE accounts (
  account_id uuid NOT NULL,
  email bytea NOT NULL,
  email_hash bytea NOT NULL,
  name text,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT accounts_pkey PRIMARY KEY (account_id)
);
CREATE UNIQUE INDEX accounts_by_email ON accounts USING btree (email_hash);

-- Events of the members' app, for windows that begin or end inside a day and for recounts. Member and event ids are
-- keyed hashes, a member's a different one at each venue. subject is an experience, or the venue's id for its own page.
CREATE TABLE activity (
  venue_id uuid NOT NULL,
  partition_number smallint NOT NULL,
  at timestamp with time zone NOT NULL,
  type text NOT NULL,
  subject uuid NOT NULL,
  -- The mode of the experience; null: the venue's own page.
  subject_mode text,
  person uuid NOT NULL,
  guests integer NOT NULL,
  cents integer NOT NULL,
  -- The mode of the event. Only live events are counted.
  mode text NOT NULL,
  CONSTRAINT activity_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text])),
  CONSTRAINT activity_page_has_no_mode CHECK ((type = 'venue_page_view'::text) = (subject_mode IS NULL)),
  CONSTRAINT activity_type_is_known CHECK (type = ANY (ARRAY['view'::text, 'booking_start'::text, 'save'::text, 'booking'::text, 'check_in'::text, 'venue_page_view'::text]))
) PARTITION BY LIST (partition_number);
CREATE TABLE activity_partition_00 PARTITION OF activity FOR VALUES IN ('0');
CREATE TABLE activity_partition_01 PARTITION OF activity FOR VALUES IN ('1');
CREATE TABLE activity_partition_02 PARTITION OF activity FOR VALUES IN ('2');
CREATE TABLE activity_partition_03 PARTITION OF activity FOR VALUES IN ('3');
CREATE TABLE activity_partition_04 PARTITION OF activity FOR VALUES IN ('4');
CREATE TABLE activity_partition_05 PARTITION OF activity FOR VALUES IN ('5');
CREATE TABLE activity_partition_06 PARTITION OF activity FOR VALUES IN ('6');
CREATE TABLE activity_partition_07 PARTITION OF activity FOR VALUES IN ('7');
CREATE TABLE activity_partition_08 PARTITION OF activity FOR VALUES IN ('8');
CREATE TABLE activity_partition_09 PARTITION OF activity FOR VALUES IN ('9');
CREATE TABLE activity_partition_10 PARTITION OF activity FOR VALUES IN ('10');
CREATE TABLE activity_partition_11 PARTITION OF activity FOR VALUES IN ('11');
CREATE TABLE activity_partition_12 PARTITION OF activity FOR VALUES IN ('12');
CREATE TABLE activity_partition_13 PARTITION OF activity FOR VALUES IN ('13');
CREATE TABLE activity_partition_14 PARTITION OF activity FOR VALUES IN ('14');
CREATE TABLE activity_partition_15 PARTITION OF activity FOR VALUES IN ('15');
CREATE TABLE activity_partition_16 PARTITION OF activity FOR VALUES IN ('16');
CREATE TABLE activity_partition_17 PARTITION OF activity FOR VALUES IN ('17');
CREATE TABLE activity_partition_18 PARTITION OF activity FOR VALUES IN ('18');
CREATE TABLE activity_partition_19 PARTITION OF activity FOR VALUES IN ('19');
CREATE TABLE activity_partition_20 PARTITION OF activity FOR VALUES IN ('20');
CREATE TABLE activity_partition_21 PARTITION OF activity FOR VALUES IN ('21');
CREATE TABLE activity_partition_22 PARTITION OF activity FOR VALUES IN ('22');
CREATE TABLE activity_partition_23 PARTITION OF activity FOR VALUES IN ('23');
-- For recounts: on an expression, so that a look-up by the time itself cannot choose it.
CREATE INDEX activity_by_day ON ONLY activity USING btree (venue_id, activity_day(at));
CREATE INDEX activity_by_subject ON ONLY activity USING btree (venue_id, subject, at);

-- The figures of a subject on a day and in each of its hours. viewers[i] people have a gap of viewer_gaps[i] or more
-- since the day or hour on which they were seen before; 400 is every longer gap, and none before. A person is new to a
-- window whose start the gap reaches past, so the different people of a window are one look-up a day.
CREATE TABLE activity_days (
  venue_id uuid NOT NULL,
  subject uuid NOT NULL,
  day date NOT NULL,
  views bigint NOT NULL,
  saves bigint NOT NULL,
  bookings bigint NOT NULL,
  guests bigint NOT NULL,
  cents bigint NOT NULL,
  check_ins bigint NOT NULL,
  viewer_gaps smallint[] NOT NULL,
  viewers integer[] NOT NULL,
  starter_gaps smallint[] NOT NULL,
  starters integer[] NOT NULL,
  -- The hour of the day, 0 to 23; 24: the whole day.
  hour_of_day smallint NOT NULL,
  CONSTRAINT activity_days_pkey PRIMARY KEY (venue_id, subject, hour_of_day, day),
  CONSTRAINT activity_hour_of_day_is_an_hour_or_the_day CHECK (hour_of_day >= 0 AND hour_of_day <= 24),
  CONSTRAINT activity_starters_have_gaps CHECK (cardinality(starters) = cardinality(starter_gaps)),
  CONSTRAINT activity_viewers_have_gaps CHECK (cardinality(viewers) = cardinality(viewer_gaps))
) WITH (fillfactor=80);

-- Ids of events, as long as the event is stored: every event counts once, whatever its time says.
CREATE TABLE activity_ids (
  venue_id uuid NOT NULL,
  event_key uuid NOT NULL,
  at timestamp with time zone NOT NULL,
  CONSTRAINT activity_ids_pkey PRIMARY KEY (venue_id, event_key)
);

-- Who did what on which day, in which of its hours (bits, the first hour the lowest), once however often, and their
-- previous hour before that day. The fillfactor lets another hour be added without touching an index.
CREATE TABLE activity_people (
  venue_id uuid NOT NULL,
  subject uuid NOT NULL,
  action text NOT NULL,
  person uuid NOT NULL,
  day date NOT NULL,
  hours integer NOT NULL,
  -- Null: never, or 400 days ago or more.
  previous_hour integer,
  CONSTRAINT activity_people_pkey PRIMARY KEY (venue_id, subject, action, person, day),
  CONSTRAINT activity_people_action_is_known CHECK (action = ANY (ARRAY['view'::text, 'booking_start'::text]))
) WITH (fillfactor=85);
CREATE INDEX activity_people_by_day ON activity_people USING btree (venue_id, day_number(day));
CREATE INDEX activity_people_by_previous_hour ON activity_people USING btree (venue_id, subject, action, previous_hour, day) WHERE previous_hour IS NOT NULL;

-- One row for the whole installation: before this time single events were dropped, figures exist by the day, and
-- nothing more is counted. Always the beginning of a day in UTC.
CREATE TABLE activity_retention (
  only_row boolean NOT NULL DEFAULT true,
  retained_from timestamp with time zone NOT NULL,
  CONSTRAINT activity_retention_pkey PRIMARY KEY (only_row),
  CONSTRAINT activity_retention_begins_a_day CHECK (retained_from = '-infinity'::timestamp with time zone OR retained_from = date_trunc('day'::text, retained_from, 'UTC'::text)),
  CONSTRAINT activity_retention_has_one_row CHECK (only_row)
);

-- Transactions that change the figures of a venue lock its row until commit.
CREATE TABLE activity_venues (
  venue_id uuid NOT NULL,
  -- Counts the repairs, so that two recounts at the same time do not both add what was missing.
  repairs bigint NOT NULL DEFAULT 0,
  -- False: a venue from before hours were counted, until a recount.
  has_hourly_figures boolean NOT NULL DEFAULT true,
  CONSTRAINT activity_venues_pkey PRIMARY KEY (venue_id),
  CONSTRAINT activity_venues_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id)
);

-- What was done to keys, origins, endpoints, integrations, reviews and refunds, and by whom. Append-only.
CREATE TABLE audit_log (
  venue_id uuid NOT NULL,
  audit_id uuid NOT NULL,
  at timestamp with time zone NOT NULL,
  actor text NOT NULL,
  via text NOT NULL,
  address text,
  request_id text,
  action text NOT NULL,
  subject text NOT NULL,
  detail jsonb NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT audit_log_pkey PRIMARY KEY (venue_id, audit_id),
  CONSTRAINT audit_log_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id)
);
CREATE INDEX audit_log_by_action ON audit_log USING btree (venue_id, action, audit_id);
CREATE INDEX audit_log_by_subject ON audit_log USING btree (venue_id, subject, audit_id);
CREATE INDEX audit_log_by_time ON audit_log USING btree (audit_id);
CREATE INDEX audit_log_of_operators ON audit_log USING btree (audit_id) WHERE starts_with(actor, 'operator '::text);
CREATE TRIGGER audit_log_is_append_only BEFORE DELETE OR UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION enforce_append_only();
CREATE TRIGGER audit_log_is_never_emptied BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION enforce_append_only();

CREATE TABLE boats (
  venue_id uuid NOT NULL,
  boat_id uuid NOT NULL,
  mode text NOT NULL,
  external_id text NOT NULL,
  status text NOT NULL,
  review_note text,
  content json NOT NULL,
  extra json,
  fingerprint bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  reviewed_at timestamp with time zone,
  calendar_url text,
  calendar_due_at timestamp with time zone,
  calendar_checked_at timestamp with time zone,
  calendar_read_at timestamp with time zone,
  calendar_error text,
  calendar_failures integer NOT NULL DEFAULT 0,
  calendar_blocks json,
  calendar_problems json,
  CONSTRAINT boats_pkey PRIMARY KEY (venue_id, boat_id),
  CONSTRAINT boats_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT boat_calendar_is_due_when_there_is_one CHECK ((calendar_url IS NULL) = (calendar_due_at IS NULL)),
  CONSTRAINT boat_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text])),
  CONSTRAINT boat_note_goes_with_rejection CHECK ((review_note IS NOT NULL) = (status = 'rejected'::text)),
  CONSTRAINT boat_status_is_known CHECK (status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'inactive'::text]))
);
CREATE UNIQUE INDEX boats_by_change ON boats USING btree (venue_id, mode, changed_at);
CREATE UNIQUE INDEX boats_by_external_id ON boats USING btree (venue_id, mode, external_id);
CREATE INDEX boats_by_status ON boats USING btree (venue_id, mode, status, changed_at);
CREATE INDEX boats_pending ON boats USING btree (created_at) WHERE status = 'pending'::text;
CREATE INDEX boats_waiting ON boats USING btree (changed_at) WHERE status = 'pending'::text;
CREATE INDEX boats_with_calendar_due ON boats USING btree (calendar_due_at) WHERE calendar_due_at IS NOT NULL;

CREATE TABLE channel_members (
  channel_id uuid NOT NULL,
  member_id uuid NOT NULL,
  CONSTRAINT channel_members_pkey PRIMARY KEY (channel_id, member_id),
  CONSTRAINT channel_members_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels(channel_id),
  CONSTRAINT channel_members_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(member_id)
);
CREATE INDEX channel_members_by_member ON channel_members USING btree (member_id);

CREATE TABLE channels (
  channel_id uuid NOT NULL,
  name text,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT channels_pkey PRIMARY KEY (channel_id)
);

-- Comparisons with the processor (with the number of its payments) and checks of the ledger (with the balances of its
-- accounts) of the last 90 days, and what they found.
CREATE TABLE check_runs (
  name text NOT NULL,
  mode text NOT NULL,
  at timestamp with time zone NOT NULL,
  compared integer,
  settled integer NOT NULL,
  differences integer NOT NULL,
  findings text[] NOT NULL,
  balances jsonb,
  CONSTRAINT check_runs_pkey PRIMARY KEY (name, mode, at),
  CONSTRAINT check_run_counts_are_not_negative CHECK (compared >= 0 AND settled >= 0 AND differences >= 0),
  CONSTRAINT check_run_is_of_its_kind CHECK ((balances IS NOT NULL) = (name = 'ledger'::text) AND (compared IS NOT NULL) = (name = 'reconcile'::text)),
  CONSTRAINT check_run_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text, 'all'::text])),
  CONSTRAINT check_run_name_is_known CHECK (name = ANY (ARRAY['reconcile'::text, 'ledger'::text]))
);

-- When a worker runs each check next; while one runs it, when its lease ends. A check without a row is due.
CREATE TABLE check_schedules (
  name text NOT NULL,
  mode text NOT NULL,
  due_at timestamp with time zone NOT NULL,
  lease_token integer NOT NULL,
  CONSTRAINT check_schedules_pkey PRIMARY KEY (name, mode),
  CONSTRAINT check_schedule_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text, 'all'::text])),
  CONSTRAINT check_schedule_name_is_known CHECK (name = ANY (ARRAY['reconcile'::text, 'ledger'::text]))
);

-- From a checkout or share id to its venue, for guests, who have no key.
CREATE TABLE checkout_routes (
  id text NOT NULL,
  venue_id uuid NOT NULL,
  CONSTRAINT checkout_routes_pkey PRIMARY KEY (id)
);

-- Group payments. Amounts never change, a status follows state_transitions, and a party adds up at every commit.
CREATE TABLE checkouts (
  venue_id uuid NOT NULL,
  checkout_id text NOT NULL,
  mode text NOT NULL,
  status text NOT NULL,
  amount integer NOT NULL,
  currency text NOT NULL,
  fee_amount integer NOT NULL,
  refunded_amount integer NOT NULL DEFAULT 0,
  party_size smallint NOT NULL,
  pay_by timestamp with time zone NOT NULL,
  -- When pay_by comes on the wall clock: pay_by itself, unless a test helper moved this checkout's own clock ahead.
  expires_at timestamp with time zone NOT NULL,
  clock_ahead interval NOT NULL DEFAULT '00:00:00'::interval,
  description text NOT NULL,
  external_booking_id text NOT NULL,
  offering_external_id text,
  url text NOT NULL,
  return_url text NOT NULL,
  cancel_url text,
  metadata json NOT NULL,
  fingerprint bytea NOT NULL,
  organizer_id uuid,
  cancellation_reason text,
  -- Of a funded checkout: when a worker captures its holds next.
  capture_due_at timestamp with time zone,
  -- Counts the claims of a funded checkout. A worker with a stale lease token writes nothing.
  lease_token integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  completed_at timestamp with time zone,
  -- When its guests are notified next. -infinity: at once; infinity: not until something happens; null: there is no
  -- guest to notify.
  notify_at timestamp with time zone,
  -- How much of the refunds did not reach the guests and is owed to them. refunded_amount includes it, because it is
  -- decided.
  failed_refund_amount integer NOT NULL DEFAULT 0,
  -- The start of the booking itself; null: the partner did not say.
  starts_at timestamp with time zone,
  ends_at timestamp with time zone,
  location text,
  -- Who created it, as the audit log names the actor: the id of a key, or an account. Null: an older version created
  -- it.
  created_by text,
  -- Of a funded checkout: why the last try to charge its cards did not end. Null: no try has failed.
  capture_error text,
  CONSTRAINT checkouts_pkey PRIMARY KEY (venue_id, checkout_id),
  CONSTRAINT checkouts_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT booking_ends_after_it_starts CHECK (ends_at IS NULL OR starts_at IS NOT NULL AND ends_at >= starts_at),
  CONSTRAINT checkout_amount_is_a_charge CHECK (amount >= 100 AND amount <= 99999999),
  CONSTRAINT checkout_clock_moves_in_test_mode_only CHECK (mode = 'test'::text OR clock_ahead = '00:00:00'::interval),
  CONSTRAINT checkout_completed_has_a_time CHECK ((completed_at IS NOT NULL) = (status = 'completed'::text)),
  CONSTRAINT checkout_failed_refund_is_not_negative CHECK (failed_refund_amount >= 0),
  CONSTRAINT checkout_fee_is_within_the_amount CHECK (fee_amount >= 0 AND fee_amount <= amount),
  CONSTRAINT checkout_funded_is_due CHECK ((capture_due_at IS NOT NULL) = (status = 'funded'::text)),
  CONSTRAINT checkout_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text])),
  CONSTRAINT checkout_party_has_an_organizer CHECK (organizer_id IS NOT NULL OR (status = ANY (ARRAY['open'::text, 'expired'::text, 'canceled'::text]))),
  CONSTRAINT checkout_reason_goes_with_canceled CHECK (cancellation_reason IS NULL OR status = 'canceled'::text),
  CONSTRAINT checkout_refund_is_within_the_amount CHECK (refunded_amount >= 0 AND refunded_amount <= amount),
  CONSTRAINT checkout_refund_needs_an_end CHECK (refunded_amount = 0 OR (status = ANY (ARRAY['completed'::text, 'canceled'::text]))),
  CONSTRAINT checkout_status_is_known CHECK (status = ANY (ARRAY['open'::text, 'collecting'::text, 'funded'::text, 'completed'::text, 'expired'::text, 'canceled'::text])),
  CONSTRAINT location_has_1_to_200_characters CHECK (char_length(location) >= 1 AND char_length(location) <= 200)
) WITH (fillfactor=85);
CREATE UNIQUE INDEX checkouts_by_booking ON checkouts USING btree (venue_id, mode, external_booking_id) WHERE status <> ALL (ARRAY['expired'::text, 'canceled'::text]);
CREATE INDEX checkouts_by_completion ON checkouts USING btree (venue_id, mode, completed_at) INCLUDE (amount, currency) WHERE completed_at IS NOT NULL;
CREATE UNIQUE INDEX checkouts_by_creation ON checkouts USING btree (venue_id, mode, created_at);
CREATE INDEX checkouts_by_organizer ON checkouts USING btree (venue_id, organizer_id, mode, created_at) WHERE organizer_id IS NOT NULL;
CREATE INDEX checkouts_by_status ON checkouts USING btree (venue_id, mode, status, created_at);
CREATE INDEX checkouts_to_capture ON checkouts USING btree (capture_due_at) WHERE status = 'funded'::text;
CREATE INDEX checkouts_to_expire ON checkouts USING btree (expires_at, venue_id) WHERE status = ANY (ARRAY['open'::text, 'collecting'::text]);
CREATE INDEX checkouts_to_notify ON checkouts USING btree (notify_at) WHERE notify_at < 'infinity'::timestamp with time zone;
CREATE TRIGGER checkout_keeps_its_amount BEFORE UPDATE OF amount, currency, fee_amount, mode ON checkouts FOR EACH ROW EXECUTE FUNCTION enforce_fixed_amounts();
CREATE TRIGGER checkout_status_follows_the_transitions BEFORE INSERT OR UPDATE OF status ON checkouts FOR EACH ROW EXECUTE FUNCTION enforce_transition('checkout');
CREATE TRIGGER checkouts_are_never_deleted BEFORE DELETE OR TRUNCATE ON checkouts FOR EACH STATEMENT EXECUTE FUNCTION enforce_no_deletes();
CREATE CONSTRAINT TRIGGER party_adds_up AFTER UPDATE OF status ON checkouts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION enforce_party_invariants();

-- The last comparison with the processor of each mode, and the last check of the ledger, of all modes.
CREATE TABLE checks (
  name text NOT NULL,
  mode text NOT NULL,
  at timestamp with time zone NOT NULL,
  differences integer NOT NULL,
  CONSTRAINT checks_pkey PRIMARY KEY (name, mode),
  CONSTRAINT check_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text, 'all'::text])),
  CONSTRAINT check_name_is_known CHECK (name = ANY (ARRAY['reconcile'::text, 'ledger'::text]))
);

-- The rolling day: what one subject used, numbered in order. The use N places before limits the next one to a day
-- later. Logged, unlike the rolling hour: texts cost money, so a crash must not reset the counts.
CREATE TABLE daily_uses (
  subject text NOT NULL,
  number bigint NOT NULL,
  -- In the future: the use waits until then.
  at timestamp with time zone NOT NULL,
  CONSTRAINT daily_uses_pkey PRIMARY KEY (subject, number)
);
CREATE INDEX daily_uses_by_age ON daily_uses USING btree (at);

-- How much of a transfer settles a debt of the venue instead of being sent. It is written once, before the first call
-- of the transfer, and deleted only when a refund changes a transfer that was not sent.
CREATE TABLE debt_offsets (
  venue_id uuid NOT NULL,
  transfer_id uuid NOT NULL,
  reversal_id uuid NOT NULL,
  -- The checkout of the transfer.
  checkout_id text NOT NULL,
  -- The checkout of the reversal that is owed.
  debt_checkout_id text NOT NULL,
  amount integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT debt_offsets_pkey PRIMARY KEY (venue_id, transfer_id, reversal_id),
  CONSTRAINT debt_offsets_venue_id_reversal_id_fkey FOREIGN KEY (venue_id, reversal_id) REFERENCES movements(venue_id, movement_id),
  CONSTRAINT debt_offsets_venue_id_transfer_id_fkey FOREIGN KEY (venue_id, transfer_id) REFERENCES movements(venue_id, movement_id),
  CONSTRAINT debt_offset_is_positive CHECK (amount > 0)
);
CREATE INDEX debt_offsets_by_checkout ON debt_offsets USING btree (venue_id, checkout_id);
CREATE INDEX debt_offsets_by_debt_checkout ON debt_offsets USING btree (venue_id, debt_checkout_id);

-- Declined cards, each once: for an hour's limit on a share and on an address, and for the history of a checkout. The
-- address is deleted after a day, the row after 90 days.
CREATE TABLE declines (
  venue_id uuid NOT NULL,
  -- The processor's charge, or its event where there was no charge.
  decline_id text NOT NULL,
  share_id text NOT NULL,
  -- A keyed hash of the address that last requested the hold; null: unknown, or too long ago.
  address_hash bytea,
  at timestamp with time zone NOT NULL,
  -- The code of the issuer or the processor, such as insufficient_funds.
  reason text,
  CONSTRAINT declines_pkey PRIMARY KEY (venue_id, decline_id)
);
CREATE INDEX declines_by_address ON declines USING btree (address_hash, at) WHERE address_hash IS NOT NULL;
CREATE INDEX declines_by_age ON declines USING btree (at);
CREATE INDEX declines_by_share ON declines USING btree (venue_id, share_id, at);
CREATE INDEX declines_with_address ON declines USING btree (at) WHERE address_hash IS NOT NULL;

-- One event for one endpoint, which together name it. created_at is the event's, unique for a venue and mode: it is the
-- key, and lists page by it.
CREATE TABLE deliveries (
  venue_id uuid NOT NULL,
  endpoint_id text NOT NULL,
  event_id text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  -- All attempts ever.
  attempts integer NOT NULL DEFAULT 0,
  -- Attempts in the present 72 hours: a redelivery starts new ones.
  tries smallint NOT NULL DEFAULT 0,
  due_at timestamp with time zone,
  ends_at timestamp with time zone NOT NULL,
  last_status smallint,
  last_error text,
  last_response text,
  last_duration_ms integer,
  last_attempt_at timestamp with time zone,
  delivered_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  -- The attempts before the last one; null: there is none.
  earlier_attempts jsonb,
  -- Why it was ended without another try.
  end_reason text,
  CONSTRAINT deliveries_pkey PRIMARY KEY (venue_id, endpoint_id, created_at),
  CONSTRAINT delivery_is_tried_within_its_time CHECK (due_at <= ends_at),
  CONSTRAINT delivery_pending_is_due CHECK ((due_at IS NOT NULL) = (status = 'pending'::text)),
  CONSTRAINT delivery_status_is_known CHECK (status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))
) WITH (autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX deliveries_by_age ON deliveries USING brin (created_at);
CREATE INDEX deliveries_due ON deliveries USING btree (venue_id, endpoint_id, LEAST(attempts, 1), due_at) WHERE due_at IS NOT NULL;

-- An operator reads a venue as its people do, until then and without writes.
CREATE TABLE desk_views (
  session_id uuid NOT NULL,
  venue_id uuid NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  CONSTRAINT desk_views_pkey PRIMARY KEY (venue_id, session_id)
);
CREATE INDEX desk_views_by_age ON desk_views USING btree (ends_at);

CREATE TABLE disputes (
  venue_id uuid NOT NULL,
  dispute_id text NOT NULL,
  mode text NOT NULL,
  checkout_id text NOT NULL,
  share_id text NOT NULL,
  hold_id uuid NOT NULL,
  -- What the processor says that is disputed. It can change, and exceed the charge.
  amount integer NOT NULL,
  currency text NOT NULL,
  status text NOT NULL,
  reason text NOT NULL,
  opened_at timestamp with time zone NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  -- Of a lost dispute: how much of it the venue bears; null: it is not lost.
  venue_part integer,
  -- Of a lost dispute: how much of it comes out of our fee.
  fee_part integer,
  -- Of a lost dispute: how much of it was to be returned to the guest anyway, because the checkout did not complete.
  returned_part integer NOT NULL DEFAULT 0,
  -- What the processor has charged us for the dispute, as far as an event has named it. Disputes before this column
  -- have 0.
  processor_fee integer NOT NULL DEFAULT 0,
  -- How much of processor_fee the processor has given back.
  processor_fee_returned integer NOT NULL DEFAULT 0,
  -- What the processor took back from us.
  withdrawn_amount integer NOT NULL DEFAULT 0,
  -- How much of withdrawn_amount the processor gave to us again.
  reinstated_amount integer NOT NULL DEFAULT 0,
  -- How often an answer of the processor was recorded. A worker whose answer is older than the last record asks again.
  changes integer NOT NULL DEFAULT 0,
  -- Of a lost dispute: how much of it is our loss, because the share cannot bear it.
  own_part integer NOT NULL DEFAULT 0,
  -- Until when the processor takes an answer; null: it takes none, or has not said until when.
  evidence_due_at timestamp with time zone,
  CONSTRAINT disputes_pkey PRIMARY KEY (venue_id, dispute_id),
  CONSTRAINT disputes_venue_id_hold_id_fkey FOREIGN KEY (venue_id, hold_id) REFERENCES holds(venue_id, hold_id),
  CONSTRAINT dispute_amount_is_not_negative CHECK (amount >= 0),
  CONSTRAINT dispute_amounts_are_not_negative CHECK (withdrawn_amount >= 0 AND reinstated_amount >= 0),
  CONSTRAINT dispute_loss_is_divided_completely CHECK (venue_part IS NULL AND fee_part IS NULL AND returned_part = 0 AND own_part = 0 OR venue_part >= 0 AND fee_part >= 0 AND returned_part >= 0 AND own_part >= 0),
  CONSTRAINT dispute_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text])),
  CONSTRAINT dispute_processor_fee_is_not_negative CHECK (processor_fee >= 0 AND processor_fee_returned >= 0)
);
CREATE INDEX disputes_by_checkout ON disputes USING btree (venue_id, checkout_id);
CREATE INDEX disputes_by_hold ON disputes USING btree (venue_id, hold_id);
CREATE INDEX disputes_by_id ON disputes USING btree (dispute_id);
CREATE INDEX disputes_open ON disputes USING btree (mode) WHERE status <> ALL (ARRAY['won'::text, 'lost'::text, 'warning_closed'::text, 'prevented'::text]);
CREATE INDEX disputes_unsettled ON disputes USING btree (mode, changed_at) WHERE (status = ANY (ARRAY['won'::text, 'lost'::text, 'warning_closed'::text, 'prevented'::text])) AND (status = 'lost'::text AND venue_part IS NULL OR (withdrawn_amount - reinstated_amount) <> COALESCE(venue_part + fee_part + returned_part + own_part, 0));

-- The lease of one endpoint's deliveries. due_at is never later than the soonest delivery's.
CREATE TABLE endpoint_queues (
  venue_id uuid NOT NULL,
  endpoint_id text NOT NULL,
  -- Counts the leases. A worker with a stale lease token writes nothing.
  lease_token integer NOT NULL DEFAULT 0,
  due_at timestamp with time zone,
  -- No worker takes the queue earlier: until then one has it, or the endpoint rests after failures.
  available_at timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  -- Attempts in a row that got no answer. An error is an answer.
  failures integer NOT NULL DEFAULT 0,
  -- How the last lease went. A worker has separate places for each pace.
  pace text NOT NULL DEFAULT 'quick'::text,
  last_success_at timestamp with time zone,
  CONSTRAINT endpoint_queues_pkey PRIMARY KEY (venue_id, endpoint_id),
  CONSTRAINT endpoint_queues_venue_id_endpoint_id_fkey FOREIGN KEY (venue_id, endpoint_id) REFERENCES webhook_endpoints(venue_id, endpoint_id) ON DELETE CASCADE,
  CONSTRAINT endpoint_queue_pace_is_known CHECK (pace = ANY (ARRAY['quick'::text, 'slow'::text, 'failing'::text, 'dead'::text]))
) WITH (fillfactor=70, autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX endpoint_queues_due ON endpoint_queues USING btree (pace, GREATEST(due_at, available_at)) WHERE due_at IS NOT NULL;

-- One row for the whole installation: of earlier events only the first and the newest of each object are there, if
-- EVENT_LOG_DAYS was ever set.
CREATE TABLE event_retention (
  one_row boolean NOT NULL DEFAULT true,
  trimmed_until timestamp with time zone NOT NULL,
  CONSTRAINT event_retention_pkey PRIMARY KEY (one_row),
  CONSTRAINT event_retention_has_one_row CHECK (one_row)
);

-- Streams of events that are open, at most one row for each place of a key. A place whose lease has ended is free.
CREATE TABLE event_streams (
  venue_id uuid NOT NULL,
  key_id text NOT NULL,
  place integer NOT NULL,
  holder text NOT NULL,
  leased_until timestamp with time zone NOT NULL,
  CONSTRAINT event_streams_pkey PRIMARY KEY (venue_id, key_id, place),
  CONSTRAINT event_stream_place_is_positive CHECK (place >= 1)
);

-- The event log: one row for each change, in the transaction of the change, numbered for each subject. Append-only.
CREATE TABLE events (
  venue_id uuid NOT NULL,
  event_id text NOT NULL,
  mode text NOT NULL,
  type text NOT NULL,
  subject text NOT NULL,
  sequence integer NOT NULL,
  data json NOT NULL,
  created_at timestamp with time zone NOT NULL,
  traceparent text DEFAULT NULLIF(current_setting('everyshare.traceparent'::text, true), ''::text),
  CONSTRAINT events_pkey PRIMARY KEY (venue_id, event_id),
  CONSTRAINT events_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT event_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text]))
);
CREATE INDEX events_by_age ON events USING brin (created_at) WITH (autosummarize='on');
CREATE UNIQUE INDEX events_by_subject ON events USING btree (venue_id, subject, sequence);
CREATE UNIQUE INDEX events_by_time ON events USING btree (venue_id, mode, created_at);
CREATE TRIGGER events_are_append_only BEFORE DELETE OR UPDATE ON events FOR EACH ROW EXECUTE FUNCTION enforce_append_only();
CREATE TRIGGER events_are_never_emptied BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION enforce_append_only();
CREATE TRIGGER events_are_queued AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION queue_events();

-- From the id of a live experience to its venue and mode: the members' app knows nothing else.
CREATE TABLE experience_routes (
  experience_id uuid NOT NULL,
  venue_id uuid NOT NULL,
  mode text NOT NULL,
  CONSTRAINT experience_routes_pkey PRIMARY KEY (experience_id),
  CONSTRAINT experience_route_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text]))
);

CREATE TABLE experiences (
  venue_id uuid NOT NULL,
  submission_id uuid NOT NULL,
  mode text NOT NULL,
  external_id text,
  form text NOT NULL,
  status text NOT NULL,
  review_note text,
  content json NOT NULL,
  experience_id uuid,
  created_at timestamp with time zone NOT NULL,
  reviewed_at timestamp with time zone,
  CONSTRAINT experiences_pkey PRIMARY KEY (venue_id, submission_id),
  CONSTRAINT experiences_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT experience_form_is_known CHECK (form = ANY (ARRAY['event'::text, 'legacy_experience'::text])),
  CONSTRAINT experience_is_live_once_approved CHECK (status <> 'approved'::text OR experience_id IS NOT NULL),
  CONSTRAINT experience_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text])),
  CONSTRAINT experience_note_goes_with_rejection CHECK ((review_note IS NOT NULL) = (status = 'rejected'::text)),
  CONSTRAINT experience_status_is_known CHECK (status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text]))
);
CREATE UNIQUE INDEX experiences_by_creation ON experiences USING btree (venue_id, mode, created_at);
CREATE UNIQUE INDEX experiences_by_external_id ON experiences USING btree (venue_id, mode, external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX experiences_by_live_id ON experiences USING btree (venue_id, experience_id);
CREATE INDEX experiences_by_status ON experiences USING btree (venue_id, mode, status, created_at);
CREATE INDEX experiences_pending ON experiences USING btree (created_at) WHERE status = 'pending'::text;

-- The newest figures of the installation, for /metrics and the page of operators. One row.
CREATE TABLE figures (
  only_row boolean NOT NULL DEFAULT true,
  computed_at timestamp with time zone,
  leased_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  figures json,
  CONSTRAINT figures_pkey PRIMARY KEY (only_row),
  CONSTRAINT figures_computed_have_a_time CHECK ((figures IS NULL) = (computed_at IS NULL)),
  CONSTRAINT figures_have_one_row CHECK (only_row)
);

-- Payout accounts that are not in use: of the other processor, in use again when that one is set up again; or replaced
-- by another account.
CREATE TABLE former_payout_accounts (
  venue_id uuid NOT NULL,
  mode text NOT NULL,
  account_id text NOT NULL,
  processor text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  -- When an operator replaced it. Null: the other processor made it.
  replaced_at timestamp with time zone,
  CONSTRAINT former_payout_accounts_pkey PRIMARY KEY (venue_id, mode, account_id),
  CONSTRAINT former_payout_accounts_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT former_payout_account_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text])),
  CONSTRAINT former_payout_account_processor_is_known CHECK (processor = ANY (ARRAY['sandbox'::text, 'stripe'::text]))
);

-- Members who were in a party together.
CREATE TABLE friends (
  member_id uuid NOT NULL,
  friend_id uuid NOT NULL,
  last_at timestamp with time zone NOT NULL,
  CONSTRAINT friends_pkey PRIMARY KEY (member_id, friend_id),
  CONSTRAINT friends_friend_id_fkey FOREIGN KEY (friend_id) REFERENCES members(member_id),
  CONSTRAINT friends_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(member_id),
  CONSTRAINT friend_is_another_member CHECK (member_id <> friend_id)
);

CREATE TABLE function_versions (
  name text NOT NULL,
  hash text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT function_versions_pkey PRIMARY KEY (name, hash)
);

CREATE TABLE guest_erasures (
  person_hash bytea NOT NULL,
  marks bytea NOT NULL,
  run integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT guest_erasures_pkey PRIMARY KEY (person_hash)
);

-- The address that last requested a hold, as a keyed hash. Deleted after a day.
CREATE TABLE hold_request_addresses (
  venue_id uuid NOT NULL,
  hold_id uuid NOT NULL,
  address_hash bytea NOT NULL,
  at timestamp with time zone NOT NULL,
  CONSTRAINT hold_request_addresses_pkey PRIMARY KEY (venue_id, hold_id)
);
CREATE INDEX hold_request_addresses_by_age ON hold_request_addresses USING btree (at);

-- A hold is one payment intent at the processor. requested: the program decided to create it, and whether it exists is
-- unknown. capturing and releasing are decisions in the same way. voided: it can never be captured.
CREATE TABLE holds (
  venue_id uuid NOT NULL,
  hold_id uuid NOT NULL,
  checkout_id text NOT NULL,
  share_id text NOT NULL,
  mode text NOT NULL,
  status text NOT NULL,
  amount integer NOT NULL,
  currency text NOT NULL,
  -- The hold that this one replaces before it lapses.
  renews uuid,
  saves_card boolean NOT NULL,
  intent_id text,
  client_secret bytea,
  customer_id text,
  payment_method_id text,
  charge_id text,
  held_at timestamp with time zone,
  capture_before timestamp with time zone,
  refusal text,
  -- Which idempotency keys the next calls use. It increases when the processor has stored a failure under the last key.
  key_number integer NOT NULL DEFAULT 0,
  -- When a worker looks at the hold next.
  due_at timestamp with time zone,
  lease_token integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  -- The member who requested the hold and pays it; null: the share's own member, or a test helper.
  payer_id uuid,
  -- When the renewal of this hold was refused. The hold counts until capture_before, and is not renewed again.
  renewal_refused_at timestamp with time zone,
  -- What the processor charged us for the captured charge; null: it is not captured, or the fee is not known yet. A
  -- captured hold without it is due until it is known.
  processor_fee integer,
  -- As the processor names it: visa, mastercard, amex; null: not held, or no card (Link).
  card_brand text,
  card_last4 text,
  CONSTRAINT holds_pkey PRIMARY KEY (venue_id, hold_id),
  CONSTRAINT holds_venue_id_share_id_fkey FOREIGN KEY (venue_id, share_id) REFERENCES shares(venue_id, share_id),
  CONSTRAINT card_brand_has_1_to_40_characters CHECK (char_length(card_brand) >= 1 AND char_length(card_brand) <= 40),
  CONSTRAINT card_has_brand_and_last4 CHECK ((card_brand IS NULL) = (card_last4 IS NULL)),
  CONSTRAINT card_last4_is_four_digits CHECK (card_last4 ~ '^[0-9]{4}$'::text),
  CONSTRAINT hold_amount_is_a_charge CHECK (amount >= 50 AND amount <= 99999999),
  CONSTRAINT hold_decided_is_due CHECK (due_at IS NOT NULL OR (status <> ALL (ARRAY['requested'::text, 'releasing'::text]))),
  CONSTRAINT hold_is_known_to_the_processor CHECK (intent_id IS NOT NULL OR (status = ANY (ARRAY['requested'::text, 'releasing'::text, 'released'::text, 'voided'::text]))),
  CONSTRAINT hold_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text])),
  CONSTRAINT hold_processor_fee_is_not_negative CHECK (processor_fee >= 0),
  CONSTRAINT hold_status_is_known CHECK (status = ANY (ARRAY['requested'::text, 'open'::text, 'held'::text, 'capturing'::text, 'captured'::text, 'releasing'::text, 'released'::text, 'returned'::text, 'voided'::text])),
  CONSTRAINT hold_with_card_has_a_charge CHECK (charge_id IS NOT NULL OR (status <> ALL (ARRAY['held'::text, 'capturing'::text, 'captured'::text])))
) WITH (fillfactor=80);
CREATE INDEX holds_by_charge ON holds USING btree (charge_id) WHERE charge_id IS NOT NULL;
CREATE INDEX holds_by_checkout ON holds USING btree (venue_id, checkout_id);
CREATE INDEX holds_by_intent ON holds USING btree (intent_id) WHERE intent_id IS NOT NULL;
CREATE INDEX holds_due ON holds USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX holds_held ON holds USING btree (capture_before) INCLUDE (mode, currency, amount) WHERE status = 'held'::text;
CREATE UNIQUE INDEX holds_one_for_a_share ON holds USING btree (venue_id, share_id) WHERE renews IS NULL AND (status = ANY (ARRAY['requested'::text, 'open'::text, 'held'::text, 'capturing'::text, 'captured'::text]));
CREATE UNIQUE INDEX holds_one_renewal_of_each ON holds USING btree (venue_id, renews) WHERE renews IS NOT NULL AND (status = ANY (ARRAY['requested'::text, 'open'::text, 'held'::text, 'capturing'::text, 'captured'::text]));
CREATE INDEX holds_without_fee ON holds USING btree (mode, hold_id) WHERE processor_fee IS NULL AND (status = ANY (ARRAY['captured'::text, 'returned'::text]));
CREATE TRIGGER hold_keeps_its_amount BEFORE UPDATE OF amount, currency, mode ON holds FOR EACH ROW EXECUTE FUNCTION enforce_fixed_amounts();
CREATE TRIGGER hold_status_follows_the_transitions BEFORE INSERT OR UPDATE OF status ON holds FOR EACH ROW EXECUTE FUNCTION enforce_transition('hold');
CREATE TRIGGER holds_are_never_deleted BEFORE DELETE OR TRUNCATE ON holds FOR EACH STATEMENT EXECUTE FUNCTION enforce_no_deletes();

CREATE TABLE hook_account_routes (
  provider text NOT NULL,
  mode text NOT NULL,
  account text NOT NULL,
  venue_id uuid NOT NULL,
  integration_id text NOT NULL,
  routed_at timestamp with time zone NOT NULL,
  CONSTRAINT hook_account_routes_pkey PRIMARY KEY (provider, mode, account),
  CONSTRAINT hook_account_routes_venue_id_integration_id_fkey FOREIGN KEY (venue_id, integration_id) REFERENCES integrations(venue_id, integration_id)
);

-- A booking of a venue system, and the places it took of which slot.
CREATE TABLE hook_bookings (
  venue_id uuid NOT NULL,
  integration_id text NOT NULL,
  booking_hash bytea NOT NULL,
  -- As in hook_objects.
  version numeric,
  received_at timestamp with time zone NOT NULL,
  slots_taken json NOT NULL,
  -- The start of its last slot, or its last delivery: it is deleted some time after that.
  last_at timestamp with time zone NOT NULL,
  -- The last delivery about the booking canceled all of it.
  is_canceled boolean NOT NULL DEFAULT false,
  CONSTRAINT hook_bookings_pkey PRIMARY KEY (venue_id, integration_id, booking_hash),
  CONSTRAINT booking_hash_is_sha256 CHECK (octet_length(booking_hash) = 32)
);
CREATE INDEX hook_bookings_by_age ON hook_bookings USING btree (last_at);

-- The newest version that was applied to each object of a venue system, so that an older one that arrives late changes
-- nothing.
CREATE TABLE hook_objects (
  venue_id uuid NOT NULL,
  integration_id text NOT NULL,
  object_hash bytea NOT NULL,
  -- The provider's own count or time of the change; null: it has none, and the order of arrival decides.
  version numeric,
  received_at timestamp with time zone NOT NULL,
  offering_external_id text,
  option_seats json,
  read_hash bytea,
  CONSTRAINT hook_objects_pkey PRIMARY KEY (venue_id, integration_id, object_hash),
  CONSTRAINT object_hash_is_sha256 CHECK (octet_length(object_hash) = 32)
);
CREATE INDEX hook_objects_by_age ON hook_objects USING brin (received_at);
CREATE INDEX hook_objects_by_read ON hook_objects USING btree (venue_id, integration_id, read_hash) WHERE read_hash IS NOT NULL;

-- The provider that an offering comes from, as long as it is connected: two systems can use the same ids.
CREATE TABLE hook_offerings (
  venue_id uuid NOT NULL,
  mode text NOT NULL,
  external_id text NOT NULL,
  provider text NOT NULL,
  linked_at timestamp with time zone NOT NULL,
  listed_at timestamp with time zone,
  listed_until timestamp with time zone,
  CONSTRAINT hook_offerings_pkey PRIMARY KEY (venue_id, mode, external_id),
  CONSTRAINT hook_offering_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text]))
);

-- Which deliveries and catalogue runs wait for which reads.
CREATE TABLE hook_read_waits (
  venue_id uuid NOT NULL,
  waiter_id text NOT NULL,
  object_hash bytea NOT NULL,
  integration_id text NOT NULL,
  wanted_at timestamp with time zone NOT NULL,
  outcome jsonb,
  wanted_seq bigint NOT NULL DEFAULT 0,
  wanted_version bigint,
  CONSTRAINT hook_read_waits_pkey PRIMARY KEY (venue_id, waiter_id, object_hash),
  CONSTRAINT hook_read_waits_venue_id_integration_id_object_hash_fkey FOREIGN KEY (venue_id, integration_id, object_hash) REFERENCES hook_reads(venue_id, integration_id, object_hash) ON DELETE CASCADE
);
CREATE INDEX hook_read_waits_by_object ON hook_read_waits USING btree (venue_id, integration_id, object_hash);

-- Objects of venue systems that deliveries or catalogue runs named: one row and at most one read for each object and
-- version.
CREATE TABLE hook_reads (
  venue_id uuid NOT NULL,
  integration_id text NOT NULL,
  object_hash bytea NOT NULL,
  read_name text NOT NULL,
  variables jsonb NOT NULL,
  wanted_version bigint,
  wanted_at timestamp with time zone NOT NULL,
  read_version bigint,
  read_at timestamp with time zone,
  due_at timestamp with time zone,
  waiting_since timestamp with time zone,
  attempts integer NOT NULL DEFAULT 0,
  offering_external_id text,
  updated_at timestamp with time zone NOT NULL,
  wanted_seq bigint NOT NULL DEFAULT 0,
  failing_since timestamp with time zone,
  internal_errors integer NOT NULL DEFAULT 0,
  refresh_at timestamp with time zone,
  CONSTRAINT hook_reads_pkey PRIMARY KEY (venue_id, integration_id, object_hash),
  CONSTRAINT hook_reads_venue_id_integration_id_fkey FOREIGN KEY (venue_id, integration_id) REFERENCES integration_readers(venue_id, integration_id) ON DELETE CASCADE,
  CONSTRAINT hook_read_object_is_sha256 CHECK (octet_length(object_hash) = 32),
  CONSTRAINT hook_read_waits_since_a_time CHECK ((due_at IS NULL) = (waiting_since IS NULL))
);
CREATE INDEX hook_reads_by_age ON hook_reads USING btree (updated_at);
CREATE INDEX hook_reads_due ON hook_reads USING btree (venue_id, integration_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX hook_reads_refresh ON hook_reads USING btree (venue_id, integration_id, refresh_at) WHERE refresh_at IS NOT NULL AND due_at IS NULL;

-- From the hash of the token in a hook address to its integration. The token itself is stored nowhere.
CREATE TABLE hook_routes (
  token_hash bytea NOT NULL,
  venue_id uuid NOT NULL,
  integration_id text NOT NULL,
  CONSTRAINT hook_routes_pkey PRIMARY KEY (token_hash),
  CONSTRAINT token_hash_is_sha256 CHECK (octet_length(token_hash) = 32)
);

-- A slot that bookings took places of, or that was canceled: how many places are left of the capacity stated last.
CREATE TABLE hook_slots (
  venue_id uuid NOT NULL,
  mode text NOT NULL,
  slot_hash bytea NOT NULL,
  -- Negative where more was booked than there was; null: no capacity was stated.
  places_left integer,
  -- The kind of object that canceled the slot; null: it takes place.
  canceled_by text,
  -- Counts up whenever a capacity is stated other than by a booking.
  capacity_version integer NOT NULL,
  last_at timestamp with time zone NOT NULL,
  changed_at timestamp with time zone,
  CONSTRAINT hook_slots_pkey PRIMARY KEY (venue_id, mode, slot_hash),
  CONSTRAINT hook_slot_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text])),
  CONSTRAINT slot_hash_is_sha256 CHECK (octet_length(slot_hash) = 32)
);
CREATE INDEX hook_slots_by_age ON hook_slots USING btree (last_at);

-- Runs that read the whole catalogue of a venue system, with their progress.
CREATE TABLE hook_syncs (
  venue_id uuid NOT NULL,
  integration_id text NOT NULL,
  sync_id text NOT NULL,
  status text NOT NULL,
  reason text,
  cursor jsonb,
  is_listed boolean NOT NULL DEFAULT false,
  listed_count integer NOT NULL DEFAULT 0,
  read_count integer NOT NULL DEFAULT 0,
  created_count integer NOT NULL DEFAULT 0,
  changed_count integer NOT NULL DEFAULT 0,
  unchanged_count integer NOT NULL DEFAULT 0,
  skipped_count integer NOT NULL DEFAULT 0,
  skipped jsonb NOT NULL DEFAULT '[]'::jsonb,
  started_at timestamp with time zone NOT NULL,
  finished_at timestamp with time zone,
  failing_since timestamp with time zone,
  internal_errors integer NOT NULL DEFAULT 0,
  CONSTRAINT hook_syncs_pkey PRIMARY KEY (venue_id, integration_id, sync_id),
  CONSTRAINT hook_syncs_venue_id_integration_id_fkey FOREIGN KEY (venue_id, integration_id) REFERENCES integrations(venue_id, integration_id),
  CONSTRAINT hook_sync_end_has_a_time CHECK ((status = 'running'::text) = (finished_at IS NULL)),
  CONSTRAINT hook_sync_status_is_known CHECK (status = ANY (ARRAY['running'::text, 'finished'::text, 'failed'::text, 'canceled'::text]))
);
CREATE INDEX hook_syncs_by_age ON hook_syncs USING btree (started_at);
CREATE UNIQUE INDEX hook_syncs_running ON hook_syncs USING btree (venue_id, integration_id) WHERE status = 'running'::text;

-- An Idempotency-Key and the stored response, for 30 days, written in the transaction of the effect. The response is
-- sealed.
CREATE TABLE idempotency_keys (
  venue_id uuid NOT NULL,
  mode text NOT NULL,
  idempotency_key text NOT NULL,
  fingerprint bytea NOT NULL,
  status smallint NOT NULL,
  response bytea,
  created_at timestamp with time zone NOT NULL,
  -- A create through create_checkout() stores no copy of its response: the event of this checkout's creation has it.
  refers_to text,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (venue_id, mode, idempotency_key),
  CONSTRAINT idempotency_keys_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT idempotency_key_has_1_to_255_characters CHECK (char_length(idempotency_key) >= 1 AND char_length(idempotency_key) <= 255),
  CONSTRAINT idempotency_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text])),
  CONSTRAINT idempotency_response_is_stored_once CHECK ((response IS NULL) <> (refers_to IS NULL))
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys USING btree (created_at);

-- The encoded pictures, by the hash in their address. The hash covers the venue and the source, so each belongs to one
-- image.
CREATE TABLE image_files (
  file_hash bytea NOT NULL,
  type text NOT NULL,
  content bytea NOT NULL,
  CONSTRAINT image_files_pkey PRIMARY KEY (file_hash),
  CONSTRAINT image_file_hash_is_sha256 CHECK (octet_length(file_hash) = 32),
  CONSTRAINT image_type_is_known CHECK (type = ANY (ARRAY['image/webp'::text, 'image/jpeg'::text]))
);
ALTER TABLE image_files ALTER COLUMN content SET STORAGE external;

-- New checkouts that name an offering: the worker finds the pictures of each and deletes the row.
CREATE TABLE image_requests (
  venue_id uuid NOT NULL,
  checkout_id text NOT NULL,
  mode text NOT NULL,
  offering_external_id text NOT NULL,
  CONSTRAINT image_requests_pkey PRIMARY KEY (venue_id, checkout_id)
);

-- Pictures that a page has asked for, by venue, kind and address. Deleted when no page asks.
CREATE TABLE images (
  venue_id uuid NOT NULL,
  kind text NOT NULL,
  url_hash bytea NOT NULL,
  url text NOT NULL,
  -- When a page last asked for it, to the day.
  wanted_at timestamp with time zone NOT NULL,
  -- When it is fetched next: at once, after a lease, or a day after a failure or a second attempt without an outcome.
  -- Null: it is fetched.
  due_at timestamp with time zone,
  failed_at timestamp with time zone,
  error text,
  file_hash bytea,
  thumbnail_hash bytea,
  preview_hash bytea,
  -- How often a worker has begun to fetch it since the last outcome.
  attempts smallint NOT NULL DEFAULT 0,
  CONSTRAINT images_pkey PRIMARY KEY (venue_id, kind, url_hash),
  CONSTRAINT cover_has_a_thumbnail_and_a_preview CHECK ((kind = 'cover'::text AND file_hash IS NOT NULL) = (thumbnail_hash IS NOT NULL) AND (thumbnail_hash IS NULL) = (preview_hash IS NULL)),
  CONSTRAINT failed_image_has_an_error CHECK ((failed_at IS NULL) = (error IS NULL)),
  CONSTRAINT image_is_due_until_fetched CHECK ((due_at IS NULL) = (file_hash IS NOT NULL)),
  CONSTRAINT image_kind_is_known CHECK (kind = ANY (ARRAY['cover'::text, 'logo'::text]))
);
CREATE INDEX images_by_last_use ON images USING btree (wanted_at);
CREATE INDEX images_due ON images USING btree (due_at) WHERE due_at IS NOT NULL;

-- A delivery of a venue system. received_at is unique for its integration: lists page by it, and deliveries are applied
-- in its order.
CREATE TABLE inbound_deliveries (
  venue_id uuid NOT NULL,
  delivery_id text NOT NULL,
  integration_id text NOT NULL,
  received_at timestamp with time zone NOT NULL,
  -- Of the provider's own id of the event, else of the body.
  dedup_hash bytea NOT NULL,
  provider_event_id text,
  type text,
  -- The bytes that came, sealed: they can name guests. Null: the delivery changed nothing, and its day is over.
  body bytea,
  status text NOT NULL,
  reason text,
  offering_external_id text,
  applied_at timestamp with time zone,
  -- When the worker looks at it; null: it is done.
  due_at timestamp with time zone,
  attempts smallint NOT NULL DEFAULT 0,
  is_repeated boolean NOT NULL DEFAULT false,
  CONSTRAINT inbound_deliveries_pkey PRIMARY KEY (venue_id, delivery_id),
  CONSTRAINT inbound_deliveries_venue_id_integration_id_fkey FOREIGN KEY (venue_id, integration_id) REFERENCES integrations(venue_id, integration_id),
  CONSTRAINT inbound_delivery_applied_has_a_time CHECK ((status = 'applied'::text) = (applied_at IS NOT NULL)),
  CONSTRAINT inbound_delivery_pending_has_its_body CHECK (status <> 'pending'::text OR body IS NOT NULL),
  CONSTRAINT inbound_delivery_pending_is_due CHECK ((status = 'pending'::text) = (due_at IS NOT NULL)),
  CONSTRAINT inbound_delivery_status_is_known CHECK (status = ANY (ARRAY['pending'::text, 'reading'::text, 'applied'::text, 'ignored'::text, 'superseded'::text, 'unmapped'::text, 'needs_api_read'::text, 'failed'::text]))
) WITH (autovacuum_vacuum_scale_factor=0.05);
ALTER TABLE inbound_deliveries ALTER COLUMN body SET STORAGE external;
CREATE INDEX inbound_deliveries_by_age ON inbound_deliveries USING brin (received_at);
CREATE UNIQUE INDEX inbound_deliveries_by_arrival ON inbound_deliveries USING btree (venue_id, integration_id, received_at);
CREATE INDEX inbound_deliveries_by_dedup_hash ON inbound_deliveries USING btree (venue_id, integration_id, dedup_hash, received_at);
CREATE INDEX inbound_deliveries_due ON inbound_deliveries USING btree (venue_id, integration_id, received_at) WHERE due_at IS NOT NULL;
CREATE INDEX inbound_deliveries_ignored ON inbound_deliveries USING btree (received_at) WHERE status = 'ignored'::text AND body IS NOT NULL;
CREATE INDEX inbound_deliveries_reading ON inbound_deliveries USING btree (venue_id, integration_id) WHERE status = 'reading'::text;

-- One row for the whole installation. It proves at start that ENCRYPTION_KEY is the key this database was written with.
CREATE TABLE installation (
  only_row boolean NOT NULL DEFAULT true,
  key_proof bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  -- When a worker or a reconciliation last ran on this database.
  alive_at timestamp with time zone,
  -- The key of keyed hashes, sealed. It stays the same when ENCRYPTION_KEY is replaced, so that hashes still match.
  hash_key bytea,
  -- The address of the server that started last.
  base_url text,
  -- The address of its hosted pages.
  page_base_url text,
  CONSTRAINT installation_pkey PRIMARY KEY (only_row),
  CONSTRAINT installation_has_one_row CHECK (only_row),
  CONSTRAINT server_addresses_are_known_together CHECK ((base_url IS NULL) = (page_base_url IS NULL))
);

-- The audit log of what belongs to no venue: who replaced which key of the installation. Append-only.
CREATE TABLE installation_audit (
  audit_id uuid NOT NULL,
  at timestamp with time zone NOT NULL,
  actor text NOT NULL,
  via text NOT NULL,
  address text,
  request_id text,
  action text NOT NULL,
  subject text NOT NULL,
  detail jsonb NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT installation_audit_pkey PRIMARY KEY (audit_id)
);
CREATE TRIGGER installation_audit_is_append_only BEFORE DELETE OR UPDATE ON installation_audit FOR EACH ROW EXECUTE FUNCTION enforce_append_only();
CREATE TRIGGER installation_audit_is_never_emptied BEFORE TRUNCATE ON installation_audit FOR EACH STATEMENT EXECUTE FUNCTION enforce_append_only();

-- A worker that applies the deliveries of an integration locks its row until commit, so that they are applied in order.
-- Storing a delivery does not touch it: a venue system never waits for the worker.
CREATE TABLE integration_queues (
  venue_id uuid NOT NULL,
  integration_id text NOT NULL,
  CONSTRAINT integration_queues_pkey PRIMARY KEY (venue_id, integration_id),
  CONSTRAINT integration_queues_venue_id_integration_id_fkey FOREIGN KEY (venue_id, integration_id) REFERENCES integrations(venue_id, integration_id)
);

-- The credentials with which an integration reads its venue system, and the state of its reads.
CREATE TABLE integration_readers (
  venue_id uuid NOT NULL,
  integration_id text NOT NULL,
  credentials bytea NOT NULL,
  fields text[] NOT NULL,
  set_at timestamp with time zone NOT NULL,
  paused_at timestamp with time zone,
  pause_reason text,
  due_at timestamp with time zone,
  next_request_at timestamp with time zone NOT NULL,
  wait_reason text,
  failures integer NOT NULL DEFAULT 0,
  requests_on date,
  requests_count integer NOT NULL DEFAULT 0,
  lease_token text,
  leased_until timestamp with time zone,
  last_read_at timestamp with time zone,
  is_checked boolean NOT NULL DEFAULT true,
  CONSTRAINT integration_readers_pkey PRIMARY KEY (venue_id, integration_id),
  CONSTRAINT integration_readers_venue_id_integration_id_fkey FOREIGN KEY (venue_id, integration_id) REFERENCES integrations(venue_id, integration_id),
  CONSTRAINT integration_reader_lease_has_an_end CHECK ((lease_token IS NULL) = (leased_until IS NULL)),
  CONSTRAINT integration_reader_pause_has_a_reason CHECK ((paused_at IS NULL) = (pause_reason IS NULL)),
  CONSTRAINT integration_reader_wait_is_known CHECK (wait_reason = ANY (ARRAY['rate_limited'::text, 'provider_unavailable'::text, 'daily_limit'::text]))
);
CREATE INDEX integration_readers_due ON integration_readers USING btree (due_at) WHERE due_at IS NOT NULL AND paused_at IS NULL;

CREATE TABLE integrations (
  venue_id uuid NOT NULL,
  integration_id text NOT NULL,
  mode text NOT NULL,
  provider text NOT NULL,
  -- Sealed; null: this provider signs nothing.
  secret bytea,
  -- The address that was given to the provider, without its token: a provider may sign it.
  address text NOT NULL,
  -- What applies where a payload is silent: kind, timezone, currency, category.
  defaults json NOT NULL,
  created_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  last_delivery_at timestamp with time zone,
  delivery_count bigint NOT NULL DEFAULT 0,
  stored_on date,
  -- Bytes stored on stored_on, the last day (UTC) on which any were.
  stored_bytes bigint NOT NULL DEFAULT 0,
  -- The last delivery that was refused; refusal_code is its error code.
  refused_at timestamp with time zone,
  refusal_code text,
  CONSTRAINT integrations_pkey PRIMARY KEY (venue_id, integration_id),
  CONSTRAINT integrations_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT integration_delivery_is_counted CHECK ((delivery_count = 0) = (last_delivery_at IS NULL)),
  CONSTRAINT integration_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text])),
  CONSTRAINT integration_refusal_has_a_code_and_a_time CHECK ((refused_at IS NULL) = (refusal_code IS NULL))
) WITH (fillfactor=70);
CREATE INDEX integrations_stored ON integrations USING btree (venue_id, stored_on);

CREATE TABLE invite_routes (
  token_hash bytea NOT NULL,
  venue_id uuid NOT NULL,
  share_id text NOT NULL,
  CONSTRAINT invite_routes_pkey PRIMARY KEY (token_hash)
);

-- The invite of a share: shown to the organizer from the sealed token, found by the token's hash.
CREATE TABLE invites (
  venue_id uuid NOT NULL,
  share_id text NOT NULL,
  token bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT invites_pkey PRIMARY KEY (venue_id, share_id),
  CONSTRAINT invites_venue_id_share_id_fkey FOREIGN KEY (venue_id, share_id) REFERENCES shares(venue_id, share_id)
);

-- From a key's hash to its venue: the one look-up that every request makes.
CREATE TABLE key_routes (
  key_hash bytea NOT NULL,
  venue_id uuid NOT NULL,
  key_id text NOT NULL,
  CONSTRAINT key_routes_pkey PRIMARY KEY (key_hash),
  CONSTRAINT key_hash_is_sha256 CHECK (octet_length(key_hash) = 32)
);
CREATE UNIQUE INDEX key_routes_by_key ON key_routes USING btree (key_id);

CREATE TABLE keys (
  venue_id uuid NOT NULL,
  key_id text NOT NULL,
  kind text NOT NULL,
  mode text NOT NULL,
  hint text NOT NULL,
  scopes text[] NOT NULL,
  writes_per_hour integer NOT NULL,
  reads_per_hour integer NOT NULL,
  allow_ips text[],
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  -- What the operator calls the key; null: it has no name.
  name text,
  -- The key that replaces this one; null: it was not rolled.
  rolled_to text,
  -- Of calls that were not refused with 401 or 403; written at most once a minute.
  last_used_at timestamp with time zone,
  -- Masked: 203.0.113.…, or the first 48 bits of an IPv6 address.
  last_used_address text,
  raised_writes_per_hour integer,
  raised_reads_per_hour integer,
  -- Until then the raised limits count in place of the lower ones of the key.
  raised_until timestamp with time zone,
  CONSTRAINT keys_pkey PRIMARY KEY (venue_id, key_id),
  CONSTRAINT keys_rolled_to_fkey FOREIGN KEY (venue_id, rolled_to) REFERENCES keys(venue_id, key_id),
  CONSTRAINT keys_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT key_kind_is_known CHECK (kind = ANY (ARRAY['secret'::text, 'publishable'::text])),
  CONSTRAINT key_limits_are_positive CHECK (writes_per_hour > 0 AND reads_per_hour > 0),
  CONSTRAINT key_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text])),
  CONSTRAINT key_name_has_1_to_100_characters CHECK (char_length(name) >= 1 AND char_length(name) <= 100)
);
CREATE INDEX keys_expiring ON keys USING btree (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;

-- The chart of accounts, as data here and in the program; a test proves that both agree.
CREATE TABLE ledger_accounts (
  account text NOT NULL,
  side text NOT NULL,
  meaning text NOT NULL,
  CONSTRAINT ledger_accounts_pkey PRIMARY KEY (account),
  CONSTRAINT ledger_side_is_known CHECK (side = ANY (ARRAY['debit'::text, 'credit'::text]))
);

-- A pair of accounts with one amount, so an entry cannot be unbalanced. Append-only.
CREATE TABLE ledger_entries (
  venue_id uuid NOT NULL,
  kind text NOT NULL,
  subject text NOT NULL,
  mode text NOT NULL,
  checkout_id text NOT NULL,
  debit text NOT NULL,
  credit text NOT NULL,
  amount integer NOT NULL,
  currency text NOT NULL,
  at timestamp with time zone NOT NULL,
  CONSTRAINT ledger_entries_pkey PRIMARY KEY (venue_id, kind, subject),
  CONSTRAINT ledger_entries_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT ledger_entry_is_between_the_accounts_of_its_kind CHECK (kind = 'capture'::text AND debit = 'processor_balance'::text AND credit = 'guest_funds'::text OR kind = 'processor_fee'::text AND debit = 'processor_fees'::text AND credit = 'processor_balance'::text OR kind = 'earning'::text AND debit = 'guest_funds'::text AND credit = 'venue_payable'::text OR kind = 'fee'::text AND debit = 'guest_funds'::text AND credit = 'fee_income'::text OR kind = 'transfer'::text AND debit = 'venue_payable'::text AND credit = 'processor_balance'::text OR kind = 'transfer_closed'::text AND debit = 'venue_payable'::text AND credit = 'paid_elsewhere'::text OR kind = 'reversal'::text AND debit = 'processor_balance'::text AND credit = 'venue_payable'::text OR kind = 'debt'::text AND debit = 'venue_debts'::text AND credit = 'venue_payable'::text OR kind = 'debt_paid'::text AND debit = 'venue_payable'::text AND credit = 'venue_debts'::text OR kind = 'debt_written_off'::text AND debit = 'written_off'::text AND credit = 'venue_debts'::text OR kind = 'refund'::text AND debit = 'venue_payable'::text AND credit = 'processor_balance'::text OR kind = 'fee_return'::text AND debit = 'fee_income'::text AND credit = 'processor_balance'::text OR kind = 'return'::text AND debit = 'guest_funds'::text AND credit = 'processor_balance'::text OR kind = 'refund_failed'::text AND debit = 'processor_balance'::text AND credit = 'venue_payable'::text OR kind = 'fee_return_failed'::text AND debit = 'processor_balance'::text AND credit = 'fee_income'::text OR kind = 'return_failed'::text AND debit = 'processor_balance'::text AND credit = 'guest_funds'::text OR kind = 'refund_closed'::text AND debit = 'venue_payable'::text AND credit = 'paid_elsewhere'::text OR kind = 'fee_return_closed'::text AND debit = 'fee_income'::text AND credit = 'paid_elsewhere'::text OR kind = 'return_closed'::text AND debit = 'guest_funds'::text AND credit = 'paid_elsewhere'::text OR kind = 'dispute'::text AND debit = 'disputed_funds'::text AND credit = 'processor_balance'::text OR kind = 'dispute_fee'::text AND debit = 'processor_fees'::text AND credit = 'processor_balance'::text OR kind = 'dispute_fee_returned'::text AND debit = 'processor_balance'::text AND credit = 'processor_fees'::text OR kind = 'dispute_won'::text AND debit = 'processor_balance'::text AND credit = 'disputed_funds'::text OR kind = 'dispute_lost'::text AND debit = 'venue_payable'::text AND credit = 'disputed_funds'::text OR kind = 'dispute_fee_lost'::text AND debit = 'fee_income'::text AND credit = 'disputed_funds'::text OR kind = 'dispute_returned'::text AND debit = 'guest_funds'::text AND credit = 'disputed_funds'::text OR kind = 'dispute_paid_twice'::text AND debit = 'written_off'::text AND credit = 'disputed_funds'::text OR kind = 'dispute_loss_returned'::text AND debit = 'disputed_funds'::text AND credit = 'venue_payable'::text OR kind = 'dispute_fee_loss_returned'::text AND debit = 'disputed_funds'::text AND credit = 'fee_income'::text OR kind = 'dispute_return_owed'::text AND debit = 'disputed_funds'::text AND credit = 'guest_funds'::text OR kind = 'dispute_own_loss_returned'::text AND debit = 'disputed_funds'::text AND credit = 'written_off'::text OR kind = 'debt_write_off_undone'::text AND debit = 'venue_debts'::text AND credit = 'written_off'::text),
  CONSTRAINT ledger_entry_moves_something CHECK (amount > 0 AND debit <> credit)
);
CREATE INDEX ledger_entries_by_age ON ledger_entries USING brin (at) WITH (autosummarize='on');
CREATE INDEX ledger_entries_by_checkout ON ledger_entries USING btree (venue_id, checkout_id);
CREATE TRIGGER ledger_entries_are_append_only BEFORE DELETE OR UPDATE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION enforce_append_only();
CREATE TRIGGER ledger_entries_are_never_emptied BEFORE TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION enforce_append_only();

-- One row for each batch of granted calls, with the total after it. The calls of the last hour are the total now less
-- the total before the oldest row of the hour: two index probes, however many calls there were.
CREATE UNLOGGED TABLE limit_calls (
  subject text NOT NULL,
  at timestamp with time zone NOT NULL,
  calls integer NOT NULL,
  total bigint NOT NULL,
  CONSTRAINT limit_calls_pkey PRIMARY KEY (subject, at)
) WITH (autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX limit_calls_oldest ON limit_calls USING btree (LEAST(at, 'infinity'::timestamp with time zone));

-- The rolling hour: one row for each subject (a key's reads, a key's writes, an address), which is the lock and the
-- running total. Unlogged: a response never waits for a disk flush, and after a crash the counts start again.
CREATE UNLOGGED TABLE limit_windows (
  subject text NOT NULL,
  total bigint NOT NULL,
  last_at timestamp with time zone NOT NULL,
  CONSTRAINT limit_windows_pkey PRIMARY KEY (subject)
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0.05);

CREATE TABLE mails (
  mail_id uuid NOT NULL,
  kind text NOT NULL,
  -- One mail of each kind for a subject: a crash between two statements sends nothing twice.
  subject text NOT NULL,
  address bytea NOT NULL,
  address_hash bytea NOT NULL,
  content bytea NOT NULL,
  status text NOT NULL,
  last_error text,
  due_at timestamp with time zone,
  lease_token smallint NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  sent_at timestamp with time zone,
  CONSTRAINT mails_pkey PRIMARY KEY (mail_id),
  CONSTRAINT mail_kind_is_known CHECK (kind = ANY (ARRAY['receipt'::text, 'code'::text, 'invitation'::text, 'account'::text, 'notice'::text, 'security'::text])),
  CONSTRAINT mail_status_is_known CHECK (status = ANY (ARRAY['waiting'::text, 'sent'::text, 'stored'::text, 'failed'::text, 'dropped'::text])),
  CONSTRAINT mail_waiting_is_due CHECK ((due_at IS NOT NULL) = (status = 'waiting'::text))
);
CREATE INDEX mails_by_address ON mails USING btree (address_hash, created_at);
CREATE INDEX mails_by_age ON mails USING btree (created_at);
CREATE UNIQUE INDEX mails_by_kind_and_subject ON mails USING btree (kind, subject);
CREATE INDEX mails_due ON mails USING btree (due_at) WHERE due_at IS NOT NULL;

-- A browser that stays signed in on the hosted pages; its cookie is stored as a hash.
CREATE TABLE member_sessions (
  token_hash bytea NOT NULL,
  member_id uuid NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT member_sessions_pkey PRIMARY KEY (token_hash),
  CONSTRAINT member_sessions_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(member_id)
);
CREATE INDEX member_sessions_by_age ON member_sessions USING btree (expires_at);

-- Guests: people with a phone. Phones, codes and invites are stored only sealed or as keyed hashes.
CREATE TABLE members (
  member_id uuid NOT NULL,
  display_name text,
  -- Null: created by an operator's own issuer, or for a test; such a member gets no message.
  phone_hash bytea,
  phone bytea,
  -- When they first signed in; until then an organizer has only named them.
  joined_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  -- A place in a party without a person yet: the guest who opens its link and signs in takes it.
  is_seat boolean NOT NULL DEFAULT false,
  -- The language of messages to them; null: English.
  language text,
  -- Not a member yet: a phone that an organizer named, for one party. Its owner signs in as another row, found by
  -- phone_hash.
  invited_phone_hash bytea,
  -- Tokens carry it. A sign-out adds one: tokens with a lower number are refused.
  token_version integer NOT NULL DEFAULT 0,
  CONSTRAINT members_pkey PRIMARY KEY (member_id),
  CONSTRAINT member_invited_phone_has_no_account CHECK (invited_phone_hash IS NULL OR phone_hash IS NULL AND joined_at IS NULL AND display_name IS NULL AND NOT is_seat),
  CONSTRAINT member_language_is_a_code CHECK (language ~ '^[a-z]{2,3}$'::text),
  CONSTRAINT member_name_has_1_to_80_characters CHECK (char_length(display_name) >= 1 AND char_length(display_name) <= 80),
  CONSTRAINT member_phone_is_found_by_its_hash CHECK ((phone IS NULL) = (phone_hash IS NULL AND invited_phone_hash IS NULL)),
  CONSTRAINT member_seat_is_nobody CHECK (NOT is_seat OR phone_hash IS NULL AND joined_at IS NULL)
);
CREATE INDEX members_by_invited_phone ON members USING btree (invited_phone_hash) WHERE invited_phone_hash IS NOT NULL;
CREATE UNIQUE INDEX members_by_phone ON members USING btree (phone_hash) WHERE phone_hash IS NOT NULL;

-- Text messages for the worker to send. The body is sealed, since it carries codes and invites.
CREATE TABLE messages (
  message_id uuid NOT NULL,
  member_id uuid,
  phone_hash bytea NOT NULL,
  phone bytea NOT NULL,
  kind text NOT NULL,
  -- One message of each kind for a subject: a crash between two statements sends nothing twice.
  subject text NOT NULL,
  body bytea NOT NULL,
  status text NOT NULL,
  provider_id text,
  last_error text,
  due_at timestamp with time zone,
  lease_token smallint NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  sent_at timestamp with time zone,
  -- From then on the message is dropped instead of sent; null: it is never too late.
  send_before timestamp with time zone,
  CONSTRAINT messages_pkey PRIMARY KEY (message_id),
  CONSTRAINT messages_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(member_id),
  CONSTRAINT message_kind_is_known CHECK (kind = ANY (ARRAY['code'::text, 'invite'::text, 'reminder'::text, 'released'::text, 'ended'::text, 'lost'::text, 'completed'::text, 'declined'::text, 'removed'::text])),
  CONSTRAINT message_status_is_known CHECK (status = ANY (ARRAY['waiting'::text, 'sent'::text, 'failed'::text, 'dropped'::text])),
  CONSTRAINT message_waiting_is_due CHECK ((due_at IS NOT NULL) = (status = 'waiting'::text))
);
CREATE INDEX messages_by_age ON messages USING btree (created_at);
CREATE UNIQUE INDEX messages_by_kind_and_subject ON messages USING btree (kind, subject);
CREATE INDEX messages_by_phone ON messages USING btree (phone_hash, created_at);
CREATE INDEX messages_by_send_before ON messages USING btree (send_before) WHERE due_at IS NOT NULL;
CREATE INDEX messages_by_share ON messages USING btree (split_part(subject, ' '::text, 1), created_at) WHERE kind = ANY (ARRAY['invite'::text, 'reminder'::text]);
CREATE INDEX messages_due ON messages USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX messages_due_codes ON messages USING btree (due_at) WHERE due_at IS NOT NULL AND kind = 'code'::text;

CREATE TABLE migration_lock (
  only_row boolean NOT NULL DEFAULT true,
  CONSTRAINT migration_lock_pkey PRIMARY KEY (only_row),
  CONSTRAINT migration_lock_only_row_check CHECK (only_row)
);

CREATE TABLE migrations (
  version integer NOT NULL,
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT migrations_pkey PRIMARY KEY (version)
);

-- Money that leaves us: a refund to a guest (a return, when the booking never became complete), a transfer to the
-- venue, a transfer reversed. sending: it may have happened. pending: the processor has accepted a refund and not paid
-- it yet. frozen: a transfer or refund whose charge is disputed. owed: a reversal for which the account of the venue
-- has no funds. closed: a failed refund that an operator paid in another way. A waiting transfer may still get smaller.
-- A done refund may fail. A dropped refund keeps its amount: a lost dispute has given the guest that money.
CREATE TABLE movements (
  venue_id uuid NOT NULL,
  movement_id uuid NOT NULL,
  kind text NOT NULL,
  mode text NOT NULL,
  checkout_id text NOT NULL,
  share_id text NOT NULL,
  hold_id uuid NOT NULL,
  status text NOT NULL,
  amount integer NOT NULL,
  -- Of a refund: how much of it comes out of our fee.
  fee_part integer NOT NULL DEFAULT 0,
  -- Of a reversal: the transfer that it reverses.
  reversed_transfer_id uuid,
  currency text NOT NULL,
  reason text,
  processor_id text,
  last_error text,
  -- How often the processor refused: nothing was done then.
  refusals smallint NOT NULL DEFAULT 0,
  due_at timestamp with time zone,
  lease_token integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  done_at timestamp with time zone,
  -- Which idempotency key the next call uses. It increases after a refusal, and when the processor has stored a
  -- failure.
  key_number integer NOT NULL DEFAULT 0,
  -- When it was due first, or when an operator or the end of a dispute made it due again. Refusals are retried for two
  -- weeks from then.
  first_due_at timestamp with time zone NOT NULL,
  -- How often the refund was done and failed afterwards; each time has its own ledger entries.
  failures_after_done integer NOT NULL DEFAULT 0,
  -- Of a transfer or a reversal: what the call to the processor asks for, decided once before the first call; null: not
  -- decided yet, or done by an older version with the whole amount. The rest of a transfer settles debts of the venue.
  -- The rest of a reversal was never sent to the venue, so the venue owes it.
  sent_amount integer,
  -- Of a reversal: what could not be taken back from the account of the venue, which owes it. Later transfers settle
  -- it.
  owed_amount integer NOT NULL DEFAULT 0,
  -- How much of owed_amount is settled by later transfers (debt_offsets).
  settled_amount integer NOT NULL DEFAULT 0,
  -- How much of settled_amount an operator has written off: the venue no longer owes it, and the loss is ours.
  written_off_amount integer NOT NULL DEFAULT 0,
  -- Of a failed refund or transfer: the operator who pays it by hand. It is not sent again unless it is given back.
  by_hand_by text,
  -- When by_hand_by has reserved it.
  by_hand_at timestamp with time zone,
  traceparent text DEFAULT NULLIF(current_setting('everyshare.traceparent'::text, true), ''::text),
  CONSTRAINT movements_pkey PRIMARY KEY (venue_id, movement_id),
  CONSTRAINT movements_venue_id_hold_id_fkey FOREIGN KEY (venue_id, hold_id) REFERENCES holds(venue_id, hold_id),
  CONSTRAINT movement_amount_is_positive CHECK (amount > 0 OR amount = 0 AND status = 'dropped'::text),
  CONSTRAINT movement_by_hand_is_not_sent CHECK (by_hand_by IS NULL OR (status = ANY (ARRAY['failed'::text, 'closed'::text, 'dropped'::text])) AND kind <> 'reversal'::text),
  CONSTRAINT movement_by_hand_is_whole CHECK ((by_hand_by IS NULL) = (by_hand_at IS NULL)),
  CONSTRAINT movement_closed_was_paid CHECK (status <> 'closed'::text OR (kind = ANY (ARRAY['refund'::text, 'return'::text, 'transfer'::text]))),
  CONSTRAINT movement_done_has_a_time CHECK ((done_at IS NOT NULL) = (status = 'done'::text)),
  CONSTRAINT movement_fee_part_is_within CHECK (fee_part >= 0 AND fee_part <= amount),
  CONSTRAINT movement_kind_is_known CHECK (kind = ANY (ARRAY['refund'::text, 'return'::text, 'transfer'::text, 'reversal'::text])),
  CONSTRAINT movement_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text])),
  CONSTRAINT movement_open_is_due CHECK (
CASE
    WHEN status = ANY (ARRAY['waiting'::text, 'sending'::text, 'pending'::text]) THEN due_at IS NOT NULL
    ELSE due_at IS NULL OR status = 'done'::text AND (kind = ANY (ARRAY['refund'::text, 'return'::text]))
END),
  CONSTRAINT movement_owed_amount_is_within CHECK (owed_amount >= 0 AND owed_amount <= amount),
  CONSTRAINT movement_owed_is_owed_whole CHECK (status <> 'owed'::text OR owed_amount = amount),
  CONSTRAINT movement_reversal_names_its_transfer CHECK ((reversed_transfer_id IS NOT NULL) = (kind = 'reversal'::text)),
  CONSTRAINT movement_sent_amount_is_within CHECK (sent_amount >= 0 AND sent_amount <= amount),
  CONSTRAINT movement_settled_amount_is_within CHECK (settled_amount >= 0 AND settled_amount <= owed_amount),
  CONSTRAINT movement_status_is_known CHECK (status = ANY (ARRAY['waiting'::text, 'sending'::text, 'pending'::text, 'frozen'::text, 'done'::text, 'owed'::text, 'failed'::text, 'dropped'::text, 'closed'::text])),
  CONSTRAINT movement_written_off_is_within CHECK (written_off_amount >= 0 AND written_off_amount <= settled_amount)
) WITH (fillfactor=80);
CREATE INDEX movements_by_checkout ON movements USING btree (venue_id, checkout_id);
CREATE INDEX movements_by_hold ON movements USING btree (venue_id, hold_id);
CREATE INDEX movements_by_id ON movements USING btree (movement_id);
CREATE INDEX movements_due ON movements USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX movements_failed ON movements USING btree (mode, first_due_at, movement_id) INCLUDE (kind, amount) WHERE status = 'failed'::text;
CREATE UNIQUE INDEX movements_one_transfer_for_a_charge ON movements USING btree (venue_id, hold_id) WHERE kind = 'transfer'::text AND reason IS DISTINCT FROM 'loss_returned'::text;
CREATE INDEX movements_sent ON movements USING btree (venue_id, mode, done_at) WHERE kind = 'transfer'::text AND done_at IS NOT NULL;
CREATE INDEX movements_to_send ON movements USING btree (venue_id, mode, due_at) WHERE kind = 'transfer'::text AND (status = ANY (ARRAY['waiting'::text, 'sending'::text, 'pending'::text, 'frozen'::text, 'failed'::text]));
CREATE INDEX movements_unfinished ON movements USING btree (mode, kind, status) INCLUDE (currency, amount) WHERE status = ANY (ARRAY['waiting'::text, 'sending'::text, 'pending'::text, 'frozen'::text, 'owed'::text, 'failed'::text]);
CREATE INDEX movements_unsettled ON movements USING btree (mode, movement_id) WHERE status = ANY (ARRAY['sending'::text, 'pending'::text, 'failed'::text]);
CREATE INDEX movements_with_debts ON movements USING btree (venue_id, mode, currency, movement_id) WHERE owed_amount > settled_amount;
CREATE TRIGGER movement_status_follows_the_transitions BEFORE INSERT OR UPDATE OF status ON movements FOR EACH ROW EXECUTE FUNCTION enforce_transition('movement');
CREATE TRIGGER movements_are_never_deleted BEFORE DELETE OR TRUNCATE ON movements FOR EACH STATEMENT EXECUTE FUNCTION enforce_no_deletes();

-- The phones that an organizer has named in parties, by their keyed hash. Only a phone that is new to the organizer
-- counts for the daily limit; whether it is known to others makes no difference.
CREATE TABLE named_phones (
  member_id uuid NOT NULL,
  phone_hash bytea NOT NULL,
  named_at timestamp with time zone NOT NULL,
  CONSTRAINT named_phones_pkey PRIMARY KEY (member_id, phone_hash),
  CONSTRAINT named_phones_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(member_id)
);

-- What the people of a venue get by mail. due_at is null as soon as the mails are queued.
CREATE TABLE notices (
  venue_id uuid NOT NULL,
  notice_id uuid NOT NULL,
  mode text NOT NULL,
  kind text NOT NULL,
  subject text NOT NULL,
  detail json NOT NULL,
  due_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  -- When its mail was queued; null: it waits, or an older version has mailed it.
  mailed_at timestamp with time zone,
  CONSTRAINT notices_pkey PRIMARY KEY (venue_id, notice_id),
  CONSTRAINT notices_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT notice_kind_is_known CHECK (kind = ANY (ARRAY['endpoint'::text, 'payout'::text, 'dispute'::text, 'review'::text, 'key_expiry'::text, 'payable'::text, 'live'::text, 'approval'::text])),
  CONSTRAINT notice_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text]))
);
CREATE INDEX notices_by_age ON notices USING btree (created_at);
CREATE UNIQUE INDEX notices_by_subject ON notices USING btree (venue_id, kind, subject);
CREATE INDEX notices_due ON notices USING btree (due_at) WHERE due_at IS NOT NULL;

-- Which mails a person wants of a venue, where it is not what their role gets by default.
CREATE TABLE notification_preferences (
  venue_id uuid NOT NULL,
  account_id uuid NOT NULL,
  kind text NOT NULL,
  enabled boolean NOT NULL,
  CONSTRAINT notification_preferences_pkey PRIMARY KEY (venue_id, account_id, kind),
  CONSTRAINT notification_preferences_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT notification_preference_kind_is_known CHECK (kind = ANY (ARRAY['endpoint'::text, 'payout'::text, 'dispute'::text, 'review'::text, 'key_expiry'::text]))
);

CREATE TABLE offerings (
  venue_id uuid NOT NULL,
  offering_id uuid NOT NULL,
  mode text NOT NULL,
  external_id text NOT NULL,
  status text NOT NULL,
  review_note text,
  content json NOT NULL,
  fingerprint bytea NOT NULL,
  approved json,
  created_at timestamp with time zone NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  reviewed_at timestamp with time zone,
  CONSTRAINT offerings_pkey PRIMARY KEY (venue_id, offering_id),
  CONSTRAINT offerings_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT offering_approved_has_a_version CHECK (status <> 'approved'::text OR approved IS NOT NULL),
  CONSTRAINT offering_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text])),
  CONSTRAINT offering_note_goes_with_rejection CHECK ((review_note IS NOT NULL) = (status = 'rejected'::text)),
  CONSTRAINT offering_status_is_known CHECK (status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text]))
);
CREATE UNIQUE INDEX offerings_by_change ON offerings USING btree (venue_id, mode, changed_at);
CREATE UNIQUE INDEX offerings_by_external_id ON offerings USING btree (venue_id, mode, external_id);
CREATE INDEX offerings_by_status ON offerings USING btree (venue_id, mode, status, changed_at);
CREATE INDEX offerings_pending ON offerings USING btree (created_at) WHERE status = 'pending'::text;
CREATE INDEX offerings_waiting ON offerings USING btree (changed_at) WHERE status = 'pending'::text;

-- Accounts that may use the desk, each with one role. The command line alone writes it.
CREATE TABLE operators (
  account_id uuid NOT NULL,
  role text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT operators_pkey PRIMARY KEY (account_id),
  CONSTRAINT operators_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT operator_role_is_known CHECK (role = ANY (ARRAY['admin'::text, 'reviewer'::text, 'support'::text, 'finance'::text]))
);

-- Phones that answered STOP, by hash: also of people who are no members yet, or whose answer arrives first.
CREATE TABLE opted_out_phones (
  phone_hash bytea NOT NULL,
  at timestamp with time zone NOT NULL,
  CONSTRAINT opted_out_phones_pkey PRIMARY KEY (phone_hash)
);

-- Parties that were typed and not sent yet, sealed; deleted when sent, or after a day.
CREATE TABLE party_drafts (
  venue_id uuid NOT NULL,
  checkout_id text NOT NULL,
  member_id uuid NOT NULL,
  draft bytea NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT party_drafts_pkey PRIMARY KEY (venue_id, checkout_id, member_id)
);
CREATE INDEX party_drafts_updated_at ON party_drafts USING btree (updated_at);

-- What a passkey is asked to sign, as a hash. The first answer deletes the row, right or wrong.
CREATE TABLE passkey_challenges (
  challenge_hash bytea NOT NULL,
  purpose text NOT NULL,
  session_id uuid,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT passkey_challenges_pkey PRIMARY KEY (challenge_hash),
  CONSTRAINT passkey_challenge_has_session CHECK ((purpose = 'sign_in'::text) = (session_id IS NULL)),
  CONSTRAINT passkey_challenge_purpose_is_known CHECK (purpose = ANY (ARRAY['add'::text, 'sign_in'::text, 'step_up'::text]))
);
CREATE INDEX passkey_challenges_by_age ON passkey_challenges USING btree (expires_at);

-- Where a venue's money is sent, for each mode.
CREATE TABLE payout_accounts (
  venue_id uuid NOT NULL,
  mode text NOT NULL,
  account_id text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  -- The processor's status of the transfers capability: transfers work only while it is active. Null: not asked yet.
  transfers_status text,
  -- What the processor needs before the capability is active, in its own words.
  requirements_due text[] NOT NULL DEFAULT '{}'::text[],
  -- When the processor was asked last.
  checked_at timestamp with time zone,
  -- When a worker asks the processor again: after an event, and from time to time, because events can be lost.
  check_at timestamp with time zone NOT NULL,
  -- Increases with each claim and each event. A worker with a stale lease token must not write.
  lease_token integer NOT NULL DEFAULT 0,
  -- The processor that made the account. Null: no server or worker has started since migration 32.
  processor text,
  CONSTRAINT payout_accounts_pkey PRIMARY KEY (venue_id, mode),
  CONSTRAINT payout_accounts_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT payout_account_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text])),
  CONSTRAINT payout_account_processor_is_known CHECK (processor = ANY (ARRAY['sandbox'::text, 'stripe'::text])),
  CONSTRAINT payout_account_transfers_status_is_known CHECK (transfers_status = ANY (ARRAY['active'::text, 'pending'::text, 'restricted'::text, 'rejected'::text, 'unsupported'::text]))
);
CREATE INDEX payout_accounts_to_check ON payout_accounts USING btree (check_at);

-- What a venue is paid for one completed checkout; its transfers are movements. Lists page by created_at, which is
-- unique.
CREATE TABLE payouts (
  venue_id uuid NOT NULL,
  payout_id uuid NOT NULL,
  mode text NOT NULL,
  checkout_id text NOT NULL,
  amount integer NOT NULL,
  fee_amount integer NOT NULL,
  currency text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT payouts_pkey PRIMARY KEY (venue_id, payout_id),
  CONSTRAINT payouts_venue_id_checkout_id_fkey FOREIGN KEY (venue_id, checkout_id) REFERENCES checkouts(venue_id, checkout_id),
  CONSTRAINT payout_amounts_are_not_negative CHECK (amount >= 0 AND fee_amount >= 0),
  CONSTRAINT payout_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text]))
);
CREATE UNIQUE INDEX payouts_by_time ON payouts USING btree (venue_id, mode, created_at);
CREATE UNIQUE INDEX payouts_one_for_a_checkout ON payouts USING btree (venue_id, checkout_id);

-- Servers and workers. Each writes its row every 20 seconds; rows unseen for a day are deleted.
CREATE TABLE processes (
  process_id uuid NOT NULL,
  role text NOT NULL,
  version text NOT NULL,
  schema_version integer NOT NULL,
  host text NOT NULL,
  started_at timestamp with time zone NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  outcomes json NOT NULL,
  CONSTRAINT processes_pkey PRIMARY KEY (process_id),
  CONSTRAINT process_role_is_known CHECK (role = ANY (ARRAY['start'::text, 'serve'::text, 'worker'::text]))
);
CREATE INDEX processes_by_age ON processes USING btree (seen_at);

-- Webhook events of the processor whose venue is known only after the worker has asked the processor.
CREATE TABLE processor_events (
  event_id text NOT NULL,
  mode text NOT NULL,
  subject json NOT NULL,
  due_at timestamp with time zone,
  lease_token integer NOT NULL DEFAULT 0,
  received_at timestamp with time zone NOT NULL,
  CONSTRAINT processor_events_pkey PRIMARY KEY (event_id)
);
CREATE INDEX processor_events_by_age ON processor_events USING btree (received_at);
CREATE INDEX processor_events_due ON processor_events USING btree (due_at) WHERE due_at IS NOT NULL;

-- Times in which nothing ran on this database: an outage, or what a restored backup does not have. Reconciliation
-- refunds no charge of such a time.
CREATE TABLE record_gaps (
  began_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone NOT NULL,
  CONSTRAINT record_gaps_pkey PRIMARY KEY (began_at),
  CONSTRAINT record_gap_ends_after_it_began CHECK (ended_at > began_at)
);

CREATE TABLE releases (
  release text NOT NULL,
  oldest_beside text,
  first_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT releases_pkey PRIMARY KEY (release)
);

-- Calls of one minute with a partner's key that succeeded and have all but id, time and path in common, masked, for
-- REQUEST_LOG_DAYS. Written after the calls, in batches: a call may be missing.
CREATE TABLE request_blocks (
  venue_id uuid NOT NULL,
  mode text NOT NULL,
  slot smallint NOT NULL,
  first_id text NOT NULL,
  last_id text NOT NULL,
  line_count smallint NOT NULL,
  key_id text NOT NULL,
  method text NOT NULL,
  route text,
  operation text,
  tool text,
  status smallint NOT NULL,
  replayed boolean NOT NULL,
  address text NOT NULL,
  user_agent text,
  lines text NOT NULL,
  CONSTRAINT request_blocks_pkey PRIMARY KEY (venue_id, mode, last_id, slot),
  CONSTRAINT request_blocks_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text]))
) PARTITION BY LIST (slot);
ALTER TABLE request_blocks ALTER COLUMN lines SET STORAGE external;
CREATE TABLE request_blocks_slot_00 PARTITION OF request_blocks FOR VALUES IN ('0');
CREATE TABLE request_blocks_slot_01 PARTITION OF request_blocks FOR VALUES IN ('1');
CREATE TABLE request_blocks_slot_02 PARTITION OF request_blocks FOR VALUES IN ('2');
CREATE TABLE request_blocks_slot_03 PARTITION OF request_blocks FOR VALUES IN ('3');
CREATE TABLE request_blocks_slot_04 PARTITION OF request_blocks FOR VALUES IN ('4');
CREATE TABLE request_blocks_slot_05 PARTITION OF request_blocks FOR VALUES IN ('5');
CREATE TABLE request_blocks_slot_06 PARTITION OF request_blocks FOR VALUES IN ('6');
CREATE TABLE request_blocks_slot_07 PARTITION OF request_blocks FOR VALUES IN ('7');
CREATE TABLE request_blocks_slot_08 PARTITION OF request_blocks FOR VALUES IN ('8');
CREATE TABLE request_blocks_slot_09 PARTITION OF request_blocks FOR VALUES IN ('9');
CREATE TABLE request_blocks_slot_10 PARTITION OF request_blocks FOR VALUES IN ('10');
CREATE TABLE request_blocks_slot_11 PARTITION OF request_blocks FOR VALUES IN ('11');
CREATE TABLE request_blocks_slot_12 PARTITION OF request_blocks FOR VALUES IN ('12');
CREATE TABLE request_blocks_slot_13 PARTITION OF request_blocks FOR VALUES IN ('13');
CREATE TABLE request_blocks_slot_14 PARTITION OF request_blocks FOR VALUES IN ('14');
CREATE TABLE request_blocks_slot_15 PARTITION OF request_blocks FOR VALUES IN ('15');
CREATE TABLE request_blocks_slot_16 PARTITION OF request_blocks FOR VALUES IN ('16');
CREATE TABLE request_blocks_slot_17 PARTITION OF request_blocks FOR VALUES IN ('17');
CREATE TABLE request_blocks_slot_18 PARTITION OF request_blocks FOR VALUES IN ('18');
CREATE TABLE request_blocks_slot_19 PARTITION OF request_blocks FOR VALUES IN ('19');
CREATE TABLE request_blocks_slot_20 PARTITION OF request_blocks FOR VALUES IN ('20');
CREATE TABLE request_blocks_slot_21 PARTITION OF request_blocks FOR VALUES IN ('21');
CREATE TABLE request_blocks_slot_22 PARTITION OF request_blocks FOR VALUES IN ('22');
CREATE TABLE request_blocks_slot_23 PARTITION OF request_blocks FOR VALUES IN ('23');
CREATE TABLE request_blocks_slot_24 PARTITION OF request_blocks FOR VALUES IN ('24');
CREATE TABLE request_blocks_slot_25 PARTITION OF request_blocks FOR VALUES IN ('25');
CREATE TABLE request_blocks_slot_26 PARTITION OF request_blocks FOR VALUES IN ('26');
CREATE TABLE request_blocks_slot_27 PARTITION OF request_blocks FOR VALUES IN ('27');
CREATE TABLE request_blocks_slot_28 PARTITION OF request_blocks FOR VALUES IN ('28');
CREATE TABLE request_blocks_slot_29 PARTITION OF request_blocks FOR VALUES IN ('29');
CREATE TABLE request_blocks_slot_30 PARTITION OF request_blocks FOR VALUES IN ('30');
CREATE TABLE request_blocks_slot_31 PARTITION OF request_blocks FOR VALUES IN ('31');

-- Calls with a partner's key, masked, for REQUEST_LOG_DAYS. Ids are in the order of time. Written after the call, in
-- batches: a line may be missing.
CREATE TABLE request_log (
  venue_id uuid NOT NULL,
  mode text NOT NULL,
  request_id text NOT NULL,
  slot smallint NOT NULL,
  at timestamp with time zone NOT NULL,
  key_id text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  route text,
  operation text,
  tool text,
  status smallint NOT NULL,
  code text,
  reason text,
  field text,
  problem_count smallint NOT NULL,
  replayed boolean NOT NULL,
  duration_ms real NOT NULL,
  address text NOT NULL,
  user_agent text,
  failure bytea,
  CONSTRAINT request_log_pkey PRIMARY KEY (venue_id, mode, request_id, slot),
  CONSTRAINT request_log_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text]))
) PARTITION BY LIST (slot);
CREATE TABLE request_log_slot_00 PARTITION OF request_log FOR VALUES IN ('0');
CREATE TABLE request_log_slot_01 PARTITION OF request_log FOR VALUES IN ('1');
CREATE TABLE request_log_slot_02 PARTITION OF request_log FOR VALUES IN ('2');
CREATE TABLE request_log_slot_03 PARTITION OF request_log FOR VALUES IN ('3');
CREATE TABLE request_log_slot_04 PARTITION OF request_log FOR VALUES IN ('4');
CREATE TABLE request_log_slot_05 PARTITION OF request_log FOR VALUES IN ('5');
CREATE TABLE request_log_slot_06 PARTITION OF request_log FOR VALUES IN ('6');
CREATE TABLE request_log_slot_07 PARTITION OF request_log FOR VALUES IN ('7');
CREATE TABLE request_log_slot_08 PARTITION OF request_log FOR VALUES IN ('8');
CREATE TABLE request_log_slot_09 PARTITION OF request_log FOR VALUES IN ('9');
CREATE TABLE request_log_slot_10 PARTITION OF request_log FOR VALUES IN ('10');
CREATE TABLE request_log_slot_11 PARTITION OF request_log FOR VALUES IN ('11');
CREATE TABLE request_log_slot_12 PARTITION OF request_log FOR VALUES IN ('12');
CREATE TABLE request_log_slot_13 PARTITION OF request_log FOR VALUES IN ('13');
CREATE TABLE request_log_slot_14 PARTITION OF request_log FOR VALUES IN ('14');
CREATE TABLE request_log_slot_15 PARTITION OF request_log FOR VALUES IN ('15');
CREATE TABLE request_log_slot_16 PARTITION OF request_log FOR VALUES IN ('16');
CREATE TABLE request_log_slot_17 PARTITION OF request_log FOR VALUES IN ('17');
CREATE TABLE request_log_slot_18 PARTITION OF request_log FOR VALUES IN ('18');
CREATE TABLE request_log_slot_19 PARTITION OF request_log FOR VALUES IN ('19');
CREATE TABLE request_log_slot_20 PARTITION OF request_log FOR VALUES IN ('20');
CREATE TABLE request_log_slot_21 PARTITION OF request_log FOR VALUES IN ('21');
CREATE TABLE request_log_slot_22 PARTITION OF request_log FOR VALUES IN ('22');
CREATE TABLE request_log_slot_23 PARTITION OF request_log FOR VALUES IN ('23');
CREATE TABLE request_log_slot_24 PARTITION OF request_log FOR VALUES IN ('24');
CREATE TABLE request_log_slot_25 PARTITION OF request_log FOR VALUES IN ('25');
CREATE TABLE request_log_slot_26 PARTITION OF request_log FOR VALUES IN ('26');
CREATE TABLE request_log_slot_27 PARTITION OF request_log FOR VALUES IN ('27');
CREATE TABLE request_log_slot_28 PARTITION OF request_log FOR VALUES IN ('28');
CREATE TABLE request_log_slot_29 PARTITION OF request_log FOR VALUES IN ('29');
CREATE TABLE request_log_slot_30 PARTITION OF request_log FOR VALUES IN ('30');
CREATE TABLE request_log_slot_31 PARTITION OF request_log FOR VALUES IN ('31');
CREATE INDEX request_log_refused ON ONLY request_log USING btree (venue_id, mode, request_id) WHERE status >= 400;

-- From an id to its venue, for the operator who reviews.
CREATE TABLE review_routes (
  object_id uuid NOT NULL,
  kind text NOT NULL,
  venue_id uuid NOT NULL,
  CONSTRAINT review_routes_pkey PRIMARY KEY (object_id),
  CONSTRAINT review_kind_is_known CHECK (kind = ANY (ARRAY['offering'::text, 'experience'::text, 'boat'::text]))
);

-- Sample events that were sent to test an endpoint, for its log; kept for 30 days.
CREATE TABLE sample_deliveries (
  venue_id uuid NOT NULL,
  endpoint_id text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  event_id text NOT NULL,
  type text NOT NULL,
  is_delivered boolean NOT NULL,
  status smallint,
  error text,
  response text,
  duration_ms integer NOT NULL,
  CONSTRAINT sample_deliveries_pkey PRIMARY KEY (venue_id, endpoint_id, created_at),
  CONSTRAINT sample_fails_with_an_error CHECK (is_delivered = (error IS NULL))
);
CREATE INDEX sample_deliveries_by_age ON sample_deliveries USING brin (created_at);

CREATE TABLE shared_hooks (
  shared_hook_id text NOT NULL,
  provider text NOT NULL,
  mode text NOT NULL,
  token_hash bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  unrouted_count bigint NOT NULL DEFAULT 0,
  unrouted_at timestamp with time zone,
  CONSTRAINT shared_hooks_pkey PRIMARY KEY (shared_hook_id),
  CONSTRAINT shared_hooks_token_hash_key UNIQUE (token_hash),
  CONSTRAINT shared_hook_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text])),
  CONSTRAINT shared_hook_token_is_sha256 CHECK (octet_length(token_hash) = 32)
);

CREATE TABLE shares (
  venue_id uuid NOT NULL,
  share_id text NOT NULL,
  checkout_id text NOT NULL,
  position smallint NOT NULL,
  amount integer NOT NULL,
  status text NOT NULL,
  is_organizer boolean NOT NULL,
  member_id uuid NOT NULL,
  display_name text,
  refunded_amount integer NOT NULL DEFAULT 0,
  invited_at timestamp with time zone NOT NULL,
  held_at timestamp with time zone,
  -- When the share left the party; drop_reason says why. It stays for the books.
  dropped_at timestamp with time zone,
  -- When the hold of this share was lost last.
  lost_at timestamp with time zone,
  -- Up to when its member was reminded, by the checkout's own clock.
  reminded_at timestamp with time zone,
  -- How much of the share was lost to disputes. It cannot be refunded any more.
  lost_amount integer NOT NULL DEFAULT 0,
  -- How much of the share’s refunds did not reach the guest and is owed to them. refunded_amount includes it.
  failed_refund_amount integer NOT NULL DEFAULT 0,
  -- The phone by which the organizer named the person; null: named by id, or the guest took an open seat.
  invited_phone_hash bytea,
  -- When the person first acted on the invite, signed in. From then on the share shows the person's own name.
  accepted_at timestamp with time zone,
  -- declined: its guest said no. removed: the organizer removed its guest. Null: the organizer chose the party again.
  drop_reason text,
  CONSTRAINT shares_pkey PRIMARY KEY (venue_id, share_id),
  CONSTRAINT shares_venue_id_checkout_id_fkey FOREIGN KEY (venue_id, checkout_id) REFERENCES checkouts(venue_id, checkout_id),
  CONSTRAINT share_amount_is_nothing_or_a_charge CHECK (amount = 0 OR amount >= 50 AND amount <= 99999999),
  CONSTRAINT share_drop_reason_is_known CHECK (drop_reason IS NULL OR dropped_at IS NOT NULL AND (drop_reason = ANY (ARRAY['declined'::text, 'removed'::text]))),
  CONSTRAINT share_dropped_is_not_held CHECK (dropped_at IS NULL OR (status <> ALL (ARRAY['held'::text, 'captured'::text, 'refunded'::text]))),
  CONSTRAINT share_failed_refund_is_not_negative CHECK (failed_refund_amount >= 0),
  CONSTRAINT share_held_has_a_time CHECK (held_at IS NOT NULL OR (status = ANY (ARRAY['invited'::text, 'failed'::text]))),
  CONSTRAINT share_refund_is_within_the_amount CHECK (refunded_amount >= 0 AND lost_amount >= 0 AND (refunded_amount + lost_amount) <= amount),
  CONSTRAINT share_status_is_known CHECK (status = ANY (ARRAY['invited'::text, 'held'::text, 'captured'::text, 'released'::text, 'refunded'::text, 'failed'::text]))
) WITH (fillfactor=85);
CREATE INDEX shares_by_checkout ON shares USING btree (venue_id, checkout_id, "position") WHERE dropped_at IS NULL;
CREATE INDEX shares_by_guest ON shares USING btree (member_id);
CREATE UNIQUE INDEX shares_by_member ON shares USING btree (venue_id, checkout_id, member_id) WHERE dropped_at IS NULL;
CREATE INDEX shares_dropped ON shares USING btree (venue_id, checkout_id) WHERE dropped_at IS NOT NULL;
CREATE CONSTRAINT TRIGGER party_adds_up AFTER INSERT OR UPDATE OF dropped_at ON shares DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION enforce_party_invariants();
CREATE TRIGGER share_keeps_its_amount BEFORE UPDATE OF amount ON shares FOR EACH ROW EXECUTE FUNCTION enforce_fixed_amounts();
CREATE TRIGGER share_status_follows_the_transitions BEFORE INSERT OR UPDATE OF status ON shares FOR EACH ROW EXECUTE FUNCTION enforce_transition('share');
CREATE TRIGGER shares_are_never_deleted BEFORE DELETE OR TRUNCATE ON shares FOR EACH STATEMENT EXECUTE FUNCTION enforce_no_deletes();

CREATE TABLE sign_in_challenges (
  challenge_id uuid NOT NULL,
  phone_hash bytea NOT NULL,
  phone bytea NOT NULL,
  code_hash bytea NOT NULL,
  tries smallint NOT NULL DEFAULT 0,
  expires_at timestamp with time zone NOT NULL,
  spent_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT sign_in_challenges_pkey PRIMARY KEY (challenge_id),
  CONSTRAINT challenge_is_tried_at_most_5_times CHECK (tries >= 0 AND tries <= 5)
);
CREATE INDEX sign_in_challenges_by_age ON sign_in_challenges USING btree (expires_at);

-- The transitions of the state machines, as data; '' is "not there yet". The program has the same tables, and a test
-- proves that both agree.
CREATE TABLE state_transitions (
  machine text NOT NULL,
  from_status text NOT NULL,
  to_status text NOT NULL,
  CONSTRAINT state_transitions_pkey PRIMARY KEY (machine, from_status, to_status)
);

-- The first checkout.completed of a venue and mode that a stream of events sent: a step of the console's first steps.
CREATE TABLE streamed_completions (
  venue_id uuid NOT NULL,
  mode text NOT NULL,
  event_id text NOT NULL,
  checkout_id text NOT NULL,
  at timestamp with time zone NOT NULL,
  CONSTRAINT streamed_completions_pkey PRIMARY KEY (venue_id, mode),
  CONSTRAINT streamed_completions_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT streamed_completion_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text]))
);

-- Deliveries that the built-in test inbox of a venue received, in test mode only: the newest 50, for 24 hours.
CREATE TABLE test_inbox_messages (
  venue_id uuid NOT NULL,
  endpoint_id text NOT NULL,
  message_id uuid NOT NULL,
  event_id text NOT NULL,
  type text NOT NULL,
  signature text NOT NULL,
  body text NOT NULL,
  received_at timestamp with time zone NOT NULL,
  CONSTRAINT test_inbox_messages_pkey PRIMARY KEY (venue_id, endpoint_id, message_id),
  CONSTRAINT test_inbox_messages_venue_id_endpoint_id_fkey FOREIGN KEY (venue_id, endpoint_id) REFERENCES webhook_endpoints(venue_id, endpoint_id) ON DELETE CASCADE
);
CREATE INDEX test_inbox_messages_by_age ON test_inbox_messages USING brin (received_at);

-- The keys that sign members' tokens, shared by every server; the newest one signs.
CREATE TABLE token_keys (
  key_id text NOT NULL,
  private_key bytea NOT NULL,
  public_jwk json NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT token_keys_pkey PRIMARY KEY (key_id)
);

-- Events without deliveries yet: inserted with the event where an endpoint subscribes, deleted when its deliveries are
-- inserted. Ids are ordered by time, and the oldest goes first.
CREATE TABLE undispatched_events (
  venue_id uuid NOT NULL,
  event_id text NOT NULL
) WITH (autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX undispatched_events_oldest ON undispatched_events USING btree (event_id);

-- What a venue has shown to go live: its domain, the terms that were accepted, the approval of an operator.
CREATE TABLE venue_go_live (
  venue_id uuid NOT NULL,
  -- The venue is not known to be linked: the worker looks whether everything holds.
  is_open boolean NOT NULL DEFAULT true,
  domain text,
  domain_token text,
  domain_verified_at timestamp with time zone,
  domain_verified_by text,
  checked_at timestamp with time zone,
  check_result text,
  -- The TXT records that the last look-up found.
  check_found text[] NOT NULL DEFAULT '{}'::text[],
  terms_url text,
  terms_accepted_at timestamp with time zone,
  terms_accepted_by uuid,
  approved_at timestamp with time zone,
  CONSTRAINT venue_go_live_pkey PRIMARY KEY (venue_id),
  CONSTRAINT venue_go_live_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT venue_go_live_check_is_complete CHECK ((checked_at IS NULL) = (check_result IS NULL)),
  CONSTRAINT venue_go_live_check_result_is_known CHECK (check_result = ANY (ARRAY['found'::text, 'no_domain'::text, 'no_record'::text, 'other_values'::text, 'timeout'::text, 'failed'::text])),
  CONSTRAINT venue_go_live_domain_has_token CHECK ((domain IS NULL) = (domain_token IS NULL)),
  CONSTRAINT venue_go_live_terms_are_complete CHECK ((terms_url IS NULL) = (terms_accepted_at IS NULL) AND (terms_url IS NULL) = (terms_accepted_by IS NULL)),
  CONSTRAINT venue_go_live_verified_by_is_known CHECK (domain_verified_by = ANY (ARRAY['dns'::text, 'mail'::text])),
  CONSTRAINT venue_go_live_verified_has_domain CHECK (domain_verified_at IS NULL OR domain IS NOT NULL),
  CONSTRAINT venue_go_live_verified_is_complete CHECK ((domain_verified_at IS NULL) = (domain_verified_by IS NULL))
);
CREATE INDEX venue_go_live_open ON venue_go_live USING btree (venue_id) WHERE is_open AND domain_verified_at IS NOT NULL;

-- People invited to a venue. Ended: accepted, withdrawn, or replaced by a newer one.
CREATE TABLE venue_invitations (
  venue_id uuid NOT NULL,
  invitation_id uuid NOT NULL,
  email bytea NOT NULL,
  email_hash bytea NOT NULL,
  role text NOT NULL,
  invited_by uuid NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  accepted_by uuid,
  CONSTRAINT venue_invitations_pkey PRIMARY KEY (venue_id, invitation_id),
  CONSTRAINT venue_invitations_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT venue_invitation_accepted_is_ended CHECK (accepted_by IS NULL OR ended_at IS NOT NULL),
  CONSTRAINT venue_invitation_role_is_known CHECK (role = ANY (ARRAY['owner'::text, 'developer'::text, 'finance'::text, 'viewer'::text]))
);
CREATE INDEX venue_invitations_by_age ON venue_invitations USING btree (expires_at);
CREATE INDEX venue_invitations_by_email ON venue_invitations USING btree (email_hash) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX venue_invitations_open ON venue_invitations USING btree (venue_id, email_hash) WHERE ended_at IS NULL;

-- The newest raise for all secret keys of a venue. One row for each venue; it counts until its end.
CREATE TABLE venue_limit_raises (
  venue_id uuid NOT NULL,
  writes_per_hour integer NOT NULL,
  reads_per_hour integer NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT venue_limit_raises_pkey PRIMARY KEY (venue_id),
  CONSTRAINT venue_limit_raises_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT raised_limits_are_positive CHECK (writes_per_hour >= 1 AND reads_per_hour >= 1)
);

-- Which accounts have which role in a venue.
CREATE TABLE venue_people (
  venue_id uuid NOT NULL,
  account_id uuid NOT NULL,
  role text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT venue_people_pkey PRIMARY KEY (venue_id, account_id),
  CONSTRAINT venue_people_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT venue_people_role_is_known CHECK (role = ANY (ARRAY['owner'::text, 'developer'::text, 'finance'::text, 'viewer'::text]))
);
CREATE INDEX venue_people_by_account ON venue_people USING btree (account_id);

-- The last page timestamp of a venue and mode. Lists page by these times: unique to the microsecond, in the order of
-- commits.
CREATE TABLE venue_timestamps (
  venue_id uuid NOT NULL,
  mode text NOT NULL,
  last_at timestamp with time zone NOT NULL,
  CONSTRAINT venue_timestamps_pkey PRIMARY KEY (venue_id, mode),
  CONSTRAINT venue_timestamps_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT venue_timestamp_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text]))
) WITH (fillfactor=50);

CREATE TABLE venues (
  venue_id uuid NOT NULL,
  name text NOT NULL,
  -- The pages that may use publishable keys of test mode, and to which guests of test checkouts return.
  origins text[] NOT NULL DEFAULT '{}'::text[],
  fee_bps integer NOT NULL DEFAULT 0,
  fee_fixed integer NOT NULL DEFAULT 0,
  linked_at timestamp with time zone,
  revoked_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  -- An IANA time zone: for the texts and pages of a booking whose offering has none.
  timezone text NOT NULL DEFAULT 'UTC'::text,
  support_email text,
  support_phone text,
  support_url text,
  terms_url text,
  privacy_url text,
  accent_color text,
  logo_url text,
  -- The same for live mode.
  live_origins text[] NOT NULL DEFAULT '{}'::text[],
  -- Since when no new checkouts are created; null: they are.
  suspended_at timestamp with time zone,
  -- Why, for operators alone.
  suspension_note text,
  CONSTRAINT venues_pkey PRIMARY KEY (venue_id),
  CONSTRAINT accent_color_is_rrggbb CHECK (accent_color ~ '^#[0-9a-f]{6}$'::text),
  CONSTRAINT addresses_are_https CHECK (COALESCE(support_url, 'https://'::text) ~~ 'https://%'::text AND COALESCE(terms_url, 'https://'::text) ~~ 'https://%'::text AND COALESCE(privacy_url, 'https://'::text) ~~ 'https://%'::text AND COALESCE(logo_url, 'https://'::text) ~~ 'https://%'::text),
  CONSTRAINT venue_fee_is_a_share_of_the_amount CHECK (fee_bps >= 0 AND fee_bps <= 10000),
  CONSTRAINT venue_fixed_fee_is_not_negative CHECK (fee_fixed >= 0 AND fee_fixed <= 99999999),
  CONSTRAINT venue_has_at_most_50_live_origins CHECK (cardinality(live_origins) <= 50),
  CONSTRAINT venue_has_at_most_50_origins CHECK (cardinality(origins) <= 50),
  CONSTRAINT venue_name_has_1_to_120_characters CHECK (char_length(name) >= 1 AND char_length(name) <= 120)
);
CREATE INDEX venues_by_live_origin ON venues USING gin (live_origins);
CREATE INDEX venues_by_origin ON venues USING gin (origins);

CREATE TABLE webhook_endpoints (
  venue_id uuid NOT NULL,
  endpoint_id text NOT NULL,
  mode text NOT NULL,
  url text NOT NULL,
  events text[] NOT NULL,
  secret bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  status text NOT NULL DEFAULT 'active'::text,
  disabled_at timestamp with time zone,
  disabled_reason text,
  -- For 24 hours after a rotation the old secret signs beside the new one; newest first, each with its own end.
  earlier_secrets bytea[] NOT NULL DEFAULT '{}'::bytea[],
  earlier_until timestamp with time zone[] NOT NULL DEFAULT '{}'::timestamp with time zone[],
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (venue_id, endpoint_id),
  CONSTRAINT webhook_endpoints_venue_id_fkey FOREIGN KEY (venue_id) REFERENCES venues(venue_id),
  CONSTRAINT webhook_endpoint_disabled_has_a_reason CHECK ((status = 'disabled'::text) = (disabled_at IS NOT NULL) AND (disabled_at IS NULL) = (disabled_reason IS NULL)),
  CONSTRAINT webhook_endpoint_earlier_secrets_end CHECK (cardinality(earlier_secrets) = cardinality(earlier_until) AND cardinality(earlier_secrets) <= 4),
  CONSTRAINT webhook_endpoint_has_events CHECK (cardinality(events) >= 1 AND cardinality(events) <= 20),
  CONSTRAINT webhook_endpoint_mode_is_known CHECK (mode = ANY (ARRAY['test'::text, 'live'::text])),
  CONSTRAINT webhook_endpoint_status_is_known CHECK (status = ANY (ARRAY['active'::text, 'disabled'::text])),
  CONSTRAINT webhook_endpoint_url_is_https CHECK (url ~~ 'https://%'::text)
);

-- The rows of ledger_accounts.
--   'disputed_funds', 'debit', 'what the processor took back because a guest disputed a charge'
--   'fee_income', 'credit', 'our fee'
--   'guest_funds', 'credit', 'captured from guests, for a booking that is not complete yet'
--   'paid_elsewhere', 'credit', 'failed refunds and transfers that an operator has paid outside of the processor'
--   'processor_balance', 'debit', 'what the processor keeps for us'
--   'processor_fees', 'debit', 'what the processor has charged us for its service'
--   'venue_debts', 'debit', 'what venues owe us because a transfer could not be taken back'
--   'venue_payable', 'credit', 'what we owe a venue; below zero, what it owes us until a transfer is taken back'
--   'written_off', 'debit', 'our losses: what venues owed us and an operator has written off, and what disputes took beyond their shares'

-- The rows of state_transitions.
--   'checkout', '', 'open'
--   'checkout', 'collecting', 'canceled'
--   'checkout', 'collecting', 'expired'
--   'checkout', 'collecting', 'funded'
--   'checkout', 'funded', 'canceled'
--   'checkout', 'funded', 'collecting'
--   'checkout', 'funded', 'completed'
--   'checkout', 'open', 'canceled'
--   'checkout', 'open', 'collecting'
--   'checkout', 'open', 'expired'
--   'hold', '', 'requested'
--   'hold', 'capturing', 'captured'
--   'hold', 'capturing', 'releasing'
--   'hold', 'held', 'capturing'
--   'hold', 'held', 'releasing'
--   'hold', 'held', 'voided'
--   'hold', 'open', 'held'
--   'hold', 'open', 'releasing'
--   'hold', 'open', 'voided'
--   'hold', 'releasing', 'captured'
--   'hold', 'releasing', 'released'
--   'hold', 'releasing', 'returned'
--   'hold', 'requested', 'held'
--   'hold', 'requested', 'open'
--   'hold', 'requested', 'releasing'
--   'hold', 'requested', 'voided'
--   'movement', '', 'waiting'
--   'movement', 'done', 'failed'
--   'movement', 'failed', 'closed'
--   'movement', 'failed', 'dropped'
--   'movement', 'failed', 'owed'
--   'movement', 'failed', 'waiting'
--   'movement', 'frozen', 'dropped'
--   'movement', 'frozen', 'waiting'
--   'movement', 'pending', 'done'
--   'movement', 'pending', 'failed'
--   'movement', 'sending', 'done'
--   'movement', 'sending', 'failed'
--   'movement', 'sending', 'frozen'
--   'movement', 'sending', 'owed'
--   'movement', 'sending', 'pending'
--   'movement', 'waiting', 'dropped'
--   'movement', 'waiting', 'sending'
--   'share', '', 'invited'
--   'share', 'captured', 'refunded'
--   'share', 'failed', 'held'
--   'share', 'held', 'captured'
--   'share', 'held', 'failed'
--   'share', 'held', 'released'
--   'share', 'invited', 'failed'
--   'share', 'invited', 'held'
--   'share', 'refunded', 'captured'

-- Functions, each with its file.
-- src/domain/analytics/functions/activity_day.sql
--   activity_day(p_at timestamp with time zone) returns date
-- src/domain/analytics/functions/activity_figures.sql
--   activity_figures(p_venue uuid, p_subjects uuid[], p_from timestamp with time zone, p_to timestamp with time zone, p_by_day boolean) returns TABLE(row_kind text, subject uuid, day date, views bigint, saves bigint, bookings bigint, guests bigint, cents bigint, check_ins bigint, viewers bigint, starters bigint, window_from timestamp with time zone, window_to timestamp with time zone, retained_from timestamp with time zone)
-- src/domain/analytics/functions/activity_hour.sql
--   activity_hour(p_at timestamp with time zone) returns integer
-- src/domain/analytics/functions/activity_partition.sql
--   activity_partition(p_at timestamp with time zone) returns smallint
-- src/domain/analytics/functions/activity_window.sql
--   activity_window(p_venue uuid, p_subjects uuid[], p_from timestamp with time zone, p_to timestamp with time zone, OUT window_from timestamp with time zone, OUT window_to timestamp with time zone, OUT retained_from timestamp with time zone, OUT counted_from timestamp with time zone, OUT counted_to timestamp with time zone, OUT has_hours boolean, OUT hour_from integer, OUT hour_to integer, OUT first_day date, OUT end_day date, OUT head_from timestamp with time zone, OUT head_to timestamp with time zone, OUT tail_from timestamp with time zone, OUT tail_to timestamp with time zone) returns record
-- src/domain/checkouts/functions/add_failed_refund.sql
--   add_failed_refund(p_venue uuid, p_checkout text, p_share text, p_amount integer) returns void
-- src/domain/analytics/functions/add_figures.sql
--   add_figures(p_venue uuid, p_subjects uuid[], p_days date[], p_hours_of_day smallint[], p_views bigint[], p_saves bigint[], p_bookings bigint[], p_guests bigint[], p_cents bigint[], p_check_ins bigint[], p_people_subjects uuid[], p_people_days date[], p_people_hours_of_day smallint[], p_actions text[], p_gaps smallint[], p_people integer[]) returns void
-- src/domain/webhooks/functions/add_last_attempt.sql
--   add_last_attempt(d anyelement) returns jsonb
-- src/domain/analytics/functions/adjust_people_by_gap.sql
--   adjust_people_by_gap(p_gaps smallint[], p_people integer[], p_more_gaps smallint[], p_more integer[]) returns TABLE(gaps smallint[], people integer[])
-- src/domain/keys/functions/admit.sql
--   admit(p_hashes bytea[], p_effects text[], p_calls integer[], p_checkouts text[] DEFAULT NULL::text[], p_now timestamp with time zone DEFAULT NULL::timestamp with time zone) returns TABLE("position" integer, venue_id uuid, venue_name text, venue_linked boolean, venue_origins text[], key_id text, kind text, mode text, scopes text[], allow_ips text[], writes_per_hour integer, reads_per_hour integer, created_at timestamp with time zone, expires_at timestamp with time zone, call_limit integer, granted integer, remaining integer, reset_at timestamp with time zone, retry_at timestamp with time zone, counted_at timestamp with time zone, prefetched text, overdue boolean)
-- src/domain/hooks/functions/admit_hook.sql
--   admit_hook(p_hash bytea, p_provider text, p_limit integer) returns TABLE(venue_id uuid, integration_id text, mode text, secret bytea, address text, granted integer, remaining integer, reset_at timestamp with time zone, retry_at timestamp with time zone, counted_at timestamp with time zone)
-- src/domain/hooks/functions/admit_shared_hook.sql
--   admit_shared_hook(p_hash bytea, p_provider text, p_limit integer) returns TABLE(shared_hook_id text, mode text, granted integer, remaining integer, reset_at timestamp with time zone, retry_at timestamp with time zone, counted_at timestamp with time zone)
-- src/domain/analytics/functions/all_experiences_id.sql
--   all_experiences_id(p_mode text) returns uuid
-- src/domain/venues/functions/allocate_timestamps.sql
--   allocate_timestamps(p_venue uuid, p_mode text, p_now timestamp with time zone, p_count integer) returns timestamp with time zone
-- src/domain/checkouts/functions/checkout_object.sql
--   checkout_object(c anyelement) returns json
-- src/domain/checkouts/functions/checkout_views.sql
--   checkout_views(p_venue uuid, p_ids text[]) returns TABLE(id text, view text)
-- src/domain/webhooks/functions/claim_queues.sql
--   claim_queues(p_now timestamp with time zone, p_until timestamp with time zone, p_paces text[], p_max_runs integer[]) returns TABLE(venue_id uuid, endpoint_id text, lease_token integer, failures integer, pace text, mode text, url text, status text, secret bytea, earlier_secrets bytea[])
-- src/domain/analytics/functions/count_activity.sql
--   count_activity(p_venue uuid, p_types text[], p_subjects uuid[], p_subject_modes text[], p_persons uuid[], p_ats timestamp with time zone[], p_guests integer[], p_cents integer[], p_modes text[], p_is_new boolean[]) returns void
-- src/domain/keys/functions/count_calls.sql
--   count_calls(p_subject text, p_limit integer, p_calls integer, OUT granted integer, OUT remaining integer, OUT reset_at timestamp with time zone, OUT retry_at timestamp with time zone, OUT counted_at timestamp with time zone) returns record
-- src/domain/keys/functions/count_calls_each.sql
--   count_calls_each(p_subjects text[], p_limit integer, p_calls integer[]) returns TABLE("position" integer, granted integer, remaining integer, reset_at timestamp with time zone, retry_at timestamp with time zone, counted_at timestamp with time zone)
-- src/domain/analytics/functions/count_new_people.sql
--   count_new_people(p_gaps smallint[], p_people integer[], p_gap integer) returns integer
-- src/domain/checkouts/functions/create_checkout.sql
--   create_checkout(p_venue uuid, p_mode text, p_checkout text, p_event text, p_key text, p_fingerprint bytea, p_content json, p_url text, p_now timestamp with time zone, p_may_create boolean, p_retention interval, OUT outcome text, OUT response text, OUT found_id text) returns record
-- src/domain/analytics/functions/day_number.sql
--   day_number(p_day date) returns integer
-- src/domain/analytics/functions/day_of_hour.sql
--   day_of_hour(p_hour integer) returns date
-- src/domain/webhooks/functions/dispatch_events.sql
--   dispatch_events(p_now timestamp with time zone, p_limit integer, p_window interval) returns integer
-- src/domain/webhooks/functions/dispatch_venue_events.sql
--   dispatch_venue_events(p_venue uuid, p_events text[], p_now timestamp with time zone, p_ends_at timestamp with time zone) returns integer
-- src/domain/webhooks/functions/due_deliveries.sql
--   due_deliveries(p_venue uuid, p_endpoint text, p_lease_token integer, p_now timestamp with time zone, p_limit integer, p_in_flight timestamp with time zone[]) returns TABLE(created_at timestamp with time zone, tries integer, ends_at timestamp with time zone, body text)
-- src/domain/hooks/functions/due_inbound_queues.sql
--   due_inbound_queues(p_after_venue uuid, p_after_integration text, p_now timestamp with time zone, p_limit integer) returns TABLE(venue_id uuid, integration_id text)
-- src/domain/analytics/functions/edge_figures.sql
--   edge_figures(p_venue uuid, p_subjects uuid[], p_edge_subjects uuid[], p_edge_days date[], p_head_from timestamp with time zone, p_head_to timestamp with time zone, p_tail_from timestamp with time zone, p_tail_to timestamp with time zone, p_hour_from integer, p_hour_to integer, p_by_day boolean) returns TABLE(subject uuid, day date, views bigint, saves bigint, bookings bigint, guests bigint, cents bigint, check_ins bigint, viewers bigint, starters bigint)
-- src/domain/webhooks/functions/end_deliveries.sql
--   end_deliveries(p_venue uuid, p_endpoint text, p_lease_token integer, p_now timestamp with time zone, p_limit integer, p_in_flight timestamp with time zone[], p_end_reason text, p_window interval) returns text
-- src/base/functions/enforce_append_only.sql
--   enforce_append_only() returns trigger
-- src/base/functions/enforce_fixed_amounts.sql
--   enforce_fixed_amounts() returns trigger
-- src/base/functions/enforce_no_deletes.sql
--   enforce_no_deletes() returns trigger
-- src/domain/checkouts/functions/enforce_party_invariants.sql
--   enforce_party_invariants() returns trigger
-- src/base/functions/enforce_transition.sql
--   enforce_transition() returns trigger
-- src/domain/events/functions/event_object.sql
--   event_object(p_event text, p_type text, p_mode text, p_at timestamp with time zone, p_sequence integer, p_data json) returns text
-- src/domain/checkouts/functions/expire_checkouts.sql
--   expire_checkouts(p_venue uuid, p_now timestamp with time zone, p_events text[]) returns integer
-- src/domain/events/functions/find_stored_response.sql
--   find_stored_response(p_venue uuid, p_checkout text) returns text
-- src/domain/analytics/functions/first_hour.sql
--   first_hour(p_day date) returns integer
-- src/domain/analytics/functions/gap_in_days.sql
--   gap_in_days(p_previous date, p_day date) returns smallint
-- src/domain/analytics/functions/gap_in_hours.sql
--   gap_in_hours(p_hours integer, p_hour integer, p_day date, p_previous_hour integer) returns smallint
-- src/domain/checkouts/functions/guest_object.sql
--   guest_object(c anyelement) returns json
-- src/domain/analytics/functions/has_activity.sql
--   has_activity(p_venue uuid, p_subjects uuid[], p_from timestamp with time zone, p_to timestamp with time zone) returns boolean
-- src/domain/analytics/functions/hour_bits_between.sql
--   hour_bits_between(p_day date, p_hour_from integer, p_hour_to integer) returns integer
-- src/domain/analytics/functions/hour_start.sql
--   hour_start(p_hour integer) returns timestamp with time zone
-- src/domain/checkouts/functions/insert_checkout.sql
--   insert_checkout(p_venue uuid, p_mode text, p_checkout text, p_event text, p_key text, p_fingerprint bytea, p_content json, p_url text, p_now timestamp with time zone, p_may_create boolean, p_retention interval, OUT outcome text, OUT response text, OUT found_id text) returns record
-- src/domain/webhooks/functions/is_same_deadline.sql
--   is_same_deadline(p_ends_at timestamp with time zone, p_deadline_ms double precision) returns boolean
-- src/domain/payments/functions/is_venue_payable.sql
--   is_venue_payable(p_venue uuid, p_mode text) returns boolean
-- src/base/functions/keep_plans.sql
--   keep_plans(p_keep boolean) returns void
-- src/domain/analytics/functions/latest_hour.sql
--   latest_hour(p_hours integer) returns integer
-- src/domain/analytics/functions/lock_activity_venue.sql
--   lock_activity_venue(p_venue uuid) returns void
-- src/domain/members/functions/member_name.sql
--   member_name(p_member uuid) returns text
-- src/domain/members/functions/member_phone_hash.sql
--   member_phone_hash(p_member uuid) returns bytea
-- src/domain/payments/functions/open_payout.sql
--   open_payout(p_venue uuid, p_checkout text, p_payout uuid, p_at timestamp with time zone) returns void
-- src/domain/analytics/functions/people_changes.sql
--   people_changes(p_venue uuid, p_types text[], p_subjects uuid[], p_subject_modes text[], p_persons uuid[], p_ats timestamp with time zone[]) returns TABLE(subject uuid, action text, person uuid, day date, row_id tid, old_hours integer, hours integer, old_previous_hour integer, previous_hour integer, changed_hours integer)
-- src/domain/analytics/functions/people_of_approved.sql
--   people_of_approved(p_venue uuid, p_all uuid, p_taken_down uuid[], p_approved uuid[], p_from timestamp with time zone, p_to timestamp with time zone) returns TABLE(viewers bigint, starters bigint)
-- src/domain/analytics/functions/people_on_day.sql
--   people_on_day(p_venue uuid, p_day date) returns TABLE(subject uuid, action text, person uuid, hours integer, previous_hour integer, row_id tid)
-- src/domain/checkouts/functions/prefetch_checkouts.sql
--   prefetch_checkouts(p_venue uuid, p_mode text, p_ids text[], p_now timestamp with time zone, OUT views text[], OUT overdue boolean[]) returns record
-- src/domain/webhooks/functions/queue_events.sql
--   queue_events() returns trigger
-- src/domain/analytics/functions/recent_hour.sql
--   recent_hour(p_hour integer, p_day date) returns integer
-- src/domain/analytics/functions/record_activity.sql
--   record_activity(p_venue uuid, p_keys uuid[], p_types text[], p_subjects uuid[], p_subject_modes text[], p_persons uuid[], p_ats timestamp with time zone[], p_guests integer[], p_cents integer[], p_modes text[]) returns TABLE("position" integer, outcome text)
-- src/domain/webhooks/functions/record_attempts.sql
--   record_attempts(p_venue uuid, p_endpoint text, p_lease_token integer, p_now timestamp with time zone, p_available_at timestamp with time zone, p_failures integer, p_pace text, p_release boolean, p_secret bytea, p_created timestamp with time zone[], p_ends double precision[], p_statuses text[], p_codes integer[], p_errors text[], p_responses text[], p_durations integer[], p_at double precision[], p_due double precision[], p_window interval) returns text
-- src/domain/checkouts/functions/record_checkout_event.sql
--   record_checkout_event(p_venue uuid, p_checkout text, p_event text, p_type text, p_more text, p_at timestamp with time zone) returns void
-- src/domain/events/functions/record_event.sql
--   record_event(p_venue uuid, p_event text, p_mode text, p_type text, p_subject text, p_data json, p_at timestamp with time zone) returns void
-- src/domain/keys/functions/record_key_uses.sql
--   record_key_uses(p_venues uuid[], p_keys text[], p_at_ms double precision[], p_addresses text[]) returns void
-- src/domain/analytics/functions/record_people.sql
--   record_people(p_venue uuid, p_types text[], p_subjects uuid[], p_subject_modes text[], p_persons uuid[], p_ats timestamp with time zone[]) returns TABLE(subject uuid, day date, hour_of_day smallint, action text, gap smallint, people integer)
-- src/domain/analytics/functions/recount_events.sql
--   recount_events(p_venue uuid, p_day date) returns TABLE(subject uuid, hour_of_day smallint, views bigint, saves bigint, bookings bigint, guests bigint, cents bigint, check_ins bigint)
-- src/domain/analytics/functions/recount_people.sql
--   recount_people(p_venue uuid, p_day date, p_low uuid, p_high uuid) returns TABLE(subject uuid, hour_of_day smallint, action text, gap smallint, people integer)
-- src/domain/analytics/functions/repair_day.sql
--   repair_day(p_venue uuid, p_day date, p_repairs bigint, p_subjects uuid[], p_hours_of_day smallint[], p_views bigint[], p_saves bigint[], p_bookings bigint[], p_guests bigint[], p_cents bigint[], p_check_ins bigint[], p_people_subjects uuid[], p_people_hours_of_day smallint[], p_actions text[], p_gaps smallint[], p_people integer[]) returns integer
-- src/domain/analytics/functions/repair_people.sql
--   repair_people(p_venue uuid, p_day date, p_low uuid, p_high uuid) returns integer
-- src/domain/analytics/functions/repair_previous_hours.sql
--   repair_previous_hours(p_venue uuid, p_day date, p_low uuid, p_high uuid) returns integer
-- src/domain/keys/functions/reserve_daily_uses.sql
--   reserve_daily_uses(p_subject text, p_limit integer, p_uses integer, p_may_wait boolean) returns TABLE(granted boolean, at timestamp with time zone, counted_at timestamp with time zone)
-- src/domain/webhooks/functions/schedule_venue_queues.sql
--   schedule_venue_queues(p_venue uuid, p_endpoints text[], p_now timestamp with time zone) returns void
-- src/domain/checkouts/functions/share_display_name.sql
--   share_display_name(p_typed text, p_is_organizer boolean, p_accepted_at timestamp with time zone, p_member uuid) returns text
-- src/domain/hooks/functions/store_inbound.sql
--   store_inbound(p_venue uuid, p_integration text, p_delivery text, p_now timestamp with time zone, p_dedup_hash bytea, p_dedup_window interval, p_event text, p_type text, p_body bytea, p_max_bytes bigint) returns TABLE(delivery_id text, is_duplicate boolean, retry_after integer)
-- src/domain/analytics/functions/stored_figures.sql
--   stored_figures(p_venue uuid, p_day date) returns SETOF activity_days
-- src/base/functions/utc_micros.sql
--   utc_micros(p_at timestamp with time zone) returns text
-- src/base/functions/utc_text.sql
--   utc_text(p_at timestamp with time zone) returns text
-- src/domain/analytics/functions/whole_figures.sql
--   whole_figures(p_venue uuid, p_subjects uuid[], p_edge_subjects uuid[], p_edge_days date[], p_hour_from integer, p_hour_to integer, p_first_day date, p_end_day date, p_has_hours boolean, p_by_day boolean) returns TABLE(subject uuid, day date, views bigint, saves bigint, bookings bigint, guests bigint, cents bigint, check_ins bigint, viewers bigint, starters bigint)
