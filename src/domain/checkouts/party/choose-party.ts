// POST /v1/public/checkouts/{id}/party: the organizer chooses who pays and how much, or chooses again. The first member to
// choose becomes the organizer. Invites, messages and friendships are written in the same transaction.

import { createHash } from 'node:crypto';
import type { Party } from '../../../../schemas/types.gen.ts';
import type { Queryable } from '../../../base/db.ts';
import { conflict, type FieldProblem, invalid, notFound, Problem } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import { randomText } from '../../../base/random.ts';
import { countSharedCalls } from '../../keys/queries.ts';
import type { Guest } from '../../members/guest.ts';
import { addFriends } from '../../members/queries.ts';
import { isOverdue, type LockedCheckout } from '../locked-checkout.ts';
import { scheduleNotifications } from '../notifications/queries.ts';
import { lockCheckout } from '../queries.ts';
import { writeSteps } from '../write-steps.ts';
import { decideParty, type PartyRefusal, type Seat } from './decide-party.ts';
import type { GuestServices } from './guest-services.ts';
import { guestJson, inviteUrl } from './guest-view.ts';
import { inviteMessages } from './invite-messages.ts';
import { insertInvites, invitesOf, type NewInvite, routeOf } from './invite-queries.ts';
import { type Person, resolveParty } from './party-members.ts';
import { checkSplit, equalSplit, MIN_CHARGE } from './split.ts';

const TOKEN_LENGTH = 24;
const MAX_CHOICES_PER_HOUR = 30;

export async function chooseParty(
  services: GuestServices,
  guest: Guest,
  input: Input<Party>,
): Promise<OperationResult> {
  const id = input.params.id ?? '';
  const venueId = await routeOf(services.db, id);
  if (venueId === null) throw notFound();
  return services.db.transaction(async (tx) => {
    const standing = await lockCheckout(tx, venueId, id);
    if (standing === null) throw notFound();
    mayChoose(standing, guest, services.clock.now());
    if (guest.partyVersion !== undefined && guest.partyVersion !== partyVersion(standing)) {
      throw conflict('party_changed', 'The party has changed since you looked at it. Look again, then choose.');
    }
    await countChoice(tx, id);
    const { memberId } = guest;
    const before = new Map(
      standing.shares.flatMap((s) => (s.displayName === null ? [] : [[s.memberId, s.displayName]])),
    );
    const people = await resolveParty(
      tx,
      { ...services, now: services.clock.now() },
      memberId,
      input.body.members,
      before,
    );
    if ('problems' in people) throw invalid(people.problems);
    await seat(tx, services, guest, standing, seatsOf(standing, people.people, input.body), people.people);
    const shares = (await invitesOf(tx, venueId, id)).map(({ shareId, displayName, amount, token }) => ({
      id: shareId,
      display_name: displayName,
      amount,
      url: inviteUrl(services, shareId, token),
    }));
    const checkout = await guestJson(tx, venueId, id, guest.memberId, services.clock.now());
    return { status: 200, json: `{"checkout":${checkout},"shares":${JSON.stringify(shares)}}` };
  });
}

