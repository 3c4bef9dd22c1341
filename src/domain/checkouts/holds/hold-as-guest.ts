// POST /v1/public/shares/{share_id}/hold: the share's member, or the organizer who covers it, begins to pay, with the
// card form or with the saved card of another share that the same member holds in this checkout. After many declines
// within an hour the share or the address must wait, because thieves test stolen cards that way.

import type { HoldCreate, HoldSecret } from '../../../../schemas/types.gen.ts';
import { notFound, Problem } from '../../../base/errors.ts';
import { networkOf } from '../../../base/network.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import type { Guest } from '../../members/guest.ts';
import { declinesBlockUntil, recordHoldAddress } from '../../payments/decline-queries.ts';
import { acceptInvite } from '../guests/accept-invite.ts';
import { checkoutOfShare, venueOf } from '../guests/guest-queries.ts';
import type { GuestServices } from '../guests/guest-services.ts';
import { holdOf, type LockedCheckout, type ShareState, shareOf } from '../locked-checkout.ts';
import type { PaymentServices } from '../payment-services.ts';
import { readCheckout } from '../queries.ts';
import { confirmWithSavedCard, type HoldProgress } from './confirm-saved-card.ts';
import type { HoldClientSecret } from './hold-share.ts';
import { holdWithRetry } from './hold-with-retry.ts';
import { settleHoldNow } from './settle-hold.ts';

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

/** The card form may have confirmed the hold of that share a moment ago: asks the processor, unless it is settled. */
async function settleCardOf(services: PaymentServices, checkout: LockedCheckout, shareId: string): Promise<void> {
  const hold = holdOf(checkout, shareId);
  if (hold?.status === 'open') await settleHoldNow(services, checkout.venueId, hold.id);
}

/** Where a guest comes back to from the bank's page, if the bank asks on a page of its own. */
function returnUrlOf(services: GuestHoldServices, checkout: LockedCheckout, share: ShareState, guest: Guest): string {
  const url = new URL(`${services.pageBase()}/c/${checkout.id}`);
  if (share.memberId !== guest.memberId) url.searchParams.set('cover', 'rest');
  url.searchParams.set('paid', share.id);
  return url.href;
}

type GuestHoldServices = PaymentServices & Pick<GuestServices, 'pageBase'>;

export async function holdAsGuest(
  services: GuestHoldServices,
  guest: Guest,
  input: Input<HoldCreate>,
): Promise<OperationResult> {
  const shareId = input.params.share_id ?? '';
  const venueId = await venueOf(services.db, shareId);
  const checkoutId = venueId === null ? null : await checkoutOfShare(services.db, venueId, shareId);
  if (venueId === null || checkoutId === null) throw notFound();
  await acceptInvite(services.db, services.clock.now(), venueId, checkoutId, guest.memberId);
  const checkout = await readCheckout(services.db, venueId, checkoutId);
  const share = checkout === null ? undefined : shareOf(checkout, shareId);
  if (checkout === null || share === undefined) throw notFound();
  if (share.memberId !== guest.memberId && checkout.organizerId !== guest.memberId) {
    throw new Problem('share_not_yours');
  }
  const addressHash = hashOfAddress(services, guest);
  await requireNotBlockedByDeclines(services, venueId, shareId, addressHash);
  const { save_card: isSaved = false, card_share_id: ofShare = null } = input.body;
  if (ofShare !== null) await settleCardOf(services, checkout, ofShare);
  const card = { isSaved, ofShare };
  const hold = await holdWithRetry(services, venueId, checkoutId, shareId, guest.memberId, card);
  const { holdId, savedMethodId: paymentMethodId } = hold;
  // Recorded before the secret is returned, so that every decline on this hold counts against the address.
  if (addressHash !== null)
    await recordHoldAddress(services.db, { venueId, holdId, addressHash, now: services.clock.now() });
  const returnUrl = returnUrlOf(services, checkout, share, guest);
  const progress: HoldProgress =
    paymentMethodId === null
      ? { status: 'requires_card', declineCode: null }
      : await confirmWithSavedCard(services, venueId, holdId, { paymentMethodId, returnUrl });
  return { status: 200, body: holdSecretOf(hold, progress) };
}

function holdSecretOf(hold: HoldClientSecret, { status, declineCode }: HoldProgress): HoldSecret {
  return {
    client_secret: hold.clientSecret,
    publishable_key: hold.publishableKey,
    saves_card: hold.savesCard,
    status,
    decline_code: declineCode,
  };
}
