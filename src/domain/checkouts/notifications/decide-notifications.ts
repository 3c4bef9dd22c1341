// Decides which messages the guests of a checkout get now, and when to decide again. Pure. Each decision starts anew
// from the current rows; the unique kind and subject of a message prevent a second copy. A message about money goes to
// the payer: the member of the share, or the member who covered it.

import type { MessageKind } from '../../members/messages/queries.ts';
import { isUnpaid } from '../locked-checkout.ts';
import type { DropReason } from '../steps.ts';
import type { CheckoutStatus, ShareStatus } from '../transitions.ts';
import { afterQuietHours, MIN_GAP_MS, nextQuietHours, type Reminder, remindersFor } from './reminders.ts';

export interface NotifiedShare {
  readonly id: string;
  readonly memberId: string;
  readonly amount: number;
  readonly status: ShareStatus;
  readonly isOrganizer: boolean;
  /** invitedAt and remindedAt are in the checkout's own time, in milliseconds. */
  readonly invitedAt: number;
  readonly remindedAt: number | null;
  /** lostAt and droppedAt are on the wall clock, in milliseconds. */
  readonly lostAt: number | null;
  readonly droppedAt: number | null;
  /** Null: it is a part of the party, or the organizer chose the party again without it. */
  readonly dropReason: DropReason | null;
  /** Its member has acted on the invite, signed in. */
  readonly isAccepted: boolean;
  /** The name that the party sees. */
  readonly displayName: string | null;
}

/** A hold whose renewal was refused: its guest is asked for another card before it lapses. */
export interface RefusedRenewal {
  readonly shareId: string;
  readonly holdId: string;
  /** refusedAt and endsAt are on the wall clock, in milliseconds. */
  readonly refusedAt: number;
  readonly endsAt: number;
}

export interface NotificationInput {
  readonly id: string;
  readonly status: CheckoutStatus;
  readonly payBy: number;
  readonly clockAhead: number;
  readonly zone: string;
  /** With the dropped ones. */
  readonly shares: readonly NotifiedShare[];
  /** By share: the member who covered it. Absent: the share's own member paid. */
  readonly payers: ReadonlyMap<string, string>;
  readonly refusedRenewals: readonly RefusedRenewal[];
  /** A seat of the party is open. */
  readonly hasOpenSeat: boolean;
}

export interface Notification {
  readonly kind: MessageKind;
  readonly subject: string;
  /** The translation key of the text. */
  readonly key: string;
  readonly memberId: string;
  readonly amount: number;
  /** The share whose invite the message links to; another's share: it links to the page of the checkout. */
  readonly shareId: string;
  /** The member who covered the share; null: the text does not name a payer. */
  readonly payerId: string | null;
  /** The name of the guest who has left; absent: the text does not name one. */
  readonly guestName?: string | null;
  /** The deadline that the text names, in the checkout's own time; absent: pay_by. */
  readonly until?: number;
  /** When the message becomes useless, on the wall clock; absent: never. */
  readonly sendBefore?: number;
}

export interface NotificationDecision {
  readonly notifications: readonly Notification[];
  /** Shares whose reminders up to now are done. */
  readonly reminded: readonly string[];
  /** When to decide again, on the wall clock; 'later': after the next change; 'never': the checkout has ended. */
  readonly next: number | 'later' | 'never';
}

/** A lost or released hold is reported within a day or not at all: old messages are deleted, so a copy could follow. */
const MAX_AGE_MS = 24 * 3_600_000;

export function decideNotifications(input: NotificationInput, now: number): NotificationDecision {
  const party = input.shares.filter(({ droppedAt }) => droppedAt === null);
  const recent = input.shares.filter(({ droppedAt }) => droppedAt !== null && now - droppedAt < MAX_AGE_MS);
  const dropped = notifyReleased(input, recent);
  switch (input.status) {
    case 'collecting': {
      const reminded = remind(input, party, now);
      const renewals = askForCards(input, party, now);
      const lost = notifyLost(input, party, now);
      const left = notifyLeft(input, recent, now);
      const notifications = [
        ...dropped,
        ...lost,
        ...left.notifications,
        ...renewals.notifications,
        ...reminded.notifications,
      ];
      const next = earlier(left.next, earlier(reminded.next, renewals.next));
      return { notifications, reminded: reminded.reminded, next };
    }
    case 'completed':
      return { notifications: [...dropped, ...notifyCompleted(input, party)], reminded: [], next: 'never' };
    case 'expired':
    case 'canceled':
      return { notifications: [...dropped, ...notifyEnded(input, party)], reminded: [], next: 'never' };
    default:
      return { notifications: dropped, reminded: [], next: 'later' };
  }
}

