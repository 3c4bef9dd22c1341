// A person leaves the party: the guest says no, signed in or by the link of the invite, or the organizer removes the
// guest. The seat opens in the same transaction. Leaving twice answers as the first time, so that a retry is safe.

import type { InviteDecline } from '../../../../schemas/types.gen.ts';
import type { Queryable } from '../../../base/db.ts';
import { conflict, notFound, Problem } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import { countSharedCalls } from '../../keys/queries.ts';
import { retryAfterSeconds } from '../../keys/retry-after.ts';
import type { AnonymousCaller, Guest } from '../../members/guest.ts';
import { dropMessagesAbout } from '../../members/messages/queries.ts';
import { findMembers, insertSeats } from '../../members/queries.ts';
import { acceptInvite } from '../guests/accept-invite.ts';
import { createInvites, hashOfToken } from '../guests/create-invites.ts';
import { checkoutOfShare, venueOf } from '../guests/guest-queries.ts';
import type { GuestServices } from '../guests/guest-services.ts';
import { guestJson } from '../guests/guest-view.ts';
import { findInvite, type InviteTarget } from '../guests/invite-queries.ts';
import { type LockedCheckout, type ShareState, shareOf } from '../locked-checkout.ts';
import { lockCheckout, scheduleNotifications } from '../queries.ts';
import type { DropReason } from '../steps.ts';
import { writeSteps } from '../write-steps.ts';
import { decideLeave, type LeaveRefusal, type LeaveRequest } from './decide-leave.ts';
import { findDroppedShare } from './leave-queries.ts';

/** Each time the party gets a new share. One guest who comes and goes must not keep the others from leaving. */
const MAX_LEAVES_PER_HOUR = 60;
const MAX_LEAVES_OF_ONE_PER_HOUR = 5;

/** POST /v1/public/shares/{share_id}/decline: the guest says no, or gives up a place that is held. */
export async function declineShare(services: GuestServices, guest: Guest, input: Input): Promise<OperationResult> {
  const target = await findShare(services, input.params.share_id ?? '');
  const { memberId } = guest;
  // A share that was named by phone becomes the guest's own first.
  await acceptInvite(services.db, services.clock.now(), target.venueId, target.checkoutId, memberId);
  await leaveParty(services, target, { memberId, reason: 'declined', seen: seenBy(input) });
  return guestView(services, target, memberId);
}

/** POST /v1/public/shares/{share_id}/remove: the organizer removes a guest. */
export async function removeShare(services: GuestServices, guest: Guest, input: Input): Promise<OperationResult> {
  const target = await findShare(services, input.params.share_id ?? '');
  const { memberId } = guest;
  await leaveParty(services, target, { memberId, reason: 'removed', seen: seenBy(input) });
  return guestView(services, target, memberId);
}

/** POST /v1/public/invites/decline: the holder of an invite's link says no, without signing in. */
export async function declineInvite(
  services: GuestServices,
  _: AnonymousCaller,
  input: Input<InviteDecline>,
): Promise<OperationResult> {
  const target = await findInvite(services.db, hashOfToken(input.body.token));
  if (target === null) throw notFound();
  await leaveParty(services, target, { memberId: null, reason: 'declined', seen: null });
  const { checkoutId: checkout_id, shareId: share_id } = target;
  return { status: 200, body: { object: 'declined_invite', checkout_id, share_id } };
}

async function findShare({ db }: GuestServices, shareId: string): Promise<InviteTarget> {
  const venueId = await venueOf(db, shareId);
  const checkoutId = venueId === null ? null : await checkoutOfShare(db, venueId, shareId);
  if (venueId === null || checkoutId === null) throw notFound();
  return { venueId, checkoutId, shareId };
}

/** A page shows what will happen, and must not do more than it has said. */
function seenBy({ expectedVersion: seen }: Input): LeaveRequest['seen'] {
  return seen === 'held' || seen === 'unpaid' ? seen : null;
}

async function guestView(
  services: GuestServices,
  { venueId, checkoutId }: InviteTarget,
  memberId: string,
): Promise<OperationResult> {
  const now = services.clock.now();
  return { status: 200, json: await guestJson(services.db, venueId, checkoutId, memberId, now, services) };
}

interface Leaver {
  /** Null: the caller has the link of the invite. */
  readonly memberId: string | null;
  readonly reason: DropReason;
  readonly seen: LeaveRequest['seen'];
}

