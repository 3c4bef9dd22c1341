// Everything that happened to a checkout, as one list. Pure: it merges what the event log, the ledger, the movements, the
// messages, the deliveries and the audit log say. The order is that of time; what happened at the same time has a fixed
// order, so that two reads give the same list.

import { isOpenDispute } from '../../payments/dispute-queries.ts';
import type { PastMovement } from '../../payments/history-queries.ts';
import { deliveryId } from '../../webhooks/deliveries/delivery.ts';
import type { DeliveryOfEvent } from '../../webhooks/deliveries/queries.ts';
import { eventEntries, sharesHeldBy } from './event-entries.ts';
import {
  type CheckoutHistory,
  type EntryKind,
  entry,
  entryOfGuest,
  entryOfShare,
  type GivenEntry,
  type TimelineEntry,
} from './history.ts';

/** What comes first of what happened at the same time. */
const ORDER: readonly EntryKind[] = [
  'checkout.created',
  'party.chosen',
  'party.changed',
  'guest.left',
  'guest.removed',
  'invite.sent',
  'reminder.sent',
  'card.declined',
  'hold.renewal_refused',
  'hold.lost',
  'checkout.reopened',
  'hold.renewed',
  'share.held',
  'checkout.funded',
  'share.captured',
  'checkout.completed',
  'transfer.failed',
  'transfer.sent',
  'refund.created',
  'refund.sent',
  'refund.failed',
  'transfer.reversed',
  'transfer.owed',
  'dispute.opened',
  'dispute.won',
  'dispute.lost',
  'checkout.expired',
  'checkout.canceled',
  'hold.released',
  'delivery.delivered',
  'delivery.retrying',
  'delivery.failed',
];

