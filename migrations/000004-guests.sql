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
  -- When they answered STOP to a message; START takes it back.
  stopped_at timestamptz,
  created_at timestamptz not null,
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
  constraint message_kind_is_known check (kind in ('code', 'invite', 'reminder', 'released', 'lost', 'completed')),
  constraint message_status_is_known check (status in ('waiting', 'sent', 'failed', 'dropped')),
  constraint message_waiting_is_due check ((due_at is not null) = (status = 'waiting'))
);
create unique index messages_one_of_each on messages (kind, subject);
create index messages_due on messages (due_at) where due_at is not null;
create index messages_by_age on messages (created_at);

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

-- The checkout as guests see it: no fee, no net amount, no metadata, no booking id.
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
      from shares p cross join lateral (
        select p.share_id as id, p.amount, p.status, p.is_organizer, p.display_name, utc_text(p.held_at) as held_at) r
      where c.status <> 'open' and p.venue_id = c.venue_id and p.checkout_id = c.checkout_id
        and p.dropped_at is null) s on true) o
$$;