/** The payer of each share that was dropped with a hold: its guest, or the organizer who covered it. */
function notifyReleased(input: NotificationInput, dropped: readonly NotifiedShare[]): readonly Notification[] {
  return dropped.filter(hadHold).map((share) => {
    const left = hasOtherPayer(input, share) ? 'text.declined_covered' : 'text.left';
    const key = share.dropReason === 'declined' ? left : 'text.changed';
    return { ...notificationOf(input, share, 'released', share.id, key), guestName: share.displayName };
  });
}

/** Of a dropped share. A share of 0 was held without a card. */
function hadHold({ status, amount }: NotifiedShare): boolean {
  return status === 'released' && amount > 0;
}

function hasOtherPayer({ payers }: NotificationInput, { id, memberId }: NotifiedShare): boolean {
  return (payers.get(id) ?? memberId) !== memberId;
}

/**
 * The organizer gets one message for each guest who said no, however often, while a seat is open. A guest whom the organizer removed gets
 * one if they had acted on the invite. The message about a hold that they paid (notifyReleased) says both. At night these
 * wait for the morning, unless the deadline is before.
 */
function notifyLeft(
  input: NotificationInput,
  dropped: readonly NotifiedShare[],
  now: number,
): Pick<NotificationDecision, 'notifications' | 'next'> {
  const organizer = input.shares.find(({ isOrganizer, droppedAt }) => isOrganizer && droppedAt === null);
  const notifications = dropped.flatMap((share): Notification[] => {
    const { id: shareId, memberId, amount, displayName: guestName, dropReason } = share;
    const paysSelf = !hasOtherPayer(input, share);
    const common = { subject: shareId, amount, shareId, payerId: null, guestName };
    // One for a guest: taking a seat and giving it up again must not use up the organizer's texts.
    const toOrganizer = { ...common, kind: 'declined' as const, subject: `${input.id} ${memberId}` };
    if (dropReason === 'removed' && share.isAccepted && !(hadHold(share) && paysSelf))
      return [{ ...common, kind: 'removed', key: 'text.removed', memberId }];
    if (dropReason !== 'declined' || organizer === undefined || !input.hasOpenSeat) return [];
    if (!hadHold(share)) return [{ ...toOrganizer, key: 'text.declined', memberId: organizer.memberId }];
    return paysSelf ? [{ ...toOrganizer, key: 'text.withdrawn', memberId: organizer.memberId }] : [];
  });
  const morning = afterQuietHours(now + input.clockAhead, input.zone) - input.clockAhead;
  const waits = notifications.length > 0 && morning > now && morning < input.payBy - input.clockAhead;
  return waits ? { notifications: [], next: morning } : { notifications, next: 'later' };
}

function notificationOf(
  input: NotificationInput,
  share: NotifiedShare,
  kind: MessageKind,
  subject: string,
  key: string,
): Notification {
  const memberId = input.payers.get(share.id) ?? share.memberId;
  return { kind, subject, key, memberId, amount: share.amount, shareId: share.id, payerId: null };
}

function remind(input: NotificationInput, party: readonly NotifiedShare[], now: number): NotificationDecision {
  const checkoutNow = now + input.clockAhead;
  const notifications: Notification[] = [];
  const reminded: string[] = [];
  const nextTimes: number[] = [];
  for (const share of party.filter(isUnpaid)) {
    const reminders = remindersFor(share.invitedAt, input.payBy, input.zone);
    // A reminder that would follow another one at once, such as one by the organizer, is left out.
    const since = share.remindedAt === null ? share.invitedAt : share.remindedAt + MIN_GAP_MS;
    const due = reminders.filter(({ at }) => at > since && at <= checkoutNow).at(-1);
    const morning = afterQuietHours(checkoutNow, input.zone);
    const next = reminders.find(({ at }) => at > checkoutNow)?.at;
    if (due !== undefined && morning > checkoutNow) {
      // The worker is late and it is night: the reminder waits for the morning.
      nextTimes.push(Math.min(morning, next ?? morning));
      continue;
    }
    if (due !== undefined && checkoutNow < input.payBy) notifications.push(reminderOf(input, share, due, checkoutNow));
    if (due !== undefined) reminded.push(share.id);
    if (next !== undefined) nextTimes.push(next);
  }
  const next = nextTimes.filter((at) => at < input.payBy).sort((a, b) => a - b)[0];
  return { notifications, reminded, next: next === undefined ? 'later' : next - input.clockAhead };
}

/**
 * Goes to the member of the share, even if another member has covered it before. A reminder that waits longer than the
 * day lasts is dropped: the next one follows, and none comes at night.
 */
