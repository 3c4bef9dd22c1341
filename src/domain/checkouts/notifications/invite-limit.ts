// The limit of a venue on texts that its organizers cause, over a rolling day: invites wait past it, reminders are refused.

export const INVITES_PER_VENUE_PER_DAY = 2_000;

export function inviteLimitSubject(venueId: string): string {
  return `invites ${venueId}`;
}
