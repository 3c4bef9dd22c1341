// The only file that reads and writes the tables of deliveries, of endpoint queues, and of events that wait for
// dispatch.

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';
import { deleteBatch, type OldRows } from '../../../base/delete-batch.ts';
import type { PageQuery } from '../../../base/page.ts';
import { DAY_MS } from '../../../base/retention.ts';
import { PACES, type Pace, RETRY_WINDOW_MS } from './schedule.ts';

/** Creates the deliveries of waiting events. Returns how many events were dispatched. */
export async function dispatchEvents(db: Queryable, now: number, limit: number): Promise<number> {
  const rows = await db.query<{ dispatched: number }>(
    `select dispatch_events(to_timestamp($1 / 1000.0), $2, $3 * interval '1 millisecond') as dispatched`,
    [now, limit, RETRY_WINDOW_MS],
  );
  return rows[0]?.dispatched ?? 0;
}

/** The queue of one endpoint, leased by this worker, with everything that is needed to send to the endpoint. */
export interface EndpointQueue {
  readonly venueId: string;
  readonly endpointId: string;
  readonly leaseToken: number;
  /** Attempts in a row that got no answer. */
  readonly unanswered: number;
  readonly pace: Pace;
  readonly mode: Mode;
  readonly url: string;
  readonly status: 'active' | 'disabled';
  readonly secret: Buffer;
  readonly earlierSecrets: Buffer[];
}

/** Leases the queues that have been due longest, up to `maxRuns` of each pace: no pace uses up the runs of another. */
export async function claimQueues(
  db: Queryable,
  now: number,
  until: number,
  maxRuns: Readonly<Record<Pace, number>>,
): Promise<EndpointQueue[]> {
  return db.query<EndpointQueue>(
    `select venue_id as "venueId", endpoint_id as "endpointId", lease_token as "leaseToken", failures as unanswered, pace,
       mode, url, status, secret, earlier_secrets as "earlierSecrets"
     from claim_queues(to_timestamp($1 / 1000.0), to_timestamp($2 / 1000.0), $3, $4)`,
    [now, until, PACES, PACES.map((pace) => Math.max(0, maxRuns[pace]))],
  );
}

export interface DueDelivery {
  /** The time of the event, which is the delivery's key. */
  readonly createdAt: string;
  /** Attempts in the current 72 hours. */
  readonly tries: number;
  readonly endsAt: number;
  /** Null: the 72 hours are over, and the worker must end the delivery. */
  readonly body: string | null;
}

/**
 * Deliveries that are due, without those in `inFlight`: first the untried ones, then retries, each oldest first. For a
 * queue whose recorded pace is `dead`, the newest untried one is first. Empty if another worker has leased the queue
 * meanwhile.
 */
export async function dueDeliveries(
  db: Queryable,
  queue: EndpointQueue,
  now: number,
  limit: number,
  inFlight: readonly string[],
): Promise<DueDelivery[]> {
  return db.query<DueDelivery>(
    `select created_at as "createdAt", tries, (extract(epoch from ends_at at time zone 'UTC') * 1000)::float8 as "endsAt", body
     from due_deliveries($1, $2, $3, to_timestamp($4 / 1000.0), $5, $6::timestamptz[])`,
    [queue.venueId, queue.endpointId, queue.leaseToken, now, limit, inFlight],
  );
}

/** Ends the deliveries whose 72 hours are over. With a `reason`, ends all deliveries that wait, up to the limit. */
export async function endDeliveries(
  tx: Queryable,
  queue: EndpointQueue,
  now: number,
  limit: number,
  inFlight: readonly string[],
  reason: string | null,
): Promise<RecordResult> {
  const rows = await tx.query<{ outcome: RecordResult }>(
    `select end_deliveries($1, $2, $3, to_timestamp($4 / 1000.0), $5, $6::timestamptz[], $7,
       $8 * interval '1 millisecond') as outcome`,
    [queue.venueId, queue.endpointId, queue.leaseToken, now, limit, inFlight, reason, RETRY_WINDOW_MS],
  );
  return rows[0]?.outcome ?? 'lost';
}

