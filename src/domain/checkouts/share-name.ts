// The name shown for a share, as SQL.

/** `shares`: the name of a row of shares in the statement. */
export const shareName = (shares: string): string =>
  `share_display_name(${shares}.display_name, ${shares}.is_organizer, ${shares}.accepted_at, ${shares}.member_id)`;
