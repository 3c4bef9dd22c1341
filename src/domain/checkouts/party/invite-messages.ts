// The text message that invites somebody to pay their share, in their language, in the transaction that seats them.

import type { Queryable } from '../../../base/db.ts';
import { type MessageWish, queueMessages } from '../../members/messages/queue.ts';
import type { Standing } from '../locked-checkout.ts';
import { aboutFor } from '../notifications/message-facts.ts';
import { textOf } from '../notifications/message-text.ts';
import type { NewShare } from '../steps.ts';
import type { GuestParts } from './choose-party.ts';
import type { Person } from './party-members.ts';

export async function inviteMessages(
  tx: Queryable,
  parts: GuestParts,
  standing: Standing,
  added: readonly NewShare[],
  people: readonly Person[],
  tokens: ReadonlyMap<string, string>,
): Promise<void> {
  const about = await aboutFor(tx, standing, people[0]?.displayName ?? null);
  const wishes = added.flatMap((share): MessageWish[] => {
    const member = people.find((person) => person.member.id === share.memberId)?.member;
    const token = tokens.get(share.id);
    if (share.isOrganizer || share.amount === 0 || token === undefined) return [];
    if (member === undefined || member.phone === null || member.phoneHash === null) return [];
    const { id: memberId, phone, phoneHash } = member;
    const said = { amount: share.amount, link: `${parts.pageBase()}/s/${token}` };
    const words = textOf('text.invite', member.language, about, said);
    return [{ memberId, phone, phoneHash, kind: 'invite', subject: share.id, words, dueAt: parts.clock.now() }];
  });
  await queueMessages(tx, parts, wishes);
}