export function timelineOf(history: CheckoutHistory): TimelineEntry[] {
  const entries = [
    ...eventEntries(history),
    ...partyEntries(history),
    ...holdEntries(history),
    ...moneyEntries(history),
    ...disputeEntries(history),
    ...history.deliveries.map(deliveryEntry),
  ];
  const rank = ({ kind }: TimelineEntry): number => ORDER.indexOf(kind);
  return entries.sort(
    (one, other) => compare(one.at, other.at) || rank(one) - rank(other) || compare(one.id, other.id),
  );
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function partyEntries(history: CheckoutHistory): TimelineEntry[] {
  const organizer = history.shares.find(({ isOrganizer }) => isOrganizer)?.displayName ?? null;
  const left = history.shares.flatMap(({ id, droppedAt, dropReason }) => {
    if (droppedAt === null || dropReason === null) return [];
    const kind = dropReason === 'declined' ? 'guest.left' : 'guest.removed';
    const one = entryOfGuest(history, id, { id: `${kind} ${id}`, at: droppedAt, kind });
    return [dropReason === 'declined' ? one : { ...one, actor: { type: 'guest' as const, id: null, name: organizer } }];
  });
  const sent = history.messages.map(({ id, kind, shareId, at }) =>
    entryOfShare(history, shareId, { id: `message ${id}`, at, kind: `${kind}.sent` as const }),
  );
  return [...left, ...sent];
}

/** A hold that no event of the log is about renewed another one: the share was held already. */
function holdEntries(history: CheckoutHistory): TimelineEntry[] {
  const byGuests = sharesHeldBy(history);
  // The processor gives whole seconds: a card that is declined within a second of the choice of the party comes after it.
  const chosenAt = history.events.find(({ type }) => type === 'checkout.collecting')?.at ?? '';
  const entries = history.declines.map(({ id, shareId, reason, at }) =>
    entryOfGuest(history, shareId, {
      id: `decline ${id}`,
      at: at < chosenAt ? chosenAt : at,
      kind: 'card.declined',
      reason,
    }),
  );
  for (const { id, shareId, createdAt, amount, isHeld, renewalRefusedAt, refusal } of history.holds) {
    if (isHeld && !byGuests.has(id))
      entries.push(entryOfShare(history, shareId, { id: `hold ${id}`, at: createdAt, kind: 'hold.renewed', amount }));
    if (renewalRefusedAt !== null) {
      const refused = {
        id: `renewal of ${id}`,
        at: renewalRefusedAt,
        kind: 'hold.renewal_refused',
        reason: refusal,
      } as const;
      entries.push(entryOfShare(history, shareId, { ...refused, amount }));
    }
  }
  for (const { id, lostAt, amount } of history.shares) {
    if (lostAt !== null)
      entries.push(entryOfShare(history, id, { id: `lost ${id}`, at: lostAt, kind: 'hold.lost', amount }));
  }
  return entries;
}

function moneyEntries(history: CheckoutHistory): TimelineEntry[] {
  const shareOfHold = new Map(history.holds.map(({ id, shareId }) => [id, shareId]));
  const captured = history.captures.map(({ holdId, amount, at }) =>
    entryOfShare(history, shareOfHold.get(holdId) ?? '', {
      id: `capture ${holdId}`,
      at,
      kind: 'share.captured',
      amount,
    }),
  );
  return [...captured, ...history.movements.flatMap((movement) => movementEntry(history, movement))];
}

function movementEntry(history: CheckoutHistory, movement: PastMovement): TimelineEntry[] {
  const { id, kind, shareId, status, amount, sentAmount, owedAmount, doneAt, createdAt, firstDueAt } = movement;
  const show = (given: Omit<GivenEntry, 'id'>): TimelineEntry =>
    entryOfShare(history, shareId, { id: `movement ${id} ${given.kind}`, ...given });
  const owed = owedAmount > 0 ? [show({ at: createdAt, kind: 'transfer.owed', amount: owedAmount })] : [];
  if (kind === 'transfer' && status === 'failed')
    return [show({ at: firstDueAt, kind: 'transfer.failed', amount, reason: movement.lastError })];
  if (doneAt === null) return owed;
  if (kind === 'transfer') return [show({ at: doneAt, kind: 'transfer.sent', amount: sentAmount })];
  if (kind === 'reversal')
    return [...(sentAmount > 0 ? [show({ at: doneAt, kind: 'transfer.reversed', amount: sentAmount })] : []), ...owed];
  return [show({ at: doneAt, kind: 'refund.sent', amount })];
}

function disputeEntries(history: CheckoutHistory): TimelineEntry[] {
  return history.disputes.flatMap(({ id, shareId, amount, status, isLost, reason, openedAt, changedAt }) => {
    const opened = { id: `dispute ${id}`, at: openedAt, kind: 'dispute.opened', amount, reason } as const;
    const entries = [entryOfGuest(history, shareId, opened)];
    if (isOpenDispute(status)) return entries;
    const kind = isLost ? 'dispute.lost' : 'dispute.won';
    return [
      ...entries,
      entryOfShare(history, shareId, { id: `dispute ${id} ended`, at: changedAt, kind, amount, reason }),
    ];
  });
}

function deliveryEntry(row: DeliveryOfEvent): TimelineEntry {
  const kinds = { delivered: 'delivery.delivered', pending: 'delivery.retrying', failed: 'delivery.failed' } as const;
  return entry({
    id: `delivery ${row.event_id} ${row.endpoint_id}`,
    at: row.delivered_at ?? row.last_attempt_at ?? row.next_attempt_at ?? '',
    kind: kinds[row.status],
    reason: row.status === 'delivered' ? null : (row.end_reason ?? row.last_error),
    delivery: {
      id: deliveryId(row),
      event_id: row.event_id,
      event_type: row.type,
      endpoint_id: row.endpoint_id,
      url: row.url,
      status: row.last_status,
      attempts: row.attempts,
      duration_ms: row.last_duration_ms,
      next_attempt_at: row.next_attempt_at,
    },
  });
}
