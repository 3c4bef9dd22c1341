// What the guests of a checkout are to be told now, and when to look again. Pure. It is worked out from the rows as they
// stand, each time anew: that nothing is told twice is held by each message's kind and subject. Money is told to whoever's
// card it was: the person of the share, or whoever covered it.

import type { MessageKind } from '../../members/messages/queries.ts';
import type { CheckoutStatus, ShareStatus } from '../transitions.ts';
import { afterQuietHours, type Reminder, remindersFor } from './reminders.ts';

export interface NotifiedShare {
  readonly id: string;
  readonly memberId: string;
  readonly amount: number;
  readonly status: ShareStatus;
  readonly isOrganizer: boolean;
  /** By the checkout's own clock, as is the next; in milliseconds. */
  readonly invitedAt: number;
  readonly remindedAt: number | null;
  /** On the wall clock. */
  readonly lostAt: number | null;
  readonly droppedAt: number | null;
}

export interface NotificationInput {
  readonly id: string;
  readonly status: CheckoutStatus;
  readonly payBy: number;
  readonly clockAhead: number;
  readonly zone: string;
  /** Dropped ones too. */
  readonly shares: readonly NotifiedShare[];
  /** Whose card it was, by share, where it was not the person's own. */
  readonly payers: ReadonlyMap<string, string>;
}

export interface Notification {
  readonly kind: MessageKind;
  readonly subject: string;
  /** Which words. */
  readonly key: string;
  readonly memberId: string;
  readonly amount: number;
  /** Whose link is sent along. */
  readonly shareId: string;
  readonly payerId: string | null;
}

export interface NotificationDecision {
  readonly notifications: readonly Notification[];
  /** Those whose reminders up to now are done. */
  readonly reminded: readonly string[];
  /** On the wall clock; 'later' when something happens, 'never' when all is over. */
  readonly next: number | 'later' | 'never';
}

/** News is of use for a day; after that it is left unsaid, since what was told before may be forgotten. */
const MAX_AGE_MS = 24 * 3_600_000;

export function decideNotifications(scene: NotificationInput, now: number): NotificationDecision {
  const party = scene.shares.filter(({ droppedAt }) => droppedAt === null);
  const changed = scene.shares.filter(
    ({ status, droppedAt }) => status === 'released' && droppedAt !== null && now - droppedAt < MAX_AGE_MS,
  );
  const first = changed.map((share) => notificationOf(scene, share, 'released', share.id, 'text.changed'));
  switch (scene.status) {
    case 'collecting': {
      const reminded = remind(scene, party, now);
      return { ...reminded, notifications: [...first, ...lost(scene, party, now), ...reminded.notifications] };
    }
    case 'completed':
      return { notifications: [...first, ...completed(scene, party)], reminded: [], next: 'never' };
    case 'expired':
    case 'canceled':
      return { notifications: [...first, ...letGo(scene, party)], reminded: [], next: 'never' };
    default:
      return { notifications: first, reminded: [], next: 'later' };
  }
}

function notificationOf(
  scene: NotificationInput,
  share: NotifiedShare,
  kind: MessageKind,
  subject: string,
  key: string,
): Notification {
  const memberId = scene.payers.get(share.id) ?? share.memberId;
  return { kind, subject, key, memberId, amount: share.amount, shareId: share.id, payerId: null };
}

function isUnpaid({ status, amount }: NotifiedShare): boolean {
  return amount > 0 && (status === 'invited' || status === 'failed');
}

function remind(scene: NotificationInput, party: readonly NotifiedShare[], now: number): NotificationDecision {
  const present = now + scene.clockAhead;
  const news: Notification[] = [];
  const reminded: string[] = [];
  const nexts: number[] = [];
  for (const share of party.filter(isUnpaid)) {
    const moments = remindersFor(share.invitedAt, scene.payBy, scene.zone);
    const since = share.remindedAt ?? share.invitedAt;
    const due = moments.filter(({ at }) => at > since && at <= present).at(-1);
    const morning = afterQuietHours(present, scene.zone);
    const next = moments.find(({ at }) => at > present)?.at;
    if (due !== undefined && morning > present) {
      // We come late, into the night.
      nexts.push(Math.min(morning, next ?? morning));
      continue;
    }
    if (due !== undefined && present < scene.payBy) news.push(reminderOf(share, due));
    if (due !== undefined) reminded.push(share.id);
    if (next !== undefined) nexts.push(next);
  }
  const next = nexts.filter((at) => at < scene.payBy).sort((a, b) => a - b)[0];
  return { notifications: news, reminded, next: next === undefined ? 'later' : next - scene.clockAhead };
}

