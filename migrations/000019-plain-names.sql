-- Plain names for tables, columns, constraints, indexes, triggers and functions, and the comments that schema.sql
-- repeats. Only names change. A server of an earlier version cannot run beside this: it knows the old names.

alter table venue_ticks rename to venue_timestamps;
alter table state_moves rename to state_transitions;
alter table delivery_lanes rename to endpoint_queues;
alter table hook_lanes rename to integration_queues;
alter table hold_askers rename to hold_request_addresses;
alter table stopped_phones rename to opted_out_phones;
alter table activity_kept rename to activity_retention;
alter table activity_seen rename to activity_people;

alter table checkouts rename column turn to lease_token;
alter table holds rename column turn to lease_token;
alter table movements rename column turn to lease_token;
alter table processor_notices rename column turn to lease_token;
alter table messages rename column turn to lease_token;
alter table endpoint_queues rename column turn to lease_token;
alter table checkouts rename column tell_at to notify_at;
alter table endpoint_queues rename column free_at to available_at;
alter table deliveries rename column earlier to earlier_attempts;
alter table deliveries rename column ended_as to end_reason;
alter table movements rename column trouble to last_error;
alter table messages rename column trouble to last_error;
alter table messages rename column words to body;
alter table idempotency_keys rename column answer to response;
alter table integrations rename column refused_as to refusal_code;
alter table inbound_deliveries rename column sameness to dedup_hash;
alter table hook_bookings rename column takes to slots_taken;
alter table hook_slots rename column off_by to canceled_by;
alter table hook_slots rename column statement to capacity_version;
alter table hook_offerings rename column held_at to linked_at;
alter table activity rename column thing to subject;
alter table activity rename column thing_mode to subject_mode;
alter table activity_days rename column thing to subject;
alter table activity_people rename column thing to subject;
alter table activity_people rename column did to action;
alter table activity_people rename column before to previous_hour;
alter table activity_venues rename column mendings to repairs;
alter table activity_venues rename column by_hour to has_hourly_figures;
alter table activity_retention rename column kept_from to retained_from;

alter table venue_timestamps rename constraint venue_tick_mode_is_known to venue_timestamp_mode_is_known;
alter table endpoint_queues rename constraint delivery_lane_pace_is_known to endpoint_queue_pace_is_known;
alter table idempotency_keys rename constraint idempotency_answer_is_kept_once to idempotency_response_is_stored_once;
alter table integrations rename constraint integration_refusal_has_a_time to integration_refusal_has_a_code_and_a_time;
alter table activity_retention rename constraint activity_kept_has_one_row to activity_retention_has_one_row;
alter table activity_retention rename constraint activity_kept_begins_a_day to activity_retention_begins_a_day;
alter table activity_people rename constraint activity_seen_did_is_known to activity_people_action_is_known;

alter index offerings_waiting rename to offerings_pending;
alter index experiences_waiting rename to experiences_pending;
alter index boats_waiting rename to boats_pending;
alter index checkouts_to_tell rename to checkouts_to_notify;
alter index movements_to_look_at rename to movements_unsettled;
alter index messages_one_of_each rename to messages_by_kind_and_subject;
alter index hold_askers_by_age rename to hold_request_addresses_by_age;
alter index delivery_lanes_due rename to endpoint_queues_due;
alter index inbound_deliveries_same rename to inbound_deliveries_by_dedup_hash;
alter index inbound_deliveries_in_order rename to inbound_deliveries_by_arrival;
alter index activity_by_thing rename to activity_by_subject;
alter index activity_seen_by_day rename to activity_people_by_day;
alter index activity_seen_by_before rename to activity_people_by_previous_hour;

-- Names that PostgreSQL made from the old ones: keys, and (from PostgreSQL 18 on) what is not null.
do $$
declare
  v_name record;
