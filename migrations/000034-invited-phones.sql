-- A phone that an organizer names stands in the party as a row of its own until its owner acts on the invite. So no response, page
-- or timing depends on whether a member has that phone.

alter table members add column invited_phone_hash bytea;
alter table members drop constraint member_phone_is_found_by_its_hash;
alter table members add constraint member_phone_is_found_by_its_hash
  check ((phone is null) = (phone_hash is null and invited_phone_hash is null));
alter table members add constraint member_invited_phone_has_no_account check (
  invited_phone_hash is null or phone_hash is null and joined_at is null and display_name is null and not is_seat);

alter table shares add column invited_phone_hash bytea;
alter table shares add column accepted_at timestamptz;

-- A member who has asked for a hold on the own share has acted.
update shares s set accepted_at = s.invited_at
  where not s.is_organizer and exists (
    select 1 from holds h where h.venue_id = s.venue_id and h.checkout_id = s.checkout_id and h.share_id = s.share_id
      and coalesce(h.payer_id, s.member_id) = s.member_id);

-- Parties that are still collecting: an organizer who names the same phones again keeps the shares and their holds. A name that is the
-- member's own is hidden until the member acts.
update shares s set invited_phone_hash = m.phone_hash,
    display_name = case when s.accepted_at is null and s.display_name = m.display_name then null else s.display_name end
  from members m, checkouts c
  where m.member_id = s.member_id and c.venue_id = s.venue_id and c.checkout_id = s.checkout_id
    and c.status = 'collecting' and s.dropped_at is null and not s.is_organizer;

-- Naming a phone made friends, and the list of friends has names. Only members who both acted in a party stay friends.
delete from friends f where not exists (
  select 1 from shares a join shares b on b.venue_id = a.venue_id and b.checkout_id = a.checkout_id
  where a.member_id = f.member_id and b.member_id = f.friend_id
    and (a.is_organizer or a.accepted_at is not null) and (b.is_organizer or b.accepted_at is not null));

comment on column members.invited_phone_hash is
  'Not a member yet: a phone that an organizer named, for one party. Its owner signs in as another row, found by phone_hash.';
comment on column shares.invited_phone_hash is
  'The phone by which the organizer named the person; null: named by id, or the guest took an open seat.';
comment on column shares.accepted_at is
  'When the person first acted on the invite, signed in. From then on the share shows the person''s own name.';
