// The facts that every message about a checkout needs: description, venue, organizer, deadline and time zone. The zone
// is that of the checkout's offering, else of the venue's latest offering with a zone, else UTC.

import type { Queryable } from '../../../base/db.ts';
import { zoneFor } from '../../offerings/queries.ts';
import { findVenue } from '../../venues/queries.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import type { MessageFacts } from './message-text.ts';

export async function messageFactsFor(
  db: Queryable,
  checkout: LockedCheckout,
  organizer: string | null,
): Promise<MessageFacts> {
  const { venueId, mode, offeringExternalId, description, currency, payBy } = checkout;
  const [venue, zone] = await Promise.all([findVenue(db, venueId), zoneFor(db, venueId, mode, offeringExternalId)]);
  return { description, venue: venue?.name ?? '', zone: zone ?? 'UTC', organizer, currency, payBy };
}
