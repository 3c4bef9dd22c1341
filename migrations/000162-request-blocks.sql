-- Calls without a failure, many to a row. A row for each call costs the database seven times as much, most of it for the
-- columns that these calls have in common. Rows of request_log that earlier releases wrote for such calls stay until their day
-- is emptied; failed calls are rows there as before.

create table request_blocks (
  venue_id uuid not null,
  mode text not null,
  -- The number of the UTC day of the calls, modulo 32.
  slot smallint not null,
  -- The least and the greatest id of its calls. All are of one minute, so that the blocks which may have an id are a short range.
  first_id text collate "C" not null,
  last_id text collate "C" not null,
  line_count smallint not null,
  key_id text not null,
  method text not null,
  -- Null: there is no such route.
  route text,
  operation text,
  tool text,
  status smallint not null,
  replayed boolean not null,
  address text not null,
  user_agent text,
  -- A line for each call: its id, how many milliseconds it took, and its path, with a space between them.
  lines text not null,
  constraint request_blocks_pkey primary key (venue_id, mode, last_id, slot),
  constraint request_blocks_mode_is_known check (mode in ('test', 'live'))
) partition by list (slot);
comment on table request_blocks is 'Calls of one minute with a partner''s key that succeeded and have all but id, time and path in common, masked, for REQUEST_LOG_DAYS. Written after the calls, in batches: a call may be missing.';
-- Not compressed: that takes as much time as the rest of the insert, and ids are random.
alter table request_blocks alter column lines set storage external;
create table request_blocks_slot_00 partition of request_blocks for values in (0);
create table request_blocks_slot_01 partition of request_blocks for values in (1);
create table request_blocks_slot_02 partition of request_blocks for values in (2);
create table request_blocks_slot_03 partition of request_blocks for values in (3);
create table request_blocks_slot_04 partition of request_blocks for values in (4);
create table request_blocks_slot_05 partition of request_blocks for values in (5);
create table request_blocks_slot_06 partition of request_blocks for values in (6);
create table request_blocks_slot_07 partition of request_blocks for values in (7);
create table request_blocks_slot_08 partition of request_blocks for values in (8);
create table request_blocks_slot_09 partition of request_blocks for values in (9);
create table request_blocks_slot_10 partition of request_blocks for values in (10);
create table request_blocks_slot_11 partition of request_blocks for values in (11);
create table request_blocks_slot_12 partition of request_blocks for values in (12);
create table request_blocks_slot_13 partition of request_blocks for values in (13);
create table request_blocks_slot_14 partition of request_blocks for values in (14);
create table request_blocks_slot_15 partition of request_blocks for values in (15);
create table request_blocks_slot_16 partition of request_blocks for values in (16);
create table request_blocks_slot_17 partition of request_blocks for values in (17);
create table request_blocks_slot_18 partition of request_blocks for values in (18);
create table request_blocks_slot_19 partition of request_blocks for values in (19);
create table request_blocks_slot_20 partition of request_blocks for values in (20);
create table request_blocks_slot_21 partition of request_blocks for values in (21);
create table request_blocks_slot_22 partition of request_blocks for values in (22);
create table request_blocks_slot_23 partition of request_blocks for values in (23);
create table request_blocks_slot_24 partition of request_blocks for values in (24);
create table request_blocks_slot_25 partition of request_blocks for values in (25);
create table request_blocks_slot_26 partition of request_blocks for values in (26);
create table request_blocks_slot_27 partition of request_blocks for values in (27);
create table request_blocks_slot_28 partition of request_blocks for values in (28);
create table request_blocks_slot_29 partition of request_blocks for values in (29);
create table request_blocks_slot_30 partition of request_blocks for values in (30);
create table request_blocks_slot_31 partition of request_blocks for values in (31);