/** To the person of the share, whoever may have covered it before. */
function reminderOf(share: NotifiedShare, { name }: Reminder): Notification {
  const key = share.isOrganizer ? 'text.reminder_own' : 'text.reminder';
  const { memberId, amount, id } = share;
  return { kind: 'reminder', subject: reminderSubject(id, name), key, memberId, amount, shareId: id, payerId: null };
}

function reminderSubject(shareId: string, name: Reminder['name']): string {
  return `${shareId} ${name}`;
}

/** The reminders of a share that may still be waiting to be sent. */
export function reminderSubjects(shareIds: readonly string[]): readonly string[] {
  const names = ['day-after', 'day-before', 'hours-before'] as const;
  return shareIds.flatMap((id) => names.map((name) => reminderSubject(id, name)));
}

function lost(scene: NotificationInput, party: readonly NotifiedShare[], now: number): readonly Notification[] {
  const found = party.filter(
    ({ status, lostAt }) => status === 'failed' && lostAt !== null && now - lostAt < MAX_AGE_MS,
  );
  return found.map((share) => notificationOf(scene, share, 'lost', `${share.id} ${share.lostAt}`, 'text.lost'));
}

/** One message for everybody whose card was charged, however many shares it paid; and one for whoever was covered. */
function completed(scene: NotificationInput, party: readonly NotifiedShare[]): readonly Notification[] {
  const paid = byCard(scene, party, 'completed', 'text.completed');
  const charged = new Set(paid.map(({ memberId }) => memberId));
  const covered = party.filter(({ memberId, amount }) => amount > 0 && !charged.has(memberId));
  return [
    ...paid,
    ...covered.map((share): Notification => {
      const { id, memberId, amount } = share;
      const subject = `${scene.id} ${memberId}`;
      const payerId = scene.payers.get(id) ?? null;
      return { kind: 'completed', subject, key: 'text.completed_covered', memberId, amount, shareId: id, payerId };
    }),
  ];
}

function letGo(scene: NotificationInput, party: readonly NotifiedShare[]): readonly Notification[] {
  const released = party.filter(({ status }) => status === 'released');
  const charged = party.filter(({ status }) => status === 'captured' || status === 'refunded');
  const isExpired = scene.status === 'expired';
  const key = isExpired ? 'text.expired' : 'text.canceled';
  const cards = [...byCard(scene, charged, 'released', 'text.returned'), ...byCard(scene, released, 'released', key)];
  const told = new Set(cards.map(({ memberId }) => memberId));
  // Everybody who was invited hears of it, paid or not, and the organizer always.
  const others = party.filter(
    ({ memberId, amount, isOrganizer }) => !told.has(memberId) && (amount > 0 || isOrganizer),
  );
  return [
    ...cards,
    ...others.map((share) => ended(scene, share, isExpired ? 'text.expired_unpaid' : 'text.canceled_unpaid')),
  ];
}

function ended(scene: NotificationInput, { id, memberId, amount }: NotifiedShare, key: string): Notification {
  return { kind: 'ended', subject: `${scene.id} ${memberId}`, key, memberId, amount, shareId: id, payerId: null };
}

function byCard(
  scene: NotificationInput,
  shares: readonly NotifiedShare[],
  kind: MessageKind,
  key: string,
): readonly Notification[] {
  const found = new Map<string, Notification>();
  for (const share of shares.filter(({ amount }) => amount > 0)) {
    const one = notificationOf(scene, share, kind, '', key);
    const before = found.get(one.memberId);
    const amount = one.amount + (before?.amount ?? 0);
    // Their own link, where they have one: the organizer's, who covers for others.
    const shareId = share.memberId === one.memberId ? share.id : (before?.shareId ?? share.id);
    found.set(one.memberId, { ...one, amount, shareId, subject: `${scene.id} ${one.memberId} ${key}` });
  }
  return [...found.values()];
}
