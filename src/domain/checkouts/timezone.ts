// The time zone in which guests read the times of a checkout: that of its offering, else that of the venue. Texts, quiet
// hours and pages all use it, so that a deadline falls on the same day in each of them.

import type { Queryable } from '../../base/db.ts';
import { timezoneOfOffering } from '../offerings/queries.ts';
import { findVenue } from '../venues/queries.ts';
import type { LockedCheckout } from './locked-checkout.ts';

export async function timezoneOf(
  db: Queryable,
  { venueId, mode, offeringExternalId }: Pick<LockedCheckout, 'venueId' | 'mode' | 'offeringExternalId'>,
): Promise<string> {
  const [own, venue] = await Promise.all([
    offeringExternalId === null ? null : timezoneOfOffering(db, venueId, mode, offeringExternalId),
    findVenue(db, venueId),
  ]);
  return own ?? venue?.timezone ?? 'UTC';
}
