// POST /v1/public/shares/{share_id}/remind: the organizer reminds one guest who has not paid. The text has the limits of
// other texts. A second request within three hours, such as a second press, sends nothing and answers with the first.

import type { Reminder } from '../../../../schemas/types.gen.ts';
import type { Queryable } from '../../../base/db.ts';
import { conflict, notFound, Problem } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import { requireDailyUses } from '../../keys/daily-limit.ts';
import type { Guest } from '../../members/guest.ts';
import { queueMessage } from '../../members/messages/queue.ts';
import { findMembers, type MemberRow } from '../../members/queries.ts';
import { checkoutOfShare, venueOf } from '../guests/guest-queries.ts';
import type { GuestServices } from '../guests/guest-services.ts';
import { invitesOf } from '../guests/invite-queries.ts';
import { inviteUrl } from '../guests/invite-url.ts';
import { type LockedCheckout, type ShareState, shareOf } from '../locked-checkout.ts';
import { lockCheckout } from '../queries.ts';
import { timezoneOf } from '../timezone.ts';
import { decideReminder, MIN_REMINDER_GAP_MS, type ReminderRefusal } from './decide-reminder.ts';
import { INVITES_PER_VENUE_PER_DAY, inviteLimitSubject } from './invite-limit.ts';
import { messageFactsFor } from './message-facts.ts';
import { textOf } from './message-text.ts';
import { claimReminder, sharesToNotify } from './queries.ts';

type RemindServices = Pick<GuestServices, 'db' | 'clock' | 'ids' | 'seal' | 'pageBase'>;

export async function remindShare(services: RemindServices, guest: Guest, input: Input): Promise<OperationResult> {
  const shareId = input.params.share_id ?? '';
  const venueId = await venueOf(services.db, shareId);
  const checkoutId = venueId === null ? null : await checkoutOfShare(services.db, venueId, shareId);
  if (venueId === null || checkoutId === null) throw notFound();
  const remindedAt = await services.db.transaction(async (tx) => {
    const checkout = await lockCheckout(tx, venueId, checkoutId);
    const share = checkout === null ? undefined : shareOf(checkout, shareId);
    if (checkout === null || share === undefined) throw notFound();
    if (checkout.organizerId !== guest.memberId) throw new Problem('not_organizer');
    return remindUnderLock(tx, services, checkout, share);
  });
  return { status: 200, body: reminderOf(shareId, remindedAt) };
}

/** Returns when the guest is reminded, in the checkout's own time. */
async function remindUnderLock(
  tx: Queryable,
  services: RemindServices,
  checkout: LockedCheckout,
  share: ShareState,
): Promise<number> {
  const { venueId, id: checkoutId, clockAhead } = checkout;
  const [times, members, zone] = await Promise.all([
    sharesToNotify(tx, { venueId, checkoutId }),
    findMembers(tx, [share.memberId]),
    timezoneOf(tx, checkout),
  ]);
  const member = members.get(share.memberId);
  const last = times.find(({ id }) => id === share.id)?.remindedAt ?? null;
  const request = { share, zone, remindedAt: last, isOpenSeat: member?.isSeat === true };
  const decided = decideReminder(checkout, request, services.clock.now());
  if ('refusal' in decided) throw refusalProblem(decided.refusal);
  const { remindedAt } = decided;
  if (decided.isRepeat) return remindedAt;
  const rule = `A venue's guests get ${INVITES_PER_VENUE_PER_DAY} invites and reminders by their organizers a day.`;
  const limit = { subject: inviteLimitSubject(venueId), limit: INVITES_PER_VENUE_PER_DAY };
  await requireDailyUses(tx, limit, 1, rule);
  const hasClaimed = await claimReminder(tx, venueId, share.id, remindedAt, remindedAt - MIN_REMINDER_GAP_MS);
  if (!hasClaimed) throw new Error(`the share ${share.id} was reminded under another lock`);
  const [dueAt, sendBefore] = [remindedAt - clockAhead, decided.sendBefore - clockAhead];
  await queueReminder(tx, services, checkout, share, member, { dueAt, sendBefore, at: remindedAt });
  return remindedAt;
}

/** A phone that has stopped our texts gets the same answer: the worker drops the text, and the organizer's page says so. */
async function queueReminder(
  tx: Queryable,
  services: RemindServices,
  checkout: LockedCheckout,
  share: ShareState,
  member: MemberRow | undefined,
  { dueAt, sendBefore, at }: { readonly dueAt: number; readonly sendBefore: number; readonly at: number },
): Promise<void> {
  if (member === undefined || member.phone === null || member.phoneHash === null)
    throw conflict('no_phone', 'This guest has no phone number with the service: send them their link.');
  const organizer = checkout.shares.find(({ isOrganizer }) => isOrganizer)?.displayName ?? null;
  const [facts, invites] = await Promise.all([
    messageFactsFor(tx, checkout, organizer),
    invitesOf(tx, checkout.venueId, checkout.id),
  ]);
  const invite = invites.find(({ shareId }) => shareId === share.id);
  if (invite === undefined) throw new Error(`the share ${share.id} has no invite`);
  const link = inviteUrl(services, share.id, invite.token);
  const { id: memberId, phone, phoneHash, language } = member;
  const text = textOf('text.reminder', language, facts, { amount: share.amount, link });
  const subject = `${share.id} organizer ${Math.round(at)}`;
  await queueMessage(tx, services, { memberId, phone, phoneHash, kind: 'reminder', subject, text, dueAt, sendBefore });
}

function reminderOf(shareId: string, remindedAt: number): Reminder {
  const time = (ms: number): string => new Date(ms).toISOString();
  return { share_id: shareId, reminded_at: time(remindedAt), remind_again_at: time(remindedAt + MIN_REMINDER_GAP_MS) };
}

function refusalProblem(refusal: ReminderRefusal): Problem {
  switch (refusal) {
    case 'checkout_past_pay_by':
      return conflict(refusal, 'The time to pay has passed: no guest can be reminded any more.');
    case 'checkout_not_collecting':
      return conflict(refusal, 'This checkout is not collecting: no guest has to pay now.');
    case 'share_already_held':
      return conflict(refusal, 'This share is paid already, or has nothing to pay.');
    case 'own_share':
      return conflict(refusal, 'This is your own share: pay it, no text is sent to yourself.');
    case 'open_seat':
      return conflict(refusal, 'This seat has no guest yet: share the link of the party.');
    case 'quiet_hours':
      return conflict(
        refusal,
        'It is night at the venue, and the time to pay ends before the morning: send the guest their link.',
      );
  }
}
