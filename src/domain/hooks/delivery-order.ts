// Decides which delivery about an object is the newest, so that an older one that arrives late changes nothing. Pure.

import { createHash } from 'node:crypto';
import type { AppliedDelivery, KnownBooking, KnownObject } from './deliveries/queries.ts';
import type { MappedObject } from './mapping/interpret.ts';

/**
 * Compares the provider's versions if both have one, else the order of arrival. A repeated delivery is not older. The
 * known version is the highest so far: a delivery without one does not erase it.
 */
export function isOlder(
  delivery: AppliedDelivery,
  { version }: MappedObject,
  known: Pick<KnownObject, 'version' | 'received_at'>,
): boolean {
  if (version !== null && known.version !== null && version !== BigInt(known.version))
    return version < BigInt(known.version);
  return delivery.received_at < known.received_at;
}

export function isSameVersion({ version }: MappedObject, known: Pick<KnownObject, 'version'>): boolean {
  return version !== null && known.version !== null && version === BigInt(known.version);
}

/**
 * An active state of a booking that is known to be canceled, from another delivery than the cancellation, comes late: at
 * the same version, or at none if the provider says that a cancellation is final.
 */
export function isUndoneCancellation(
  delivery: Pick<AppliedDelivery, 'received_at'>,
  { version }: MappedObject,
  isCancelFinal: boolean,
  known: Pick<KnownBooking, 'version' | 'received_at' | 'is_canceled'>,
): boolean {
  if (!known.is_canceled || delivery.received_at === known.received_at) return false;
  return version === null || known.version === null ? isCancelFinal : version === BigInt(known.version);
}

/** What is stored of a delivery, to order later ones. */
export function orderingOf(delivery: AppliedDelivery, { version }: MappedObject) {
  return { version: version === null ? null : String(version), receivedAt: delivery.received_at };
}

export function hashOf(...parts: readonly string[]): Buffer {
  return createHash('sha256')
    .update(parts.length === 1 ? (parts[0] ?? '') : JSON.stringify(parts))
    .digest();
}
