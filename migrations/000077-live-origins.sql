-- 000060 gave live mode the origins of test mode, pages on http and of venues that are not linked among them. Of those, live mode
-- keeps https origins of linked venues, and what was added for live mode since. Linking copies the https origins of test mode.

update venues v set live_origins = array(
  select origin from unnest(v.live_origins) with ordinality as listed (origin, position)
  where origin like 'https://%' and (v.linked_at is not null or exists (
    select from audit_log a where a.venue_id = v.venue_id and a.action = 'origin.add' and a.subject = origin
      and a.detail -> 'modes' @> '["live"]'))
  order by position)
where v.live_origins <> '{}' and v.created_at < (select applied_at from migrations where version = 60);
