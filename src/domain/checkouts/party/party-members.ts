// Who is in the party, from what the organizer sent: members by id, group chats, phones. Everybody once, the organizer
// first; what is wrong is told by pointer. Phones that nobody has signed in with yet become members of their own.

import type { Party } from '../../../../schemas/types.gen.ts';
import type { Queryable } from '../../../base/db.ts';
import type { FieldProblem } from '../../../base/errors.ts';
import type { Ids } from '../../../base/ids.ts';
import type { Seal } from '../../../base/seal.ts';
import type { Language } from '../../../base/translations.ts';
import { hashOfPhone, sealPhone } from '../../members/phone.ts';
import { findByPhones, findMembers, insertMember, type MemberRow, membersOfChannels } from '../../members/queries.ts';

export interface Person {
  readonly member: MemberRow;
  readonly displayName: string | null;
  /** How a custom split may name them. */
  readonly keys: readonly string[];
}

export interface PartyServices {
  readonly ids: Ids;
  readonly seal: Seal;
  readonly now: number;
}

export type People = { readonly people: readonly Person[] } | { readonly problems: readonly FieldProblem[] };

type Item = Party['members'][number];

interface Named {
  readonly memberId: string;
  readonly name: string | null;
  readonly keys: readonly string[];
  readonly field: string;
}

/** `before`: what the party calls its people now, by member; who is named again without a name keeps theirs. */
export async function resolveParty(
  tx: Queryable,
  services: PartyServices,
  organizerId: string,
  items: readonly Item[],
  before: ReadonlyMap<string, string>,
): Promise<People> {
  const problems: FieldProblem[] = [];
  const named = [
    ...(await byId(tx, items, problems)),
    ...(await byChannel(tx, organizerId, items, problems)),
    ...(await byPhone(tx, services, organizerId, items)),
  ].sort((a, b) => place(a.field) - place(b.field));
  const seen = new Map<string, Named>();
  for (const one of named) {
    const before = seen.get(one.memberId);
    if (before === undefined) seen.set(one.memberId, one);
    // A group chat may hold somebody who is named beside it, and everybody's chats overlap: that is no mistake.
    else if (before.keys.length > 0 && one.keys.length > 0 && !isFromChat(items, one) && !isFromChat(items, before)) {
      problems.push(twice(one.field));
    }
  }
  if (problems.length > 0) return { problems };
  const found = await findMembers(tx, [organizerId, ...seen.keys()]);
  const organizer = found.get(organizerId);
  if (organizer === undefined) throw new Error('the organizer is a member');
  const people: Person[] = [
    {
      member: organizer,
      displayName: organizer.displayName ?? before.get(organizerId) ?? null,
      keys: ['organizer', organizerId, ...keysOf(seen, organizerId)],
    },
  ];
  for (const { memberId, name, keys } of seen.values()) {
    const member = found.get(memberId);
    if (member !== undefined && memberId !== organizerId)
      people.push({ member, displayName: name ?? before.get(memberId) ?? member.displayName, keys });
  }
  return { people };
}

function keysOf(seen: ReadonlyMap<string, Named>, memberId: string): readonly string[] {
  return seen.get(memberId)?.keys ?? [];
}

function place(field: string): number {
  return Number(field.split('/')[2]);
}

function isFromChat(items: readonly Item[], { field }: Named): boolean {
  return 'channel_id' in (items[place(field)] ?? {});
}

async function byId(tx: Queryable, items: readonly Item[], problems: FieldProblem[]): Promise<Named[]> {
  const wanted = items.flatMap((item, index) =>
    'user_id' in item
      ? [{ id: item.user_id.toLowerCase(), sent: item.user_id, field: `/members/${index}/user_id` }]
      : [],
  );
  const known = await findMembers(
    tx,
    wanted.map(({ id }) => id),
  );
  const named: Named[] = [];
  for (const { id, sent, field } of wanted) {
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
): Promise<Named[]> {
  const wanted = items.flatMap((item, index) =>
    'channel_id' in item ? [{ id: item.channel_id.toLowerCase(), field: `/members/${index}/channel_id` }] : [],
  );
  const known = await membersOfChannels(
    tx,
    wanted.map(({ id }) => id),
  );
  const named: Named[] = [];
  for (const { id, field } of wanted) {
    const members = known.get(id);
    if (members === undefined)
      problems.push(unknown(field, 'There is no group chat with this id.', 'the id of a group chat'));
    else if (!members.includes(organizerId)) problems.push(notInChat(field));
    else named.push(...members.map((memberId) => ({ memberId, name: null, keys: [memberId], field })));
  }
  return named;
}

async function byPhone(
  tx: Queryable,
  services: PartyServices,
  organizerId: string,
  items: readonly Item[],
): Promise<Named[]> {
  const wanted = items.flatMap((item, index) =>
    'phone' in item ? [{ phone: item.phone, name: item.name ?? null, field: `/members/${index}/phone` }] : [],
  );
  const hashes = wanted.map(({ phone }) => hashOfPhone(services.seal, phone));
  const known = new Map((await findByPhones(tx, hashes)).map((row) => [row.phoneHash?.toString('hex') ?? '', row.id]));
  const language = (await findMembers(tx, [organizerId])).get(organizerId)?.language ?? null;
  const named: Named[] = [];
  for (const [index, { phone, name, field }] of wanted.entries()) {
    const hex = (hashes[index] ?? Buffer.alloc(0)).toString('hex');
    const memberId = known.get(hex) ?? (await newcomer(tx, services, phone, language));
    known.set(hex, memberId);
    named.push({ memberId, name, keys: [phone, memberId], field });
  }
  return named;
}

/** Until they sign in themselves, they are written to in the organizer's language. */
async function newcomer(
  tx: Queryable,
  { ids, seal, now }: PartyServices,
  phone: string,
  language: Language | null,
): Promise<string> {
  const sealed = sealPhone(seal, phone);
  const member = await insertMember(tx, { id: ids.uuid(), displayName: null, ...sealed, joined: false, language, now });
  return member.id;
}

function unknown(field: string, message: string, expected: string): FieldProblem {
  return { code: 'invalid_value', field, message, expected, example_fix: null };
}

function notInChat(field: string): FieldProblem {
  const message = 'You are not in this group chat: choose one that you are in.';
  return { code: 'not_allowed', field, message, expected: 'a group chat with you in it', example_fix: null };
}

function twice(field: string): FieldProblem {
  const message = 'This person is named twice: leave one of them out.';
  return { code: 'not_unique', field, message, expected: 'each person once', example_fix: null };
}
