// Which delivery about a thing is the newest, so that an older one that comes late changes nothing. Pure.

import { createHash } from 'node:crypto';
import type { DueDelivery, KnownObject } from './deliveries/queries.ts';
import type { MappedObject } from './mapping/interpret.ts';

/** By the provider's own count where both have one, else by the order of arrival. The same one again is not older. */
export function isOlder(
  delivery: DueDelivery,
  { version }: MappedObject,
  known: Pick<KnownObject, 'version' | 'received_at'>,
): boolean {
  if (version !== null && known.version !== null && version !== BigInt(known.version))
    return version < BigInt(known.version);
  return delivery.received_at < known.received_at;
}

export function orderingOf(delivery: DueDelivery, { version }: MappedObject) {
  return { version: version === null ? null : String(version), receivedAt: delivery.received_at };
}

export function hashOf(...services: readonly string[]): Buffer {
  return createHash('sha256')
    .update(services.length === 1 ? (services[0] ?? '') : JSON.stringify(services))
    .digest();
}