async function leaveParty(services: GuestServices, target: InviteTarget, leaver: Leaver): Promise<void> {
  await services.db.transaction(async (tx) => {
    const checkout = await lockCheckout(tx, target.venueId, target.checkoutId);
    if (checkout === null) throw notFound();
    const share = shareOf(checkout, target.shareId);
    if (share === undefined) return requireLeftBefore(tx, checkout, target, leaver);
    requireMayLeave(checkout, share, leaver);
    await countLeave(tx, checkout.id, leaver);
    await leaveUnderLock(tx, services, checkout, share, leaver);
  });
}

/** The share left the party before, in the way that is asked for now: there is nothing to do. */
async function requireLeftBefore(
  tx: Queryable,
  checkout: LockedCheckout,
  { venueId, shareId }: InviteTarget,
  { memberId, reason }: Leaver,
): Promise<void> {
  const dropped = await findDroppedShare(tx, venueId, shareId, memberId);
  const isTheirs = reason === 'removed' ? checkout.organizerId === memberId : memberId === null || dropped?.isOwn;
  if (dropped?.reason !== reason || isTheirs !== true) throw notFound();
}

function requireMayLeave(checkout: LockedCheckout, share: ShareState, { memberId, reason }: Leaver): void {
  if (reason === 'removed') {
    if (checkout.organizerId !== memberId) throw new Problem('not_organizer');
  } else if (memberId !== null && share.memberId !== memberId) throw new Problem('share_not_yours');
}

async function countLeave(tx: Queryable, checkoutId: string, { memberId, reason }: Leaver): Promise<void> {
  const isOneGuest = memberId !== null && reason === 'declined';
  const limit = isOneGuest ? MAX_LEAVES_OF_ONE_PER_HOUR : MAX_LEAVES_PER_HOUR;
  const subject = `leave ${checkoutId} ${isOneGuest ? memberId : reason}`;
  const [counted] = await countSharedCalls(tx, limit, [{ subject, calls: 1 }]);
  if (counted === undefined || counted.granted === 1) return;
  throw new Problem('rate_limited', {
    message: `${isOneGuest ? 'You' : 'Guests'} left this party ${limit} times within an hour. Wait a while, then try again.`,
    headers: { 'retry-after': String(retryAfterSeconds(counted)) },
  });
}

async function leaveUnderLock(
  tx: Queryable,
  services: GuestServices,
  checkout: LockedCheckout,
  share: ShareState,
  { memberId, reason, seen }: Leaver,
): Promise<void> {
  const now = services.clock.now();
  const member = (await findMembers(tx, [share.memberId])).get(share.memberId);
  const seat = { shareId: services.ids.prefixed('shr'), memberId: services.ids.uuid() };
  const request = {
    shareId: share.id,
    reason,
    isSeat: member?.isSeat === true,
    mayReleaseHold: memberId !== null,
    seen,
  };
  const decided = decideLeave(checkout, request, now, seat);
  if ('refusal' in decided) throw refusalProblem(decided.refusal, checkout);
  await insertSeats(tx, [seat.memberId], now);
  await writeSteps(tx, { ids: services.ids, now }, checkout, decided.steps);
  await createInvites(tx, services, checkout.venueId, [seat.shareId], now);
  if (member !== undefined && member.phoneHash !== null) {
    const holdIds = checkout.holds.filter(({ shareId }) => shareId === share.id).map(({ id }) => id);
    await dropMessagesAbout(tx, member.phoneHash, [share.id, ...holdIds]);
  }
  await scheduleNotifications(tx, checkout.venueId, checkout.id);
}

function refusalProblem(refusal: LeaveRefusal, { status }: LockedCheckout): Problem {
  switch (refusal) {
    case 'not_found':
      return notFound();
    case 'own_share':
      return conflict(
        refusal,
        'The organizer’s own share stays: choose the party again, or ask the venue to cancel the checkout.',
      );
    case 'checkout_past_pay_by':
      return conflict(refusal, 'The time to pay has passed: every hold is released, and there is nothing to leave.');
    case 'checkout_not_collecting':
      return conflict(
        refusal,
        status === 'funded' || status === 'completed'
          ? 'Everyone has paid, so no guest can leave any more. The venue’s cancellation policy counts: ask the venue.'
          : 'This checkout is not collecting: there is nothing to leave.',
      );
    case 'open_seat':
      return conflict(refusal, 'This seat is open: no guest has it. To have fewer seats, choose the party again.');
    case 'share_already_held':
      return conflict(refusal, 'A card is held or given for this share. Sign in as its guest, then decline the share.');
    case 'party_changed':
      return conflict(refusal, 'The share has changed since you looked at it. Look again, then decide.');
  }
}
