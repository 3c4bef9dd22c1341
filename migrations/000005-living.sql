-- The living group: seats that nobody is named for yet, who pays a share, when guests are told something next, cards that
-- were declined, the language of a member, and phones that want no messages.

-- A place in a party that nobody is named for yet: whoever opens its link and signs in takes it.
alter table members add column is_seat boolean not null default false;
-- In which language they are written to; null: English.
alter table members add column language text;
alter table members add constraint member_language_is_a_code check (language ~ '^[a-z]{2,3}$');
alter table members add constraint member_seat_is_nobody check (not is_seat or (phone_hash is null and joined_at is null));

-- Who answered STOP, by the hash of the phone: also somebody who is no member yet, or whose answer comes first.
create table stopped_phones (
  phone_hash bytea primary key,
  at timestamptz not null
);
insert into stopped_phones (phone_hash, at)
  select phone_hash, stopped_at from members where stopped_at is not null and phone_hash is not null;
alter table members drop column stopped_at;

-- How many were sent to a phone lately; and that it is over is told as well to who had not paid.
create index messages_by_phone on messages (phone_hash, created_at);
alter table messages drop constraint message_kind_is_known;
alter table messages add constraint message_kind_is_known
  check (kind in ('code', 'invite', 'reminder', 'released', 'ended', 'lost', 'completed'));

-- Who asked for the hold, and so pays it; null: the share's own person, or a test helper.
alter table holds add column payer_id uuid;

-- When the hold of this share was lost last, and up to when its person was reminded (by the checkout's own clock).
alter table shares add column lost_at timestamptz;
alter table shares add column reminded_at timestamptz;

-- When its guests are told something next: -infinity at once, infinity not by itself, null: there is nobody to tell.
alter table checkouts add column tell_at timestamptz;
create index checkouts_to_tell on checkouts (tell_at) where tell_at < 'infinity';

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
create or replace function guest_view(c checkouts) returns json language sql stable as $$
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

-- The partner's view, with the name that somebody gave themselves where the organizer gave none.
create or replace function checkout_view(c checkouts) returns json language plpgsql stable as $$
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

-- Expires up to p_limit checkouts of one venue whose time has come (p_only narrows to one). Statement by statement, so
-- that what is read after the lock is what was committed before it. Holds are let go by the worker.
create or replace function expire_checkouts(
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