export interface AttemptOutcome {
  readonly createdAt: string;
  /** The end of the 72 hours to which the attempt belongs; a redelivery starts new 72 hours. */
  readonly endsAt: number;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly httpStatus: number | null;
  readonly error: string | null;
  readonly response: string | null;
  readonly durationMs: number;
  readonly at: number;
  /** When the next attempt is due; null: there is none. */
  readonly dueAt: number | null;
}

export interface QueueUpdate {
  readonly now: number;
  /** No worker leases the queue before this time. */
  readonly availableAt: number;
  readonly unanswered: number;
  readonly pace: Pace;
  readonly isReleased: boolean;
}

/**
 * `recorded`: written. `lost`: another worker has leased the queue, and nothing was written. `dead`: written, and no
 * delivery has succeeded for 72 hours. `stale`: written, but the endpoint was disabled or its secret rotated meanwhile.
 */
export type RecordResult = 'recorded' | 'lost' | 'dead' | 'stale';

export async function recordAttempts(
  db: Queryable,
  queue: EndpointQueue,
  update: QueueUpdate,
  outcomes: readonly AttemptOutcome[],
): Promise<RecordResult> {
  const rows = await db.query<{ outcome: RecordResult }>(
    `select record_attempts($1, $2, $3, to_timestamp($4 / 1000.0), to_timestamp($5 / 1000.0), $6, $7, $8, $9, $10::timestamptz[],
       $11::float8[], $12::text[], $13::integer[], $14::text[], $15::text[], $16::integer[], $17::float8[], $18::float8[],
       $19 * interval '1 millisecond') as outcome`,
    [
      queue.venueId,
      queue.endpointId,
      queue.leaseToken,
      update.now,
      update.availableAt,
      update.unanswered,
      update.pace,
      update.isReleased,
      queue.secret,
      outcomes.map(({ createdAt }) => createdAt),
      outcomes.map(({ endsAt }) => endsAt),
      outcomes.map(({ status }) => status),
      outcomes.map(({ httpStatus }) => httpStatus),
      outcomes.map(({ error }) => error),
      outcomes.map(({ response }) => response),
      outcomes.map(({ durationMs }) => durationMs),
      outcomes.map(({ at }) => at),
      outcomes.map(({ dueAt }) => dueAt),
      RETRY_WINDOW_MS,
    ],
  );
  return rows[0]?.outcome ?? 'lost';
}

/** Every endpoint has a queue, created in the same transaction. */
export async function insertQueue(tx: Queryable, venueId: string, endpointId: string): Promise<void> {
  await tx.query('insert into endpoint_queues (venue_id, endpoint_id) values ($1, $2)', [venueId, endpointId]);
}

export async function makeQueueDue(tx: Queryable, venueId: string, endpointId: string, now: number): Promise<void> {
  await tx.query('select schedule_venue_queues($1, array[$2::text], to_timestamp($3 / 1000.0))', [
    venueId,
    endpointId,
    now,
  ]);
}

/** Clears missing answers and back-off, and revokes the lease: a worker that is processing the queue writes nothing more. */
export async function resetQueue(tx: Queryable, venueId: string, endpointId: string): Promise<void> {
  await tx.query(
    `update endpoint_queues set failures = 0, pace = 'quick', available_at = '-infinity', lease_token = lease_token + 1
     where venue_id = $1 and endpoint_id = $2`,
    [venueId, endpointId],
  );
}

export interface EarlierAttempt {
  readonly at: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly duration_ms: number;
}

