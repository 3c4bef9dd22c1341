// The delivery log of an endpoint: lists deliveries with their attempts, redelivers one, and redelivers all that have
// failed since a given time.

import type { Queryable } from '../../../base/db.ts';
import { conflict, invalid, notFound } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import { pageJson, pageQueryOf } from '../../../base/page.ts';
import { DAY_MS } from '../../../base/retention.ts';
import { findEventView } from '../../events/queries.ts';
import type { Caller } from '../../keys/caller.ts';
import { audit } from '../../venues/audit.ts';
import { type EndpointRow, findEndpoint } from '../queries.ts';
import { deliveryView, eventOf } from './delivery.ts';
import { listDeliveryRows, makeQueueDue, redeliverFailed, redeliverOne } from './queries.ts';
import { listSampleRows } from './sample-queries.ts';

const MAX_RECOVERED = 10_000;

async function requireEndpoint(db: Queryable, caller: Caller, input: Input): Promise<EndpointRow> {
  const row = await findEndpoint(db, caller.venue.id, caller.mode, input.params.id ?? '');
  if (row === null) throw notFound();
  return row;
}

export async function listDeliveries(db: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const endpoint = await requireEndpoint(db, caller, input);
  const page = pageQueryOf(input.query);
  const [deliveries, samples] = await Promise.all([
    listDeliveryRows(db, caller.venue.id, endpoint.id, page),
    listSampleRows(db, caller.venue.id, endpoint.id, page),
  ]);
  // Times are ISO 8601 in UTC with microseconds, so their texts sort by time.
  const found = [...deliveries, ...samples]
    .sort((one, other) => (one.created_at < other.created_at ? 1 : -1))
    .slice(0, page.limit + 1);
  const objects = found.map((row) => ({ json: JSON.stringify(deliveryView(row)), time: row.created_at }));
  return { status: 200, json: pageJson(objects, page.limit) };
}

export async function redeliver(tx: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const endpoint = await requireEndpoint(tx, caller, input);
  const eventId = eventOf(input.params.delivery_id ?? '', endpoint.id);
  const event = eventId === null ? null : await findEventView(tx, caller.venue.id, caller.mode, eventId);
  if (event === null) throw notFound();
  // Locks the queue before the delivery, in the same order as the worker, to avoid deadlocks.
  await makeQueueDue(tx, caller.venue.id, endpoint.id, caller.now);
  const row = await redeliverOne(tx, caller.venue.id, endpoint.id, event, caller.now);
  if (row === null) throw notFound();
  if (endpoint.status === 'disabled') throw endpointDisabled();
  await audit(tx, caller, {
    venueId: caller.venue.id,
    action: 'webhook_endpoint.redeliver',
    subject: endpoint.id,
    detail: { event_id: event.id },
  });
  return { status: 202, body: deliveryView(row) };
}

export async function recover(
  tx: Queryable,
  caller: Caller,
  input: Input<{ readonly since: string }>,
): Promise<OperationResult> {
  const endpoint = await requireEndpoint(tx, caller, input as Input);
  const { since } = input.body;
  const days = caller.retention.deliveryLogDays;
  if (Date.parse(since) < caller.now - days * DAY_MS || Date.parse(since) > caller.now)
    throw invalid([sinceOutOfRange(caller.now, days)]);
  if (endpoint.status === 'disabled') throw endpointDisabled();
  await makeQueueDue(tx, caller.venue.id, endpoint.id, caller.now);
  const recovered = await redeliverFailed(tx, caller.venue.id, endpoint.id, since, caller.now, MAX_RECOVERED);
  await audit(tx, caller, {
    venueId: caller.venue.id,
    action: 'webhook_endpoint.recover',
    subject: endpoint.id,
    detail: { since, recovered },
  });
  return {
    status: 202,
    body: { endpoint_id: endpoint.id, since, recovered, has_more: recovered === MAX_RECOVERED },
  };
}

function endpointDisabled() {
  return conflict('endpoint_disabled', 'This endpoint is disabled: enable it first.');
}

function sinceOutOfRange(now: number, days: number) {
  return {
    code: 'out_of_range',
    field: '/since',
    message: `since must lie within the last ${days} days: older deliveries are deleted.`,
    expected: `a time within the last ${days} days`,
    example_fix: new Date(now - DAY_MS).toISOString(),
  } as const;
}
