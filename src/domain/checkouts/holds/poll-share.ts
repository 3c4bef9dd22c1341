// A guest's browser reports that a share was paid: reads the hold from the processor and records its facts.

import { notFound, Problem } from '../../../base/errors.ts';
import type { Guest } from '../../members/guest.ts';
import { shareOf } from '../locked-checkout.ts';
import type { PaymentServices } from '../payment-services.ts';
import { readCheckout } from '../queries.ts';
import { settleHoldNow } from './settle-hold.ts';

/** The browser's report is only a hint: only the processor's facts count. */
export async function pollShare(
  services: PaymentServices,
  guest: Guest,
  venueId: string,
  checkoutId: string,
  shareId: string,
): Promise<void> {
  const checkout = await readCheckout(services.db, venueId, checkoutId);
  const share = checkout === null ? undefined : shareOf(checkout, shareId);
  if (checkout === null || share === undefined) throw notFound();
  if (share.memberId !== guest.memberId && checkout.organizerId !== guest.memberId)
    throw new Problem('share_not_yours');
  // The share's own hold, or the one that the guest replaces it with.
  const open = checkout.holds.find((hold) => hold.shareId === shareId && hold.status === 'open');
  if (open !== undefined) await settleHoldNow(services, venueId, open.id, checkout);
}
