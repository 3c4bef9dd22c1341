// Which delivery about a thing is the newest, so that an older one that comes late changes nothing. Pure.

import { createHash } from 'node:crypto';
import type { DueDelivery, KnownThing } from './deliveries/queries.ts';
import type { Thing } from './mapping/interpret.ts';

/** By the provider's own count where both have one, else by the order of arrival. The same one again is not older. */
export function isOlder(
  delivery: DueDelivery,
  { version }: Thing,
  known: Pick<KnownThing, 'version' | 'received_at'>,
): boolean {
  if (version !== null && known.version !== null && version !== BigInt(known.version))
    return version < BigInt(known.version);
  return delivery.received_at < known.received_at;
}

export function keptAs(delivery: DueDelivery, { version }: Thing) {
  return { version: version === null ? null : String(version), receivedAt: delivery.received_at };
}

export function hashOf(...parts: readonly string[]): Buffer {
  return createHash('sha256')
    .update(parts.length === 1 ? (parts[0] ?? '') : JSON.stringify(parts))
    .digest();
}
