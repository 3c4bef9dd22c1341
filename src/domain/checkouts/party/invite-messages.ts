// The text message that invites somebody to pay their share, in their language, in the transaction that seats them.

import type { Queryable } from '../../../base/db.ts';
import { type MessageRequest, queueMessages } from '../../members/messages/queue.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import { messageFactsFor } from '../notifications/message-facts.ts';
import { textOf } from '../notifications/message-text.ts';
import type { NewShare } from '../steps.ts';
import type { GuestServices } from './guest-services.ts';
import type { Person } from './party-members.ts';

export async function inviteMessages(
  tx: Queryable,
  services: GuestServices,
  checkout: LockedCheckout,
  added: readonly NewShare[],
  people: readonly Person[],
  tokens: ReadonlyMap<string, string>,
): Promise<void> {
  const about = await messageFactsFor(tx, checkout, people[0]?.displayName ?? null);
  const wishes = added.flatMap((share): MessageRequest[] => {
    const member = people.find((person) => person.member.id === share.memberId)?.member;
    const token = tokens.get(share.id);
    if (share.isOrganizer || share.amount === 0 || token === undefined) return [];
    if (member === undefined || member.phone === null || member.phoneHash === null) return [];
    const { id: memberId, phone, phoneHash } = member;
    const said = { amount: share.amount, link: `${services.pageBase()}/s/${token}` };
    const words = textOf('text.invite', member.language, about, said);
    return [{ memberId, phone, phoneHash, kind: 'invite', subject: share.id, words, dueAt: services.clock.now() }];
  });
  await queueMessages(tx, services, wishes);
}
