// Queues the text messages that invite members to pay their shares, in the transaction that adds the shares. Each is in
// its recipient's language. Past the venue's daily limit an invite waits until the day has room again: the party is
// chosen all the same, and the organizer has the links.

import type { Queryable } from '../../../base/db.ts';
import { scheduleDailyUses } from '../../keys/daily-limit.ts';
import { type MessageRequest, queueMessages } from '../../members/messages/queue.ts';
import type { GuestServices } from '../guests/guest-services.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import { INVITES_PER_VENUE_PER_DAY, inviteLimitSubject } from '../notifications/invite-limit.ts';
import { messageFactsFor } from '../notifications/message-facts.ts';
import { textOf } from '../notifications/message-text.ts';
import type { NewShare } from '../steps.ts';
import type { ResolvedMember } from './party-members.ts';

export async function queueInvites(
  tx: Queryable,
  services: GuestServices,
  checkout: LockedCheckout,
  added: readonly NewShare[],
  party: readonly ResolvedMember[],
  tokens: ReadonlyMap<string, string>,
): Promise<void> {
  const facts = await messageFactsFor(tx, checkout, party[0]?.displayName ?? null);
  const requests = added.flatMap((share): MessageRequest[] => {
    const member = party.find((resolved) => resolved.member.id === share.memberId)?.member;
    const token = tokens.get(share.id);
    if (share.isOrganizer || share.amount === 0 || token === undefined) return [];
    if (member === undefined || member.phone === null || member.phoneHash === null) return [];
    const { id: memberId, phone, phoneHash } = member;
    const values = { amount: share.amount, link: `${services.pageBase()}/s/${token}` };
    const text = textOf('text.invite', member.language, facts, values);
    const sendBefore = checkout.payBy - checkout.clockAhead;
    const dueAt = services.clock.now();
    return [{ memberId, phone, phoneHash, kind: 'invite', subject: share.id, text, dueAt, sendBefore }];
  });
  const limit = { subject: inviteLimitSubject(checkout.venueId), limit: INVITES_PER_VENUE_PER_DAY };
  const times = await scheduleDailyUses(tx, limit, requests.length);
  await queueMessages(
    tx,
    services,
    requests.map((request, index) => ({ ...request, dueAt: times[index] ?? request.dueAt })),
  );
}
