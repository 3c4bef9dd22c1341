// The history of a checkout in words. Neighbours of one kind are joined: "5 holds renewed".

import type { CheckoutTimeline } from '../../client/types.gen.ts';
import { count, money, words } from '../../ui/format.ts';
import type { IconName } from '../../ui/icon.tsx';

export type TimelineEntry = CheckoutTimeline['data'][number];
type Kind = TimelineEntry['kind'];

export interface TimelineLine {
  readonly id: string;
  readonly icon: IconName;
  readonly color: 'neutral' | 'blue' | 'violet' | 'green' | 'amber' | 'red';
  readonly text: string;
  readonly from: string;
  /** Later than `from` for joined entries. */
  readonly to: string;
}

const JOINED: readonly Kind[] = [
  'share.held',
  'invite.sent',
  'reminder.sent',
  'hold.renewed',
  'hold.released',
  'share.captured',
  'transfer.sent',
  'transfer.reversed',
  'refund.sent',
  'delivery.delivered',
];

/** Deliveries come between the other entries, and do not part them. */
const isDelivery = (kind: Kind): boolean => kind === 'delivery.delivered';

/** The entries of one day, oldest first. */
export function linesOfDay(entries: readonly TimelineEntry[], currency: string): readonly TimelineLine[] {
  const groups: TimelineEntry[][] = [];
  const open = new Map<string, TimelineEntry[]>();
  for (const entry of entries) {
    const { kind } = entry;
    const joint = JOINED.includes(kind) ? open.get(keyOf(entry)) : undefined;
    if (joint !== undefined) {
      joint.push(entry);
      continue;
    }
    if (!isDelivery(kind)) for (const key of open.keys()) if (!key.startsWith('delivery.')) open.delete(key);
    const group = [entry];
    groups.push(group);
    open.set(keyOf(entry), group);
  }
  return groups.map((group) => lineOf(group, currency));
}

const keyOf = ({ kind, delivery }: TimelineEntry): string => `${kind} ${delivery?.endpoint_id ?? ''}`;

function lineOf(group: readonly TimelineEntry[], currency: string): TimelineLine {
  const [first] = group as readonly [TimelineEntry, ...TimelineEntry[]];
  const [icon, color] = LOOKS[first.kind] ?? ['ring', 'neutral'];
  const to = group.at(-1)?.at ?? first.at;
  return { id: first.id, icon, color, text: textOf(group, first, currency), from: first.at, to };
}

const LOOKS: Readonly<Partial<Record<Kind, readonly [IconName, TimelineLine['color']]>>> = {
  'checkout.created': ['plus', 'neutral'],
  'party.chosen': ['people', 'neutral'],
  'party.changed': ['people', 'neutral'],
  'guest.left': ['out', 'neutral'],
  'guest.removed': ['out', 'neutral'],
  'invite.sent': ['envelope', 'neutral'],
  'reminder.sent': ['reminder', 'neutral'],
  'card.declined': ['alert', 'red'],
  'hold.renewal_refused': ['alert', 'red'],
  'hold.lost': ['alert', 'red'],
  'checkout.reopened': ['turn', 'amber'],
  'hold.renewed': ['turn', 'neutral'],
  'share.held': ['lock', 'blue'],
  'checkout.funded': ['full', 'violet'],
  'share.captured': ['card', 'green'],
  'checkout.completed': ['tick', 'green'],
  'transfer.failed': ['refused', 'red'],
  'transfer.sent': ['bank', 'green'],
  'refund.created': ['back', 'violet'],
  'refund.sent': ['back', 'violet'],
  'refund.failed': ['refused', 'red'],
  'transfer.reversed': ['back', 'neutral'],
  'transfer.owed': ['warning', 'amber'],
  'dispute.opened': ['flag', 'red'],
  'dispute.won': ['tick', 'green'],
  'dispute.lost': ['refused', 'red'],
  'checkout.expired': ['clock', 'amber'],
  'checkout.canceled': ['stroke', 'neutral'],
  'hold.released': ['release', 'neutral'],
  'delivery.delivered': ['hook', 'neutral'],
  'delivery.retrying': ['turn', 'amber'],
  'delivery.failed': ['refused', 'red'],
};

