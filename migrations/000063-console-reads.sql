-- What the console's screens read: who created a checkout, why a card was declined, indexes for the venue's own figures, the
-- built-in inbox for test deliveries, and the first completion that a stream of events sent.
-- Its indexes on large tables are built by 000074.
-- earlier text: 73c37a248214be900bd4c187b70947d8175970b8cb90414e279ca4aabaa23829

alter table checkouts add column created_by text;
comment on column checkouts.created_by is
  'Who created it, as the audit log names the actor: the id of a key, or an account. Null: an older version created it.';

alter table declines add column reason text;
comment on column declines.reason is 'The code of the issuer or the processor, such as insufficient_funds.';
comment on table declines is
  'Declined cards, each once: for an hour''s limit on a share and on an address, and for the history of a checkout. The address is deleted after a day, the row after 90 days.';
create index declines_with_address on declines (at) where address_hash is not null;

create table test_inbox_messages (
  venue_id uuid not null,
  endpoint_id text not null,
  message_id uuid not null,
  event_id text not null,
  type text not null,
  signature text not null,
  body text not null,
  received_at timestamptz not null,
  primary key (venue_id, endpoint_id, message_id),
  foreign key (venue_id, endpoint_id) references webhook_endpoints (venue_id, endpoint_id) on delete cascade
);
comment on table test_inbox_messages is
  'Deliveries that the built-in test inbox of a venue received, in test mode only: the newest 50, for 24 hours.';
create index test_inbox_messages_by_age on test_inbox_messages using brin (received_at);

create table streamed_completions (
  venue_id uuid not null references venues (venue_id),
  mode text not null,
  event_id text not null,
  checkout_id text not null,
  at timestamptz not null,
  primary key (venue_id, mode),
  constraint streamed_completion_mode_is_known check (mode in ('test', 'live'))
);
comment on table streamed_completions is
  'The first checkout.completed of a venue and mode that a stream of events sent: a step of the console''s first steps.';
