// Divides the amount of a checkout over its party as the organizer asked. A split that does not fit the party is 422 with
// JSON pointers, and with amounts that would fit as its example.

import type { Party } from '../../../../schemas/types.gen.ts';
import { type FieldProblem, invalid } from '../../../base/errors.ts';
import { pointerTo } from '../../../base/json/pointer.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import type { PartyShare } from './decide-party.ts';
import type { ResolvedMember } from './party-members.ts';
import { checkSplit, equalSplit, MIN_CHARGE } from './split.ts';

type Amounts = Readonly<Record<string, number>>;

export function splitParty(
  checkout: Pick<LockedCheckout, 'amount' | 'partySize'>,
  members: readonly ResolvedMember[],
  split: Party['split'],
): readonly PartyShare[] {
  const { amount, partySize } = checkout;
  if (members.length > partySize) throw invalid([tooMany(partySize, members.length)]);
  const amounts = split === 'equal' ? equalSplit(amount, members.length) : customSplit(amount, members, split.custom);
  const fault = checkSplit(amount, amounts);
  if (fault !== null) {
    const valid = validAmounts(amount, members, split === 'equal' ? {} : split.custom);
    if (fault.fault === 'wrong sum') throw invalid([wrongSum(amount, fault.difference, valid)]);
    throw invalid([tooSmall(split, members[fault.position], valid)]);
  }
  return members.map(({ member, displayName, invitedPhoneHash, isAccepted }, index) => ({
    memberId: member.id,
    displayName,
    amount: amounts[index] ?? 0,
    invitedPhoneHash,
    isAccepted,
  }));
}

function customSplit(amount: number, members: readonly ResolvedMember[], custom: Amounts): readonly number[] {
  const problems: FieldProblem[] = [];
  const owners = new Map<string, ResolvedMember>();
  for (const key of Object.keys(custom)) {
    const owner = members.find(({ keys }) => keys.includes(key));
    if (owner === undefined) problems.push(unknownKey(key));
    else if ([...owners.values()].includes(owner)) problems.push(keyTwice(key, validAmounts(amount, members, custom)));
    else owners.set(key, owner);
  }
  const amounts = members.map((member) => {
    const key = [...owners].find(([, owner]) => owner === member)?.[0];
    if (key === undefined) problems.push(missingKey(member.keys[0] ?? ''));
    return key === undefined ? 0 : (custom[key] ?? 0);
  });
  if (problems.length > 0) throw invalid(problems);
  return amounts;
}

/** An amount for every member under the key that the caller used: equal, or all for the organizer, who is first. */
function validAmounts(amount: number, members: readonly ResolvedMember[], custom: Amounts): Amounts {
  const equal = equalSplit(amount, members.length);
  const amounts = checkSplit(amount, equal) === null ? equal : members.map((_, index) => (index === 0 ? amount : 0));
  return Object.fromEntries(members.map((member, index) => [keyUsed(custom, member), amounts[index] ?? 0]));
}

function keyUsed(custom: Amounts, { keys }: ResolvedMember): string {
  return Object.keys(custom).find((key) => keys.includes(key)) ?? keys[0] ?? '';
}

const CUSTOM = '/split/custom';

function unknownKey(key: string): FieldProblem {
  const message = `No member of the party has the key "${key}". Use the user_id or phone of a member, or organizer.`;
  const field = pointerTo(CUSTOM, key);
  return { code: 'unknown_field', field, message, expected: 'a person of the party', example_fix: null };
}

function keyTwice(key: string, valid: Amounts): FieldProblem {
  return {
    code: 'not_unique',
    field: pointerTo(CUSTOM, key),
    message: `"${key}" names a member who already has an amount: remove one of the two.`,
    expected: 'each person once',
    example_fix: valid,
    example_fix_field: CUSTOM,
  };
}

function missingKey(key: string): FieldProblem {
  const message = `There is no amount for "${key}": every person of the party has one, 0 included.`;
  const field = pointerTo(CUSTOM, key);
  return { code: 'missing_field', field, message, expected: 'an amount in minor units', example_fix: 0 };
}

function wrongSum(amount: number, difference: number, valid: Amounts): FieldProblem {
  const off = difference > 0 ? `${difference} too much` : `${-difference} too little`;
  return {
    code: 'not_allowed',
    field: CUSTOM,
    message: `The amounts add up to ${off}: together they must be exactly ${amount}.`,
    expected: `amounts that add up to ${amount}`,
    example_fix: valid,
  };
}

function tooSmall(split: Party['split'], member: ResolvedMember | undefined, valid: Amounts): FieldProblem {
  const isCustom = split !== 'equal' && member !== undefined;
  return {
    code: 'out_of_range',
    field: isCustom ? pointerTo(CUSTOM, keyUsed(split.custom, member)) : '/split',
    message: `A share is 0 or at least ${MIN_CHARGE}: less cannot be charged to a card.`,
    expected: `0, or at least ${MIN_CHARGE}`,
    example_fix: isCustom ? MIN_CHARGE : { custom: valid },
  };
}

/** The example is the organizer alone: a caller that sends it invites no other person. */
function tooMany(max: number, count: number): FieldProblem {
  return {
    code: 'too_many_items',
    field: '/members',
    message: `The party is ${count} people with the organizer, and this checkout is for ${max}: leave some out.`,
    expected: `at most ${max} people`,
    example_fix: [],
  };
}