begin
  for v_name in
    select n.conrelid::regclass as owner, n.conname as name, replace(n.conname, n.old, n.new) as new_name
    from (
      select c.conrelid, c.conname, r.old, r.new from pg_constraint c
      join (values ('venue_ticks_', 'venue_timestamps_'), ('state_moves_', 'state_transitions_'),
        ('delivery_lanes_', 'endpoint_queues_'), ('hook_lanes_', 'integration_queues_'),
        ('hold_askers_', 'hold_request_addresses_'), ('stopped_phones_', 'opted_out_phones_'),
        ('activity_kept_', 'activity_retention_'), ('activity_seen_', 'activity_people_')) r(old, new)
        on starts_with(c.conname, r.old)
      where c.connamespace = 'public'::regnamespace and c.contype <> 'n') n
  loop
    execute format('alter table %s rename constraint %I to %I', v_name.owner, v_name.name, v_name.new_name);
  end loop;
  for v_name in
    select c.conrelid::regclass as owner, c.conname as name, t.relname || '_' || a.attname || '_not_null' as new_name
    from pg_constraint c join pg_class t on t.oid = c.conrelid
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.connamespace = 'public'::regnamespace and c.contype = 'n' and c.coninhcount = 0
      and c.conname <> t.relname || '_' || a.attname || '_not_null'
  loop
    execute format('alter table %s rename constraint %I to %I', v_name.owner, v_name.name, v_name.new_name);
  end loop;
  for v_name in
    select i.oid::regclass as owner, replace(i.relname, '_thing_', '_subject_') as new_name from pg_class i
    where i.relnamespace = 'public'::regnamespace and i.relkind = 'i' and i.relname ~ '^activity_slot_.*_thing_'
  loop
    execute format('alter index %s rename to %I', v_name.owner, v_name.new_name);
  end loop;
end $$;

alter trigger checkout_keeps_to_the_moves on checkouts rename to checkout_status_follows_the_transitions;
alter trigger share_keeps_to_the_moves on shares rename to share_status_follows_the_transitions;
alter trigger hold_keeps_to_the_moves on holds rename to hold_status_follows_the_transitions;
alter trigger movement_keeps_to_the_moves on movements rename to movement_status_follows_the_transitions;

-- Functions that triggers and indexes use keep their identity. The rest is dropped: each function has a file under
-- src/**/functions from now on, which the migration runner applies after this.
alter function refuse_change() rename to enforce_append_only;
alter function keep_to_the_moves() rename to enforce_transition;
alter function keep_as_it_was() rename to enforce_fixed_amounts;
alter function keep_the_books() rename to enforce_no_deletes;
alter function party_adds_up() rename to enforce_party_invariants;
drop function take_calls, admit, take_all, take_ticks, open_payout, utc_text, utc_micros, checkout_view, record_event,
  tell_checkout, first_answer, create_checkout, expire_checkouts, member_name, guest_view, event_json, dispatch_events,
  wake_lanes, due_deliveries, end_deliveries, is_end, earlier_attempts, record_attempts, admit_hook, store_inbound,
  everything_of, gap_between, activity_hour, first_hour, day_of_hour, hour_begins, latest_of, hours_between, hour_gap,
  near_hour, activity_slot, people_since, people_by_gap, lock_activity, record_activity, count_activity,
  activity_figures, any_activity, seen_on, mend_seen, mend_before, true_counts, true_people, kept_figures, mend_day;

comment on table installation is
  'One row for the whole installation. It proves at start that ENCRYPTION_KEY is the key this database was written '
  'with.';
comment on table key_routes is 'From a key''s hash to its venue: the one look-up that every request makes.';
comment on table audit_log is
  'What was done to keys, origins, endpoints, integrations, reviews and refunds, and by whom. Append-only.';
comment on table limit_windows is
  'The rolling hour: one row for each subject (a key''s reads, a key''s writes, an address), which is the lock and '
  'the running total. Unlogged: a response never waits for a disk flush, and after a crash the counts start again.';
comment on table limit_calls is
  'One row for each batch of granted calls, with the total after it. The calls of the last hour are the total now '
  'less the total before the oldest row of the hour: two index probes, however many calls there were.';
comment on table idempotency_keys is
  'An Idempotency-Key and the stored response, for 30 days, written in the transaction of the effect. The response '
  'is sealed.';
comment on column idempotency_keys.refers_to is
  'A create through create_checkout() stores no copy of its response: the event of this checkout''s creation has it.';
comment on column webhook_endpoints.earlier_secrets is
  'For 24 hours after a rotation the old secret signs beside the new one; newest first, each with its own end.';
comment on table venue_timestamps is
  'The last page timestamp of a venue and mode. Lists page by these times: unique to the microsecond, in the order '
  'of commits.';
comment on table review_routes is 'From an id to its venue, for the operator who reviews.';
comment on table events is
  'The event log: one row for each change, in the transaction of the change, numbered for each subject. Append-only.';
