-- The name shown for a share: what the organizer typed, else the member's own name once the member has acted on the
-- invite. Before that the name would tell the organizer whose phone or id it is. It takes columns, because the row of a
-- shard has another type than the row of shares.
create or replace function share_display_name(
  p_typed text, p_is_organizer boolean, p_accepted_at timestamptz, p_member uuid
) returns text language sql stable as $$
  select coalesce(p_typed, case when p_is_organizer or p_accepted_at is not null then member_name(p_member) end)
$$;
