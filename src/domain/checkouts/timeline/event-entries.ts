// The entries of a checkout's history that come from its event log. An event holds the shares as they were then, so what it
// is about is found by comparing it with the event before. Pure.

import type { ShownActor } from '../../accounts/actors.ts';
import type { EventOfSubject } from '../../events/queries.ts';
import { type CheckoutHistory, entry, entryOfGuest, type TimelineEntry } from './history.ts';

/** How far the times of an event and of its audit entry, of one transaction, may differ. */
const SAME_MOMENT_MS = 2_000;

export function eventEntries(history: CheckoutHistory): TimelineEntry[] {
  const held = heldShares(history.events);
  const entries: TimelineEntry[] = [];
  let party: string | null = null;
  for (const event of history.events) {
    const { id, at, type, shares } = event;
    switch (type) {
      case 'checkout.created':
        entries.push(entry({ id, at, kind: type, actor: creatorOf(history), amount: history.checkout.amount }));
        break;
      case 'checkout.collecting': {
        const members = (shares ?? []).map((share) => share.id).join(' ');
        const kind = party === null ? 'party.chosen' : party === members ? 'checkout.reopened' : 'party.changed';
        const actor = kind === 'checkout.reopened' ? {} : { actor: organizerOf(history) };
        entries.push(entry({ id, at, kind, ...actor, count: shares?.length ?? 0 }));
        party = members;
        break;
      }
      case 'share.held': {
        const shareId = held.get(id);
        const amount = history.shares.find((share) => share.id === shareId)?.amount ?? null;
        if (shareId === undefined) entries.push(entry({ id, at, kind: type }));
        else entries.push(entryOfGuest(history, shareId, { id, at, kind: type, amount }));
        break;
      }
      case 'checkout.funded':
        entries.push(entry({ id, at, kind: type, amount: history.checkout.amount }));
        break;
      case 'checkout.completed':
        entries.push(entry({ id, at, kind: type, amount: history.checkout.amount, count: history.captures.length }));
        break;
      case 'checkout.expired':
      case 'checkout.canceled':
        entries.push(...endEntries(history, event));
        break;
      case 'refund.created':
        entries.push(refundEntry(history, event));
        break;
      case 'refund.failed':
        entries.push(
          entry({ id, at, kind: type, amount: event.refund?.amount ?? null, reason: event.refund?.reason ?? null }),
        );
        break;
    }
  }
  return entries;
}

/** The checkout ended without a charge, and every hold was released. */
function endEntries(history: CheckoutHistory, { id, at, type, shares }: EventOfSubject): TimelineEntry[] {
  const isCanceled = type === 'checkout.canceled';
  const actor = isCanceled ? actorOf(history, 'checkout.cancel', at, null) : null;
  const end = entry({
    id,
    at,
    kind: isCanceled ? 'checkout.canceled' : 'checkout.expired',
    ...(actor === null ? {} : { actor }),
    reason: isCanceled ? history.checkout.cancellationReason : null,
  });
  const released = (shares ?? [])
    .filter(({ status }) => status === 'released')
    .map((share) => {
      const { displayName = null, amount = null } = history.shares.find((one) => one.id === share.id) ?? {};
      const about = { share_id: share.id, display_name: displayName, amount };
      return entry({ id: `${id} ${share.id}`, at, kind: 'hold.released', ...about });
    });
  return [end, ...released];
}

function refundEntry(history: CheckoutHistory, { id, at, refund }: EventOfSubject): TimelineEntry {
  const amount = refund?.amount ?? 0;
  const actor = actorOf(history, 'checkout.refund', at, amount);
  const parts = history.movements.filter(({ kind, createdAt }) => kind === 'refund' && isSameMoment(createdAt, at));
  return entry({
    id,
    at,
    kind: 'refund.created',
    ...(actor === null ? {} : { actor }),
    amount,
    reason: refund?.reason ?? null,
    count: parts.length,
  });
}

function creatorOf({ checkout: { createdBy }, actors }: CheckoutHistory): ShownActor {
  const unknown: ShownActor = { type: 'key', id: null, name: null };
  return (createdBy === null ? null : actors.get(createdBy)) ?? unknown;
}

function organizerOf({ shares }: CheckoutHistory): ShownActor {
  const organizer = shares.find(({ isOrganizer, droppedAt }) => isOrganizer && droppedAt === null);
  return { type: 'guest', id: null, name: organizer?.displayName ?? null };
}

/** Who did this at that time, by the audit log; null: it does not say. */
function actorOf(history: CheckoutHistory, action: string, at: string, amount: number | null): ShownActor | null {
  const found = history.audited.find(
    (row) => row.action === action && isSameMoment(row.at, at) && (amount === null || row.detail.amount === amount),
  );
  return found === undefined ? null : (history.actors.get(found.actor) ?? null);
}

function isSameMoment(one: string, other: string): boolean {
  return Math.abs(Date.parse(one) - Date.parse(other)) <= SAME_MOMENT_MS;
}

/** The share that each event `share.held` is about, by the id of the event: the one that is held since another time. */
function heldShares(events: readonly EventOfSubject[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let before = new Map<string, string | null>();
  for (const { id, type, shares } of events) {
    if (shares === null) continue;
    const held = shares.filter(({ status }) => status === 'held');
    const changed = held.find((share) => before.get(share.id) !== share.heldAt);
    if (type === 'share.held' && changed !== undefined) found.set(id, changed.id);
    before = new Map(held.map((share) => [share.id, share.heldAt]));
  }
  return found;
}

/** The holds with which guests paid: of each event `share.held`, the newest hold of its share that was made before. */
export function sharesHeldBy({ events, holds }: CheckoutHistory): ReadonlySet<string> {
  const byGuests = new Set<string>();
  const held = heldShares(events);
  for (const { id, at } of events) {
    const hold = holds.findLast((one) => one.shareId === held.get(id) && one.isHeld && one.createdAt <= at);
    if (hold !== undefined) byGuests.add(hold.id);
  }
  return byGuests;
}
