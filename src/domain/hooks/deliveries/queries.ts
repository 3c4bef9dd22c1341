// The only place that touches the tables of inbound deliveries and of the things that they have changed.

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';
import type { PageQuestion } from '../../../base/page.ts';
import type { Defaults } from '../integration.ts';

export interface InboundStored {
  readonly delivery_id: string;
  readonly is_duplicate: boolean;
}

/** Null: the integration was revoked meanwhile. */
export async function storeInbound(
  db: Queryable,
  delivery: {
    readonly venueId: string;
    readonly integrationId: string;
    readonly deliveryId: string;
    readonly now: number;
    readonly sameness: Buffer;
    readonly sameWithinSeconds: number | null;
    readonly eventId: string | null;
    readonly type: string | null;
    readonly body: Buffer;
  },
): Promise<InboundStored | null> {
  const rows = await db.query<InboundStored>(
    'select * from store_inbound($1, $2, $3, to_timestamp($4 / 1000.0), $5, make_interval(secs => $6), $7, $8, $9)',
    [
      delivery.venueId,
      delivery.integrationId,
      delivery.deliveryId,
      delivery.now,
      delivery.sameness,
      delivery.sameWithinSeconds,
      delivery.eventId,
      delivery.type,
      delivery.body,
    ],
  );
  return rows[0] ?? null;
}

export type InboundStatus = 'pending' | 'applied' | 'ignored' | 'superseded' | 'unmapped' | 'needs_api_read' | 'failed';

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
  page: PageQuestion,
): Promise<InboundRow[]> {
  return db.query<InboundRow>(
    `select ${COLUMNS} from inbound_deliveries
     where venue_id = $1 and integration_id = $2 and ($3::text is null or status = $3)
       and received_at < coalesce($4::timestamptz, 'infinity')
     order by received_at desc limit $5`,
    [venueId, integrationId, page.status, page.before, page.limit + 1],
  );
}

/** Due at once, whatever became of it. Null: there is none. */
export async function setDueAgain(
  tx: Queryable,
  venueId: string,
  integrationId: string,
  id: string,
  now: number,
): Promise<InboundRow | null> {
  const rows = await tx.query<InboundRow>(
    `update inbound_deliveries set status = 'pending', due_at = to_timestamp($4 / 1000.0), attempts = 0, reason = null,
       applied_at = null
     where venue_id = $1 and integration_id = $2 and delivery_id = $3 returning ${COLUMNS}`,
    [venueId, integrationId, id, now],
  );
  return rows[0] ?? null;
}

export interface Lane {
  readonly venue_id: string;
  readonly integration_id: string;
}

/** Integrations for which something waits: one step of the index for each, however much waits. */
export async function lanesDue(db: Queryable, most: number): Promise<Lane[]> {
  return db.query<Lane>(
    `with recursive lanes as (
       (select d.venue_id, d.integration_id from inbound_deliveries d where d.due_at is not null
        order by d.venue_id, d.integration_id limit 1)
       union all
       select n.venue_id, n.integration_id from lanes l cross join lateral (
         select d.venue_id, d.integration_id from inbound_deliveries d
         where d.due_at is not null and (d.venue_id, d.integration_id) > (l.venue_id, l.integration_id)
         order by d.venue_id, d.integration_id limit 1) n)
     select venue_id, integration_id from lanes limit $1`,
    [most],
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
}

/** The lane is ours until the transaction ends. False: somebody else has it. */
export async function takeLane(tx: Queryable, lane: Lane): Promise<boolean> {
  const rows = await tx.query(
    'select 1 from hook_lanes where venue_id = $1 and integration_id = $2 for update skip locked',
    [lane.venue_id, lane.integration_id],
  );
  return rows.length > 0;
}

/** The oldest that waits; one that is to be tried again later holds up those behind it. Null: nothing is due. */
export async function oldestDue(tx: Queryable, lane: Lane, now: number): Promise<DueDelivery | null> {
  const rows = await tx.query<DueDelivery>(
    `select d.delivery_id as id, d.venue_id, d.integration_id, i.mode, i.provider, i.defaults, d.body, d.received_at,
       d.attempts
     from (select * from inbound_deliveries w
           where w.venue_id = $1 and w.integration_id = $2 and w.due_at is not null order by w.received_at limit 1) d
     join integrations i on i.venue_id = d.venue_id and i.integration_id = d.integration_id
     where d.due_at <= to_timestamp($3 / 1000.0)`,
    [lane.venue_id, lane.integration_id, now],
  );
  return rows[0] ?? null;
}

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
       applied_at = case when $3 = 'applied' then to_timestamp($6 / 1000.0) end
     where venue_id = $1 and delivery_id = $2`,
    [delivery.venue_id, delivery.id, outcome.status, outcome.reason, outcome.offering, now],
  );
}

/** After something went wrong with us; `dueAt` null: no more. */
export async function recordTrouble(
  db: Queryable,
  delivery: Pick<DueDelivery, 'venue_id' | 'id'>,
  dueAt: number | null,
  reason: string,
): Promise<void> {
  await db.query(
    `update inbound_deliveries set attempts = attempts + 1, due_at = to_timestamp($3 / 1000.0),
       status = case when $3::float8 is null then 'failed' else 'pending' end,
       reason = case when $3::float8 is null then $4 end
     where venue_id = $1 and delivery_id = $2 and status = 'pending'`,
    [delivery.venue_id, delivery.id, dueAt, reason],
  );
}

/** What was applied to a thing last. */
export interface KnownThing {
  readonly version: string | null;
  readonly received_at: string;
  readonly offering_external_id: string | null;
}

export async function findThing(tx: Queryable, lane: Lane, hash: Buffer): Promise<KnownThing | null> {
  const rows = await tx.query<KnownThing>(
    `select version::text as version, received_at, offering_external_id from hook_objects
     where venue_id = $1 and integration_id = $2 and object_hash = $3`,
    [lane.venue_id, lane.integration_id, hash],
  );
  return rows[0] ?? null;
}

export async function keepThing(
  tx: Queryable,
  lane: Lane,
  hash: Buffer,
  thing: { readonly version: string | null; readonly receivedAt: string; readonly offering: string | null },
): Promise<void> {
  await tx.query(
    `insert into hook_objects (venue_id, integration_id, object_hash, version, received_at, offering_external_id)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (venue_id, integration_id, object_hash) do update
       set version = excluded.version, received_at = excluded.received_at,
         offering_external_id = coalesce(excluded.offering_external_id, hook_objects.offering_external_id)`,
    [lane.venue_id, lane.integration_id, hash, thing.version, thing.receivedAt, thing.offering],
  );
}

const KEPT_DAYS = 30;
const DAY = 24 * 3_600_000;

/** Deliveries go after 30 days, bodies and all, and what they changed is no longer guarded against older ones. */
export async function forgetOldInbound(db: Queryable, now: number, most: number): Promise<number> {
  const before = now - KEPT_DAYS * DAY;
  const deliveries = await db.query(
    `delete from inbound_deliveries where ctid = any(array(
       select ctid from inbound_deliveries where received_at < to_timestamp($1 / 1000.0) and due_at is null limit $2))
     returning 1`,
    [before, most],
  );
  const things = await db.query(
    `delete from hook_objects where ctid = any(array(
       select ctid from hook_objects where received_at < to_timestamp($1 / 1000.0) limit $2)) returning 1`,
    [before, most],
  );
  return Math.max(deliveries.length, things.length);
}
