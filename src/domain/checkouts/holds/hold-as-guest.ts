// POST /v1/public/shares/{share_id}/hold: the share's member, or the organizer who covers it, begins to pay. After many
// declines within an hour the share or the address must wait, because thieves test stolen cards that way.

import { notFound, Problem } from '../../../base/errors.ts';
import { networkOf } from '../../../base/network.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import type { Guest } from '../../members/guest.ts';
import { declinesBlockUntil, recordHoldAddress } from '../../payments/decline-queries.ts';
import { checkoutOfShare, venueOf } from '../guests/guest-queries.ts';
import { shareOf } from '../locked-checkout.ts';
import type { PaymentServices } from '../payment-services.ts';
import { readCheckout } from '../queries.ts';
import { holdWithRetry } from './hold-with-retry.ts';

function hashOfAddress({ seal }: PaymentServices, { actor: by }: Guest): Buffer | null {
  return by.address === null ? null : seal.fingerprint(networkOf(by.address), 'card form address');
}

/** Throws 429 while declines block this share or this address. */
async function requireNotBlockedByDeclines(
  services: PaymentServices,
  venueId: string,
  shareId: string,
  addressHash: Buffer | null,
): Promise<void> {
  const now = services.clock.now();
  const until = await declinesBlockUntil(services.db, { venueId, shareId, by: { addressHash } }, now);
  if (until === null) return;
  const seconds = Math.max(1, Math.ceil((until - now) / 1_000));
  const minutes = Math.ceil(seconds / 60);
  throw new Problem('rate_limited', {
    message: `Several cards were declined, so no more can be tried for now. You can pay again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}; nothing was charged.`,
    headers: { 'retry-after': String(seconds) },
  });
}

export async function holdAsGuest(services: PaymentServices, guest: Guest, input: Input): Promise<OperationResult> {
  const shareId = input.params.share_id ?? '';
  const venueId = await venueOf(services.db, shareId);
  const checkoutId = venueId === null ? null : await checkoutOfShare(services.db, venueId, shareId);
  if (venueId === null || checkoutId === null) throw notFound();
  const checkout = await readCheckout(services.db, venueId, checkoutId);
  const share = checkout === null ? undefined : shareOf(checkout, shareId);
  if (checkout === null || share === undefined) throw notFound();
  if (share.memberId !== guest.memberId && checkout.organizerId !== guest.memberId) {
    throw new Problem('share_not_yours');
  }
  const addressHash = hashOfAddress(services, guest);
  await requireNotBlockedByDeclines(services, venueId, shareId, addressHash);
  const { holdId, clientSecret, publishableKey, savesCard } = await holdWithRetry(
    services,
    venueId,
    checkoutId,
    shareId,
    guest.memberId,
  );
  // Recorded before the secret is returned, so that every decline on this hold counts against the address.
  if (addressHash !== null)
    await recordHoldAddress(services.db, { venueId, holdId, addressHash, now: services.clock.now() });
  return { status: 200, body: { client_secret: clientSecret, publishable_key: publishableKey, saves_card: savesCard } };
}
