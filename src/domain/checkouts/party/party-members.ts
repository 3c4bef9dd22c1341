// Resolves the party that the organizer sent (members by id, group chats, phones) to members: each once, the organizer
// first. Problems are reported with a JSON pointer. An unknown phone becomes a new member.

import type { Party } from '../../../../schemas/types.gen.ts';
import type { Queryable } from '../../../base/db.ts';
import type { FieldProblem } from '../../../base/errors.ts';
import type { Ids } from '../../../base/ids.ts';
import type { Seal } from '../../../base/seal.ts';
import type { Language } from '../../../base/translations.ts';
import { hashOfPhone, sealPhone } from '../../members/phone.ts';
import { findByPhones, findMembers, insertMember, type MemberRow, membersOfChannels } from '../../members/queries.ts';

export interface ResolvedMember {
  readonly member: MemberRow;
  readonly displayName: string | null;
  /** The keys by which a custom split may name this member. */
  readonly keys: readonly string[];
}

export interface PartyServices {
  readonly ids: Ids;
  readonly seal: Seal;
  readonly now: number;
}

export type PartyResolution =
  | { readonly members: readonly ResolvedMember[] }
  | { readonly problems: readonly FieldProblem[] };

type Item = Party['members'][number];

interface NamedMember {
  readonly memberId: string;
  readonly name: string | null;
  readonly keys: readonly string[];
  readonly field: string;
}

/** `currentNames`: by member, the names in the current party. A member who is named again without a name keeps it. */
export async function resolveParty(
  tx: Queryable,
  services: PartyServices,
  organizerId: string,
  items: readonly Item[],
  currentNames: ReadonlyMap<string, string>,
): Promise<PartyResolution> {
  const problems: FieldProblem[] = [];
  const named = [
    ...(await byId(tx, items, problems)),
    ...(await byChannel(tx, organizerId, items, problems)),
    ...(await byPhone(tx, services, organizerId, items)),
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
  if (problems.length > 0) return { problems };
  const found = await findMembers(tx, [organizerId, ...byMember.keys()]);
  const organizer = found.get(organizerId);
  if (organizer === undefined) throw new Error(`the organizer ${organizerId} is not a member`);
  const members: ResolvedMember[] = [
    {
      member: organizer,
      displayName: organizer.displayName ?? currentNames.get(organizerId) ?? null,
      keys: ['organizer', organizerId, ...(byMember.get(organizerId)?.keys ?? [])],
    },
  ];
  for (const { memberId, name, keys } of byMember.values()) {
    const member = found.get(memberId);
    if (member !== undefined && memberId !== organizerId)
      members.push({ member, displayName: name ?? currentNames.get(memberId) ?? member.displayName, keys });
  }
  return { members };
}

function itemIndex(field: string): number {
  return Number(field.split('/')[2]);
}

function isFromChannel(items: readonly Item[], { field }: NamedMember): boolean {
  return 'channel_id' in (items[itemIndex(field)] ?? {});
}

async function byId(tx: Queryable, items: readonly Item[], problems: FieldProblem[]): Promise<NamedMember[]> {
  const requested = items.flatMap((item, index) =>
    'user_id' in item
      ? [{ id: item.user_id.toLowerCase(), sent: item.user_id, field: `/members/${index}/user_id` }]
      : [],
  );
  const known = await findMembers(
    tx,
    requested.map(({ id }) => id),
  );
  const named: NamedMember[] = [];
  for (const { id, sent, field } of requested) {
    if (known.has(id)) named.push({ memberId: id, name: null, keys: [...new Set([id, sent])], field });
    else problems.push(unknown(field, 'There is no member with this id.', 'the id of a member'));
  }
  return named;
}

async function byChannel(
  tx: Queryable,
  organizerId: string,
  items: readonly Item[],
  problems: FieldProblem[],
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

async function byPhone(
  tx: Queryable,
  services: PartyServices,
  organizerId: string,
  items: readonly Item[],
): Promise<NamedMember[]> {
  const requested = items.flatMap((item, index) =>
    'phone' in item ? [{ phone: item.phone, name: item.name ?? null, field: `/members/${index}/phone` }] : [],
  );
  const hashes = requested.map(({ phone }) => hashOfPhone(services.seal, phone));
  const known = new Map((await findByPhones(tx, hashes)).map((row) => [row.phoneHash?.toString('hex') ?? '', row.id]));
  const language = (await findMembers(tx, [organizerId])).get(organizerId)?.language ?? null;
  const named: NamedMember[] = [];
  for (const [index, { phone, name, field }] of requested.entries()) {
    const hex = (hashes[index] ?? Buffer.alloc(0)).toString('hex');
    const memberId = known.get(hex) ?? (await insertInvitedMember(tx, services, phone, language));
    known.set(hex, memberId);
    named.push({ memberId, name, keys: [phone, memberId], field });
  }
  return named;
}

/** Messages to a new member are in the organizer's language until the member signs in. */
async function insertInvitedMember(
  tx: Queryable,
  { ids, seal, now }: PartyServices,
  phone: string,
  language: Language | null,
): Promise<string> {
  const sealed = sealPhone(seal, phone);
  const member = await insertMember(tx, {
    id: ids.uuid(),
    displayName: null,
    ...sealed,
    hasJoined: false,
    language,
    now,
  });
  return member.id;
}

function unknown(field: string, message: string, expected: string): FieldProblem {
  return { code: 'invalid_value', field, message, expected, example_fix: null };
}

function notInChannel(field: string): FieldProblem {
  const message = 'You are not in this group chat: choose one that you are in.';
  return { code: 'not_allowed', field, message, expected: 'a group chat with you in it', example_fix: null };
}

function namedTwice(field: string): FieldProblem {
  const message = 'This person is named twice: leave one of them out.';
  return { code: 'not_unique', field, message, expected: 'each person once', example_fix: null };
}
