-- Plain words for columns, statuses, constraints and one table, and the comments that schema.sql repeats. Only names
-- change. A server of an earlier version cannot run beside this: it knows the old names.

-- Functions whose parameters or results are renamed. The migration runner creates them again from their files.
drop function if exists expire_checkouts, archive_last_attempt, admit, count_calls, count_calls_each, admit_hook,
  activity_slot, activity_window, activity_figures, add_figures, record_activity, record_people, recount_events,
  recount_people, repair_day, edge_figures, whole_figures, hour_bits_between;

alter table processor_notices rename to processor_events;
alter table processor_events rename column notice_id to event_id;
alter table processor_events rename column about to subject;
alter table processor_events rename constraint processor_notices_pkey to processor_events_pkey;
alter index processor_notices_by_age rename to processor_events_by_age;
alter index processor_notices_due rename to processor_events_due;

alter table checkouts rename column work_at to capture_due_at;
alter table shares rename column place to "position";
alter table holds rename column keeps_card to saves_card;
alter table movements rename column takes_back to reversed_transfer_id;
alter table holds rename constraint hold_taken_has_a_charge to hold_with_card_has_a_charge;
alter table friends rename constraint friend_is_somebody_else to friend_is_another_member;

-- The statuses of a hold: asked is requested, gone is voided. The trigger would refuse the update, and every constraint
-- and index that names a status is made again.
alter table holds drop constraint hold_decided_is_due, drop constraint hold_is_known_to_the_processor,
  drop constraint hold_status_is_known;
drop index holds_one_for_a_share, holds_one_renewal_of_each;
alter table holds disable trigger hold_status_follows_the_transitions;
update holds set status = case status when 'asked' then 'requested' else 'voided' end where status in ('asked', 'gone');
alter table holds enable trigger hold_status_follows_the_transitions;
update state_transitions set from_status = 'requested' where machine = 'hold' and from_status = 'asked';
update state_transitions set to_status = 'requested' where machine = 'hold' and to_status = 'asked';
update state_transitions set to_status = 'voided' where machine = 'hold' and to_status = 'gone';
alter table holds
  add constraint hold_decided_is_due check (due_at is not null or status not in ('requested', 'releasing')),
  add constraint hold_is_known_to_the_processor
    check (intent_id is not null or status in ('requested', 'releasing', 'released', 'voided')),
  add constraint hold_status_is_known check (status in ('requested', 'open', 'held', 'capturing', 'captured',
    'releasing', 'released', 'returned', 'voided'));
create unique index holds_one_for_a_share on holds (venue_id, share_id)
  where renews is null and status in ('requested', 'open', 'held', 'capturing', 'captured');
create unique index holds_one_renewal_of_each on holds (venue_id, renews)
  where renews is not null and status in ('requested', 'open', 'held', 'capturing', 'captured');

comment on table holds is
  'A hold is one payment intent at the processor. requested: the program decided to create it, and whether it exists '
  'is unknown. capturing and releasing are decisions in the same way. voided: it can never be captured.';
comment on column holds.payer_id is
  'The member who requested the hold and pays it; null: the share''s own member, or a test helper.';
comment on column checkouts.capture_due_at is 'Of a funded checkout: when a worker captures its holds next.';
comment on table processor_events is
  'Webhook events of the processor whose venue is known only after the worker has asked the processor.';
comment on column declines.decline_id is 'The processor''s charge, or its event where there was no charge.';

alter table activity rename column slot to partition_number;
alter table activity_days rename column part to hour_of_day;
alter table activity_days rename constraint activity_part_is_an_hour_or_the_day
  to activity_hour_of_day_is_an_hour_or_the_day;
comment on column activity_days.hour_of_day is 'The hour of the day, 0 to 23; 24: the whole day.';

-- The partitions of activity and their indexes, and the names that PostgreSQL (from 18 on) made of the old ones for
-- what is not null.
do $$
declare
  v_name record;
begin
  for v_name in
    select c.oid::regclass as owner, c.relkind as kind,
      replace(c.relname, 'activity_slot_', 'activity_partition_') as new_name
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i') and c.relname ~ '^activity_slot_'
  loop
    execute format('alter %s %s rename to %I', case v_name.kind when 'r' then 'table' else 'index' end, v_name.owner,
      v_name.new_name);
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
end $$;

-- Functions that get a time span from their caller instead of holding it. The migration runner creates them again.
drop function if exists create_checkout, dispatch_events, record_attempts, end_deliveries;
