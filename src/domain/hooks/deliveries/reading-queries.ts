// Locks the queue of an integration for a read, finds what a read of a whole list no longer names, and writes the outcome
// of deliveries that wait for an object to be read. A delivery that was replayed meanwhile is pending and not changed here.

import type { Queryable } from '../../../base/db.ts';
import type { Outcome } from '../upsert-from-hook.ts';
import { type IntegrationQueue, storable } from './queries.ts';

/** Waits for the queue and locks it until the transaction ends: deliveries and reads of an integration are applied one at a time. */
export async function lockQueueWaiting(tx: Queryable, queue: IntegrationQueue): Promise<void> {
  await tx.query('select 1 from integration_queues where venue_id = $1 and integration_id = $2 for update', [
    queue.venue_id,
    queue.integration_id,
  ]);
}

export async function recordReadOutcome(
  tx: Queryable,
  venueId: string,
  deliveryId: string,
  outcome: Outcome,
  now: number,
): Promise<void> {
  await tx.query(
    `update inbound_deliveries set status = $3, reason = $4, offering_external_id = $5,
       applied_at = case when $3 = 'applied' then to_timestamp($6 / 1000.0) end
     where venue_id = $1 and delivery_id = $2 and status = 'reading'`,
    [venueId, deliveryId, outcome.status, storable(outcome.reason), outcome.offering, now],
  );
}

/** A ping came again after the first was applied: it is applied once more, and its objects are read in any case. */
export async function repeatPing(db: Queryable, venueId: string, deliveryId: string, now: number): Promise<void> {
  await db.query(
    `update inbound_deliveries set status = 'pending', due_at = to_timestamp($3 / 1000.0), attempts = 0, reason = null,
       applied_at = null, is_repeated = true
     where venue_id = $1 and delivery_id = $2 and status not in ('pending', 'needs_api_read') and body is not null`,
    [venueId, deliveryId, now],
  );
}

/** The credentials are gone: deliveries that wait for a read are as they were without credentials. */
export async function endReading(tx: Queryable, venueId: string, integrationId: string, reason: string): Promise<void> {
  await tx.query(
    `update inbound_deliveries set status = 'needs_api_read', reason = $3
     where venue_id = $1 and integration_id = $2 and status = 'reading'`,
    [venueId, integrationId, reason],
  );
}

/** Objects that an earlier read of the list named and that are not among `named`. They no longer belong to the list. */
export async function forgetMissingObjects(
  tx: Queryable,
  queue: IntegrationQueue,
  readHash: Buffer,
  named: readonly string[],
  limit: number,
): Promise<{ readonly hash: Buffer; readonly offering: string }[]> {
  return tx.query<{ hash: Buffer; offering: string }>(
    `update hook_objects set read_hash = null
     where venue_id = $1 and integration_id = $2 and object_hash = any(array(
       select object_hash from hook_objects
       where venue_id = $1 and integration_id = $2 and read_hash = $3 and offering_external_id <> all($4::text[])
       order by object_hash limit $5))
     returning object_hash as hash, offering_external_id as offering`,
    [queue.venue_id, queue.integration_id, readHash, named, limit],
  );
}