function textOf(group: readonly TimelineEntry[], entry: TimelineEntry, currency: string): string {
  const who = entry.display_name ?? 'A guest';
  const sum = money(
    group.reduce((total, { amount }) => total + (amount ?? 0), 0),
    currency,
  );
  const texts: Readonly<Record<Kind, () => string>> = {
    'checkout.created': () => `Created${byActor(entry)}`,
    'party.chosen': () => `${entry.actor.name ?? 'The organizer'} chose the party: ${people(entry.count)}`,
    'party.changed': () => `The party is now ${people(entry.count)}`,
    'guest.left': () => `${who} is not coming`,
    'guest.removed': () => `${entry.actor.name ?? 'The organizer'} removed ${who}`,
    'invite.sent': () => `Invitation sent to ${namesOf(group, 'guests')}`,
    'reminder.sent': () => `Reminder sent to ${namesOf(group, 'guests')}`,
    'card.declined': () => `${who}’s card was declined${because(entry.reason)}`,
    'hold.renewal_refused': () => `${who}’s hold could not be renewed${because(entry.reason)}`,
    'hold.lost': () => `${who}’s hold was lost`,
    'checkout.reopened': () => 'Collecting again',
    'hold.renewed': () => `${count(group.length, 'hold')} renewed on the same card${group.length === 1 ? '' : 's'}`,
    'share.held': () => `${namesOf(group, 'guests')} held ${sum}`,
    'checkout.funded': () => 'Funded: every share is held',
    'share.captured': () =>
      group.length === 1 ? `${who} was charged ${sum}` : `${group.length} cards charged: ${sum}`,
    'checkout.completed': () =>
      entry.count === null ? 'Completed' : `Completed: ${count(entry.count, 'card')} charged`,
    'transfer.failed': () => `A transfer of ${sum} to you failed${because(entry.reason)}`,
    'transfer.sent': () => `Paid out ${sum}${group.length === 1 ? '' : ` in ${group.length} transfers`}`,
    'refund.created': () => `Refund of ${sum}${byActor(entry)}${entry.reason === null ? '' : `: “${entry.reason}”`}`,
    'refund.sent': () =>
      group.length === 1 ? `${sum} sent back to ${who}` : `${sum} sent back to ${group.length} guests`,
    'refund.failed': () => `A refund of ${sum} to ${who} failed${because(entry.reason)}`,
    'transfer.reversed': () => `${sum} taken back from your payout`,
    'transfer.owed': () => `${sum} could not be taken back: later payouts settle it`,
    'dispute.opened': () => `${who} disputes ${sum}${because(entry.reason)}`,
    'dispute.won': () => `The dispute of ${who} over ${sum} is won`,
    'dispute.lost': () => `The dispute of ${who} over ${sum} is lost`,
    'checkout.expired': () => 'Expired: the pay-by time passed',
    'checkout.canceled': () => `Canceled${byActor(entry)}${because(entry.reason)}`,
    'hold.released': () =>
      group.length === 1 ? `${who}’s hold was released` : `${group.length} holds released: ${sum}`,
    'delivery.delivered': () =>
      group.length === 1
        ? `${entry.delivery?.event_type} delivered to ${hostOf(entry)}`
        : `${group.length} events delivered to ${hostOf(entry)}`,
    'delivery.retrying': () => `${entry.delivery?.event_type} not delivered yet to ${hostOf(entry)}${answerOf(entry)}`,
    'delivery.failed': () =>
      `${entry.delivery?.event_type} could not be delivered to ${hostOf(entry)}${answerOf(entry)}`,
  };
  // A kind that this version does not know is shown by its own word.
  return texts[entry.kind]?.() ?? words(entry.kind);
}

const people = (value: number | null): string => (value === null ? 'chosen' : count(value, 'person', 'people'));

function byActor({ actor }: TimelineEntry): string {
  if (actor.type === 'key') return actor.name === null ? ' by a key' : ` by the key ${actor.name}`;
  if (actor.type === 'person') return actor.name === null ? '' : ` by ${actor.name}`;
  return actor.type === 'operator' ? ' by the operator' : '';
}

const REASONS: Readonly<Record<string, string>> = {
  insufficient_funds: 'not enough money',
  generic_decline: 'the bank gave no reason',
  card_declined: 'the bank gave no reason',
  expired_card: 'the card has expired',
  incorrect_cvc: 'the security code is wrong',
  lost_card: 'the card is reported lost',
  stolen_card: 'the card is reported stolen',
  authentication_required: 'its owner has to approve',
  capture_failed: 'a card could not be charged, the others were refunded',
  venue_not_payable: 'the venue could not be paid',
};

/** A code of a processor in words. */
export const reasonWords = (reason: string): string =>
  REASONS[reason] ?? (/^[a-z_]+$/.test(reason) ? words(reason).toLowerCase() : reason);

const because = (reason: string | null): string => (reason === null ? '' : `: ${reasonWords(reason)}`);

const MAX_NAMES = 4;

function namesOf(group: readonly TimelineEntry[], noun: string): string {
  const names = [...new Set(group.map(({ display_name }) => display_name ?? 'a guest'))];
  const isNamed = names.length <= MAX_NAMES && !names.includes('a guest');
  const text = isNamed ? listed(names) : group.length === 1 ? 'A guest' : `${group.length} ${noun}`;
  return isNamed && names.length === 1 && group.length > 1 ? `${text}, ${group.length} times` : text;
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** `test-inbox.invalid` is the inbox of test mode. */
export function hostOf({ delivery }: Pick<TimelineEntry, 'delivery'>): string {
  const { host, pathname } = new URL(delivery?.url ?? 'https://unknown.invalid');
  return host === 'test-inbox.invalid' ? 'the test inbox' : `${host}${pathname === '/' ? '' : pathname}`;
}

function answerOf({ delivery, reason }: TimelineEntry): string {
  if (delivery === null) return '';
  const answer = delivery.status === null ? because(reason) : `: it answered ${delivery.status}`;
  return delivery.attempts === 0 ? '' : `${answer}, try ${delivery.attempts}`;
}