comment on table state_transitions is
  'The transitions of the state machines, as data; '''' is "not there yet". The program has the same tables, and a '
  'test proves that both agree.';
comment on table checkouts is
  'Group payments. Amounts never change, a status follows state_transitions, and a party adds up at every commit.';
comment on column checkouts.expires_at is
  'When pay_by comes on the wall clock: pay_by itself, unless a test helper moved this checkout''s own clock ahead.';
comment on column checkouts.work_at is 'Of a funded checkout: when a worker looks at its captures next.';
comment on column checkouts.lease_token is
  'Counts the claims of a funded checkout. A worker with a stale lease token writes nothing.';
comment on column checkouts.notify_at is
  'When its guests are notified next. -infinity: at once; infinity: not until something happens; null: there is no '
  'guest to notify.';
comment on table checkout_routes is 'From a checkout or share id to its venue, for guests, who have no key.';
comment on column shares.dropped_at is
  'The organizer chose the party again without this share: it stays for the books and is no part of the party.';
comment on column shares.lost_at is 'When the hold of this share was lost last.';
comment on column shares.reminded_at is 'Up to when its member was reminded, by the checkout''s own clock.';
comment on table holds is
  'A hold is one payment intent at the processor. asked: the program decided to create it, and whether it exists is '
  'unknown. capturing and releasing are decisions in the same way.';
comment on column holds.due_at is 'When a worker looks at the hold next.';
comment on column holds.renews is 'The hold that this one replaces before it lapses.';
comment on column holds.capture_tries is
  'How often the processor refused a capture for now: it stores such a response under its key, so each try has its '
  'own.';
comment on column holds.payer_id is
  'The member who asked for the hold and pays it; null: the share''s own member, or a test helper.';
comment on table movements is
  'Money that leaves us: a refund to a guest (a return, when the booking never became complete), a transfer to the '
  'venue, a transfer reversed. sending: it may have happened, and the same call with the same key finds out. A '
  'waiting transfer may still get smaller.';
comment on column movements.fee_part is 'Of a refund: how much of it comes out of our fee.';
comment on column movements.takes_back is 'Of a reversal: the transfer that it reverses.';
comment on column movements.refusals is
  'How often the processor refused: nothing was done then, and the next try uses another key.';
comment on table payouts is
  'What a venue is paid for one completed checkout; its transfers are movements. Lists page by created_at, which is '
  'unique.';
comment on table payout_accounts is 'Where a venue''s money is sent, for each mode.';
comment on column disputes.withdrawn is
  'The processor took the money back. Notices of this and of reinstated come in any order.';
comment on column disputes.reinstated is 'The processor gave the money to us again.';
comment on table processor_notices is
  'Notices of the processor whose venue is known only after the processor was asked.';
comment on table ledger_accounts is
  'The chart of accounts, as data here and in the program; a test proves that both agree.';
comment on table ledger_entries is 'A pair of accounts with one amount, so an entry cannot be unbalanced. Append-only.';
comment on table members is
  'Guests: people with a phone. Phones, codes and invites are stored only sealed or as keyed hashes.';
comment on column members.phone_hash is
  'Null: created by an operator''s own issuer, or for a test; such a member gets no message.';
comment on column members.joined_at is 'When they first signed in; until then an organizer has only named them.';
comment on column members.is_seat is
  'A place in a party without a person yet: the guest who opens its link and signs in takes it.';
comment on column members.language is 'The language of messages to them; null: English.';
comment on table member_sessions is
  'A browser that stays signed in on the hosted pages; its cookie is stored as a hash.';
comment on table token_keys is 'The keys that sign members'' tokens, shared by every server; the newest one signs.';
comment on table friends is 'Members who were in a party together.';
comment on table messages is
  'Text messages for the worker to send. The body is sealed, since it carries codes and invites.';
comment on column messages.subject is
  'One message of each kind for a subject: a crash between two statements sends nothing twice.';
comment on table opted_out_phones is
  'Phones that answered STOP, by hash: also of people who are no members yet, or whose answer arrives first.';
comment on table invites is
  'The invite of a share: shown to the organizer from the sealed token, found by the token''s hash.';
comment on table declines is
  'Declined cards, each once, for an hour''s limit on a share and on an address. Deleted after a day.';
comment on column declines.decline_id is 'The processor''s charge, or its notice where there was no charge.';
comment on column declines.address_hash is
  'A keyed hash of the address that last requested the hold; null: unknown, or too long ago.';
comment on table hold_request_addresses is
  'The address that last requested a hold, as a keyed hash. Deleted after a day.';
comment on table undispatched_events is
  'Events without deliveries yet: inserted with the event where an endpoint subscribes, deleted when its deliveries '
  'are inserted. Ids are ordered by time, and the oldest goes first.';
comment on table deliveries is
  'One event for one endpoint, which together name it. created_at is the event''s, unique for a venue and mode: it '
  'is the key, and lists page by it.';
comment on column deliveries.attempts is 'All attempts ever.';
comment on column deliveries.tries is 'Attempts in the present 72 hours: a redelivery starts new ones.';
comment on column deliveries.earlier_attempts is 'The attempts before the last one; null: there is none.';
comment on column deliveries.end_reason is 'Why it was ended without another try.';
comment on table endpoint_queues is
  'The lease of one endpoint''s deliveries. due_at is never later than the soonest delivery''s.';
comment on column endpoint_queues.lease_token is 'Counts the leases. A worker with a stale lease token writes nothing.';
comment on column endpoint_queues.available_at is
  'No worker takes the queue earlier: until then one has it, or the endpoint rests after failures.';
comment on column endpoint_queues.failures is 'Failed attempts in a row.';
comment on column endpoint_queues.pace is 'How the last lease went. A worker has separate places for each pace.';
comment on column integrations.secret is 'Sealed; null: this provider signs nothing.';
comment on column integrations.address is
  'The address that was given to the provider, without its token: a provider may sign it.';
comment on column integrations.defaults is
  'What applies where a payload is silent: kind, timezone, currency, category.';
comment on column integrations.stored_bytes is 'Bytes stored on stored_on, the last day (UTC) on which any were.';
comment on column integrations.refused_at is 'The last delivery that was refused; refusal_code is its error code.';
comment on table hook_routes is
  'From the hash of the token in a hook address to its integration. The token itself is stored nowhere.';
comment on table integration_queues is
  'A worker that applies the deliveries of an integration locks its row until commit, so that they are applied in '
  'order. Storing a delivery does not touch it: a venue system never waits for the worker.';
comment on table inbound_deliveries is
  'A delivery of a venue system. received_at is unique for its integration: lists page by it, and deliveries are '
  'applied in its order.';
comment on column inbound_deliveries.dedup_hash is 'Of the provider''s own id of the event, else of the body.';
comment on column inbound_deliveries.body is
  'The bytes that came, sealed: they can name guests. Null: the delivery changed nothing, and its day is over.';
comment on column inbound_deliveries.due_at is 'When the worker looks at it; null: it is done.';
comment on table hook_objects is
  'The newest version that was applied to each object of a venue system, so that an older one that arrives late '
  'changes nothing.';
comment on column hook_objects.version is
  'The provider''s own count or time of the change; null: it has none, and the order of arrival decides.';
comment on table hook_bookings is 'A booking of a venue system, and the places it took of which slot.';
comment on column hook_bookings.version is 'As in hook_objects.';
comment on column hook_bookings.last_at is
  'The start of its last slot, or its last delivery: it is deleted some time after that.';
comment on table hook_slots is
  'A slot that bookings took places of, or that was canceled: how many places are left of the capacity stated last.';
comment on column hook_slots.places_left is
  'Negative where more was booked than there was; null: no capacity was stated.';
comment on column hook_slots.canceled_by is 'The kind of object that canceled the slot; null: it takes place.';
comment on column hook_slots.capacity_version is 'Counts up whenever a capacity is stated other than by a booking.';
comment on table hook_offerings is
  'The provider that an offering comes from, as long as it is connected: two systems can use the same ids.';
comment on table experience_routes is
  'From the id of a live experience to its venue and mode: the members'' app knows nothing else.';
comment on table activity_venues is 'Transactions that change the figures of a venue lock its row until commit.';
comment on column activity_venues.repairs is
  'Counts the repairs, so that two recounts at the same time do not both add what was missing.';
comment on column activity_venues.has_hourly_figures is
  'False: a venue from before hours were counted, until a recount.';
comment on table activity_retention is
  'One row for the whole installation: before this time single events were dropped, figures exist by the day, and '
  'nothing more is counted. Always the beginning of a day in UTC.';
comment on table activity_ids is
  'Ids of events, as long as the event is stored: every event counts once, whatever its time says.';
comment on table activity is
  'Events of the members'' app, for windows that begin or end inside a day and for recounts. Member and event ids '
  'are keyed hashes, a member''s a different one at each venue. subject is an experience, or the venue''s id for its'
  ' own page.';
comment on column activity.subject_mode is 'The mode of the experience; null: the venue''s own page.';
comment on column activity.mode is 'The mode of the event. Only live events are counted.';
comment on index activity_by_day is
  'For recounts: on an expression, so that a look-up by the time itself cannot choose it.';
comment on table activity_people is
  'Who did what on which day, in which of its hours (bits, the first hour the lowest), once however often, and their'
  ' previous hour before that day. The fillfactor lets another hour be added without touching an index.';
comment on column activity_people.previous_hour is 'Null: never, or 400 days ago or more.';
comment on table activity_days is
  'The figures of a subject on a day and in each of its hours. viewers[i] people have a gap of viewer_gaps[i] or '
  'more since the day or hour on which they were seen before; 400 is every longer gap, and none before. A person is '
  'new to a window whose start the gap reaches past, so the different people of a window are one look-up a day.';
comment on column activity_days.part is 'The hour of the day; 24: the whole day.';
