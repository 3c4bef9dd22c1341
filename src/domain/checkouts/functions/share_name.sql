-- The name shown for a share: what the organizer typed, else the member's own name once the member has acted on the
-- invite. Before that the name would tell the organizer whose phone or id it is.
create or replace function share_name(p_share shares) returns text language sql stable as $$
  select coalesce((p_share).display_name,
    case when (p_share).is_organizer or (p_share).accepted_at is not null then member_name((p_share).member_id) end)
$$;