/** A name for the party as it is: who has which share. Payments do not change it. */
export function partyVersion({ shares }: Pick<LockedCheckout, 'shares'>): string {
  const text = shares.map(({ id, memberId }) => `${id} ${memberId}`).join(',');
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Whether this member may choose now; 403 and 409 come before anything is said about the people. */
function mayChoose(checkout: LockedCheckout, guest: Guest, now: number): void {
  const isAnother = checkout.organizerId !== null && checkout.organizerId !== guest.memberId;
  if (isAnother) throw new Problem('not_organizer');
  if (isOverdue(checkout, now) || checkout.status === 'expired') throw refused('checkout_past_pay_by');
  if (checkout.status !== 'open' && checkout.status !== 'collecting') throw refused('checkout_not_open');
}

/** Each choice may write to many people. One that comes to nothing is not counted: it is undone with the rest. */
async function countChoice(tx: Queryable, checkoutId: string): Promise<void> {
  const [taken] = await countSharedCalls(tx, MAX_CHOICES_PER_HOUR, [{ subject: `party ${checkoutId}`, calls: 1 }]);
  if (taken === undefined || taken.granted === 1) return;
  const wait = taken.retry_at === null ? 60 : (Date.parse(taken.retry_at) - Date.parse(taken.asked_at)) / 1_000;
  throw new Problem('rate_limited', {
    message: `The party was chosen ${MAX_CHOICES_PER_HOUR} times within an hour. Wait a while, then choose again.`,
    headers: { 'retry-after': String(Math.max(1, Math.ceil(wait))) },
  });
}

function refused(refusal: PartyRefusal): Problem {
  if (refusal === 'not_organizer') return new Problem('not_organizer');
  return refusal === 'checkout_past_pay_by'
    ? conflict(refusal, 'The time to pay has passed: the party cannot be chosen any more.')
    : conflict(refusal, 'This checkout is not open any more: the party cannot be chosen again.');
}

async function seat(
  tx: Queryable,
  services: GuestServices,
  guest: Guest,
  checkout: LockedCheckout,
  seats: readonly Seat[],
  people: readonly Person[],
): Promise<void> {
  const now = services.clock.now();
  const decided = decideParty(checkout, seats, now, () => services.ids.prefixed('shr'));
  if ('refusal' in decided) throw refused(decided.refusal);
  await writeSteps(tx, { ids: services.ids, now }, checkout, decided.steps);
  const added = decided.steps.flatMap((step) => (step.step === 'add shares' ? step.shares : []));
  const tokens = new Map(added.map(({ id }) => [id, randomText(services.random, TOKEN_LENGTH)]));
  const invites = [...tokens].map(([shareId, token]): NewInvite => sealedInvite(services, shareId, token));
  await insertInvites(tx, checkout.venueId, invites, now);
  await addFriends(
    tx,
    guest.memberId,
    people.filter(({ member }) => !member.isSeat).map(({ member }) => member.id),
    now,
  );
  await inviteMessages(tx, services, checkout, added, people, tokens);
  await scheduleNotifications(tx, checkout.venueId, checkout.id);
}

function sealedInvite({ seal }: GuestServices, shareId: string, token: string): NewInvite {
  return { shareId, tokenHash: hashOfToken(token), token: seal.seal(token, `invite ${shareId}`) };
}

export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The amounts of a split, in the order of the people; 422 with pointers for whatever does not fit. */
function seatsOf(checkout: LockedCheckout, people: readonly Person[], { split }: Party): readonly Seat[] {
  if (people.length > checkout.partySize) throw invalid([tooMany(checkout.partySize, people.length)]);
  const amounts = split === 'equal' ? equalSplit(checkout.amount, people.length) : customSplit(people, split.custom);
  const fault = checkSplit(checkout.amount, amounts);
  if (fault?.fault === 'wrong sum') throw invalid([wrongSum(checkout.amount, fault.difference)]);
  if (fault !== null) throw invalid([tooSmall(split, people[fault.place])]);
  return people.map(({ member, displayName }, index) => ({
    memberId: member.id,
    displayName,
    amount: amounts[index] ?? 0,
  }));
}

function customSplit(people: readonly Person[], custom: Readonly<Record<string, number>>): readonly number[] {
  const problems: FieldProblem[] = [];
  const owners = new Map<string, Person>();
  for (const key of Object.keys(custom)) {
    const owner = people.find(({ keys }) => keys.includes(key));
    if (owner === undefined) problems.push(unknownKey(key));
    else if ([...owners.values()].includes(owner)) problems.push(keyTwice(key));
    else owners.set(key, owner);
  }
  const amounts = people.map((person) => {
    const key = [...owners].find(([, owner]) => owner === person)?.[0];
    if (key === undefined) problems.push(missingKey(person.keys[0] ?? ''));
    return key === undefined ? 0 : (custom[key] ?? 0);
  });
  if (problems.length > 0) throw invalid(problems);
  return amounts;
}

const pointer = (key: string): string => `/split/custom/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

function unknownKey(key: string): FieldProblem {
  const message = `Nobody in the party goes by "${key}". Use the user_id or phone of a member, or organizer.`;
  return { code: 'unknown_field', field: pointer(key), message, expected: 'a person of the party', example_fix: null };
}

function keyTwice(key: string): FieldProblem {
  const message = `"${key}" names somebody who has an amount already: leave one of them out.`;
  return { code: 'not_unique', field: pointer(key), message, expected: 'each person once', example_fix: null };
}

function missingKey(key: string): FieldProblem {
  const message = `There is no amount for "${key}": every person of the party has one, 0 included.`;
  return { code: 'missing_field', field: pointer(key), message, expected: 'an amount in minor units', example_fix: 0 };
}

function wrongSum(amount: number, difference: number): FieldProblem {
  const off = difference > 0 ? `${difference} too much` : `${-difference} too little`;
  const message = `The amounts add up to ${off}: together they must be exactly ${amount}.`;
  return {
    code: 'not_allowed',
    field: '/split/custom',
    message,
    expected: `amounts that add up to ${amount}`,
    example_fix: null,
  };
}

function tooSmall(split: Party['split'], person: Person | undefined): FieldProblem {
  const message = `A share is 0 or at least ${MIN_CHARGE}: less cannot be charged to a card.`;
  const field = split === 'equal' ? '/split' : pointer(keyUsed(split.custom, person));
  return {
    code: 'out_of_range',
    field,
    message,
    expected: `0, or at least ${MIN_CHARGE}`,
    example_fix: MIN_CHARGE,
  };
}

function keyUsed(custom: Readonly<Record<string, number>>, person: Person | undefined): string {
  return Object.keys(custom).find((key) => person?.keys.includes(key)) ?? '';
}

function tooMany(most: number, count: number): FieldProblem {
  const message = `The party is ${count} people with the organizer, and this checkout is for ${most}: leave some out.`;
  return { code: 'too_many_items', field: '/members', message, expected: `at most ${most} people`, example_fix: null };
}
