// Reads and writes the tables of inbound deliveries and of the objects, bookings and slots that they change.
// retention-queries.ts deletes from them.

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';
import type { PageQuery } from '../../../base/page.ts';
import type { Defaults } from '../integration.ts';
import type { BookedPlaces } from '../slot-capacity.ts';

export interface StoredInbound {
  readonly delivery_id: string;
  readonly is_duplicate: boolean;
  /** Not null: not stored, because the venue has reached its daily limit; seconds until the day ends. */
  readonly retry_after: number | null;
}

/** Stores a delivery once. Null: the integration was revoked meanwhile. */
export async function storeInbound(
  db: Queryable,
  delivery: {
    readonly venueId: string;
    readonly integrationId: string;
    readonly deliveryId: string;
    readonly now: number;
    readonly dedupHash: Buffer;
    readonly dedupWindowSeconds: number | null;
    readonly eventId: string | null;
    readonly type: string | null;
    readonly body: Buffer;
    readonly maxBytesPerDay: number;
  },
): Promise<StoredInbound | null> {
  const rows = await db.query<StoredInbound>(
    'select * from store_inbound($1, $2, $3, to_timestamp($4 / 1000.0), $5, make_interval(secs => $6), $7, $8, $9, $10)',
    [
      delivery.venueId,
      delivery.integrationId,
      delivery.deliveryId,
      delivery.now,
      delivery.dedupHash,
      delivery.dedupWindowSeconds,
      delivery.eventId,
      delivery.type,
      delivery.body,
      delivery.maxBytesPerDay,
    ],
  );
  return rows[0] ?? null;
}

export type InboundStatus =
  | 'pending'
  | 'reading'
  | 'applied'
  | 'ignored'
  | 'superseded'
  | 'unmapped'
  | 'needs_api_read'
  | 'failed';

export interface InboundRow {
  readonly id: string;
  readonly integration_id: string;
  readonly provider_event_id: string | null;
  readonly type: string | null;
  readonly status: InboundStatus;
  readonly reason: string | null;
  readonly offering_external_id: string | null;
  readonly received_at: string;
  readonly applied_at: string | null;
}

const COLUMNS = `delivery_id as id, integration_id, provider_event_id, type, status, reason, offering_external_id,
  received_at, applied_at`;

export async function listInboundRows(
  db: Queryable,
  venueId: string,
  integrationId: string,
  page: PageQuery,
): Promise<InboundRow[]> {
  return db.query<InboundRow>(
    `select ${COLUMNS} from inbound_deliveries
     where venue_id = $1 and integration_id = $2 and ($3::text is null or status = $3)
       and received_at < coalesce($4::timestamptz, 'infinity')
     order by received_at desc limit $5`,
    [venueId, integrationId, page.status, page.before, page.limit + 1],
  );
}

/** Makes a delivery due now, in any status. Null: there is no such delivery, or its body was deleted. */
export async function requeueInbound(
  tx: Queryable,
  venueId: string,
  integrationId: string,
  id: string,
  now: number,
): Promise<InboundRow | null> {
  const rows = await tx.query<InboundRow>(
    `update inbound_deliveries set status = 'pending', due_at = to_timestamp($4 / 1000.0), attempts = 0, reason = null,
       applied_at = null
     where venue_id = $1 and integration_id = $2 and delivery_id = $3 and body is not null returning ${COLUMNS}`,
    [venueId, integrationId, id, now],
  );
  return rows[0] ?? null;
}

export async function inboundExists(
  db: Queryable,
  venueId: string,
  integrationId: string,
  id: string,
): Promise<boolean> {
  const rows = await db.query(
    'select 1 from inbound_deliveries where venue_id = $1 and integration_id = $2 and delivery_id = $3',
    [venueId, integrationId, id],
  );
  return rows.length > 0;
}

export interface IntegrationQueue {
  readonly venue_id: string;
  readonly integration_id: string;
}

/** Before every venue. */
const LOWEST_VENUE_ID = '00000000-0000-0000-0000-000000000000';

/** Integrations after this one whose oldest delivery is due. */
export async function dueQueues(
  db: Queryable,
  now: number,
  after: IntegrationQueue | null,
  limit: number,
): Promise<IntegrationQueue[]> {
  return db.query<IntegrationQueue>(
    'select venue_id, integration_id from due_inbound_queues($1, $2, to_timestamp($3 / 1000.0), $4)',
    [after?.venue_id ?? LOWEST_VENUE_ID, after?.integration_id ?? '', now, limit],
  );
}

