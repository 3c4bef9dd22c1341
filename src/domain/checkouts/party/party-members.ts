// Resolves the party that the organizer sent (members by id, group chats, phones) to members: each once, the organizer
// first. Problems are reported with a JSON pointer. A phone becomes a placeholder, whether or not a member has it: the
// result, its shape and the statements are the same for both, so that naming a phone reveals nothing about its owner.

import { fictionalPhones, type PhoneSettings } from '../../../../schemas/rules/phone.ts';
import type { Party } from '../../../../schemas/types.gen.ts';
import type { Queryable } from '../../../base/db.ts';
import type { FieldProblem, FixableProblem } from '../../../base/errors.ts';
import type { Ids } from '../../../base/ids.ts';
import { normalizeName } from '../../../base/plain-name.ts';
import type { Seal } from '../../../base/seal.ts';
import { knownTo } from '../../members/friend-queries.ts';
import { hashOfPhone, sealPhone } from '../../members/phone.ts';
import {
  findMembers,
  type InvitedPhone,
  insertInvitedPhones,
  type MemberRow,
  membersOfChannels,
} from '../../members/queries.ts';
import type { CurrentInvite } from './party-queries.ts';

export interface ResolvedMember {
  readonly member: MemberRow;
  readonly displayName: string | null;
  /** The keys by which a custom split may name this member. */
  readonly keys: readonly string[];
  /** The organizer sees this member's name already: a friend, or a member of a shared group chat. */
  readonly isKnown: boolean;
  readonly isAccepted: boolean;
  readonly invitedPhoneHash: Buffer | null;
}

export interface PartyServices {
  readonly ids: Ids;
  readonly seal: Seal;
  readonly phones: PhoneSettings;
  readonly now: number;
}

export type PartyResolution =
  | { readonly members: readonly ResolvedMember[] }
  | { readonly problems: readonly FieldProblem[] };

type Item = Party['members'][number];

/** A problem of one item of the list. Its example, another person in place of the item, is added at the end. */
type ItemProblem = Omit<FixableProblem, 'example_fix' | 'example_fix_field'>;

interface NamedMember {
  readonly memberId: string;
  readonly name: string | null;
  readonly keys: readonly string[];
  readonly field: string;
  readonly phoneHash?: Buffer;
}

/** `current`: the party as it is. A person who is named again without a name keeps the typed one. */
export async function resolveParty(
  tx: Queryable,
  services: PartyServices,
  organizerId: string,
  items: readonly Item[],
  current: readonly CurrentInvite[],
): Promise<PartyResolution> {
  const organizer = (await findMembers(tx, [organizerId])).get(organizerId);
  if (organizer === undefined) throw new Error(`the organizer ${organizerId} is not a member`);
  const problems: ItemProblem[] = [];
  const named = [
    ...(await byId(tx, items, current, problems)),
    ...(await byChannel(tx, organizerId, items, problems)),
    ...(await byPhone(tx, services, organizer, items, current)),
  ].sort((a, b) => itemIndex(a.field) - itemIndex(b.field));
  const byMember = new Map<string, NamedMember>();
  for (const entry of named) {
    const earlier = byMember.get(entry.memberId);
    if (earlier === undefined) byMember.set(entry.memberId, entry);
    // A member may be named and also be in a group chat, or be in two chats: that is no mistake.
    else if (
      earlier.keys.length > 0 &&
      entry.keys.length > 0 &&
      !isFromChannel(items, entry) &&
      !isFromChannel(items, earlier)
    ) {
      problems.push(namedTwice(entry.field));
    }
  }
  if (problems.length > 0) return { problems: withExamples(problems, services, organizer, items, current) };
  const others = await resolveOthers(tx, organizerId, byMember, current);
  const typedName = current.find(({ memberId }) => memberId === organizerId)?.displayName ?? null;
  return {
    members: [
      {
        member: organizer,
        displayName: organizer.displayName ?? typedName,
        keys: ['organizer', organizerId, ...(byMember.get(organizerId)?.keys ?? [])],
        isKnown: true,
        isAccepted: true,
        invitedPhoneHash: null,
      },
      ...others,
    ],
  };
}

/** A member's own name is used only if the organizer sees it already. Otherwise it appears once the member has acted. */
async function resolveOthers(
  tx: Queryable,
  organizerId: string,
  byMember: ReadonlyMap<string, NamedMember>,
  current: readonly CurrentInvite[],
): Promise<ResolvedMember[]> {
  const named = [...byMember.values()].filter(({ memberId }) => memberId !== organizerId);
  const ids = named.map(({ memberId }) => memberId);
  const [found, known] = await Promise.all([findMembers(tx, ids), knownTo(tx, organizerId, ids)]);
  return named.flatMap(({ memberId, name, keys, phoneHash }): ResolvedMember[] => {
    const member = found.get(memberId);
    if (member === undefined) return [];
    const invite = current.find((one) => one.memberId === memberId);
    const isKnown = known.has(memberId) && phoneHash === undefined;
    return [
      {
        member,
        displayName: name ?? invite?.displayName ?? (isKnown ? member.displayName : null),
        keys,
        isKnown,
        isAccepted: invite?.isAccepted === true,
        invitedPhoneHash: phoneHash ?? invite?.invitedPhoneHash ?? null,
      },
    ];
  });
}

function itemIndex(field: string): number {
  return Number(field.split('/')[2]);
}

