// POST /v1/public/shares/{share_id}/hold: the share's own member, or the organizer covering for someone, begins to pay it.
// Whoever has had many cards refused in the last hour is made to wait: that is how stolen cards are tried.

import { notFound, Problem } from '../../base/errors.ts';
import type { Answer, Input } from '../../base/operation.ts';
import type { Guest } from '../members/guest.ts';
import { holdShare } from './hold-share.ts';
import { checkoutOfShare, routeOf } from './invites/queries.ts';
import type { MoneyParts } from './money-parts.ts';
import { readCheckout } from './queries.ts';
import { shareOf } from './standing.ts';

export async function holdAsGuest(parts: MoneyParts, guest: Guest, input: Input): Promise<Answer> {
  const shareId = input.params.share_id ?? '';
  const venueId = await routeOf(parts.db, shareId);
  const checkoutId = venueId === null ? null : await checkoutOfShare(parts.db, venueId, shareId);
  if (venueId === null || checkoutId === null) throw notFound();
  const standing = await readCheckout(parts.db, venueId, checkoutId);
  const share = standing === null ? undefined : shareOf(standing, shareId);
  if (standing === null || share === undefined) throw notFound();
  if (share.memberId !== guest.memberId && standing.organizerId !== guest.memberId) {
    throw new Problem('share_not_yours');
  }
  const { clientSecret, publishableKey } = await holdShare(parts, venueId, checkoutId, shareId, guest.memberId);
  return { status: 200, body: { client_secret: clientSecret, publishable_key: publishableKey } };
}
