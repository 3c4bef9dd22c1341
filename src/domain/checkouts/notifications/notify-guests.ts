// Notifies guests about their checkout: reminders to pay, released holds, lost holds, refused renewals, completion. For
// each due checkout, one transaction under its row lock decides the messages from the rows, queues them and sets the
// next time. It sends nothing itself (messages/send.ts does).

import type { Queryable } from '../../../base/db.ts';
import { dropMessages } from '../../members/messages/queries.ts';
import { type MessageRequest, queueMessages } from '../../members/messages/queue.ts';
import { findMembers, type MemberRow } from '../../members/queries.ts';
import { payersOf } from '../../payments/queries.ts';
import type { GuestServices } from '../guests/guest-services.ts';
import { invitesOf } from '../guests/invite-queries.ts';
import { inviteUrl } from '../guests/invite-url.ts';
import { holdToReplace, isOpenSeat, isOverdue, isUnpaid, type LockedCheckout } from '../locked-checkout.ts';
import { lockCheckout } from '../queries.ts';
import { decideNotifications, type Notification, type RefusedRenewal } from './decide-notifications.ts';
import { messageFactsFor } from './message-facts.ts';
import { type MessageFacts, textOf } from './message-text.ts';
import {
  claimNotifications,
  type DueNotifications,
  findDueNotifications,
  scheduleNextNotification,
  setReminded,
  sharesToNotify,
} from './queries.ts';

export type NotifyServices = Pick<GuestServices, 'db' | 'clock' | 'ids' | 'seal' | 'log' | 'pageBase'>;

const RETRY_MS = 60_000;

/** One step of the worker: notifies the guests of up to `batch` due checkouts. Returns how many it handled. */
export async function notifyDueGuests(services: NotifyServices, batch: number): Promise<number> {
  const now = services.clock.now();
  const due = await findDueNotifications(services.db, now, batch);
  let handled = 0;
  for (const checkout of due) {
    try {
      if (await services.db.transaction((tx) => notifyCheckout(tx, services, checkout, now))) handled++;
    } catch (error) {
      services.log.error(
        { checkout: checkout.checkoutId, err: error },
        'notifying guests failed; the worker retries it',
      );
      await scheduleNextNotification(services.db, checkout, now + RETRY_MS);
    }
  }
  return handled;
}

async function notifyCheckout(
  tx: Queryable,
  services: NotifyServices,
  due: DueNotifications,
  now: number,
): Promise<boolean> {
  if (!(await claimNotifications(tx, due, now))) return false;
  const checkout = await lockCheckout(tx, due.venueId, due.checkoutId);
  if (checkout === null) return false;
  // The expiry of an overdue checkout schedules its own notifications.
  if (isOverdue(checkout, now)) {
    await scheduleNextNotification(tx, due, 'later');
    return true;
  }
  const [shares, payers] = await Promise.all([sharesToNotify(tx, due), payersOf(tx, due.venueId, due.checkoutId)]);
  const members = await findMembers(tx, [...shares.map(({ memberId }) => memberId), ...payers.values()]);
  const organizer = checkout.shares.find(({ isOrganizer }) => isOrganizer)?.displayName ?? null;
  const facts = await messageFactsFor(tx, checkout, organizer);
  const { id, status, payBy, clockAhead } = checkout;
  const refusedRenewals = refusedRenewalsOf(checkout);
  const seats = new Set([...members.values()].filter(({ isSeat }) => isSeat).map((member) => member.id));
  const hasOpenSeat = checkout.shares.some((share) => isOpenSeat(checkout, share, seats));
  const input = { id, status, payBy, clockAhead, zone: facts.zone, shares, payers, refusedRenewals, hasOpenSeat };
  const decided = decideNotifications(input, now);
  await queueNotifications(tx, services, checkout, decided.notifications, members, facts);
  await setReminded(tx, due.venueId, decided.reminded, now + clockAhead);
  const isOver = decided.next === 'never';
  const settled = shares.filter((share) => isOver || share.droppedAt !== null || !isUnpaid(share)).map(({ id }) => id);
  await dropMessages(tx, settled);
  await scheduleNextNotification(tx, due, decided.next);
  return true;
}

function refusedRenewalsOf(checkout: LockedCheckout): readonly RefusedRenewal[] {
  return checkout.shares.flatMap(({ id: shareId }) => {
    const hold = holdToReplace(checkout, shareId);
    if (hold === undefined || hold.renewalRefusedAt === null || hold.captureBefore === null) return [];
    return [{ shareId, holdId: hold.id, refusedAt: hold.renewalRefusedAt, endsAt: hold.captureBefore }];
  });
}

async function queueNotifications(
  tx: Queryable,
  services: NotifyServices,
  checkout: LockedCheckout,
  notifications: readonly Notification[],
  members: ReadonlyMap<string, MemberRow>,
  facts: MessageFacts,
): Promise<void> {
  if (notifications.length === 0) return;
  const invites = await invitesOf(tx, checkout.venueId, checkout.id);
  const links = new Map(invites.map(({ shareId, token }) => [shareId, inviteUrl(services, shareId, token)]));
  const guests = new Map(checkout.shares.map(({ id, memberId }) => [id, memberId]));
  const requests = notifications.flatMap(
    ({ kind, subject, key, memberId, amount, shareId, payerId, guestName, until, sendBefore }): MessageRequest[] => {
      const member = members.get(memberId);
      if (member === undefined || member.phone === null || member.phoneHash === null || member.hasOptedOut) return [];
      // The invite is its guest's own. Who covered that share pays on the page of the checkout.
      const isCovered = (guests.get(shareId) ?? memberId) !== memberId;
      const link = (isCovered ? undefined : links.get(shareId)) ?? `${services.pageBase()}/c/${checkout.id}`;
      const payer = payerId === null ? null : (members.get(payerId)?.displayName ?? null);
      const { phone, phoneHash, language } = member;
      const text = textOf(key, language, facts, { amount, link, payer, guest: guestName, until });
      return [{ memberId, phone, phoneHash, kind, subject, text, dueAt: services.clock.now(), sendBefore }];
    },
  );
  await queueMessages(tx, services, requests);
}