export interface DueDelivery {
  readonly id: string;
  readonly venue_id: string;
  readonly integration_id: string;
  readonly mode: Mode;
  readonly provider: string;
  readonly defaults: Defaults;
  readonly body: Buffer;
  readonly received_at: string;
  readonly attempts: number;
  /** The same ping came again after this one was applied. */
  readonly is_repeated: boolean;
}

/** What applying needs to know of a delivery, or of an object that was read. */
export interface AppliedDelivery
  extends Pick<DueDelivery, 'venue_id' | 'integration_id' | 'provider' | 'defaults' | 'received_at'> {
  /** The read of a whole list, whose objects are remembered with it. */
  readonly readHash?: Buffer | undefined;
}

/** Locks the queue until the transaction ends. False: another worker has locked it. */
export async function lockQueue(tx: Queryable, queue: IntegrationQueue): Promise<boolean> {
  const rows = await tx.query(
    'select 1 from integration_queues where venue_id = $1 and integration_id = $2 for update skip locked',
    [queue.venue_id, queue.integration_id],
  );
  return rows.length > 0;
}

/**
 * The oldest delivery that waits; one that will be retried later blocks those behind it. The row is locked, so that a
 * replay by the venue waits for the transaction. Null: nothing is due.
 */
export async function oldestDue(tx: Queryable, queue: IntegrationQueue, now: number): Promise<DueDelivery | null> {
  const rows = await tx.query<DueDelivery>(
    `select d.delivery_id as id, d.venue_id, d.integration_id, i.mode, i.provider, i.defaults, d.body, d.received_at,
       d.attempts, d.is_repeated
     from (select * from inbound_deliveries w
           where w.venue_id = $1 and w.integration_id = $2 and w.due_at is not null order by w.received_at limit 1
           for update) d
     join integrations i on i.venue_id = d.venue_id and i.integration_id = d.integration_id
     where d.due_at <= to_timestamp($3 / 1000.0)`,
    [queue.venue_id, queue.integration_id, now],
  );
  return rows[0] ?? null;
}

/** A text may quote the body: replaces characters that PostgreSQL cannot store. */
export const storable = (text: string | null): string | null =>
  text?.replaceAll(/\0|\p{Surrogate}/gu, '\ufffd') ?? null;

export async function recordOutcome(
  tx: Queryable,
  delivery: Pick<DueDelivery, 'venue_id' | 'id'>,
  outcome: {
    readonly status: Exclude<InboundStatus, 'pending'>;
    readonly reason: string | null;
    readonly offering: string | null;
  },
  now: number,
): Promise<void> {
  await tx.query(
    `update inbound_deliveries set status = $3, reason = $4, offering_external_id = $5, due_at = null,
       is_repeated = false, applied_at = case when $3 = 'applied' then to_timestamp($6 / 1000.0) end
     where venue_id = $1 and delivery_id = $2`,
    [delivery.venue_id, delivery.id, outcome.status, storable(outcome.reason), outcome.offering, now],
  );
}

/** Records an internal error. `dueAt` null: there are no more attempts, and the delivery has failed. */
export async function recordFailure(
  db: Queryable,
  delivery: Pick<DueDelivery, 'venue_id' | 'id'>,
  attempts: number,
  dueAt: number | null,
  reason: string,
): Promise<void> {
  await db.query(
    `update inbound_deliveries set attempts = $5, due_at = to_timestamp($3 / 1000.0),
       status = case when $3::float8 is null then 'failed' else 'pending' end,
       reason = case when $3::float8 is null then $4 end
     where venue_id = $1 and delivery_id = $2 and status = 'pending'`,
    [delivery.venue_id, delivery.id, dueAt, reason, attempts],
  );
}

/** The last delivery that was applied to an object. */
export interface KnownObject {
  readonly version: string | null;
  readonly received_at: string;
  readonly offering_external_id: string | null;
  /** The places that one unit of each option takes, by the option's label. */
  readonly option_seats: Readonly<Record<string, number>> | null;
}