export interface DeliveryRow {
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly type: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly last_response: string | null;
  readonly last_duration_ms: number | null;
  readonly last_attempt_at: string | null;
  readonly earlier_attempts: readonly EarlierAttempt[] | null;
  readonly end_reason: string | null;
  readonly next_attempt_at: string | null;
  readonly delivered_at: string | null;
  readonly created_at: string;
  /** Set for a sample, which belongs to no event. */
  readonly sample?: true;
}

const DELIVERY_COLUMNS = `event_id, endpoint_id, type, status, attempts, last_status, last_error, last_response, last_duration_ms,
  last_attempt_at, earlier_attempts, end_reason, due_at as next_attempt_at, delivered_at, created_at`;

export async function listDeliveryRows(
  db: Queryable,
  venueId: string,
  endpointId: string,
  page: PageQuery,
): Promise<DeliveryRow[]> {
  return db.query<DeliveryRow>(
    `select ${DELIVERY_COLUMNS} from deliveries
     where venue_id = $1 and endpoint_id = $2 and created_at < coalesce($3::timestamptz, 'infinity')
       and ($5::text is null or status = $5)
     order by created_at desc limit $4`,
    [venueId, endpointId, page.before, page.limit + 1, page.status],
  );
}

/** The newest delivery of each endpoint. */
export async function newestDeliveries(
  db: Queryable,
  venueId: string,
  endpointIds: readonly string[],
): Promise<DeliveryRow[]> {
  return db.query<DeliveryRow>(
    `select d.* from unnest($2::text[]) as n(id)
     cross join lateral (
       select ${DELIVERY_COLUMNS} from deliveries where venue_id = $1 and endpoint_id = n.id order by created_at desc limit 1) d`,
    [venueId, endpointIds],
  );
}

/** Makes a delivery due now and gives it new 72 hours. Null: there is no such delivery. */
export async function redeliverOne(
  tx: Queryable,
  venueId: string,
  endpointId: string,
  event: { readonly id: string; readonly createdAt: string },
  now: number,
): Promise<DeliveryRow | null> {
  const rows = await tx.query<DeliveryRow>(
    `update deliveries set status = 'pending', due_at = to_timestamp($4 / 1000.0), tries = 0, delivered_at = null,
       end_reason = null, ends_at = to_timestamp($6 / 1000.0)
     where venue_id = $1 and endpoint_id = $2 and created_at = $3::timestamptz and event_id = $5 returning ${DELIVERY_COLUMNS}`,
    [venueId, endpointId, event.createdAt, now, event.id, now + RETRY_WINDOW_MS],
  );
  return rows[0] ?? null;
}

/**
 * Makes the oldest failed deliveries since a time due again, also those that wait for their next try, up to a limit. Returns
 * how many.
 */
export async function redeliverFailed(
  tx: Queryable,
  venueId: string,
  endpointId: string,
  since: string,
  now: number,
  limit: number,
): Promise<number> {
  const rows = await tx.query(
    `update deliveries set status = 'pending', due_at = to_timestamp($4 / 1000.0), tries = 0,
       end_reason = null, ends_at = to_timestamp($6 / 1000.0)
     where venue_id = $1 and endpoint_id = $2 and created_at in (
       select created_at from deliveries
       where venue_id = $1 and endpoint_id = $2 and created_at >= $3::timestamptz
         and (status = 'failed' or (status = 'pending' and attempts > 0 and due_at > to_timestamp($4 / 1000.0)))
       order by created_at limit $5 for update skip locked) returning 1`,
    [venueId, endpointId, since, now, limit, now + RETRY_WINDOW_MS],
  );
  return rows.length;
}

const OLD_DELIVERIES: OldRows = {
  table: 'deliveries',
  key: 'venue_id, endpoint_id, created_at',
  isOld: 'created_at < to_timestamp($1 / 1000.0) and (due_at is null or ends_at < to_timestamp($2 / 1000.0))',
};

/** Deletes deliveries that are older than so many days, apart from those that still have attempts to come. */
export async function deleteOldDeliveries(db: Queryable, now: number, days: number, limit: number): Promise<number> {
  const rows = await db.query(deleteBatch(OLD_DELIVERIES, '$3'), [now - days * DAY_MS, now - DAY_MS, limit]);
  return rows.length;
}

