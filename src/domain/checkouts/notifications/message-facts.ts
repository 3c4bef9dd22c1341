// The facts that every message about a checkout needs: description, venue, organizer, deadline and time zone.

import type { Queryable } from '../../../base/db.ts';
import { findVenue } from '../../venues/queries.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import { timezoneOf } from '../timezone.ts';
import type { MessageFacts } from './message-text.ts';

export async function messageFactsFor(
  db: Queryable,
  checkout: LockedCheckout,
  organizer: string | null,
): Promise<MessageFacts> {
  const { venueId, description, currency, payBy } = checkout;
  const [venue, zone] = await Promise.all([findVenue(db, venueId), timezoneOf(db, checkout)]);
  return { description, venue: venue?.name ?? '', zone, organizer, currency, payBy };
}
