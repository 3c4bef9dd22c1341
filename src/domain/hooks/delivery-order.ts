// Decides which delivery about an object is the newest, so that an older one that arrives late changes nothing. Pure.

import { createHash } from 'node:crypto';
import type { AppliedDelivery, KnownObject } from './deliveries/queries.ts';
import type { MappedObject } from './mapping/interpret.ts';

/** Compares the provider's versions if both have one, else the order of arrival. A repeated delivery is not older. */
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

/** What is stored of a delivery, to order later ones. */
export function orderingOf(delivery: AppliedDelivery, { version }: MappedObject) {
  return { version: version === null ? null : String(version), receivedAt: delivery.received_at };
}

export function hashOf(...parts: readonly string[]): Buffer {
  return createHash('sha256')
    .update(parts.length === 1 ? (parts[0] ?? '') : JSON.stringify(parts))
    .digest();
}
