// The living group: tells guests what concerns them. Reminders for who has not paid, "your hold was released", "your hold was
// lost: pay again", "everyone is in". For each checkout that is due, one transaction under its row lock: what is owed is
// decided from the rows, put into the queue of messages, and the next time is set. Nothing outside is called.

import type { Queryable } from '../../../base/db.ts';
import { dropReminders } from '../../members/messages/queries.ts';
import { type MessageWish, queueMessages } from '../../members/messages/queue.ts';
import { findMembers, type MemberRow } from '../../members/queries.ts';
import { payersOf } from '../../payments/queries.ts';
import { isOverdue, type Standing } from '../locked-checkout.ts';
import type { GuestParts } from '../party/choose-party.ts';
import { inviteUrl } from '../party/guest-view.ts';
import { invitesOf } from '../party/invite-queries.ts';
import { lockCheckout } from '../queries.ts';
import { decideNews, type News, reminderSubjects } from './decide-notifications.ts';
import { aboutFor } from './message-facts.ts';
import { type About, textOf } from './message-text.ts';
import { claimNews, type DueNews, dueNews, setReminded, sharesToTell, tellNext } from './queries.ts';

export type TellParts = Pick<GuestParts, 'db' | 'clock' | 'ids' | 'seal' | 'log' | 'pageBase'>;

const TRY_AGAIN_MS = 60_000;

/** The explicit step of the worker: looks at up to `batch` checkouts that are due. Answers how many. */
export async function tellDueGuests(parts: TellParts, batch: number): Promise<number> {
  const now = parts.clock.now();
  const due = await dueNews(parts.db, now, batch);
  let told = 0;
  for (const one of due) {
    try {
      if (await parts.db.transaction((tx) => tellOne(tx, parts, one, now))) told++;
    } catch (error) {
      parts.log.error({ checkout: one.checkoutId, err: error }, 'guests could not be told; it is tried again');
      await tellNext(parts.db, one, now + TRY_AGAIN_MS);
    }
  }
  return told;
}

async function tellOne(tx: Queryable, parts: TellParts, due: DueNews, now: number): Promise<boolean> {
  if (!(await claimNews(tx, due, now))) return false;
  const standing = await lockCheckout(tx, due.venueId, due.checkoutId);
  if (standing === null) return false;
  // Its time is up: what there is to tell comes with its expiry, in a moment.
  if (isOverdue(standing, now)) {
    await tellNext(tx, due, 'later');
    return true;
  }
  const [shares, payers] = await Promise.all([sharesToTell(tx, due), payersOf(tx, due.venueId, due.checkoutId)]);
  const people = await findMembers(tx, [...shares.map(({ memberId }) => memberId), ...payers.values()]);
  const organizer = standing.shares.find(({ isOrganizer }) => isOrganizer)?.displayName ?? null;
  const about = await aboutFor(tx, standing, organizer);
  const { id, status, payBy, clockAhead } = standing;
  const decided = decideNews({ id, status, payBy, clockAhead, zone: about.zone, shares, payers }, now);
  await queue(tx, parts, standing, decided.news, people, about);
  await setReminded(tx, due.venueId, decided.reminded, now + clockAhead);
  if (decided.next === 'never') await dropReminders(tx, reminderSubjects(shares.map((share) => share.id)));
  await tellNext(tx, due, decided.next);
  return true;
}

async function queue(
  tx: Queryable,
  parts: TellParts,
  standing: Standing,
  news: readonly News[],
  people: ReadonlyMap<string, MemberRow>,
  about: About,
): Promise<void> {
  if (news.length === 0) return;
  const invites = await invitesOf(tx, standing.venueId, standing.id);
  const links = new Map(invites.map(({ shareId, token }) => [shareId, inviteUrl(parts, shareId, token)]));
  const wishes = news.flatMap((one): MessageWish[] => {
    const member = people.get(one.memberId);
    if (member === undefined || member.phone === null || member.phoneHash === null || member.stopped) return [];
    const link = links.get(one.shareId) ?? `${parts.pageBase()}/c/${standing.id}`;
    const payer = one.payerId === null ? null : (people.get(one.payerId)?.displayName ?? null);
    const { id: memberId, phone, phoneHash, language } = member;
    const words = textOf(one.key, language, about, { amount: one.amount, link, payer });
    return [{ memberId, phone, phoneHash, kind: one.kind, subject: one.subject, words, dueAt: parts.clock.now() }];
  });
  await queueMessages(tx, parts, wishes);
}