export async function findObject(tx: Queryable, queue: IntegrationQueue, hash: Buffer): Promise<KnownObject | null> {
  const rows = await tx.query<KnownObject>(
    `select version::text as version, received_at, offering_external_id, option_seats from hook_objects
     where venue_id = $1 and integration_id = $2 and object_hash = $3`,
    [queue.venue_id, queue.integration_id, hash],
  );
  return rows[0] ?? null;
}

/** The object as any integration of the venue with the same provider and mode knows it; the newest delivery counts. */
export async function findSharedObject(
  tx: Queryable,
  queue: IntegrationQueue,
  hash: Buffer,
): Promise<KnownObject | null> {
  const rows = await tx.query<KnownObject>(
    `select o.version::text as version, o.received_at, o.offering_external_id, o.option_seats
     from integrations mine
     join integrations i on i.venue_id = mine.venue_id and i.mode = mine.mode and i.provider = mine.provider
     join hook_objects o on o.venue_id = i.venue_id and o.integration_id = i.integration_id and o.object_hash = $3
     where mine.venue_id = $1 and mine.integration_id = $2 order by o.received_at desc limit 1`,
    [queue.venue_id, queue.integration_id, hash],
  );
  return rows[0] ?? null;
}

export async function storeObject(
  tx: Queryable,
  queue: IntegrationQueue,
  hash: Buffer,
  object: {
    readonly version: string | null;
    readonly receivedAt: string;
    readonly offering: string | null;
    readonly optionSeats: Readonly<Record<string, number>> | null;
    readonly readHash?: Buffer | undefined;
  },
): Promise<void> {
  await tx.query(
    `insert into hook_objects (venue_id, integration_id, object_hash, version, received_at, offering_external_id,
       option_seats, read_hash)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (venue_id, integration_id, object_hash) do update
       set version = greatest(excluded.version, hook_objects.version), received_at = excluded.received_at,
         offering_external_id = coalesce(excluded.offering_external_id, hook_objects.offering_external_id),
         option_seats = excluded.option_seats, read_hash = coalesce(excluded.read_hash, hook_objects.read_hash)`,
    [
      queue.venue_id,
      queue.integration_id,
      hash,
      object.version,
      object.receivedAt,
      object.offering,
      object.optionSeats === null ? null : JSON.stringify(object.optionSeats),
      object.readHash ?? null,
    ],
  );
}

export interface KnownBooking {
  readonly version: string | null;
  readonly received_at: string;
  readonly slots_taken: readonly BookedPlaces[];
  readonly is_canceled: boolean;
}

/**
 * The booking as any integration of the venue with the same provider and mode knows it; the newest delivery counts, and
 * the highest version. A venue connects again for another subscription or a new secret, and what is taken stays taken.
 */
export async function findBooking(tx: Queryable, queue: IntegrationQueue, hash: Buffer): Promise<KnownBooking | null> {
  const rows = await tx.query<KnownBooking>(
    `select (max(b.version) over ())::text as version, b.received_at, b.slots_taken, b.is_canceled
     from integrations mine
     join integrations i on i.venue_id = mine.venue_id and i.mode = mine.mode and i.provider = mine.provider
     join hook_bookings b on b.venue_id = i.venue_id and b.integration_id = i.integration_id and b.booking_hash = $3
     where mine.venue_id = $1 and mine.integration_id = $2 order by b.received_at desc limit 1`,
    [queue.venue_id, queue.integration_id, hash],
  );
  return rows[0] ?? null;
}

export async function storeBooking(
  tx: Queryable,
  queue: IntegrationQueue,
  hash: Buffer,
  booking: {
    readonly version: string | null;
    readonly receivedAt: string;
    readonly slotsTaken: readonly BookedPlaces[];
    readonly isCanceled: boolean;
    readonly lastAt: number;
  },
): Promise<void> {
  await tx.query(
    `insert into hook_bookings as b (venue_id, integration_id, booking_hash, version, received_at, slots_taken,
       is_canceled, last_at)
     values ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8 / 1000.0))
     on conflict (venue_id, integration_id, booking_hash) do update
       set version = greatest(excluded.version, b.version), received_at = excluded.received_at,
         slots_taken = excluded.slots_taken, is_canceled = excluded.is_canceled, last_at = excluded.last_at`,
    [
      queue.venue_id,
      queue.integration_id,
      hash,
      booking.version,
      booking.receivedAt,
      JSON.stringify(booking.slotsTaken),
      booking.isCanceled,
      booking.lastAt,
    ],
  );
}