function reminderOf(
  { payBy, clockAhead, zone }: NotificationInput,
  share: NotifiedShare,
  { name }: Reminder,
  checkoutNow: number,
): Notification {
  const key = share.isOrganizer ? 'text.reminder_own' : 'text.reminder';
  const { memberId, amount, id } = share;
  const subject = `${id} ${name}`;
  const sendBefore = Math.min(payBy, nextQuietHours(checkoutNow, zone)) - clockAhead;
  return { kind: 'reminder', subject, key, memberId, amount, shareId: id, payerId: null, sendBefore };
}

function notifyLost(input: NotificationInput, party: readonly NotifiedShare[], now: number): readonly Notification[] {
  const lost = party.filter(
    ({ status, lostAt }) => status === 'failed' && lostAt !== null && now - lostAt < MAX_AGE_MS,
  );
  return lost.map((share) => notificationOf(input, share, 'lost', `${share.id} ${share.lostAt}`, 'text.lost'));
}

/**
 * Asks the payer of a hold whose renewal was refused for another card. At night this waits for the morning, unless the
 * hold lapses before.
 */
function askForCards(
  input: NotificationInput,
  party: readonly NotifiedShare[],
  now: number,
): Pick<NotificationDecision, 'notifications' | 'next'> {
  const { clockAhead, zone } = input;
  const morning = afterQuietHours(now + clockAhead, zone) - clockAhead;
  const notifications: Notification[] = [];
  let next: NotificationDecision['next'] = 'later';
  for (const { shareId, holdId, refusedAt, endsAt } of input.refusedRenewals) {
    const share = party.find(({ id }) => id === shareId);
    if (share === undefined || now - refusedAt >= MAX_AGE_MS || endsAt <= now) continue;
    if (morning > now && morning < endsAt) next = morning;
    else {
      const notification = notificationOf(input, share, 'lost', `${holdId} renewal`, 'text.renewal');
      notifications.push({ ...notification, until: endsAt + clockAhead });
    }
  }
  return { notifications, next };
}

function earlier(one: NotificationDecision['next'], other: NotificationDecision['next']): NotificationDecision['next'] {
  if (typeof one !== 'number') return other;
  return typeof other === 'number' ? Math.min(one, other) : one;
}

/** One message for each payer, however many shares they paid, and one for each member whose share was covered. */
function notifyCompleted(input: NotificationInput, party: readonly NotifiedShare[]): readonly Notification[] {
  const paid = onePerPayer(input, party, 'completed', 'text.completed');
  const charged = new Set(paid.map(({ memberId }) => memberId));
  const covered = party.filter(({ memberId, amount }) => amount > 0 && !charged.has(memberId));
  return [
    ...paid,
    ...covered.map((share): Notification => {
      const { id, memberId, amount } = share;
      const subject = `${input.id} ${memberId}`;
      const payerId = input.payers.get(id) ?? null;
      return { kind: 'completed', subject, key: 'text.completed_covered', memberId, amount, shareId: id, payerId };
    }),
  ];
}

function notifyEnded(input: NotificationInput, party: readonly NotifiedShare[]): readonly Notification[] {
  const released = party.filter(({ status }) => status === 'released');
  const charged = party.filter(({ status }) => status === 'captured' || status === 'refunded');
  const isExpired = input.status === 'expired';
  const key = isExpired ? 'text.expired' : 'text.canceled';
  const toPayers = [
    ...onePerPayer(input, charged, 'released', 'text.returned'),
    ...onePerPayer(input, released, 'released', key),
  ];
  const notified = new Set(toPayers.map(({ memberId }) => memberId));
  // Every invited member gets a message, paid or not, and so does the organizer.
  const others = party.filter(
    ({ memberId, amount, isOrganizer }) => !notified.has(memberId) && (amount > 0 || isOrganizer),
  );
  return [
    ...toPayers,
    ...others.map((share) =>
      endedNotification(input, share, isExpired ? 'text.expired_unpaid' : 'text.canceled_unpaid'),
    ),
  ];
}

function endedNotification(
  input: NotificationInput,
  { id, memberId, amount }: NotifiedShare,
  key: string,
): Notification {
  return { kind: 'ended', subject: `${input.id} ${memberId}`, key, memberId, amount, shareId: id, payerId: null };
}

function onePerPayer(
  input: NotificationInput,
  shares: readonly NotifiedShare[],
  kind: MessageKind,
  key: string,
): readonly Notification[] {
  const byPayer = new Map<string, Notification>();
  for (const share of shares.filter(({ amount }) => amount > 0)) {
    const notification = notificationOf(input, share, kind, '', key);
    const { memberId } = notification;
    const earlier = byPayer.get(memberId);
    const amount = notification.amount + (earlier?.amount ?? 0);
    // The link of the payer's own share, if the payer has one.
    const shareId = share.memberId === memberId ? share.id : (earlier?.shareId ?? share.id);
    byPayer.set(memberId, { ...notification, amount, shareId, subject: `${input.id} ${memberId} ${key}` });
  }
  return [...byPayer.values()];
}
