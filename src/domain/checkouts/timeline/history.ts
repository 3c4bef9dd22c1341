// What is known about a checkout's past, and how an entry of its history is made. Pure.

import type { CheckoutTimeline } from '../../../../schemas/types.gen.ts';
import { SERVICE, type ShownActor } from '../../accounts/actors.ts';
import type { EventOfSubject } from '../../events/queries.ts';
import type { Capture } from '../../ledger/queries.ts';
import type { SentMessage } from '../../members/messages/queries.ts';
import type { DeclineOfShare } from '../../payments/decline-queries.ts';
import type { PastDispute, PastHold, PastMovement } from '../../payments/history-queries.ts';
import type { AuditRow } from '../../venues/audit.ts';
import type { DeliveryOfEvent } from '../../webhooks/deliveries/queries.ts';
import type { PastCheckout, PastShare } from './queries.ts';

export type TimelineEntry = CheckoutTimeline['data'][number];
export type EntryKind = TimelineEntry['kind'];

export interface CheckoutHistory {
  readonly checkout: PastCheckout;
  readonly shares: readonly PastShare[];
  readonly events: readonly EventOfSubject[];
  readonly holds: readonly PastHold[];
  readonly declines: readonly DeclineOfShare[];
  readonly captures: readonly Capture[];
  readonly movements: readonly PastMovement[];
  readonly disputes: readonly PastDispute[];
  readonly messages: readonly SentMessage[];
  readonly deliveries: readonly DeliveryOfEvent[];
  readonly audited: readonly Pick<AuditRow, 'at' | 'actor' | 'action' | 'detail'>[];
  /** By the text that names them. */
  readonly actors: ReadonlyMap<string, ShownActor>;
}

export type GivenEntry = Pick<TimelineEntry, 'id' | 'at' | 'kind'> & Partial<TimelineEntry>;

export function entry(given: GivenEntry): TimelineEntry {
  const nothing = { share_id: null, display_name: null, amount: null, reason: null, count: null, delivery: null };
  return { actor: SERVICE, ...nothing, ...given };
}

/** About one guest, who also acted. */
export function entryOfGuest(history: CheckoutHistory, shareId: string, given: GivenEntry): TimelineEntry {
  const name = nameOf(history, shareId);
  return entry({ actor: { type: 'guest', id: null, name }, share_id: shareId, display_name: name, ...given });
}

/** About one guest; the service acted. */
export function entryOfShare(history: CheckoutHistory, shareId: string, given: GivenEntry): TimelineEntry {
  return entry({ share_id: shareId, display_name: nameOf(history, shareId), ...given });
}

function nameOf({ shares }: CheckoutHistory, shareId: string): string | null {
  return shares.find(({ id }) => id === shareId)?.displayName ?? null;
}