export interface DeliveryOfEvent
  extends Omit<DeliveryRow, 'last_response' | 'earlier_attempts' | 'created_at' | 'sample'> {
  readonly url: string;
}

/** The deliveries of events, to every endpoint of the venue, by the time of the event and then by endpoint. */
export async function deliveriesOfEvents(
  db: Queryable,
  venueId: string,
  createdAt: readonly string[],
  limit: number,
): Promise<DeliveryOfEvent[]> {
  return db.query<DeliveryOfEvent>(
    `select d.event_id, d.endpoint_id, d.type, d.status, d.attempts, d.last_status, d.last_error, d.last_duration_ms,
       utc_micros(d.last_attempt_at) as last_attempt_at, d.end_reason, utc_micros(d.due_at) as next_attempt_at,
       utc_micros(d.delivered_at) as delivered_at, w.url
     from webhook_endpoints w
     join deliveries d on d.venue_id = w.venue_id and d.endpoint_id = w.endpoint_id and d.created_at = any($2::timestamptz[])
     where w.venue_id = $1 order by d.created_at, d.endpoint_id limit $3`,
    [venueId, createdAt, limit],
  );
}

export interface FirstDelivered {
  readonly eventId: string;
  readonly endpointId: string;
  readonly url: string;
  readonly at: string;
}

/** The first delivered event of a type, among the newest 1,000 deliveries of each endpoint. */
export async function firstDelivered(
  db: Queryable,
  venueId: string,
  mode: Mode,
  type: string,
): Promise<FirstDelivered | null> {
  const rows = await db.query<FirstDelivered>(
    `select d.event_id as "eventId", w.endpoint_id as "endpointId", w.url, utc_micros(d.delivered_at) as "at"
     from webhook_endpoints w
     cross join lateral (
       select n.event_id, n.delivered_at from (
         select event_id, type, status, delivered_at from deliveries
         where venue_id = $1 and endpoint_id = w.endpoint_id order by created_at desc limit 1000) n
       where n.type = $3 and n.status = 'delivered' order by n.delivered_at limit 1) d
     where w.venue_id = $1 and w.mode = $2 order by d.delivered_at limit 1`,
    [venueId, mode, type],
  );
  return rows[0] ?? null;
}

export interface FailingEndpoint {
  readonly id: string;
  readonly url: string;
  readonly isDisabled: boolean;
  /** Since when: the time of the last success, or of its creation; of a disabled one, when it was disabled. */
  readonly at: string;
  readonly lastError: string | null;
}

/** Endpoints that were disabled because they failed, and those whose newest tried delivery has failed. */
export async function failingEndpoints(
  db: Queryable,
  venueId: string,
  mode: Mode,
  limit: number,
): Promise<FailingEndpoint[]> {
  return db.query<FailingEndpoint>(
    `select w.endpoint_id as "id", w.url, w.status = 'disabled' as "isDisabled",
       utc_micros(coalesce(w.disabled_at, q.last_success_at, w.created_at)) as "at", d.last_error as "lastError"
     from webhook_endpoints w
     join endpoint_queues q on q.venue_id = w.venue_id and q.endpoint_id = w.endpoint_id
     left join lateral (
       select n.last_error, n.delivered_at from deliveries n
       where n.venue_id = w.venue_id and n.endpoint_id = w.endpoint_id and n.last_attempt_at is not null
       order by n.created_at desc limit 1) d on true
     where w.venue_id = $1 and w.mode = $2
       and (w.disabled_reason = 'failed_for_72_hours'
         or (w.status = 'active' and (q.failures > 0 or (d.last_error is not null and d.delivered_at is null))))
     order by w.status = 'disabled' desc, w.endpoint_id limit $3`,
    [venueId, mode, limit],
  );
}