function isFromChannel(items: readonly Item[], { field }: NamedMember): boolean {
  return 'channel_id' in (items[itemIndex(field)] ?? {});
}

async function byId(
  tx: Queryable,
  items: readonly Item[],
  current: readonly CurrentInvite[],
  problems: ItemProblem[],
): Promise<NamedMember[]> {
  const requested = items.flatMap((item, index) =>
    'user_id' in item
      ? [{ id: item.user_id.toLowerCase(), sent: item.user_id, field: `/members/${index}/user_id` }]
      : [],
  );
  const found = await findMembers(
    tx,
    requested.map(({ id }) => id),
  );
  const inParty = new Set(current.map(({ memberId }) => memberId));
  const named: NamedMember[] = [];
  for (const { id, sent, field } of requested) {
    const member = found.get(id);
    // The placeholder of a phone belongs to one party.
    const isUsable = member !== undefined && (!member.isInvitedPhone || inParty.has(id));
    if (isUsable) named.push({ memberId: id, name: null, keys: [...new Set([id, sent])], field });
    else problems.push(unknown(field, 'There is no member with this id.', 'the id of a member'));
  }
  return named;
}

async function byChannel(
  tx: Queryable,
  organizerId: string,
  items: readonly Item[],
  problems: ItemProblem[],
): Promise<NamedMember[]> {
  const requested = items.flatMap((item, index) =>
    'channel_id' in item ? [{ id: item.channel_id.toLowerCase(), field: `/members/${index}/channel_id` }] : [],
  );
  const known = await membersOfChannels(
    tx,
    requested.map(({ id }) => id),
  );
  const named: NamedMember[] = [];
  for (const { id, field } of requested) {
    const members = known.get(id);
    if (members === undefined)
      problems.push(unknown(field, 'There is no group chat with this id.', 'the id of a group chat'));
    else if (!members.includes(organizerId)) problems.push(notInChannel(field));
    else named.push(...members.map((memberId) => ({ memberId, name: null, keys: [memberId], field })));
  }
  return named;
}

/**
 * Finds phones only among those that this organizer has named in this party before. The organizer's own phone is the
 * organizer.
 */
async function byPhone(
  tx: Queryable,
  { ids, seal, now }: PartyServices,
  organizer: MemberRow,
  items: readonly Item[],
  current: readonly CurrentInvite[],
): Promise<NamedMember[]> {
  const memberIds = knownPhones(organizer, current);
  const added: InvitedPhone[] = [];
  const named = items.flatMap((item, index): NamedMember[] => {
    if (!('phone' in item)) return [];
    const sealed = sealPhone(seal, item.phone);
    const hex = sealed.phoneHash.toString('hex');
    const memberId = memberIds.get(hex) ?? ids.uuid();
    if (!memberIds.has(hex)) added.push({ id: memberId, ...sealed });
    memberIds.set(hex, memberId);
    const { phoneHash } = sealed;
    const name = item.name === undefined ? null : normalizeName(item.name);
    return [{ memberId, name, keys: [item.phone], field: `/members/${index}/phone`, phoneHash }];
  });
  await insertInvitedPhones(tx, added, organizer.language, now);
  return named;
}

/** The members of this party by the hash of their phone, as far as this organizer has named it: see byPhone(). */
function knownPhones(organizer: MemberRow, current: readonly CurrentInvite[]): Map<string, string> {
  const memberIds = new Map<string, string>();
  for (const { memberId, invitedPhoneHash } of current)
    if (invitedPhoneHash !== null) memberIds.set(invitedPhoneHash.toString('hex'), memberId);
  if (organizer.phoneHash !== null) memberIds.set(organizer.phoneHash.toString('hex'), organizer.id);
  return memberIds;
}

function unknown(field: string, message: string, expected: string): ItemProblem {
  return { code: 'invalid_value', field, message, expected };
}

function notInChannel(field: string): ItemProblem {
  const message = 'You are not in this group chat: choose one that you are in.';
  return { code: 'not_allowed', field, message, expected: 'a group chat with you in it' };
}

function namedTwice(field: string): ItemProblem {
  const message = 'This person is named twice: leave one of them out.';
  return { code: 'not_unique', field, message, expected: 'each person once' };
}

/**
 * The example of each problem is another person for that item: a phone that is not in the party and that no person has,
 * each another one. Where there is none, it is a party of the organizer alone.
 */
function withExamples(
  problems: readonly ItemProblem[],
  { seal, phones }: PartyServices,
  organizer: MemberRow,
  items: readonly Item[],
  current: readonly CurrentInvite[],
): FieldProblem[] {
  const used = new Set(items.flatMap((item) => ('phone' in item ? [item.phone] : [])));
  const known = knownPhones(organizer, current);
  const examples = fictionalPhones(phones);
  const nextUnused = (): string | null => {
    for (let next = examples.next(); next.done !== true; next = examples.next()) {
      const phone = next.value;
      if (!used.has(phone) && !known.has(hashOfPhone(seal, phone).toString('hex'))) return phone;
    }
    return null;
  };
  return problems.map((problem) => {
    const phone = nextUnused();
    return phone === null
      ? { ...problem, example_fix: [], example_fix_field: '/members' }
      : { ...problem, example_fix: { phone }, example_fix_field: `/members/${itemIndex(problem.field)}` };
  });
}
