// The living group: tells guests what concerns them. Reminders for who has not paid, "your hold was released", "your hold was
// lost: pay again", "everyone is in". For each checkout that is due, one transaction under its row lock: what is owed is
// decided from the rows, put into the queue of messages, and the next time is set. Nothing outside is called.

import type { Queryable } from '../../../base/db.ts';
import { dropReminders } from '../../members/messages/queries.ts';
import { type MessageRequest, queueMessages } from '../../members/messages/queue.ts';
import { findMembers, type MemberRow } from '../../members/queries.ts';
import { payersOf } from '../../payments/queries.ts';
import { isOverdue, type LockedCheckout } from '../locked-checkout.ts';
import type { GuestServices } from '../party/guest-services.ts';
import { inviteUrl } from '../party/guest-view.ts';
import { invitesOf } from '../party/invite-queries.ts';
import { lockCheckout } from '../queries.ts';
import { decideNotifications, type Notification, reminderSubjects } from './decide-notifications.ts';
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

/** The explicit step of the worker: looks at up to `batch` checkouts that are due. Answers how many. */
export async function notifyDueGuests(services: NotifyServices, batch: number): Promise<number> {
  const now = services.clock.now();
  const due = await findDueNotifications(services.db, now, batch);
  let told = 0;
  for (const one of due) {
    try {
      if (await services.db.transaction((tx) => notifyCheckout(tx, services, one, now))) told++;
    } catch (error) {
      services.log.error({ checkout: one.checkoutId, err: error }, 'guests could not be told; it is tried again');
      await scheduleNextNotification(services.db, one, now + RETRY_MS);
    }
  }
  return told;
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
  // Its time is up: what there is to tell comes with its expiry, in a moment.
  if (isOverdue(checkout, now)) {
    await scheduleNextNotification(tx, due, 'later');
    return true;
  }
  const [shares, payers] = await Promise.all([sharesToNotify(tx, due), payersOf(tx, due.venueId, due.checkoutId)]);
  const people = await findMembers(tx, [...shares.map(({ memberId }) => memberId), ...payers.values()]);
  const organizer = checkout.shares.find(({ isOrganizer }) => isOrganizer)?.displayName ?? null;
  const about = await messageFactsFor(tx, checkout, organizer);
  const { id, status, payBy, clockAhead } = checkout;
  const decided = decideNotifications({ id, status, payBy, clockAhead, zone: about.zone, shares, payers }, now);
  await queue(tx, services, checkout, decided.notifications, people, about);
  await setReminded(tx, due.venueId, decided.reminded, now + clockAhead);
  if (decided.next === 'never') await dropReminders(tx, reminderSubjects(shares.map((share) => share.id)));
  await scheduleNextNotification(tx, due, decided.next);
  return true;
}

async function queue(
  tx: Queryable,
  services: NotifyServices,
  checkout: LockedCheckout,
  news: readonly Notification[],
  people: ReadonlyMap<string, MemberRow>,
  about: MessageFacts,
): Promise<void> {
  if (news.length === 0) return;
  const invites = await invitesOf(tx, checkout.venueId, checkout.id);
  const links = new Map(invites.map(({ shareId, token }) => [shareId, inviteUrl(services, shareId, token)]));
  const wishes = news.flatMap((one): MessageRequest[] => {
    const member = people.get(one.memberId);
    if (member === undefined || member.phone === null || member.phoneHash === null || member.stopped) return [];
    const link = links.get(one.shareId) ?? `${services.pageBase()}/c/${checkout.id}`;
    const payer = one.payerId === null ? null : (people.get(one.payerId)?.displayName ?? null);
    const { id: memberId, phone, phoneHash, language } = member;
    const words = textOf(one.key, language, about, { amount: one.amount, link, payer });
    return [{ memberId, phone, phoneHash, kind: one.kind, subject: one.subject, words, dueAt: services.clock.now() }];
  });
  await queueMessages(tx, services, wishes);
}
