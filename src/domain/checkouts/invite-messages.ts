// The text message that invites somebody to pay their share: who asks, for what, how much, until when, and the link.

import type { Queryable } from '../../base/db.ts';
import { queueMessage } from '../members/messages/queue.ts';
import type { GuestParts } from './choose-party.ts';
import type { Person } from './party-people.ts';
import type { Standing } from './standing.ts';
import type { NewShare } from './steps.ts';

export async function inviteMessages(
  tx: Queryable,
  parts: GuestParts,
  standing: Standing,
  added: readonly NewShare[],
  people: readonly Person[],
  tokens: ReadonlyMap<string, string>,
): Promise<void> {
  const organizer = people[0]?.displayName ?? 'A friend';
  for (const share of added) {
    const member = people.find((person) => person.member.id === share.memberId)?.member;
    const token = tokens.get(share.id);
    if (share.isOrganizer || share.amount === 0 || token === undefined) continue;
    if (member === undefined || member.phone === null || member.phoneHash === null) continue;
    await queueMessage(tx, parts, {
      memberId: member.id,
      phone: member.phone,
      phoneHash: member.phoneHash,
      kind: 'invite',
      subject: share.id,
      words: wordsOf(organizer, standing, share.amount, `${parts.pageBase()}/s/${token}`),
      dueAt: parts.clock.now(),
    });
  }
}

function wordsOf(organizer: string, standing: Standing, amount: number, url: string): string {
  const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: standing.currency.toUpperCase() });
  const share = money.format(amount / 100);
  return `${organizer} invited you: ${standing.description}. Your share is ${share}. Your card is only charged when everyone has paid. ${url}\n\nReply STOP to get no more messages.`;
}
