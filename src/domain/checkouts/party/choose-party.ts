// POST /v1/public/checkouts/{id}/party: the organizer chooses who pays and how much, or changes the party. The first
// member to choose becomes the organizer. Invites, messages and friendships are written in the same transaction.

import { createHash } from 'node:crypto';
import type { Party } from '../../../../schemas/types.gen.ts';
import type { Queryable } from '../../../base/db.ts';
import { conflict, invalid, notFound, Problem } from '../../../base/errors.ts';
import type { IdempotentInput, Input, OperationResult } from '../../../base/operation.ts';
import { guestKey } from '../../idempotency/stored-responses.ts';
import { countSharedCalls } from '../../keys/queries.ts';
import { retryAfterSeconds } from '../../keys/retry-after.ts';
import type { Guest } from '../../members/guest.ts';
import { countNewPhones } from '../../members/named-phones.ts';
import { addFriends } from '../../members/queries.ts';
import { createInvites } from '../guests/create-invites.ts';
import { modeOfCheckout, venueOf } from '../guests/guest-queries.ts';
import type { GuestServices } from '../guests/guest-services.ts';
import { guestJson } from '../guests/guest-view.ts';
import { invitesOf } from '../guests/invite-queries.ts';
import { inviteUrl } from '../guests/invite-url.ts';
import { isOverdue, type LockedCheckout } from '../locked-checkout.ts';
import { lockCheckout, scheduleNotifications } from '../queries.ts';
import { writeSteps } from '../write-steps.ts';
import { decideParty, type PartyRefusal, type PartyShare } from './decide-party.ts';
import { queueInvites } from './invite-messages.ts';
import { type ResolvedMember, resolveParty } from './party-members.ts';
import { currentInvites } from './party-queries.ts';
import { splitParty } from './split-party.ts';

const MAX_CHOICES_PER_HOUR = 30;

export async function chooseParty(
  services: GuestServices,
  guest: Guest,
  input: IdempotentInput<Party>,
): Promise<OperationResult> {
  const id = input.params.id ?? '';
  const venueId = await venueOf(services.db, id);
  const { key, fingerprint } = input.idempotency;
  const mode = venueId === null || key === null ? null : await modeOfCheckout(services.db, venueId, id);
  if (venueId === null) throw notFound();
  const run = (tx: Queryable): Promise<OperationResult> => chooseInTransaction(tx, services, guest, venueId, input);
  if (key === null || mode === null) return services.db.transaction(run);
  const responseKey = { venueId, mode, key: guestKey(guest.memberId, id, key), now: services.clock.now() };
  return services.runOnce({ responseKey, fingerprint, run });
}

async function chooseInTransaction(
  tx: Queryable,
  services: GuestServices,
  guest: Guest,
  venueId: string,
  input: Input<Party>,
): Promise<OperationResult> {
  const id = input.params.id ?? '';
  const checkout = await lockCheckout(tx, venueId, id);
  if (checkout === null) throw notFound();
  requireMayChoose(checkout, guest, services.clock.now());
  if (input.expectedVersion !== undefined && input.expectedVersion !== partyVersion(checkout)) {
    throw conflict('party_changed', 'The party has changed since you looked at it. Look again, then choose.');
  }
  await countChoice(tx, id);
  const phones = input.body.members.flatMap((item) => ('phone' in item ? [item.phone] : []));
  await countNewPhones(tx, { seal: services.seal, now: services.clock.now() }, guest.memberId, phones);
  const current = await currentInvites(tx, venueId, id);
  const partyServices = { ...services, now: services.clock.now() };
  const party = await resolveParty(tx, partyServices, guest.memberId, input.body.members, current);
  if ('problems' in party) throw invalid(party.problems);
  const partyShares = splitParty(checkout, party.members, input.body.split);
  await writeParty(tx, services, guest, checkout, partyShares, party.members);
  const shares = (await invitesOf(tx, venueId, id)).map(({ shareId, displayName, amount, token }) => ({
    id: shareId,
    display_name: displayName,
    amount,
    url: inviteUrl(services, shareId, token),
  }));
  const view = await guestJson(tx, venueId, id, guest.memberId, services.clock.now());
  return { status: 200, json: `{"checkout":${view},"shares":${JSON.stringify(shares)}}` };
}

/** Identifies the current party: which member has which share. Payments do not change it. */
export function partyVersion({ shares }: Pick<LockedCheckout, 'shares'>): string {
  const text = shares.map(({ id, memberId }) => `${id} ${memberId}`).join(',');
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Throws 403 or 409 before any member is looked up, so that the error reveals nothing about members. */
function requireMayChoose(checkout: LockedCheckout, guest: Guest, now: number): void {
  const hasOtherOrganizer = checkout.organizerId !== null && checkout.organizerId !== guest.memberId;
  if (hasOtherOrganizer) throw new Problem('not_organizer');
  if (isOverdue(checkout, now) || checkout.status === 'expired') throw refusalProblem('checkout_past_pay_by');
  if (checkout.status !== 'open' && checkout.status !== 'collecting') throw refusalProblem('checkout_not_open');
}

/** Limits choices, because each may message many guests. A failed choice is rolled back, so it does not count. */
async function countChoice(tx: Queryable, checkoutId: string): Promise<void> {
  const [counted] = await countSharedCalls(tx, MAX_CHOICES_PER_HOUR, [{ subject: `party ${checkoutId}`, calls: 1 }]);
  if (counted === undefined || counted.granted === 1) return;
  throw new Problem('rate_limited', {
    message: `The party was chosen ${MAX_CHOICES_PER_HOUR} times within an hour. Wait a while, then choose again.`,
    headers: { 'retry-after': String(retryAfterSeconds(counted)) },
  });
}

function refusalProblem(refusal: PartyRefusal): Problem {
  if (refusal === 'not_organizer') return new Problem('not_organizer');
  return refusal === 'checkout_past_pay_by'
    ? conflict(refusal, 'The time to pay has passed: the party cannot be chosen any more.')
    : conflict(refusal, 'This checkout is not open any more: the party cannot be chosen again.');
}

async function writeParty(
  tx: Queryable,
  services: GuestServices,
  guest: Guest,
  checkout: LockedCheckout,
  party: readonly PartyShare[],
  members: readonly ResolvedMember[],
): Promise<void> {
  const now = services.clock.now();
  const decided = decideParty(checkout, party, now, () => services.ids.prefixed('shr'));
  if ('refusal' in decided) throw refusalProblem(decided.refusal);
  await writeSteps(tx, { ids: services.ids, now }, checkout, decided.steps);
  const added = decided.steps.flatMap((step) => (step.step === 'add shares' ? step.shares : []));
  const shareIds = added.map(({ id }) => id);
  const tokens = await createInvites(tx, services, checkout.venueId, shareIds, now);
  // Moves friends to the top of the list. Naming a person makes no new friend: the list shows names.
  const known = members.filter(({ isKnown }) => isKnown).map(({ member }) => member.id);
  await addFriends(tx, guest.memberId, known, now);
  await queueInvites(tx, services, checkout, added, members, tokens);
  await scheduleNotifications(tx, checkout.venueId, checkout.id);
}
