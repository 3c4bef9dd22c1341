// Open seats of a party: the organizer creates them and shares a link, and a guest who opens it and signs in claims
// one. POST /v1/public/checkouts/{id}/seat.

import type { Seat as SeatBody } from '../../../../schemas/types.gen.ts';
import type { Queryable } from '../../../base/db.ts';
import { conflict, notFound, type Problem } from '../../../base/errors.ts';
import type { Ids } from '../../../base/ids.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import type { Guest } from '../../members/guest.ts';
import { findMembers, insertSeats } from '../../members/queries.ts';
import { acceptUnderLock, addPartyAsFriends } from '../guests/accept-invite.ts';
import { venueOf } from '../guests/guest-queries.ts';
import type { GuestServices } from '../guests/guest-services.ts';
import { guestJson } from '../guests/guest-view.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import { lockCheckout, scheduleNotifications } from '../queries.ts';
import { writeSteps } from '../write-steps.ts';
import { decideSeat, type SeatRefusal } from './decide-seat.ts';
import { findLeftShare } from './leave-queries.ts';

/** Creates placeholder members. The organizer's choice names their ids as `user_id`. */
export async function createSeats(
  tx: Queryable,
  services: { readonly ids: Ids; readonly now: number },
  count: number,
): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => services.ids.uuid());
  if (count > 0) await insertSeats(tx, ids, services.now);
  return ids;
}

/** Returns the guest's share: the seat just claimed, or the share that the guest had already. */
export async function claimSeat(
  services: Pick<GuestServices, 'db' | 'clock' | 'ids'>,
  guest: Pick<Guest, 'memberId'>,
  checkoutId: string,
  shareId: string | null,
): Promise<string> {
  const venueId = await venueOf(services.db, checkoutId);
  if (venueId === null) throw notFound();
  return services.db.transaction(async (tx) => {
    const checkout = await lockCheckout(tx, venueId, checkoutId);
    if (checkout === null) throw notFound();
    return claimUnderLock(tx, services, checkout, guest.memberId, shareId);
  });
}

async function claimUnderLock(
  tx: Queryable,
  services: Pick<GuestServices, 'clock' | 'ids'>,
  checkout: LockedCheckout,
  memberId: string,
  shareId: string | null,
): Promise<string> {
  const now = services.clock.now();
  const acceptedId = await acceptUnderLock(tx, checkout, memberId, now);
  if (acceptedId !== null) return acceptedId;
  const left = await findLeftShare(tx, checkout.venueId, checkout.id, memberId);
  if (left?.reason === 'removed')
    throw conflict('removed', 'The organizer removed you from this party. Ask them to invite you again.');
  const memberIds = checkout.shares.map((share) => share.memberId);
  const known = await findMembers(tx, [memberId, ...memberIds]);
  const seats = new Set([...known.values()].filter(({ isSeat }) => isSeat).map(({ id }) => id));
  const displayName = known.get(memberId)?.displayName ?? null;
  const decided = decideSeat(checkout, { memberId, displayName, shareId, seats }, now);
  if ('refusal' in decided) throw refusalProblem(decided.refusal);
  if (decided.steps.length === 0) return decided.shareId;
  await writeSteps(tx, { ids: services.ids, now }, checkout, decided.steps);
  await addPartyAsFriends(tx, checkout.venueId, checkout.id, memberId, now);
  await scheduleNotifications(tx, checkout.venueId, checkout.id);
  return decided.shareId;
}

function refusalProblem(refusal: SeatRefusal): Problem {
  switch (refusal) {
    case 'not_found':
      return notFound();
    case 'checkout_past_pay_by':
      return conflict(refusal, 'The time to pay has passed: no guest can join any more.');
    case 'checkout_not_collecting':
      return conflict(refusal, 'This checkout is not collecting: no guest can join now.');
    case 'seat_taken':
      return conflict(refusal, 'Another guest has this seat, or is paying for it. Ask for another one.');
    case 'no_free_seat':
      return conflict(refusal, 'Every seat of this party is taken. Ask the organizer for one more.');
  }
}

export async function claimSeatAsGuest(
  services: GuestServices,
  guest: Guest,
  input: Input<SeatBody>,
): Promise<OperationResult> {
  const id = input.params.id ?? '';
  await claimSeat(services, guest, id, input.body.share_id ?? null);
  const venueId = await venueOf(services.db, id);
  if (venueId === null) throw notFound();
  return {
    status: 200,
    json: await guestJson(services.db, venueId, id, guest.memberId, services.clock.now(), services),
  };
}
